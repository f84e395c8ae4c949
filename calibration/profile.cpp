#include "calibration/profile.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <opencv2/core.hpp>
#include <sstream>
#include <stdexcept>

namespace overboard::calibration {
namespace fs = std::filesystem;
namespace {

std::string read_all(const fs::path& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot open the calibration " + file.string());
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

cv::Matx33d matrix33(const cv::Mat& m, const char* what) {
    cv::Mat d;
    m.convertTo(d, CV_64F);
    if (d.total() != 9) throw std::runtime_error(std::string(what) + " is not a 3 x 3 matrix");
    return cv::Matx33d(d.reshape(1, 3));
}

/// Either an !!opencv-matrix or ROS's plain {rows, cols, data}.
cv::Mat matrix_in(const cv::FileNode& node) {
    cv::Mat m;
    if (node.isMap() && node["data"].isSeq()) {
        std::vector<double> data;
        node["data"] >> data;
        int rows = 0, cols = 0;
        node["rows"] >> rows;
        node["cols"] >> cols;
        if (rows > 0 && cols > 0 && std::size_t(rows) * std::size_t(cols) == data.size())
            m = cv::Mat(data, true).reshape(1, rows);
    } else if (!node.empty()) {
        node >> m;
    }
    return m;
}

Intrinsics read_lens(const cv::FileStorage& in) {
    Intrinsics lens;
    const cv::Mat K = matrix_in(in["camera_matrix"]);
    if (K.empty()) throw std::runtime_error("it has no camera_matrix");
    lens.K = matrix33(K, "camera_matrix");
    if (lens.K(0, 0) == 0)
        throw std::runtime_error("its focal length is 0: the camera was never calibrated");
    lens.size = {int(in["image_width"]), int(in["image_height"])};
    cv::Mat d = matrix_in(in["distortion_coefficients"]);
    d.convertTo(d, CV_64F);
    d = d.reshape(1, 1);
    std::string model;
    if (!in["distortion_model"].empty()) in["distortion_model"] >> model;
    const bool plain = model.empty() || model == "plumb_bob";
    for (int i = 5; i < d.cols; ++i)
        if (d.at<double>(i) != 0 || !plain)
            throw std::runtime_error("its lens model has more than five coefficients");
    if (!plain && model != "rational_polynomial")
        throw std::runtime_error("its lens model is " + model + ", not plumb_bob");
    for (int i = 0; i < std::min(5, d.cols); ++i) lens.distortion[i] = d.at<double>(i);
    return lens;
}

void read_rest(const cv::FileStorage& in, Profile& p) {
    if (!in["overboard_profile"].empty()) in["overboard_profile"] >> p.version;
    if (p.version > 1)
        throw std::runtime_error(
            fmt::format("it is of version {}, newer than this program", p.version));
    if (in["calibration_time"].isString()) in["calibration_time"] >> p.created;
    if (in["camera_name"].isString()) in["camera_name"] >> p.camera_id;
    if (!in["avg_reprojection_error"].empty()) in["avg_reprojection_error"] >> p.lens_rms_px;
    if (const cv::Mat R = matrix_in(in["table_rotation"]); !R.empty() && p.lens) {
        const cv::Mat t = matrix_in(in["table_translation"]);
        if (t.total() != 3) throw std::runtime_error("table_translation is not three numbers");
        p.table = TableMap(*p.lens, matrix33(R, "table_rotation"), cv::Vec3d(t.ptr<double>()));
        in["table_rms_mm"] >> p.table_rms_mm;
    }
    if (const cv::Mat H = matrix_in(in["table_to_projector"]); !H.empty()) {
        p.projector.emplace().table_to_projector = matrix33(H, "table_to_projector");
        p.projector->size = {int(in["projector_width"]), int(in["projector_height"])};
        in["projector_rms_mm"] >> p.projector->rms_mm;
        in["projector_latency_s"] >> p.projector->latency_s;
    }
    if (const cv::Mat H = matrix_in(in["touch_to_table"]); !H.empty()) {
        p.touch.emplace().raw_to_table = matrix33(H, "touch_to_table");
        in["touch_rms_mm"] >> p.touch->rms_mm;
    }
}

std::string now_utc() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string as_yaml(const Profile& p) {
    cv::FileStorage out("profile.yml", cv::FileStorage::WRITE | cv::FileStorage::MEMORY);
    out << "overboard_profile" << p.version << "calibration_time" << p.created << "camera_name"
        << p.camera_id;
    if (p.lens) {
        cv::Mat d(5, 1, CV_64F);
        for (int i = 0; i < 5; ++i) d.at<double>(i) = p.lens->distortion[i];
        out << "image_width" << p.lens->size.width << "image_height" << p.lens->size.height;
        out << "camera_matrix" << cv::Mat(p.lens->K) << "distortion_coefficients" << d;
        out << "avg_reprojection_error" << p.lens_rms_px;
    }
    if (p.table && p.table->has_pose()) {
        out << "table_rotation" << cv::Mat(p.table->rotation()) << "table_translation"
            << cv::Mat(p.table->translation());
        out << "table_rms_mm" << p.table_rms_mm;
    }
    if (p.projector) {
        out << "table_to_projector" << cv::Mat(p.projector->table_to_projector);
        out << "projector_width" << p.projector->size.width << "projector_height"
            << p.projector->size.height;
        out << "projector_rms_mm" << p.projector->rms_mm << "projector_latency_s"
            << p.projector->latency_s;
    }
    if (p.touch)
        out << "touch_to_table" << cv::Mat(p.touch->raw_to_table) << "touch_rms_mm"
            << p.touch->rms_mm;
    return out.releaseAndGetString();
}

void write_atomically(const fs::path& file, const std::string& text) {
    const fs::path fresh = file.string() + ".new";
    const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const bool written = fd >= 0 && ::write(fd, text.data(), text.size()) == ssize_t(text.size()) &&
                         ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    if (!written) {
        fs::remove(fresh);
        throw std::runtime_error("cannot write " + file.string() +
                                 "; the old calibration is untouched");
    }
    fs::rename(fresh, file);
}

}  // namespace

Profile load_profile(const fs::path& file) {
    std::string text = read_all(file);
    try {
        // ROS writes plain YAML; OpenCV's reader wants its own first line.
        if (!text.starts_with("%YAML")) text = "%YAML:1.0\n---\n" + text;
        const cv::FileStorage in(text, cv::FileStorage::READ | cv::FileStorage::MEMORY);
        Profile p;
        if (!in["camera_matrix"].empty() || in["overboard_profile"].empty()) p.lens = read_lens(in);
        read_rest(in, p);
        return p;
    } catch (const cv::Exception& e) {
        throw std::runtime_error("the calibration " + file.string() +
                                 " is not readable YAML: " + e.err);
    } catch (const std::runtime_error& e) {
        throw std::runtime_error("the calibration " + file.string() +
                                 " cannot be used: " + e.what());
    }
}

fs::path save_profile(const fs::path& file, Profile profile) {
    profile.created = now_utc();
    fs::path kept;
    if (fs::exists(file)) {
        std::string stamp = profile.created;
        std::erase_if(stamp, [](char c) { return c == ':' || c == '-'; });
        for (int n = 0; kept.empty() || fs::exists(kept); ++n)
            kept = file.string() + "." + stamp + (n ? "-" + std::to_string(n) : "") + ".old";
        fs::copy_file(file, kept);
    }
    write_atomically(file, as_yaml(profile));
    return kept;
}

void save_ros_camera_info(const fs::path& file, const Intrinsics& lens,
                          const std::string& camera_name) {
    const auto& K = lens.K;
    const auto& d = lens.distortion;
    write_atomically(
        file,
        fmt::format(
            "image_width: {}\nimage_height: {}\ncamera_name: {}\n"
            "camera_matrix:\n  rows: 3\n  cols: 3\n  data: [{}, {}, {}, {}, {}, {}, {}, {}, {}]\n"
            "distortion_model: plumb_bob\n"
            "distortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [{}, {}, {}, {}, {}]\n"
            "rectification_matrix:\n  rows: 3\n  cols: 3\n  data: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, "
            "0.0, 0.0, 1.0]\n"
            "projection_matrix:\n  rows: 3\n  cols: 4\n  data: [{}, 0.0, {}, 0.0, 0.0, {}, {}, "
            "0.0, 0.0, 0.0, 1.0, 0.0]\n",
            lens.size.width, lens.size.height, camera_name.empty() ? "camera" : camera_name,
            K(0, 0), K(0, 1), K(0, 2), K(1, 0), K(1, 1), K(1, 2), K(2, 0), K(2, 1), K(2, 2), d[0],
            d[1], d[2], d[3], d[4], K(0, 0), K(0, 2), K(1, 1), K(1, 2)));
}

}  // namespace overboard::calibration
