#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bus/observation.hpp"

/// Which face is this? One reference picture a face is all it needs.
namespace overboard::vision {

struct FaceMatch {
    std::optional<std::string> face;  ///< Empty rather than a guess.
    double confidence = 0;
    int quarter_turns = 0;            ///< How the crop has to be turned clockwise to stand upright.
    std::vector<Alternative> alternatives;
};

/// The enrolled faces of one set of cards or tiles. Cheap to copy: the tables are shared.
class Faces {
public:
    Faces();
    ~Faces();
    Faces(const Faces&);
    Faces& operator=(const Faces&);

    /// Adds one face from an upright picture that shows nothing but the face, edge to edge.
    void enrol(const std::string& face, const cv::Mat& bgr);
    /// Every `<face>.png|jpg` of a folder. Throws std::runtime_error when there is none.
    static Faces from_folder(const std::filesystem::path& folder);

    /// `corners_px`: the card's corners in the picture, clockwise from any one of them.
    [[nodiscard]] FaceMatch recognise(const cv::Mat& bgr, const std::vector<cv::Point2f>& corners_px) const;
    [[nodiscard]] std::size_t size() const;

private:
    struct Table;
    std::shared_ptr<const Table> table_;
};

}  // namespace overboard::vision
