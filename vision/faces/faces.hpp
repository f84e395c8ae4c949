#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/observation.hpp"

/// Which face is this? One reference picture a face is all it needs.
namespace overboard::vision {

/// Corners of a card in the picture, pixels, clockwise as seen.
using Corners = std::array<cv::Point2f, 4>;

struct FaceMatch {
    std::optional<std::string> face;  ///< Empty rather than a guess.
    double confidence = 0;
    int quarter_turns = 0;  ///< How the crop has to be turned clockwise to stand upright.
    std::vector<Alternative> alternatives;
    std::string best;  ///< The nearest face even when it was not good enough.
    /// Correlation with `best` once the deck's common look is taken out, -1 … 1.
    double score = 0;
    double likeness = 0;  ///< Plain correlation with `best`, common look included, -1 … 1.
    /// How much better than the next face, on the pixels that tell the two apart.
    double margin = 0;
    double worst = 0;  ///< How strange the worst place is: from 1 (hot: from about 0.9) it is a
                       ///< stranger.
    cv::Vec3f light{1, 1, 1};  ///< How bright the crop is against its reference, blue, green, red.
    Corners corners{};  ///< The corners, pulled onto the reference, first the face's own top-left.
};

/// Takes the name back; it becomes the first alternative.
void unname(FaceMatch& match);

struct RecogniseOptions {
    int rounds = 1;   ///< How often the corners are pulled onto the reference. 1: hot. More: bad
                      ///< corners.
    float slack = 0;  ///< Corners, or the reference's own crop, may be off by this fraction of a
                      ///< side. Over 0: cold.
    bool careful = false;  ///< Rivals and strangers are told by what they leave unexplained. Cold:
                           ///< some milliseconds.
    std::optional<cv::Vec3f>
        lamp;  ///< FaceMatch::light of most pieces in the picture: faces of one shape and another
               ///< colour are told by it. With care only.
    bool part_only = false;     ///< Of covered() faces: from corner 0 to 1 runs the shorter side,
                                ///< however it looks.
    bool upright_only = false;  ///< Corner 0 is the face's top-left: pieces that are never turned.
    /// The part of the face, as fractions from corner 0, that is not covered. Anything but all of
    /// it: the corners are taken as they are, and from corner 0 to 1 runs the shorter side.
    cv::Rect2f visible{0, 0, 1, 1};
};

struct Thumb;
struct FaceDetails;

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

    /// The same faces with a part of each covered by something plain: `hidden`, one a cell of the
    /// grid faces are compared on (face_thumb), corner 0 being that of the crop. Ask with
    /// RecogniseOptions::part_only.
    [[nodiscard]] Faces covered(const std::vector<std::uint8_t>& hidden) const;

    /// `corners_px`: the card's corners in the picture, clockwise from any one of them.
    [[nodiscard]] FaceMatch recognise(const cv::Mat& bgr,
                                      const std::vector<cv::Point2f>& corners_px) const;
    [[nodiscard]] FaceMatch recognise(const cv::Mat& bgr, const Corners& corners_px,
                                      const RecogniseOptions& options) const;

    /// Does `face` still show there, corner 0 being its own top-left? A fraction of the cost of
    /// recognise(), however many are enrolled. Nothing when it cannot be told so cheaply, a twin of
    /// it being enrolled perhaps: ask recognise() then. `rounds`: how often the corners are pulled
    /// onto the reference and looked through again; 0: they are believed but for a millimetre or
    /// so.
    [[nodiscard]] std::optional<FaceMatch> confirm(const cv::Mat& bgr, const Corners& corners_px,
                                                   const std::string& face, int rounds = 0) const;

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] double aspect()
        const;  ///< Width by height of the references (their median); 0 when empty.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] double threshold() const;  ///< Scores below it are strangers.

    /// The picture face `index` (as in names()) is known by; corner `turn` of the face lies
    /// top-left.
    [[nodiscard]] const Thumb& reference(std::size_t index, int turn) const;

    /// What faces are found by where no outline shows.
    [[nodiscard]] const FaceDetails& details() const;

    struct Pair {
        std::string a, b;
        double likeness = 0;  ///< 1: the same picture.
    };
    /// The pairs hardest to tell apart, most alike first.
    [[nodiscard]] std::vector<Pair> most_alike(std::size_t count) const;

    struct Table;  ///< Known to the recogniser only.

private:
    [[nodiscard]] FaceMatch recognise_part(const cv::Mat& bgr, const Corners& corners,
                                           const RecogniseOptions& options) const;
    std::shared_ptr<const Table> table_;
};

}  // namespace overboard::vision
