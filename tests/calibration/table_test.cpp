#include <gtest/gtest.h>

#include <opencv2/aruco.hpp>

#include "calibration/colour.hpp"
#include "calibration/dictionary.hpp"
#include "calibration/drift.hpp"
#include "calibration/table_frame.hpp"
#include "tests/calibration/synthetic.hpp"

namespace overboard::calibration {
namespace {

/// The table from straight above: grey wood with streaks, white paper, markers, clutter.
cv::Mat flat_table(const Table& table, double px_per_mm, cv::Vec3b paper = {235, 235, 235},
                   double margin_mm = 8.3) {
    cv::Mat flat(int(table.height_mm * px_per_mm), int(table.width_mm * px_per_mm), CV_8UC3,
                 cv::Scalar(70, 100, 130));
    for (int y = 0; y < flat.rows; y += 9)
        cv::line(flat, {0, y}, {flat.cols, y + 20}, {60, 92, 120}, 2);
    const auto dictionary = dictionary_named(table.dictionary);
    for (const TableMarker& m : table.markers) {
        const int side = int(table.marker_mm * px_per_mm), quiet = int(margin_mm * px_per_mm);
        cv::Mat marker;
        cv::aruco::drawMarker(dictionary, m.id, side, marker, 1);
        const cv::Point at(int(std::lround(m.centre.x * px_per_mm)) - side / 2,
                           int(std::lround(m.centre.y * px_per_mm)) - side / 2);
        cv::rectangle(flat, {at.x - quiet, at.y - quiet, side + 2 * quiet, side + 2 * quiet},
                      cv::Scalar(paper), cv::FILLED);
        cv::Mat inked(marker.size(), CV_8UC3, cv::Scalar(paper));
        inked.setTo(cv::Scalar(25, 25, 25), marker < 128);
        inked.copyTo(flat({at.x, at.y, side, side}));
    }
    cv::circle(flat, {int(500 * px_per_mm), int(300 * px_per_mm)}, int(60 * px_per_mm),
               {30, 30, 200}, cv::FILLED);
    return flat;
}

double worst_mm(const TableMap& truth, const TableMap& found, const Table& table,
                double height_mm = 0) {
    double worst = 0;
    for (double y = 0; y <= table.height_mm; y += table.height_mm / 5)
        for (double x = 0; x <= table.width_mm; x += table.width_mm / 5)
            worst = std::max(
                worst,
                distance(found.to_table(truth.project({x, y}, height_mm), height_mm), {x, y}));
    return worst;
}

TEST(TableMap, ProjectsAndComesBackAtAnyHeight) {
    const TableMap map = overhead(webcam());
    for (const double height : {0.0, 6.0, 60.0})
        for (const Point p : {Point{0, 0}, {600, 300}, {1200, 675}}) {
            const Point back = map.to_table(map.project(p, height), height);
            EXPECT_LT(distance(back, p), 1e-6);
        }
    EXPECT_NEAR((*map.eye())[2], 1150 * std::cos(0.05), 1);
}

TEST(TableMap, AHigherPointLooksFurtherFromTheNadir) {
    const TableMap map = overhead(webcam(), 1150, {600, 337}, 0, 0);
    EXPECT_GT(map.to_table(map.project({1100, 337}, 50)).x, 1110);
    EXPECT_LT(map.to_table(map.project({100, 337}, 50)).x, 90);
}

TEST(TableMap, AgreesWithOpenCvsOwnProjection) {
    const Intrinsics in = webcam();
    const TableMap map = overhead(in);
    std::vector<cv::Point2d> px;
    cv::Vec3d r;
    cv::Rodrigues(map.rotation(), r);
    cv::projectPoints(std::vector<cv::Point3d>{{250, 500, -40}}, r, map.translation(), in.K,
                      in.distortion, px);
    EXPECT_LT(cv::norm(map.project({250, 500}, 40) - px[0]), 1e-9);
}

TEST(TableFrame, FindsMarkersCutCloseToTheirEdge) {
    const Table table;
    const TableMap truth = overhead(webcam({1920, 1080}));
    for (const double margin_mm : {3.0, 5.0, 6.0, 12.0}) {
        const cv::Mat picture = picture_of(flat_table(table, 2, {235, 235, 235}, margin_mm), 2,
                                           {0, 0}, truth);
        EXPECT_EQ(find_markers(picture, table).size(), 4U) << margin_mm << " mm of white left";
    }
}

TEST(TableFrame, MarkersAreFoundAgainNearWhereTheyWere) {
    const Table table;
    const TableMap map = overhead(webcam());
    const cv::Mat picture = picture_of(flat_table(table, 2), 2, {0, 0}, map);
    const auto all = find_markers(picture, table), near = find_markers_near(picture, table, map);
    ASSERT_EQ(all.size(), 4u);
    ASSERT_EQ(near.size(), 4u);
    for (const SeenMarker& marker : near)
        for (const SeenMarker& same : all)
            for (std::size_t i = 0; i < 4 && same.id == marker.id; ++i)
                EXPECT_LT(cv::norm(marker.corners_px[i] - same.corners_px[i]), 0.1) << same.id;
    EXPECT_TRUE(
        find_markers_near(picture, table, overhead(webcam(), 1150, {600, 337}, 0.05, 0.4)).empty());
}

TEST(TableFrame, ABlurredMarkerIsNotASmallerOne) {
    const Table table;
    const TableMap truth = overhead(webcam({1920, 1080}));
    cv::Mat picture = picture_of(flat_table(table, 2), 2, {0, 0}, truth);
    cv::GaussianBlur(picture, picture, {}, 2);
    const auto seen = find_markers(picture, table);
    ASSERT_EQ(seen.size(), 4U);
    for (const SeenMarker& marker : seen) {
        std::vector<cv::Point2f> drawn;
        for (const Point p : marker_corners(table, table.markers[std::size_t(marker.id)]))
            drawn.emplace_back(truth.project(p));
        EXPECT_NEAR(std::sqrt(cv::contourArea(marker.corners_px) / cv::contourArea(drawn)), 1,
                    0.004)
            << marker.id;
    }
}

TEST(TableFrame, MapsTheWholeTableToAThirdOfAMillimetreWithAKnownLens) {
    const Table table;
    const Intrinsics in = webcam({1920, 1080});
    const TableMap truth = overhead(in);
    cv::Mat picture = picture_of(flat_table(table, 2), 2, {0, 0}, truth);
    cv::GaussianBlur(picture, picture, {}, 0.8);
    add_noise(picture, 4, 1);
    const auto fix = fix_table(find_markers(picture, table), table, picture.size(), &in);
    ASSERT_TRUE(fix);
    EXPECT_EQ(fix->markers, 4);
    RecordProperty("worst_mm", std::to_string(worst_mm(truth, fix->map, table)));
    EXPECT_LT(worst_mm(truth, fix->map, table), 0.6);
    EXPECT_LT(fix->rms_mm, 0.3);
    EXPECT_LT(worst_mm(truth, fix->map, table, 30), 0.9)
        << "heights are corrected through the pose";
}

TEST(TableFrame, ThreeMarkersAreEnoughAndTwoAreNot) {
    Table table;
    const Intrinsics in = webcam();
    const TableMap truth = overhead(in);
    const cv::Mat picture = picture_of(flat_table(table, 2), 2, {0, 0}, truth);
    auto seen = find_markers(picture, table);
    ASSERT_EQ(seen.size(), 4u);
    seen.pop_back();
    const auto fix = fix_table(seen, table, picture.size(), &in);
    ASSERT_TRUE(fix);
    EXPECT_LT(worst_mm(truth, fix->map, table), 2.0);
    seen.pop_back();
    EXPECT_FALSE(fix_table(seen, table, picture.size(), &in));
}

TEST(TableFrame, WithoutALensItGuessesAUsableOne) {
    const Table table;
    Intrinsics in = webcam();
    in.distortion = {0, 0, 0, 0, 0};
    const TableMap truth = overhead(in);
    const auto found = find_table(picture_of(flat_table(table, 2), 2, {0, 0}, truth), table);
    ASSERT_TRUE(found);
    EXPECT_LT(worst_mm(truth, *found, table), 1.0);
}

TEST(TableFrame, AnUnknownLensThatBendsIsStraightened) {
    const Table table;
    for (const double k1 : {-0.18, -0.09, 0.06}) {
        Intrinsics in = webcam({1920, 1080});
        in.distortion = {k1, 0, 0, 0, 0};
        const TableMap truth = overhead(in);
        const cv::Mat picture = picture_of(flat_table(table, 2), 2, {0, 0}, truth);
        const auto found = find_table(picture, table);
        ASSERT_TRUE(found) << k1;
        EXPECT_LT(worst_mm(truth, *found, table), 2.5) << k1;
        EXPECT_LT(distance(found->to_table(truth.project({600, 337})), {600, 337}), 1.0) << k1;
    }
}

TEST(TableFrame, AnEmptyPictureHasNoTable) {
    EXPECT_FALSE(find_table(cv::Mat::zeros(480, 640, CV_8UC3), Table{}));
}

TEST(Drift, ABumpIsFollowedAfterAFewAgreeingFrames) {
    const Table table;
    const Intrinsics in = webcam({1920, 1080});
    const cv::Mat flat = flat_table(table, 2);
    const TableMap before = overhead(in), after = overhead(in, 1150, {620, 337});
    DriftMonitor monitor(table, before, in);
    EXPECT_EQ(monitor.look(picture_of(flat, 2, {0, 0}, before)).state, DriftMonitor::State::steady);
    const cv::Mat bumped = picture_of(flat, 2, {0, 0}, after);
    std::vector<DriftMonitor::State> states;
    for (int i = 0; i < 6; ++i) states.push_back(monitor.look(bumped).state);
    using S = DriftMonitor::State;
    EXPECT_EQ(states,
              (std::vector<S>{S::moving, S::moving, S::moving, S::moving, S::moved, S::steady}));
    EXPECT_LT(disagreement_mm(monitor.map(), after, table), 1.0);
    EXPECT_EQ(monitor.look(cv::Mat::zeros(1080, 1920, CV_8UC3)).state, S::blind);
}

TEST(Drift, ACameraMovedForGoodNeedsAPerson) {
    const Table table;
    const Intrinsics in = webcam();
    DriftMonitor monitor(table, overhead(in), in);
    const cv::Mat moved = picture_of(flat_table(table, 2), 2, {0, 0},
                                     overhead(in, 1150, {700, 337}));
    DriftMonitor::Report report;
    for (int i = 0; i < 6; ++i) report = monitor.look(moved);
    EXPECT_EQ(report.state, DriftMonitor::State::needs_help);
    EXPECT_NEAR(report.mm, 100, 15);
}

TEST(Colour, PaperTellsTheWhiteBalance) {
    const Table table;
    const TableMap map = overhead(webcam());
    const cv::Mat picture = picture_of(flat_table(table, 2, {120, 180, 210}), 2, {0, 0}, map);
    const auto white = measure_white(picture, map, table);
    ASSERT_TRUE(white);
    EXPECT_NEAR(white->bgr[0], 120, 4);
    EXPECT_NEAR(white->bgr[2], 210, 4);
    EXPECT_NEAR(white->gain()[0], 230.0 / 120, 0.1);
    EXPECT_FALSE(measure_white(cv::Mat::zeros(720, 1280, CV_8UC3), map, table));
    cv::Mat leant_over = picture.clone();
    for (const std::size_t covered : {0u, 1u, 2u})
        cv::circle(leant_over, map.project(table.markers[covered].centre), 120, {60, 90, 200}, -1);
    const auto still = measure_white(leant_over, map, table);
    ASSERT_TRUE(still) << "one marker is enough";
    EXPECT_NEAR(still->bgr[2], white->bgr[2], 2) << "sleeves do not count";
}

TEST(Table, CornersPointedAtByHandDoWhereMarkersAreMissing) {
    const Table table;
    const Intrinsics lens = webcam({1920, 1080});
    const TableMap truth = overhead(lens);
    std::vector<cv::Point2d> corners;
    for (const Point p : {Point{0, 0}, {1200, 0}, {1200, 675}, {0, 675}})
        corners.push_back(truth.project(p));
    corners[1] += cv::Point2d(1.5, -1);  // a hand is not a detector
    for (const Intrinsics* known : {&lens, static_cast<const Intrinsics*>(nullptr)}) {
        const TableFix fix = fix_table_by_corners(corners, table, {1920, 1080}, known);
        EXPECT_LT(fix.rms_mm, 8);
        for (const Point p : {Point{600, 337}, {300, 200}, {900, 500}})
            EXPECT_LT(distance(fix.map.to_table(truth.project(p)), p), known ? 3 : 12)
                << (known ? "known lens" : "lens guessed");
    }
    std::swap(corners[0], corners[1]);
    EXPECT_GT(fix_table_by_corners(corners, table, {1920, 1080}, &lens).rms_mm, 50)
        << "not clockwise: no such table";
}

}  // namespace
}  // namespace overboard::calibration
