#pragma once

#include <optional>
#include <vector>

#include "vision/flats/flat_faces.hpp"

/// From outlines to readings: which face is it, how sure is that, and where does it lie then?
namespace overboard::vision {

float aspect_of(const Corners& corners);       ///< Width by height, as seen.
double median_of(std::vector<double> values);  ///< 0 of none.

/// For corners that may be off, and references that may be cropped otherwise than the outline.
RecogniseOptions patient();

/// What lamp they lie under (FaceMatch::light), when enough are named to tell.
std::optional<cv::Vec3f> lamp_over(const std::vector<FlatFace>& list);

/// Is anything printed here?
bool printed(const cv::Mat& bgr, const Corners& corners);

/// Nothing is printed here, though it is well lit, while all faces of the deck are printed.
bool bare(const cv::Mat& bgr, const Corners& corners, const Faces& deck);

/// Reads the outlines, as many as time allows; `with_patience`: twice, where that may help.
std::vector<FlatFace> read_quads(const cv::Mat& bgr, const std::vector<Quad>& quads,
                                 const std::vector<Faces>& decks, bool with_patience);

/// Middling readings, once more with patience: the reference may be cropped otherwise than the
/// outline.
void read_doubtful(const cv::Mat& bgr, const std::vector<Faces>& decks,
                   std::vector<FlatFace>& list);

/// Everything that may be a face and was not named by its print alone, once more with care: now
/// where they lie is settled, and what they are is said.
void read_carefully(const cv::Mat& bgr, const std::vector<Faces>& decks,
                    std::vector<FlatFace>& list);

/// Where a named piece's reading and its outline disagree, the outline is a neighbour's or a
/// frame's.
void settle_corners(const cv::Mat& bgr, FlatFace& f);

/// With known sizes the print says best where a piece lies: its outline has thickness and a shadow.
void settle_on_print(const KnownSizes& sizes, FlatFace& f);

/// Which way nearly all pieces of a square kind lie, when they do.
std::optional<double> common_up(const std::vector<FlatFace>& list, const Faces& deck, int kind);

/// The corners from the one that is the top-left when `up` is the way up.
Corners upright(Corners c, double up);

/// Reads again, the common way up, what lies another way up or is in doubt.
void agree_on_up(const cv::Mat& bgr, const Faces& deck, int kind, double up,
                 std::vector<FlatFace>& list);

}  // namespace overboard::vision
