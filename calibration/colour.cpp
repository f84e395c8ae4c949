#include "calibration/colour.hpp"

#include <algorithm>
#include <array>
#include <opencv2/imgproc.hpp>
#include <vector>

// Each marker sits on white paper with a quiet zone of at least one bit (a sixth of its side); its
// outermost ring of bits is black. Twenty samples in each; the median over all markers that look
// like one: a sleeve over one of them has no such ring.
namespace overboard::calibration {
namespace {

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
}

/// Samples on a square ring at `reach` from the marker's centre.
void sample_ring(const cv::Mat& bgr, const TableMap& map, Point centre, double reach,
                 std::array<std::vector<double>, 3>& out) {
    for (int i = -2; i <= 2; ++i)
        for (const Point offset : {Point{i * reach / 2.5, -reach},
                                   {i * reach / 2.5, reach},
                                   {-reach, i * reach / 2.5},
                                   {reach, i * reach / 2.5}}) {
            const cv::Point px = map.project(centre + offset);
            if (!cv::Rect({}, bgr.size()).contains(px)) continue;
            const cv::Vec3b c = bgr.at<cv::Vec3b>(px);
            for (int k = 0; k < 3; ++k) out[std::size_t(k)].push_back(c[k]);
        }
}

}  // namespace

cv::Mat gray_of(const cv::Mat& picture) {
    cv::Mat gray = picture;
    if (picture.channels() == 3) cv::cvtColor(picture, gray, cv::COLOR_BGR2GRAY);
    return gray;
}

cv::Vec3d WhiteLevel::gain() const {
    return {230 / std::max(1.0, bgr[0]), 230 / std::max(1.0, bgr[1]), 230 / std::max(1.0, bgr[2])};
}

std::optional<WhiteLevel> measure_white(const cv::Mat& bgr, const TableMap& map,
                                        const Table& table) {
    std::array<std::vector<double>, 3> white, black;
    for (const TableMarker& marker : table.markers) {
        std::array<std::vector<double>, 3> paper, ink;
        sample_ring(bgr, map, marker.centre, table.marker_mm * 0.56, paper);
        sample_ring(bgr, map, marker.centre, table.marker_mm * 0.42, ink);
        if (paper[1].empty() || ink[1].empty() || median(paper[1]) < 1.4 * median(ink[1]) + 10)
            continue;
        for (std::size_t k = 0; k < 3; ++k) {
            white[k].insert(white[k].end(), paper[k].begin(), paper[k].end());
            black[k].insert(black[k].end(), ink[k].begin(), ink[k].end());
        }
    }
    if (white[0].size() < 20 || black[0].size() < 20) return {};
    WhiteLevel level;
    level.bgr = {median(white[0]), median(white[1]), median(white[2])};
    level.black = median(black[1]);
    const double brightest = std::max({level.bgr[0], level.bgr[1], level.bgr[2]});
    if (brightest >= 254) return {};
    return level;
}

}  // namespace overboard::calibration
