#include <fmt/format.h>

#include "app/calibrate.hpp"
#include "app/seeing.hpp"
#include "calibration/table_check.hpp"
#include "calibration/table_frame.hpp"
#include "calibration/touch.hpp"

namespace overboard::app {
namespace {

using namespace calibration;

constexpr double kCornersAgree_mm = 8;  // a corner pointed at by hand is a few pixels off

Json json_of(const ViewReport& view) {
    return {{"picture", view.name},
            {"corners", view.corners},
            {"rms_px", view.rms_px},
            {"used", view.used},
            {"why_not", view.why_not}};
}

Json json_of(const Intrinsics& lens) {
    Json K = Json::array(), d = Json::array();
    for (const double v : lens.K.val) K.push_back(v);
    for (const double v : lens.distortion.val) d.push_back(v);
    return {{"width", lens.size.width},
            {"height", lens.size.height},
            {"camera_matrix", K},
            {"distortion_coefficients", d}};
}

std::string line_of(const ViewReport& view) {
    return fmt::format("  {:<24} {:>3} corners {:>6}  {}", view.name, view.corners,
                       view.rms_px > 0 ? fmt::format("{:.2f} px", view.rms_px) : "",
                       view.used ? "used" : "left out: " + view.why_not);
}

/// What is known already: the lens of another file, or all of the profile about to be renewed.
Profile known_before(const CalibrateOptions& o) {
    Profile profile;
    if (!o.out.empty() && std::filesystem::exists(o.out)) profile = load_profile(o.out);
    if (!o.lens.empty()) {
        const Profile other = load_profile(o.lens);
        profile.lens = other.lens;
        profile.lens_rms_px = other.lens_rms_px;
        profile.table.reset();
    }
    if (!o.camera.empty() && !o.simulate) profile.camera_id = o.camera;
    return profile;
}

}  // namespace

Sitting::Sitting(const CalibrateOptions& options)
    : options_{options}, board_{parse_board(options.board)}, profile_{known_before(options)} {
    if (!options.table.empty()) table_ = load_table(options.table);
    const double scale = scale_of_bar(options.check_bar_mm);
    board_.square_mm *= scale;
    board_.marker_mm *= scale;
    table_.marker_mm *= scale;
    if (scale != 1)
        say(fmt::format(
            "Printed at {:.1f} %: squares of {:.2f} mm and markers of {:.2f} mm are reckoned with.",
            100 * scale, board_.square_mm, table_.marker_mm));
    report_["printed_scale"] = scale;
}

void Sitting::say(const std::string& line) const {
    if (!options_.json) fmt::print("{}\n", line), std::fflush(stdout);
}

void Sitting::judge(const char* step, bool good, const std::string& verdict) {
    report_[step]["good"] = good;
    report_[step]["verdict"] = verdict;
    say(fmt::format("{:<10} {}  {}", step, good ? "yes" : "NO ", verdict));
    if (!good && why_.empty()) why_ = verdict;
}

void Sitting::lens(const std::vector<NamedPicture>& pictures) {
    const LensResult found = solve_lens(pictures, board_);
    coverage_ = found.coverage_picture;
    Json& said = report_["lens"] = {
        {"rms_px", found.rms_px}, {"coverage", found.coverage}, {"views", Json::array()}};
    for (const ViewReport& view : found.views) {
        said["views"].push_back(json_of(view));
        say(line_of(view));
    }
    if (found.good) {
        profile_.lens = found.intrinsics;
        profile_.lens_rms_px = found.rms_px;
        profile_.table.reset();  // its pose was measured through the old lens
        said["camera"] = json_of(found.intrinsics);
    }
    judge("lens", found.good, found.verdict);
}

void Sitting::table_by_corners(cv::Size size) {
    const auto fix = fix_table_by_corners(parse_corners(options_.corners), table_, size,
                                          profile_.lens ? &*profile_.lens : nullptr);
    report_["table"] = {{"by_corners", true},
                        {"rms_px", fix.rms_px},
                        {"rms_mm", fix.rms_mm},
                        {"camera_height_mm", (*fix.map.eye())[2]}};
    const bool good = fix.rms_mm <= kCornersAgree_mm;
    if (good) {
        if (!profile_.lens) profile_.lens = fix.map.intrinsics();
        profile_.table = fix.map;
        profile_.table_rms_mm = fix.rms_mm;
    }
    judge("table", good,
          good ? fmt::format("By the corners you gave: {:.1f} mm apart, no better than they were "
                             "pointed at; markers would say more.",
                             fix.rms_mm)
               : fmt::format("Four such corners are not a table of {:.0f} x {:.0f} mm ({:.0f} mm "
                             "apart): give them clockwise from the top left, in pixels.",
                             table_.width_mm, table_.height_mm, fix.rms_mm));
}

void Sitting::table(const std::vector<NamedPicture>& pictures) {
    if (!options_.corners.empty() && !pictures.empty())
        return table_by_corners(pictures.front().bgr.size());
    std::vector<std::vector<SeenMarker>> seen;
    cv::Size size;
    for (const NamedPicture& picture : pictures) {
        if (find_board(picture.bgr, board_).size() >= 8)
            continue;  // its markers carry the same numbers
        if (!seen.empty() && picture.bgr.size() != size) continue;
        auto markers = find_markers(picture.bgr, table_);
        if (markers.size() < 3) continue;
        size = picture.bgr.size();
        seen.push_back(std::move(markers));
    }
    report_["table"] = {{"pictures", seen.size()}};
    const std::vector<SeenMarker> markers = average_markers(seen);
    const auto fix = fix_table_as_seen(markers, table_, size,
                                       profile_.lens ? &*profile_.lens : nullptr);
    if (!fix)
        return judge("table", false,
                     fmt::format("None of {} pictures shows three of the table's markers: uncover "
                                 "them, and light them evenly.",
                                 pictures.size()));
    const std::string fault = table_fault(*fix, markers, table_);
    const double height_mm = (*fix->map.eye())[2];
    report_["table"].update({{"rms_px", fix->rms_px},
                             {"rms_mm", fix->rms_mm},
                             {"markers", fix->markers},
                             {"camera_height_mm", height_mm},
                             {"marker_scale", printed_scale(markers, fix->map, table_)}});
    if (fault.empty()) {
        if (!profile_.lens) profile_.lens = fix->map.intrinsics();
        profile_.table = fix->map;
        profile_.table_rms_mm = fix->rms_mm;
    }
    judge(
        "table", fault.empty(),
        fault.empty()
            ? fmt::format("Good: {:.2f} mm at {} markers over {} pictures, camera {:.2f} m above.",
                          fix->rms_mm, fix->markers, seen.size(), height_mm / 1000)
            : fault);
}

void Sitting::projector(const std::vector<PointPair>& pairs, cv::Size size, double latency_s) {
    if (!profile_.table)
        return judge(
            "projector", false,
            "The projector needs the table first: take pictures that show the table's markers.");
    ProjectorResult found = solve_projector(pairs, *profile_.table, size, profile_.table_rms_mm);
    found.fix.latency_s = latency_s;
    report_["projector"] = {{"rms_mm", found.fix.rms_mm}, {"error_mm", found.error_mm},
                            {"points", found.pairs},      {"agreeing", found.inliers},
                            {"latency_s", latency_s},     {"width", size.width},
                            {"height", size.height}};
    if (found.good) profile_.projector = found.fix;
    judge("projector", found.good,
          found.verdict + (latency_s > 0
                               ? fmt::format(" Seen {:.0f} ms after it is shown.", 1000 * latency_s)
                               : ""));
}

void Sitting::touch(const std::vector<Point>& targets, const std::vector<Point>& touched) {
    const TouchResult found = solve_touch(targets, touched);
    report_["touch"] = {{"rms_mm", found.fix.rms_mm}, {"error_mm", found.error_mm}};
    if (found.good) profile_.touch = found.fix;
    judge("touch", found.good, found.verdict);
}

std::string Sitting::figures() const {
    std::string text;
    const auto add = [&](const char* step, const char* key, const char* unit) {
        if (report_.contains(step) && report_[step].contains(key))
            text += fmt::format("{}{} {:.2f} {}", text.empty() ? "" : ", ", step,
                                report_[step][key].get<double>(), unit);
    };
    add("lens", "rms_px", "px");
    add("table", "rms_mm", "mm");
    add("projector", "error_mm", "mm");
    add("touch", "rms_mm", "mm");
    return text;
}

}  // namespace overboard::app
