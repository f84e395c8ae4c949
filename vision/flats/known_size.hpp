#pragma once

#include <vector>

#include "vision/flats/flat_faces.hpp"

/// What knowing the size of the pieces makes possible: judging outlines by millimetres, guessing a
/// whole piece from one corner, and reading pieces of which only a strip shows.
namespace overboard::vision {

/// Length of side `i` of a rectangle's outline, the mean of it and the one across.
double side_mm(const Polygon& rectangle, int i);

/// Which kind has this size; -1: none.
int kind_of_size(const KnownSizes& sizes, const Corners& corners);

/// A marker of the table, or something beyond its edge: no piece.
bool on_marker(const KnownSizes& sizes, const Corners& corners);

/// The same map for a picture scaled to another size.
calibration::TableMap scaled_map(const calibration::TableMap& map, cv::Size size);

/// The same camera, seeing only a part of its picture.
calibration::TableMap cropped_map(const calibration::TableMap& map, const cv::Rect& part);

/// Corners in the picture of a piece of that kind lying there.
Corners corners_at(const KnownSizes& sizes, int kind, Pose pose);
Corners corners_at(const calibration::TableMap& map, const FaceKind& kind, Pose pose);
/// Where a piece with these corners lies.
Pose pose_at(const KnownSizes& sizes, int kind, const Corners& corners);

/// Where a piece could lie that has this corner: one for each way it could fit into it. Each once.
struct FlatPlacement {
    int kind = 0;
    Pose pose;
};
std::vector<FlatPlacement> placements_at(const std::vector<OutlineCorner>& corners,
                                         const KnownSizes& sizes);

/// Whole pieces guessed from single corners: one for each way a piece could fit into the corner.
std::vector<Quad> rectangles_at(const cv::Mat& bgr, const std::vector<OutlineCorner>& corners,
                                const KnownSizes& sizes);

/// Adds the pieces that lie under the named ones with a strip showing, and the ones under those.
void add_covered(const cv::Mat& bgr, const std::vector<Faces>& decks, const KnownSizes& sizes,
                 std::vector<FlatFace>& list);

}  // namespace overboard::vision
