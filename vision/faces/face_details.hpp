#pragma once

#include <memory>
#include <vector>

#include "vision/flats/flat_faces.hpp"

/// Faces found by their details: corners of letters, symbols and art, which are found again
/// whatever lies beside a piece or on top of it. They need no outline.
namespace overboard::vision {

struct Reference;

/// The details of one deck, to be looked for in many pictures.
struct FaceDetails {
    struct Detail {
        int face = 0;
        cv::Point2f at;   ///< From the middle of the face, of its longer side.
        float size = 0;   ///< Of the longer side.
        float angle = 0;  ///< Which way it points, radians, clockwise from the face's top.
    };
    std::vector<Detail> list;
    cv::Mat descriptors;  ///< A row each.
};
FaceDetails details_of(const std::vector<std::shared_ptr<const Reference>>& references);

/// Where several details of one face agree that it lies.
struct DetailedPlace {
    int face = 0;  ///< As in Faces::names().
    Pose pose;     ///< Table frame.
    int details = 0;
};

/// Pieces of that kind anywhere but under `known`, most details first. A place is no proof: faces
/// that share a frame share its details.
std::vector<DetailedPlace> places_by_details(const cv::Mat& bgr, const Faces& deck,
                                             const KnownSizes& sizes, int kind,
                                             const std::vector<Corners>& known);

}  // namespace overboard::vision
