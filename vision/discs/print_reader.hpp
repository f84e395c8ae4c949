#pragma once

#include <vector>

#include "vision/faces/face_thumb.hpp"

/// Reads pieces whose size and way up in the picture are known already, by their print alone:
/// nothing is bent, only moved. Outlines of touching tiles are worth little, and no two tiles are
/// printed or cut alike.
namespace overboard::vision {

/// A piece in the picture as two vectors: along its top, down its side.
struct Shape {
    cv::Point2f x, y;
};
Shape shape_of(const Corners& corners);
Corners placed(cv::Point2f centre, const Shape& shape);

class PrintReader {
public:
    /// `shape`: of what the references show, which may be a little less than the piece. `upright`:
    /// pieces are never turned against it.
    PrintReader(const Faces& deck, const Shape& shape, bool upright);

    /// The piece near `centre`, found within a quarter of its size.
    [[nodiscard]] FaceMatch read(const cv::Mat& bgr, cv::Point2f centre) const;

    /// How well a face can be seen there, -1 … 1.
    [[nodiscard]] float likeness(const cv::Mat& bgr, cv::Point2f centre,
                                 const std::string& face) const;

private:
    /// A reference on the grid a crop is searched on: three colours, each without its mean; unit
    /// length.
    struct Print {
        int face = 0, turn = 0;
        std::vector<float> coarse, fine;
        cv::Vec3f mean;
    };
    Shape shape_;
    std::vector<std::string> names_;
    std::vector<Print> prints_;
};

}  // namespace overboard::vision
