#pragma once

#include <functional>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "app/bench.hpp"
#include "app/seeing.hpp"

/// Pictures with their truth, photographed or rendered, and what the cold way makes of them.
namespace overboard::app {

/// One piece that is really there.
struct Truth {
    PieceKind kind = PieceKind::disc;
    Point at;              ///< Pixels; millimetres in a rendered picture.
    double reach = 10;     ///< A piece seen within it counts as found; same unit.
    double size = 20;      ///< What errors are given as a share of; 0: as they are.
    std::string name;      ///< Type, value, face or shape; empty: unreadable, or not for naming.
    bool counts = true;    ///< No: found or not, it is neither hit nor miss nor extra.
    bool has_name = true;  ///< No: what it is called is not judged.
};

struct LabelledPicture {
    std::string set, name;
    cv::Mat bgr;
    std::vector<Truth> truths;
    std::vector<std::vector<cv::Point2f>> ignored;  ///< Nothing seen in there is counted.
    std::vector<cv::Point2d> corners;  ///< Told to the program; empty: it has to find its way.
    std::optional<calibration::Intrinsics>
        lens;  ///< Of a calibrated camera; the table is found by its markers.
    std::shared_ptr<const Sought> sought;
    bool millimetres = false;  ///< Truths are on the table, not in the picture.
    bool sides_only = false;   ///< Names only tell sides apart: any consistent naming is right.
    bool may_mirror = true;    ///< Faces may not.
};

/// What a piece is called, whatever its kind; empty: it has no name.
std::string name_of(const Piece& piece);

using PictureSink = std::function<void(LabelledPicture)>;

/// Labelled photographs of one folder under BenchOptions::real, one by one.
void carrom_photographs(const BenchOptions& options, const PictureSink& sink);
void dice_photographs(const BenchOptions& options, const PictureSink& sink);
void card_photographs(const BenchOptions& options, const PictureSink& sink);
void polygon_photographs(const BenchOptions& options, const PictureSink& sink);

/// Tables of every game after a few random moves, and tables full of dice and tournament discs, in
/// three lights.
void simulated_tables(const BenchOptions& options, const PictureSink& sink);

/// One way of making a photograph worse without changing what it shows.
struct Change {
    std::string name;
    std::function<void(LabelledPicture&, cv::RNG&)> apply;
    bool mirrors = false;
};
const std::vector<Change>& changes();

}  // namespace overboard::app
