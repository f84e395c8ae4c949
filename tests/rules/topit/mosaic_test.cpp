// Truth is a mosaic laid exactly; the same mosaic is laid again with every piece measured up to 1
// mm and 1° off its true pose, and must be judged the same. Only mosaics that are clear cut count:
// those that tolerances half and twice as wide judge the same way.
#include "rules/topit/mosaic.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

namespace overboard::rules::topit {
namespace {

constexpr std::size_t kPieces = 36;

Tolerances scaled(double k) {
    Tolerances t;
    t.angle *= k;
    t.gap_mm *= k;
    t.along_mm /= k;
    t.ends_mm *= k;
    t.depth_mm *= k;
    return t;
}

class Chance {
public:
    explicit Chance(unsigned seed) : engine_{seed} {}
    std::size_t below(std::size_t n) { return engine_() % n; }
    double between(double low, double high) {
        return std::uniform_real_distribution<double>{low, high}(engine_);
    }
    /// Off by up to `mm` in any direction and `degrees` either way.
    Pose disturbed(Pose p, double mm, double degrees) {
        const double way = between(-M_PI, M_PI), far = mm * std::sqrt(between(0, 1));
        return {p.x + far * std::cos(way), p.y + far * std::sin(way),
                p.angle + between(-degrees, degrees) * M_PI / 180};
    }

private:
    std::mt19937 engine_;
};

/// The same mosaic, exactly, under three tolerances.
struct Truth {
    Mosaic usual{default_pieces(), scaled(1)}, tight{default_pieces(), scaled(0.5)},
        loose{default_pieces(), scaled(1.8)};

