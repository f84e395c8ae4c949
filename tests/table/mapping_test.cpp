#include "table/mapping.hpp"

#include <gtest/gtest.h>

#include "table/canvas.hpp"

namespace overboard::table {
namespace {

constexpr std::array<Point, 4> kTable = {Point{0, 0}, {1200, 0}, {1200, 675}, {0, 675}};
constexpr std::array<Point, 4> kKeystone = {Point{80, 30}, {900, 60}, {860, 500}, {40, 520}};

TEST(Mapping, TakesFourCornersWhereTheyBelong) {
    const Mapping map{homography(kTable, kKeystone)};
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_LT(distance(map.pixel(kTable[i]), kKeystone[i]), 1e-6);
}

TEST(Mapping, ComesBackFromPixels) {
    const Mapping map{homography(kTable, kKeystone)};
    for (const Point p : {Point{3, 4}, {600, 300}, {1190, 660}})
        EXPECT_LT(distance(map.mm(map.pixel(p)), p), 1e-6);
}

TEST(Mapping, PixelCentresOfTheCalibrationAreHalfAPixelIn) {
    const Matrix3 h = homography(kTable, kKeystone);
    const Point centre = Mapping{h}.pixel({500, 200}),
                corner = Mapping::from_centres(h).pixel({500, 200});
    EXPECT_NEAR(corner.x - centre.x, 0.5, 1e-9);
    EXPECT_NEAR(corner.y - centre.y, 0.5, 1e-9);
}

TEST(Mapping, FitsAnyTableIntoAnyPicture) {
    Table table;
    table.width_mm = 800, table.height_mm = 800;
    const Mapping map = Mapping::fit(table, {960, 540});
    EXPECT_NEAR(map.px_per_mm({400, 400}), 540 / 800.0, 1e-9);
    EXPECT_NEAR(map.pixel({400, 400}).x, 480, 1e-9);
}

TEST(Mapping, RefusesThreePointsOnALine) {
    EXPECT_THROW((void)homography({Point{0, 0}, {1, 0}, {2, 0}, {0, 1}}, kKeystone),
                 std::runtime_error);
    EXPECT_THROW(Mapping(Matrix3{1, 2, 0, 2, 4, 0, 0, 0, 1}), std::runtime_error);
}

TEST(Damage, NeighboursBecomeOneBoxAndManyBecomeAll) {
    const Rect all{0, 0, 1000, 1000};
    EXPECT_EQ(merged({{0, 0, 10, 10}, {5, 0, 15, 10}}, all).size(), 1u);
    EXPECT_EQ(merged({{0, 0, 10, 10}, {500, 500, 510, 510}}, all).size(), 2u);
    EXPECT_EQ(merged({{0, 0, 900, 900}}, all).front(), all);
    EXPECT_TRUE(merged({{5, 5, 5, 5}}, all).empty());
    std::vector<Rect> many;
    for (int i = 0; i < 1000; ++i) many.push_back({i * 1.0, 0, i + 0.5, 1});
    EXPECT_EQ(merged(many, all).front(), all);
}

}  // namespace
}  // namespace overboard::table
