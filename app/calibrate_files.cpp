#include <fmt/format.h>

#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "app/calibrate.hpp"
#include "calibration/table_frame.hpp"
#include "calibration/touch.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;
using namespace calibration;

/// "im2.png" before "im10.png".
bool by_number(const fs::path& a, const fs::path& b) {
    const auto padded = [](const std::string& name) {
        std::string out, digits;
        for (const char c : name + '\0') {
            if (c >= '0' && c <= '9') {
                digits += c;
                continue;
            }
            if (!digits.empty())
                out += std::string(digits.size() < 12 ? 12 - digits.size() : 0, '0') + digits;
            digits.clear();
            out += c;
        }
        return out;
    };
    return padded(a.filename().string()) < padded(b.filename().string());
}

std::vector<PointPair> projector_pairs(const std::vector<NamedPicture>& pictures,
                                       cv::Size projector) {
    for (const NamedPicture& p : pictures)
        if (p.bgr.size() != pictures[0].bgr.size())
            throw std::runtime_error("the projector pictures are of different sizes: " + p.name);
    if (pictures.size() == 3)
        return find_projector_board(pictures[0].bgr, pictures[1].bgr, pictures[2].bgr, projector);
    const std::size_t needed = gray_code_patterns(projector).size();
    if (pictures.size() != needed)
        throw std::runtime_error(
            fmt::format("a projector of {} x {} takes 3 pictures (board, black, white) or {} (Gray "
                        "code, white, black), not {}",
                        projector.width, projector.height, needed, pictures.size()));
    std::vector<cv::Mat> captured;
    for (const NamedPicture& p : pictures) captured.push_back(p.bgr);
    return decode_gray_code(captured, projector);
}

std::vector<Point> points_in(const Json& list) {
    std::vector<Point> points;
    for (const Json& p : list) points.push_back({p.at(0).get<double>(), p.at(1).get<double>()});
    return points;
}

void touches_in(const std::string& file, Sitting& sitting) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot open the touches " + file);
    std::vector<Point> targets, touched;
    try {
        const Json json = Json::parse(in);
        touched = points_in(json.at("touched"));
        targets = json.contains("targets") ? points_in(json["targets"])
                                           : touch_targets(sitting.table_size());
    } catch (const Json::exception&) {
        throw std::runtime_error(
            file +
            R"( is not like {"touched":[[x,y],…]}, with "targets" in mm unless they are the usual nine)");
    }
    sitting.touch(targets, touched);
}

}  // namespace

std::vector<NamedPicture> pictures_in(const std::string& folder) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.is_regular_file()) files.push_back(entry.path());
    if (error)
        throw std::runtime_error("cannot read the folder " + folder + ": " + error.message());
    std::sort(files.begin(), files.end(), by_number);
    std::vector<NamedPicture> pictures;
    for (const fs::path& file : files)
        if (cv::Mat picture = cv::imread(file.string()); !picture.empty())
            pictures.push_back({file.filename().string(), picture});
    if (pictures.empty()) throw std::runtime_error("there is no picture in " + folder);
    return pictures;
}

cv::Size parse_size(const std::string& text) {
    int w = 0, h = 0;
    char after = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &w, &h, &after) != 2 || w < 64 || h < 64 ||
        w > 16384 || h > 16384)
        throw std::runtime_error("not a size: '" + text + "' (like 1920x1080)");
    return {w, h};
}

void calibrate_from_pictures(const std::vector<NamedPicture>& pictures, bool table_too,
                             Sitting& sitting) {
    sitting.lens(pictures);
    if (!table_too || !sitting.good()) return;
    // There may be views of the table among them; none is no fault.
    std::vector<NamedPicture> rest;
    for (std::size_t i = 0; i < pictures.size(); ++i)
        if (sitting.report()["lens"]["views"][i]["corners"].get<int>() < 8 &&
            find_markers(pictures[i].bgr, sitting.table_size()).size() >= 3)
            rest.push_back(pictures[i]);
    if (!rest.empty()) sitting.table(rest);
}

void calibrate_from_files(const CalibrateOptions& o, Sitting& sitting) {
    if (!o.images.empty())
        calibrate_from_pictures(pictures_in(o.images), o.table_images.empty(), sitting);
    if (!sitting.good()) return;
    if (!o.table_images.empty()) sitting.table(pictures_in(o.table_images));
    if (!sitting.good()) return;
    if (!o.projector_images.empty()) {
        const cv::Size size = parse_size(o.projector.empty() ? "1920x1080" : o.projector);
        sitting.projector(projector_pairs(pictures_in(o.projector_images), size), size);
    }
    if (sitting.good() && !o.touches.empty()) touches_in(o.touches, sitting);
}

}  // namespace overboard::app