    void lay(int shape, const Settled& s) {
        for (Mosaic* m : {&usual, &tight, &loose}) m->lay(shape, 0, s, s.at);
    }
    /// A place where all three agree, or nothing.
    std::optional<Settled> clear(int shape, Pose at) const {
        const Settled s = usual.settle(shape, at);
        if (s.problem != Settled::Problem::none) return {};
        for (const Mosaic* m : {&tight, &loose}) {
            const Settled other = m->settle(shape, at);
            if (other.problem != s.problem || other.neighbours != s.neighbours) return {};
            if (std::hypot(other.at.x - s.at.x, other.at.y - s.at.y) > 1e-6) return {};
        }
        return s;
    }
};

struct Next {
    int shape;
    Settled place;
};

Next first_piece(Chance& chance) {
    Next next{static_cast<int>(chance.below(default_pieces()->shapes.size())), {}};
    next.place.at = {600, 337.5, chance.between(-M_PI, M_PI)};
    return next;
}

/// Any piece against any side of the mosaic.
Next random_piece(const Truth& truth, Chance& chance) {
    if (truth.usual.pieces().empty()) return first_piece(chance);
    for (;;) {
        const int shape = static_cast<int>(chance.below(default_pieces()->shapes.size()));
        const Polygon& own = truth.usual.shape(shape).outline;
        const Laid& laid = truth.usual.pieces()[chance.below(truth.usual.pieces().size())];
        const std::size_t i = chance.below(own.size()), k = chance.below(laid.outline.size());
        const Side mine = side_of(own, i), other = side_of(laid.outline, k);
        if (std::abs(distance(mine.a, mine.b) - distance(other.a, other.b)) > 1) continue;
        if (const auto place = truth.clear(shape, pose_against(own, i, other)))
            return {shape, *place};
    }
}

int mosaics() {
    const bool is_long = std::getenv("OVERBOARD_LONG") != nullptr;
    if (!is_long) std::cout << "1000 mosaics; OVERBOARD_LONG=1 lays 10000\n";
    return is_long ? 10000 : 1000;
}

TEST(TopitMosaic, TOPIT_R2_EveryLegalMosaicOfThirtySixPiecesIsJudgedRightDespiteNoise) {
    double worst_mm = 0;
    int wrong = 0, pieces = 0;
    const int wanted = mosaics();
    for (int seed = 0; seed < wanted; ++seed) {
        Chance chance{static_cast<unsigned>(seed)};
        Truth truth;
        Mosaic seen{default_pieces(), Tolerances{}};
        while (truth.usual.pieces().size() < kPieces) {
            const Next next = random_piece(truth, chance);
            const Pose measured = chance.disturbed(next.place.at, 1, 1);
            Settled settled = seen.settle(next.shape, seen.to_mosaic(measured));
            if (truth.usual.pieces().empty()) {
                settled = {};
                settled.at = measured;
            }
            ++pieces;
            if (settled.problem != Settled::Problem::none ||
                settled.neighbours != next.place.neighbours) {
                ++wrong;
                std::cout << "wrong: seed " << seed << " piece " << truth.usual.pieces().size()
                          << " problem " << static_cast<int>(settled.problem) << "\n";
                break;
            }
            seen.lay(next.shape, 0, settled, measured);
            truth.lay(next.shape, next.place);
        }
        for (std::size_t i = 0; i < seen.pieces().size() && seen.pieces().size() == kPieces; ++i) {
            const Pose ours = seen.to_table(seen.pieces()[i].at), real = truth.usual.pieces()[i].at;
            worst_mm = std::max(worst_mm, std::hypot(ours.x - real.x, ours.y - real.y));
        }
        if (wrong > 20) break;
    }
    std::cout << pieces << " pieces laid with up to 1 mm and 1 degree of error, " << wrong
              << " judged wrong; after 36 pieces the mosaic is at most " << worst_mm << " mm off\n";
    RecordProperty("worst_mm", std::to_string(worst_mm));
    EXPECT_LT(worst_mm, 2);
    EXPECT_EQ(wrong, 0);
}

enum class Miss { gap, overlap, half_offset, wrong_length };

/// A pose that misses a legal one by little; nothing when the sides do not suit.
std::optional<Pose> near_miss(Miss miss, const Polygon& own, std::size_t i, const Side& other,
                              Chance& chance) {
    const Side mine = side_of(own, i);
    const double size = distance(other.a, other.b), own_size = distance(mine.a, mine.b);
    if ((miss == Miss::wrong_length) != (std::abs(size - own_size) > 1)) return {};
    Pose pose = pose_against(own, i, other);
    const Point u = (other.b - other.a) * (1 / size), out{u.y, -u.x};
    const double sign = chance.below(2) ? 1 : -1;
    Point shift;
    if (miss == Miss::gap) shift = out * chance.between(4, 8);
    if (miss == Miss::overlap) shift = out * -chance.between(4, 8);
    if (miss == Miss::half_offset) shift = u * (sign * chance.between(7, size / 2));
    return Pose{pose.x + shift.x, pose.y + shift.y, pose.angle};
}

/// Nothing but `target` is near enough to matter.
bool alone_with(const Mosaic& mosaic, const Polygon& outline, std::size_t target) {
    for (std::size_t i = 0; i < mosaic.pieces().size(); ++i)
        if (i != target && overlap_depth(outline, mosaic.pieces()[i].outline) > -6) return false;
    return true;
}

TEST(TopitMosaic, NearMissesAreRefusedForTheRightReason) {
    const std::vector<std::pair<Miss, Settled::Problem>> expected = {
        {Miss::gap, Settled::Problem::no_contact},
        {Miss::overlap, Settled::Problem::overlap},
        {Miss::half_offset, Settled::Problem::overhang},
        {Miss::wrong_length, Settled::Problem::overhang}};
    std::vector<int> tried(expected.size());
    for (int seed = 0; seed < 300; ++seed) {
        Chance chance{static_cast<unsigned>(9000 + seed)};
        Truth truth;
        Mosaic seen{default_pieces(), Tolerances{}};
        const std::size_t size = 1 + chance.below(12);
        while (truth.usual.pieces().size() < size) {
            const Next next = random_piece(truth, chance);
            const Pose measured = chance.disturbed(next.place.at, 1, 1);
            Settled settled = seen.settle(next.shape, seen.to_mosaic(measured));
            if (truth.usual.pieces().empty()) {
                settled = {};
                settled.at = measured;
            }
            ASSERT_EQ(settled.problem, Settled::Problem::none);
            seen.lay(next.shape, 0, settled, measured);
            truth.lay(next.shape, next.place);
        }
        for (int attempt = 0; attempt < 200; ++attempt) {
            const std::size_t kind = chance.below(expected.size()), target = chance.below(size);
            const int shape = static_cast<int>(chance.below(default_pieces()->shapes.size()));
            const Polygon& own = truth.usual.shape(shape).outline;
            const Polygon& laid = truth.usual.pieces()[target].outline;
            const auto pose = near_miss(expected[kind].first, own, chance.below(own.size()),
                                        side_of(laid, chance.below(laid.size())), chance);
            if (!pose || !alone_with(truth.usual, outline_at(own, *pose), target)) continue;
            const Pose measured = chance.disturbed(*pose, 0.5, 0.5);
            ASSERT_EQ(seen.settle(shape, seen.to_mosaic(measured)).problem, expected[kind].second)
                << "seed " << seed << " attempt " << attempt << " kind " << kind << " pieces "
                << size;
            ++tried[kind];
        }
    }
    for (std::size_t i = 0; i < tried.size(); ++i) {
        std::cout << "kind " << i << ": " << tried[i] << " near misses refused\n";
        EXPECT_GT(tried[i], 500);
    }
}

TEST(TopitGeometry, OverlapDepthIsTheShortestWayApart) {
    const Polygon square = {{0, 0}, {10, 0}, {10, 10}, {0, 10}};
    const auto shifted = [&](double dx, double dy) {
        Polygon p = square;
        for (Point& v : p) v = v + Point{dx, dy};
        return p;
    };
    EXPECT_DOUBLE_EQ(overlap_depth(square, shifted(8, 1)), 2);
    EXPECT_DOUBLE_EQ(overlap_depth(square, shifted(13, 0)), -3);
    EXPECT_DOUBLE_EQ(overlap_depth(square, shifted(0, 0)), 10);
    EXPECT_TRUE(contains(square, {5, 5}));
    EXPECT_FALSE(contains(square, {5, 11}));
}

TEST(TopitGeometry, TheBestMotionUndoesAMotion) {
    const Polygon shape = {{0, 0}, {30, 0}, {20, 25}};
    const Pose motion{12, -7, 0.4};
    std::vector<std::pair<Point, Point>> pairs;
    for (const Point p : shape) pairs.push_back({p, place(motion, p)});
    const Pose found = best_motion(pairs);
    EXPECT_NEAR(found.x, motion.x, 1e-9);
    EXPECT_NEAR(found.y, motion.y, 1e-9);
    EXPECT_NEAR(found.angle, motion.angle, 1e-12);
    const Pose nothing = after(inverse(motion), motion);
    EXPECT_NEAR(std::hypot(nothing.x, nothing.y), 0, 1e-9);
    EXPECT_NEAR(nothing.angle, 0, 1e-12);
}

TEST(TopitGeometry, SidesMeetOnlyWhenTheyFaceEachOther) {
    const Side bottom{{0, 0}, {30, 0}};  // its piece below, outward is up
    const Tolerances t;
    EXPECT_TRUE(meet({{30, -1}, {0, -1}}, bottom, t).coincide);
    EXPECT_NEAR(meet({{30, -1}, {0, -1}}, bottom, t).gap_mm, 1, 1e-12);
    EXPECT_NEAR(meet({{30, 1}, {0, 1}}, bottom, t).gap_mm, -1, 1e-12);
    EXPECT_FALSE(meet({{0, -1}, {30, -1}}, bottom, t).contact) << "same direction: back to back";
    EXPECT_FALSE(meet({{30, -3}, {0, -3}}, bottom, t).contact);
    EXPECT_FALSE(meet({{57, 0}, {27, 0}}, bottom, t).contact) << "3 mm shared is a corner";
    EXPECT_TRUE(meet({{45, 0}, {15, 0}}, bottom, t).contact);
    EXPECT_FALSE(meet({{45, 0}, {15, 0}}, bottom, t).coincide);
    EXPECT_FALSE(meet({{30, -2}, {0, 1.5}}, bottom, t).contact) << "more than 4 degrees";
}

}  // namespace
}  // namespace overboard::rules::topit
