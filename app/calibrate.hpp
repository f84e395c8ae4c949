#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bus/codec.hpp"
#include "bus/table.hpp"
#include "calibration/intrinsics.hpp"
#include "calibration/profile.hpp"
#include "calibration/projector.hpp"

/// What the scripted and the guided way of calibrating share.
namespace overboard::app {

struct CalibrateOptions {
    std::string images, table_images, projector_images, touches;  ///< Scripted: folders and a file.
    std::string board = "charuco:8x5:30:22:DICT_4X4_100", table, lens, projector;
    std::string
        corners;  ///< Of the table, pixels, clockwise from the top left: instead of its markers.
    std::string out, ros, coverage;
    std::string camera, output, touch;  ///< Guided.
    double check_bar_mm = 100;
    bool json = false, simulate = false;
    std::uint64_t seed = 1;
    std::string light = "cafe";
};

/// One sitting: step by step from pictures to a profile. Every step says how it went; after a bad
/// one good() is false, why() tells, and the profile must not be kept.
class Sitting {
public:
    /// What was printed, at the scale it was printed at. Throws std::runtime_error on a wrong bar.
    explicit Sitting(const CalibrateOptions& options);

    void lens(const std::vector<calibration::NamedPicture>& pictures);
    /// From the pictures that show the table's markers but not the board, all taken from one place.
    void table(const std::vector<calibration::NamedPicture>& pictures);
    /// Nothing is kept of the projector when the table is not known.
    void projector(const std::vector<calibration::PointPair>& pairs, cv::Size size,
                   double latency_s = 0);
    void touch(const std::vector<Point>& targets, const std::vector<Point>& touched);

    [[nodiscard]] bool good() const { return why_.empty(); }
    [[nodiscard]] const std::string& why() const { return why_; }
    [[nodiscard]] const calibration::Profile& profile() const { return profile_; }
    [[nodiscard]] const calibration::TargetBoard& board() const { return board_; }
    [[nodiscard]] const Table& table_size() const { return table_; }
    [[nodiscard]] const cv::Mat& coverage_picture() const { return coverage_; }
    [[nodiscard]] const Json& report() const { return report_; }
    [[nodiscard]] Json& report() { return report_; }
    /// "lens 0.21 px, table 0.12 mm": what was measured in this sitting.
    [[nodiscard]] std::string figures() const;
    /// A line for people; kept from them when only JSON was asked for.
    void say(const std::string& line) const;

private:
    void table_by_corners(cv::Size size);
    void judge(const char* step, bool good, const std::string& verdict);

    CalibrateOptions options_;
    calibration::TargetBoard board_;
    Table table_;
    calibration::Profile profile_;
    cv::Mat coverage_;
    Json report_ = Json::object();
    std::string why_;
};

/// Everything in the folder that is a picture, in the order of the numbers in their names. Throws
/// std::runtime_error when there is none.
std::vector<calibration::NamedPicture> pictures_in(const std::string& folder);

/// "1920x1080". Throws std::runtime_error.
cv::Size parse_size(const std::string& text);

/// The lens from the pictures that show the board; when asked, the table from those that do not.
void calibrate_from_pictures(const std::vector<calibration::NamedPicture>& pictures, bool table_too,
                             Sitting& sitting);
/// From folders of pictures.
void calibrate_from_files(const CalibrateOptions& options, Sitting& sitting);
/// With a camera over a table, or a simulated one: lens, table, projector, touch.
void calibrate_guided(const CalibrateOptions& options, Sitting& sitting);

}  // namespace overboard::app
