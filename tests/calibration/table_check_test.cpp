#include "calibration/table_check.hpp"

#include <gtest/gtest.h>

#include "calibration/touch.hpp"
#include "tests/calibration/synthetic.hpp"

namespace overboard::calibration {
namespace {

/// Corners of markers of `side_mm` as the camera would see them, with noise.
std::vector<SeenMarker> seen(const Table& table, double side_mm, const TableMap& map,
                             cv::RNG& random, double noise_px) {
    Table printed = table;
    printed.marker_mm = side_mm;
    std::vector<SeenMarker> out;
    for (const TableMarker& m : table.markers) {
        SeenMarker marker{m.id, {}};
        for (const Point& p : marker_corners(printed, m))
            marker.corners_px.emplace_back(
                map.project(p) + cv::Point2d(random.gaussian(noise_px), random.gaussian(noise_px)));
        out.push_back(marker);
    }
    return out;
}

TEST(TableCheck, SeveralPicturesAreBetterThanOneAndAWildOneDoesNoHarm) {
    const Table table;
    const TableMap map = overhead(webcam());
    cv::RNG random(3);
    std::vector<std::vector<SeenMarker>> pictures;
    for (int i = 0; i < 15; ++i) pictures.push_back(seen(table, 50, map, random, 0.3));
    for (SeenMarker& m : pictures[4])
        for (auto& p : m.corners_px) p.x += 40;
    pictures[5].pop_back();
    pictures.push_back({});
    const auto together = average_markers(pictures);
    ASSERT_EQ(together.size(), 4u);
    const auto fix = fix_table(together, table, map.size(), &map.intrinsics());
    ASSERT_TRUE(fix);
    EXPECT_LT(fix->rms_px, 0.2);
    EXPECT_LT(distance(fix->map.to_table(map.project({600, 337})), {600, 337}), 0.15);
    EXPECT_EQ(table_fault(*fix, together, table), "");
    EXPECT_TRUE(average_markers({}).empty());
}

TEST(TableCheck, AMarkerSeenNowAndThenIsLeftOut) {
    const Table table;
    const TableMap map = overhead(webcam());
    cv::RNG random(4);
    std::vector<std::vector<SeenMarker>> pictures;
    for (int i = 0; i < 9; ++i) {
        pictures.push_back(seen(table, 50, map, random, 0.1));
        if (i > 2) pictures.back().erase(pictures.back().begin());
    }
    EXPECT_EQ(average_markers(pictures).size(), 3u);
}

TEST(TableCheck, AWrongPrintedScaleIsCaught) {
    const Table table;
    const TableMap map = overhead(webcam({1920, 1080}));
    cv::RNG random(5);
    for (const double side : {47.0, 52.0}) {
        const auto markers = seen(table, side, map, random, 0.1);
        const auto fix = fix_table(markers, table, map.size(), &map.intrinsics());
        ASSERT_TRUE(fix);
        EXPECT_NEAR(printed_scale(markers, fix->map, table), side / 50, 0.004);
        EXPECT_NE(table_fault(*fix, markers, table).find("printed at"), std::string::npos) << side;
    }
}

TEST(TableCheck, ACameraThatCannotHangThereIsCaught) {
    // The whole table and its print taken for ten times as large: the pose is as good, ten times as
    // high.
    Table huge;
    huge.width_mm *= 10, huge.height_mm *= 10, huge.marker_mm *= 10;
    for (TableMarker& m : huge.markers) m.centre = m.centre * 10;
    const Table table;
    const TableMap map = overhead(webcam());
    cv::RNG random(6);
    const auto markers = seen(table, 50, map, random, 0.1);
    const auto fix = fix_table(markers, huge, map.size(), &map.intrinsics());
    ASSERT_TRUE(fix);
    EXPECT_NE(table_fault(*fix, markers, huge).find("cannot be"), std::string::npos)
        << table_fault(*fix, markers, huge);
}

TEST(TableCheck, TheBarScalesOrIsRefused) {
    EXPECT_DOUBLE_EQ(scale_of_bar(97), 0.97);
    EXPECT_THROW(scale_of_bar(9.7), std::runtime_error);
    EXPECT_THROW(scale_of_bar(254), std::runtime_error);
}

TEST(TouchCheck, ShakyFingersStayWithinTwoMillimetresOverTheWholeTable) {
    const Table table;
    const auto targets = touch_targets(table);
    double worst_rms = 0;
    for (int trial = 0; trial < 40; ++trial) {
        cv::RNG random(std::uint64_t(trial) + 11);
        std::vector<Point> raw;
        for (const Point& t : targets)
            raw.push_back({(t.x + random.gaussian(0.8)) / 1300 + 0.02,
                           1 - (t.y + random.gaussian(0.8)) / 720});
        const auto found = solve_touch(targets, raw);
        ASSERT_TRUE(found.good) << found.verdict;
        double sum = 0;
        int n = 0;
        for (double y = 20; y < table.height_mm; y += 45)
            for (double x = 20; x < table.width_mm; x += 45, ++n) {
                const cv::Vec3d p = found.fix.raw_to_table *
                                    cv::Vec3d(x / 1300 + 0.02, 1 - y / 720, 1);
                sum += std::pow(distance({p[0] / p[2], p[1] / p[2]}, {x, y}), 2);
            }
        worst_rms = std::max(worst_rms, std::sqrt(sum / n));
    }
    EXPECT_LT(worst_rms, 3) << "worst of forty tables";
    RecordProperty("worst_rms_mm", std::to_string(worst_rms));
}

}  // namespace
}  // namespace overboard::calibration
