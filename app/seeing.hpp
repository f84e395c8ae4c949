#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "calibration/table_map.hpp"
#include "vision/detect.hpp"

/// What detect, track, vision and bench share: from command-line options to a catalogue, faces and
/// a map.
namespace overboard::app {

struct SeeingOptions {
    std::string game;
    std::string board, variant, calibration, corners, faces;
    /// The positional GAME and the options of the same names.
    void add_to(CLI::App& command);
    /// Throws CLI::ValidationError when a file or folder named is not there. Not done while options
    /// are read: a file of options may name for one command what another is to make first.
    void check_files() const;
};

/// What to look for and how to name it.
struct Sought {
    Catalogue catalogue;
    std::vector<Catalogue>
        others;  ///< Sets with other pieces the game is played with, when none was asked for.
    vision::Kinds kinds;
    vision::FaceSets faces;
};
Sought look_for(const SeeingOptions& options);

/// How the picture was tied to the table.
struct Registration {
    std::optional<calibration::TableMap> map;  ///< Nothing: a bare photograph.
    std::optional<Pose> board;                 ///< Known when the corners are the board's own.
};
/// "x,y x,y x,y x,y". Throws CLI::ValidationError unless there are four.
std::vector<cv::Point2d> parse_corners(const std::string& text);

/// By calibration file, by corners, by the table's markers, or not at all, in that order.
Registration register_view(const SeeingOptions& options, const Catalogue& catalogue,
                           const cv::Mat& bgr);

/// The same for a film, whose map is always in the table frame: corners of a board are taken to lie
/// where the catalogue puts the board.
Registration register_film(const SeeingOptions& options, const Catalogue& catalogue,
                           const cv::Mat& bgr);

}  // namespace overboard::app
