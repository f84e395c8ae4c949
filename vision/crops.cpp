#include "vision/crops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace overboard::vision {
namespace {

constexpr double kSideMm = 110;  // a card, whatever way it lies
constexpr double kPxPerMm = 1.5;
constexpr double kMovedMm = 6;    // less is the noise of seeing it again
constexpr std::size_t kMost = 8;  // more at once is no move but a new table
constexpr double kEdgeMm = 2;     // a pixel on the edge is half floor
constexpr int kQuality = 80;

bool lies_in(const Piece& p, const Observation& seen) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& q) {
        return p.kind == q.kind && p.type == q.type && p.colour == q.colour && p.face == q.face &&
               p.value == q.value && distance({p.x, p.y}, {q.x, q.y}) < kMovedMm;
    });
}

Crop cut(const cv::Mat& bgr, const calibration::TableMap& map, const Table& table, Point at,
         const char* what) {
    const int side = int(kSideMm * kPxPerMm);
    cv::Mat where(side, side, CV_32FC2);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const Point mm{at.x + (x - side / 2) / kPxPerMm, at.y + (y - side / 2) / kPxPerMm};
            const bool on_table = mm.x > kEdgeMm && mm.y > kEdgeMm &&
                                  mm.x < table.width_mm - kEdgeMm &&
                                  mm.y < table.height_mm - kEdgeMm;
            where.at<cv::Point2f>(y, x) = on_table ? cv::Point2f(map.project(mm))
                                                   : cv::Point2f(-1e4F, -1e4F);
        }
    cv::Mat picture;
    cv::remap(bgr, picture, where, {}, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
    Crop crop{at, kSideMm, what, {}};
    cv::imencode(".jpg", picture, crop.jpeg, {cv::IMWRITE_JPEG_QUALITY, kQuality});
    return crop;
}

std::string base64(const std::vector<unsigned char>& bytes) {
    static const char* const
        kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? unsigned(bytes[i + k]) : 0U;
        };
        const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (int k = 0; k < 4; ++k)
            text += i + std::size_t(k) <= bytes.size() ? kLetters[three >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace

std::vector<Crop> Crops::take(const cv::Mat& bgr, const calibration::TableMap& map,
                              const Observation& seen) {
    if (!seen.still || seen.sight != "ok") return {};
    const std::optional<Observation> before = std::exchange(before_, seen);
    if (!before) return {};
    std::vector<Crop> crops;
    const auto add = [&](const Observation& in, const Observation& not_in, const char* what) {
        for (const Piece& p : in.pieces)
            if (crops.size() < kMost && !lies_in(p, not_in))
                crops.push_back(cut(bgr, map, table_, {p.x, p.y}, what));
    };
    add(seen, *before, "came");
    add(*before, seen, "went");
    return crops;
}

std::string crops_json(const std::vector<Crop>& crops) {
    std::string text = "[";
    for (const Crop& c : crops)
        text += fmt::format(
            R"({}{{"at":[{:.1f},{:.1f}],"side_mm":{:.0f},"what":"{}","jpeg":"{}"}})",
            text.size() > 1 ? "," : "", c.at.x, c.at.y, c.side_mm, c.what, base64(c.jpeg));
    return text + "]";
}

}  // namespace overboard::vision
