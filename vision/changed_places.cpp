#include "vision/changed_places.hpp"

#include <cmath>

namespace overboard::vision {
namespace {
constexpr double kQuiet_s = 0.08;  // less: what still settles is read
}

bool marked(const cv::Mat& cells, cv::Point2d px, int cell_px) {
    const int x = int(px.x) / cell_px, y = int(px.y) / cell_px;
    return x >= 0 && y >= 0 && x < cells.cols && y < cells.rows &&
           cells.at<std::uint8_t>(y, x) != 0;
}

ChangedPlaces::ChangedPlaces(cv::Size picture, const cv::Rect& region)
    : understood_{picture, region},
      before_{picture, region},
      moved_at_s_(understood_.cells().size(), CV_64F, cv::Scalar(-1e9)),
      to_look_{cv::Mat::zeros(understood_.cells().size(), CV_8U)} {}

void ChangedPlaces::begin(const cv::Mat& bgr) {
    understood_.set_reference(bgr);
    before_.set_reference(bgr);
}

void ChangedPlaces::understand(const cv::Mat& bgr, const cv::Mat& cells) {
    understood_.set_reference(bgr, cells);
    to_look_.setTo(0, cells);
}

void ChangedPlaces::watch_rims(const cv::Mat& bgr, const std::vector<Piece>& pieces) {
    std::vector<cv::Point> rims;
    for (const Piece& p : pieces) {
        if (p.kind != PieceKind::disc || !p.px || !p.size_px) continue;
        for (int i = 0; i < ChangeGate::kRimPoints; ++i) {
            const double a = 2 * M_PI * i / ChangeGate::kRimPoints, r = *p.size_px / 2;
            rims.emplace_back(cvRound(p.px->x + r * std::cos(a)),
                              cvRound(p.px->y + r * std::sin(a)));
        }
    }
    understood_.watch(bgr, std::move(rims));
}

void ChangedPlaces::follow(const cv::Mat& bgr, double time_s) {
    before_.changed(bgr);
    before_.set_reference(bgr);
    moved_at_s_.setTo(time_s, before_.cells());
    cv::bitwise_or(to_look_, understood_.cells(), to_look_);
}

bool ChangedPlaces::calm(const cv::Mat& bgr) {
    const bool comparable = before_.ready();
    if (comparable) before_.changed(bgr);
    before_.set_reference(bgr);
    return comparable && before_.changed_count() < 0.01 * all();
}

bool ChangedPlaces::light_changed() const {
    return understood_.changed_count() > 0.6 * all() && before_.changed_count() < 0.02 * all();
}

double ChangedPlaces::last_motion_s() const {
    double latest = -1e9;
    if (!moved_at_s_.empty()) cv::minMaxLoc(moved_at_s_, nullptr, &latest);
    return latest;
}

cv::Mat ChangedPlaces::quiet(double time_s, const cv::Mat& hidden) const {
    cv::Mat ready = to_look_.clone();
    for (int y = 0; y < ready.rows; ++y)
        for (int x = 0; x < ready.cols; ++x) {
            if (!ready.at<std::uint8_t>(y, x)) continue;
            const cv::Rect fine(x * kCell / 8, y * kCell / 8, kCell / 8, kCell / 8);
            const bool hand = cv::countNonZero(hidden(fine & cv::Rect({0, 0}, hidden.size()))) > 0;
            if (hand || time_s - moved_at_s_.at<double>(y, x) < kQuiet_s)
                ready.at<std::uint8_t>(y, x) = 0;
        }
    return ready;
}

bool ChangedPlaces::mostly_quiet(double time_s, const cv::Mat& hidden) const {
    const int ready = cv::countNonZero(quiet(time_s, hidden));
    return ready > 0 && ready >= cv::countNonZero(to_look_) * 0.5;
}

}  // namespace overboard::vision
