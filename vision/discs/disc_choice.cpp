#include "vision/discs/disc_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/discs/disc_print.hpp"

// A disc is a circle of the right size with enough rim; the less it differs in colour from the
// surface, the more rim it needs. Before that, circles leave the field that cannot be discs: over
// a hole, off the surface, or print (disc_print).
namespace overboard::vision {
namespace {

// The colour of the ground everywhere: a wide median on a small copy, so that discs vanish.
cv::Mat ground_colours(const cv::Mat& bgr, double r_px, double& scale) {
    scale = std::min(1.0, 2.0 / r_px);
    cv::Mat small, wide;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
    const int size = std::min({25, (small.cols - 1) | 1, (small.rows - 1) | 1});
    cv::medianBlur(small, wide, std::max(3, size));
    return wide;
}

cv::Vec3f colour_at(const cv::Mat& small, double scale, cv::Point2d p) {
    const int x = std::clamp(int(p.x * scale), 0, small.cols - 1),
              y = std::clamp(int(p.y * scale), 0, small.rows - 1);
    return cv::Vec3f(small.at<cv::Vec3b>(y, x));
}

float apart(const cv::Vec3f& a, const cv::Vec3f& b) {
    const cv::Vec3f d = a - b;
    return std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
}

// The ground with its grain: how far a pixel of it usually is from its own median.
class GroundLook {
public:
    GroundLook(const cv::Mat& bgr, double r_px)
        : bgr_{&bgr}, colours_{ground_colours(bgr, r_px, scale_)} {
        std::vector<float> all;
        for (int y = 0; y < bgr.rows; y += 7)
            for (int x = 0; x < bgr.cols; x += 7) all.push_back(apart_at({double(x), double(y)}));
        std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
        grain_ = std::max(2.5f, all[all.size() / 2]);
    }
    [[nodiscard]] const cv::Mat& colours() const { return colours_; }
    [[nodiscard]] cv::Vec3f at(cv::Point2d p) const { return colour_at(colours_, scale_, p); }
    // Share of a circle's face that does not look like ground.
    [[nodiscard]] double covered(const Circle& c) const {
        return covered(c, {0.3, 0.5, 0.7, 0.85});
    }
    // Bare ground with a sharp edge about it: a line drawn in a circle.
    [[nodiscard]] bool is_outline(const Circle& c, double least_contrast) const {
        constexpr double kSameFace = 0.3;  // of that edge; men of the ground's colour differ more
        return c.contrast > least_contrast && c.face_step < kSameFace * c.contrast &&
               covered(c, {0.25, 0.45, 0.65}) < 0.12;
    }
    // Ground with lines across it and one in a circle about it: part of a drawing. Worn men with
    // patches of the ground's colour have rims half as sharp, or nothing but grooves on them.
    [[nodiscard]] bool is_drawing(const Circle& c) const {
        constexpr double kSharp = 28, kGround = 0.45, kSameWay = 0.7, kNothing = 7, kLines = 6,
                         kLinesInGrooves = 10, kGrooves = 0.75;
        const bool like_ground = c.alike < kSameWay || c.face_step < kNothing;
        return like_ground && c.contrast > kSharp && c.face_step < 0.5 * c.contrast &&
               c.pattern > (c.rings > kGrooves ? kLinesInGrooves : kLines) && covered(c) < kGround;
    }

private:
    [[nodiscard]] double covered(const Circle& c, std::initializer_list<double> shares) const {
        constexpr int kSteps = 24;
        int other = 0, n = 0;
        for (const double share : shares)
            for (int k = 0; k < kSteps; ++k, ++n) {
                const double angle = 2 * CV_PI * k / kSteps;
                other += apart_at({c.centre.x + share * c.r * std::cos(angle),
                                   c.centre.y + share * c.r * std::sin(angle)}) > 3 * grain_;
            }
        return double(other) / n;
    }
    [[nodiscard]] float apart_at(cv::Point2d p) const {
        const int x = std::clamp(cvRound(p.x), 0, bgr_->cols - 1),
                  y = std::clamp(cvRound(p.y), 0, bgr_->rows - 1);
        return apart(cv::Vec3f(bgr_->at<cv::Vec3b>(y, x)), at(p));
    }
    const cv::Mat* bgr_;
    double scale_ = 1;
    cv::Mat colours_;
    float grain_ = 3;
};

// The usual colour of the ground: names are given against it, for near a cushion the ground is in
// shade.
cv::Vec3f usual_colour(const cv::Mat& colours) {
    cv::Vec3f usual;
    const cv::Rect middle(colours.cols / 8, colours.rows / 8, colours.cols - colours.cols / 4,
                          colours.rows - colours.rows / 4);
    std::vector<cv::Mat> channels;
    cv::split(colours(middle).clone(), channels);
    for (int c = 0; c < 3; ++c) {
        std::vector<uchar> v(channels[c].begin<uchar>(), channels[c].end<uchar>());
        std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
        usual[c] = v[v.size() / 2];
    }
    return usual;
}

double stands_out(const Candidate& c) {
    return std::max(cv::norm(c.lab - c.surface), 0.8 * cv::norm(c.rim_lab - c.surface));
}

bool on_surface(const Ground& g, Point p, double r_mm) {
    const double within = g.edge_mm - 0.5 * r_mm;
    return std::abs(p.x) < g.board->width_mm / 2 + within &&
           std::abs(p.y) < g.board->height_mm / 2 + within;
}

constexpr double kLargerThanDiscs = 1.12;  // holes are
constexpr float kLikeHole = 20;            // Lab

// A disc beside a hole that may lie a little elsewhere: all of its rim is seen, and it looks unlike
// what is in the hole.
bool stands_at_hole(const Ground& g, const Candidate& c, const cv::Vec3f& hole_lab) {
    constexpr double kAllOfIt = 0.9;
    return c.circle.support > kAllOfIt && c.circle.step > kAllOfIt &&
           c.circle.r < kLargerThanDiscs * g.r_px && cv::norm(c.lab - hole_lab) > kLikeHole;
}

// Near the rim of a hole that may lie a little elsewhere: a disc half over it differs from what is
// in the hole.
bool over_hole(const Ground& g, const cv::Mat& bgr, const Candidate& c) {
    return std::any_of(g.board->holes.begin(), g.board->holes.end(), [&](const Hole& h) {
        const double beyond_mm = distance(c.at, h.centre) - h.diameter_mm / 2 * 0.95;
        if (beyond_mm > g.slack_mm) return false;
        const cv::Vec3f hole = lab_of(colour_at(bgr, 1, g.plane->pixel(h.centre)));
        if (beyond_mm < 0) return g.slack_mm <= 0 || !stands_at_hole(g, c, hole);
        return cv::norm(c.lab - hole) < kLikeHole;
    });
}

// Where the corners are not known well, holes are looked for: larger than any disc, near where they
// should be.
void drop_holes(const Ground& g, std::vector<Candidate>& all) {
    std::vector<Candidate> holes;
    for (const Hole& h : g.board->holes)
        for (const Candidate& c : all)
            if (c.circle.r > kLargerThanDiscs * g.r_px &&
                distance(c.at, h.centre) < g.edge_mm + 0.3 * h.diameter_mm)
                holes.push_back(c);
    std::erase_if(all, [&](const Candidate& c) {
        return std::any_of(holes.begin(), holes.end(), [&](const Candidate& h) {
            return distance(c.at, h.at) < 0.8 * h.circle.r / g.plane->px_per_mm &&
                   !stands_at_hole(g, c, h.lab);
        });
    });
}

std::vector<Circle> circles_of(const std::vector<Candidate>& all) {
    std::vector<Circle> circles;
    for (const Candidate& c : all)
        if (!c.print) circles.push_back(c.circle);
    return circles;
}

void drop_what_is_at_holes(Ground g, const cv::Mat& bgr, std::vector<Candidate>& all) {
    g.r_px = common_radius(circles_of(all), g.r_px, g.spread, g.far);
    std::erase_if(all, [&](const Candidate& c) { return over_hole(g, bgr, c); });
    if (g.edge_mm > 0) drop_holes(g, all);
}

bool right_size(const Circle& c, const Ground& g, const ChoiceLimits& limits) {
    const double ratio = c.r / g.r_px;
    const double tolerance = limits.size_tolerance +
                             (c.support > 0.75 && c.step > 0.65 ? limits.clear_size_tolerance : 0);
    if (std::abs(ratio - 1) < tolerance) return true;
    return g.large > 0 && ratio > 1.1 && ratio < g.large * (1 + limits.size_tolerance);
}

// Beside the table lie carpets, cups and hands, and cards are full of round marks. A disc has most
// of its rim, grooves or at least no pattern across it, is not coloured like what is around it, and
// lies on the ground, not on a die. What is tiny in its picture has to be rounder.
bool is_clutter(const Circle& c, const cv::Mat& bgr, const cv::Vec3f& ground, double trust,
                const ChoiceLimits& limits) {
    if (trust < 0.5 && apart(c.around, ground) > limits.on_something) return true;
    const double tiny = std::clamp(1 - c.r / (limits.tiny * std::max(bgr.cols, bgr.rows)), 0.0,
                                   1.0);
    const double round = limits.bare_round - trust * limits.trusted_round + tiny +
                         (c.contrast < 30 ? 0.06 : 0);
    return c.support < limits.bare_rim - trust * limits.trusted_rim ||
           c.support + c.rings < round || cv::norm(c.core - c.around) < 10;
}

// How much the size the discs share can be trusted, 0…1: by how many circles of it leave no doubt.
double trust_in_size(const std::vector<Candidate>& all, const Ground& g,
                     const ChoiceLimits& limits) {
    std::vector<cv::Point2d> sure;
    for (const Candidate& c : all) {
        const bool clear = !c.print && c.circle.support > 0.87 && c.circle.step > 0.84 &&
                           c.circle.support + c.circle.rings > limits.bare_round;
        const bool known = std::any_of(sure.begin(), sure.end(), [&](const cv::Point2d& p) {
            return cv::norm(p - c.circle.centre) < g.r_px;
        });
        if (clear && !known && right_size(c.circle, g, limits)) sure.push_back(c.circle.centre);
    }
    return std::clamp((double(sure.size()) - 2) / 4, 0.0, 1.0);
}

double quality_of(const Circle& c, double r_px) {
    return c.support + 0.5 * c.step + 0.6 * (c.rings - 0.5) + 0.25 * std::max(0.0, c.r / r_px - 1);
}

// 0…1: how surely the face is of another colour than what is around it, however little they differ.
double own_colour(const Circle& c, const ChoiceLimits& limits) {
    return std::clamp((c.alike - limits.least_alike) / (0.95 - limits.least_alike), 0.0, 1.0) *
           std::clamp(c.face_step / limits.sure_face_step, 0.0, 1.0);
}

// The less a disc differs from its ground, in its mean colour and all over its face, the more rim
// it needs.
double rim_needed(const Candidate& c, double covered, bool nested, const ChoiceLimits& limits) {
    const double own = limits.worn * own_colour(c.circle, limits);
    const double clear = std::max(own, std::min(1.0, stands_out(c) / 25));
    const double stepped = std::clamp((c.circle.step - 0.3) / 0.1, 0.0,
                                      1.0);  // a printed ring has no step
    const double turned = stepped * std::clamp((c.circle.rings - 0.6) / 0.25, 0.0, 1.0);
    const double bare = std::clamp(1 - covered / limits.bare_face, 0.0, 1.0),
                 full = std::clamp((covered - 0.4) / 0.3, 0.0, 1.0);
    const double bonus = turned * limits.turned_bonus + full * limits.covered_bonus +
                         (nested ? limits.nested_bonus : 0);
    const double whole = limits.worn * full * std::clamp((c.circle.alike - 0.85) / 0.1, 0.0, 1.0) *
                         std::clamp(c.circle.face_step / limits.sure_face_step - 1, 0.0, 1.0);
    return limits.plain_support + clear * (limits.bright_support - limits.plain_support) +
           bare * limits.bare_face_rim - (1 - 0.7 * clear) * bonus -
           whole * limits.whole_face_bonus +
           std::clamp(c.circle.pattern / limits.pattern - 1, 0.0, 0.5) * 2 * limits.pattern_rim;
}

// Beside a groove the rim is the weaker edge: of a turned disc it counts all the same.
double rim_of_turned(const Circle& c, const ChoiceLimits& limits) {
    const double turned = std::clamp((c.rings - 0.6) / 0.2, 0.0, 1.0);
    return c.support + limits.worn * turned * (c.near_support - c.support);
}

// A groove about the same centre, clearer than the rim itself: many turned discs have one.
bool has_inner_ring(const Candidate& c, const std::vector<Candidate>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
        const double ratio = other.circle.r / c.circle.r;
        return !other.print && ratio > 0.6 && ratio < 0.92 && other.circle.support > 0.75 &&
               other.circle.rings > 0.7 &&
               cv::norm(other.circle.centre - c.circle.centre) < 0.15 * c.circle.r;
    });
}

bool overlaps(const Circle& c, const std::vector<ChosenDisc>& discs, double overlap) {
    return std::any_of(discs.begin(), discs.end(), [&](const ChosenDisc& d) {
        return cv::norm(d.circle.centre - c.centre) < overlap * (d.circle.r + c.r);
    });
}

std::vector<ChosenDisc> without_overlaps(std::vector<ChosenDisc> discs, double overlap) {
    std::sort(discs.begin(), discs.end(),
              [](const auto& a, const auto& b) { return a.quality > b.quality; });
    std::vector<ChosenDisc> kept;
    for (const ChosenDisc& d : discs)
        if (!overlaps(d.circle, kept, overlap)) kept.push_back(d);
    return kept;
}

int touching(const Circle& c, const std::vector<ChosenDisc>& discs, double slack) {
    return int(std::count_if(discs.begin(), discs.end(), [&](const ChosenDisc& d) {
        return std::abs(cv::norm(d.circle.centre - c.centre) / (d.circle.r + c.r) - 1) < slack;
    }));
}

// In a cluster a rim runs along other discs, and chance does not put a circle so that it just
// touches several. Print lies bare: only what is touched all round, as the middle of an opening
// position, is a disc for all that.
bool fits_cluster(const Candidate& c, double covered, const Ground& g, const ChoiceLimits& limits,
                  const std::vector<ChosenDisc>& discs) {
    const int touched = touching(c.circle, discs, limits.touch);
    if (touched < (c.print ? 4 : 2) || overlaps(c.circle, discs, limits.clustered_overlap))
        return false;
    const double face = covered < 0.5    ? limits.clustered_bare_rim
                        : covered > 0.95 ? -limits.clustered_bare_rim
                                         : 0;
    const double needed = std::max(limits.least_clustered_rim,
                                   limits.clustered_rim - 0.08 * (touched - 2) + face);
    return c.circle.support >= needed && c.circle.step >= limits.clustered_step &&
           std::abs(c.circle.r / g.r_px - 1) < limits.size_tolerance;
}

void add_clustered(const std::vector<Candidate>& all, const GroundLook& look, const Ground& g,
                   const ChoiceLimits& limits, const cv::Vec3f& usual,
                   std::vector<ChosenDisc>& discs) {
    for (;;) {
        const Candidate* best = nullptr;
        for (const Candidate& c : all)
            if (fits_cluster(c, look.covered(c.circle), g, limits, discs) &&
                (!best || quality_of(c.circle, g.r_px) > quality_of(best->circle, g.r_px)))
                best = &c;
        if (!best) return;
        discs.push_back({best->circle, best->lab, usual, quality_of(best->circle, g.r_px)});
    }
}

// The places that touch both discs.
std::vector<cv::Point2d> touching_both(const Circle& a, const Circle& b, double r) {
    const cv::Point2d way = b.centre - a.centre;
    const double d = cv::norm(way), ra = a.r + r, rb = b.r + r;
    if (d < std::abs(ra - rb) || d > ra + rb || d < 1) return {};
    const double along = (d * d + ra * ra - rb * rb) / (2 * d),
                 aside = std::sqrt(std::max(0.0, ra * ra - along * along));
    const cv::Point2d middle = a.centre + way * (along / d), across(-way.y / d, way.x / d);
    return {middle + across * aside, middle - across * aside};
}

// A printed spot was seen there, and no disc.
bool is_spot_at(cv::Point2d p, double r_px, const std::vector<Candidate>& all) {
    bool spot = false, print = true;
    for (const Candidate& c : all)
        if (cv::norm(c.circle.centre - p) < 0.3 * r_px) spot |= c.spot, print &= c.print;
    return spot && print;
}

// Between discs of its own colour a disc may have next to no rim. Where there is just room for one,
// and it looks all over like one of the others (or is touched all round) and nowhere like the
// ground, there is one.
void add_hidden(const cv::Mat& bgr, const std::vector<Candidate>& all, const GroundLook& look,
                const Ground& g, const ChoiceLimits& limits, const cv::Vec3f& usual,
                std::vector<ChosenDisc>& discs) {
    constexpr double kCovered = 0.95, kAlike = 12;
    constexpr int kAllRound = 5;
    const auto fits = [&](const Circle& c, const cv::Vec3f& lab) {
        const int touched = touching(c, discs, limits.touch);
        if (touched < 3 || overlaps(c, discs, limits.clustered_overlap) ||
            look.covered(c) < kCovered)
            return false;
        return touched >= kAllRound ||
               std::any_of(discs.begin(), discs.end(),
                           [&](const ChosenDisc& d) { return cv::norm(d.lab - lab) < kAlike; });
    };
    for (std::size_t i = 0; i < discs.size(); ++i)
        for (std::size_t j = i + 1; j < discs.size(); ++j)
            for (const cv::Point2d& p : touching_both(discs[i].circle, discs[j].circle, g.r_px)) {
                Circle c;
                c.centre = p, c.r = g.r_px;
                if (is_spot_at(p, g.r_px, all) || overlaps(c, discs, limits.clustered_overlap) ||
                    look.covered(c) < kCovered || !fit_circle(bgr, c, 0.12, g.walls))
                    continue;
                if (cv::norm(c.centre - p) > 0.2 * g.r_px ||
                    std::abs(c.r / g.r_px - 1) > limits.size_tolerance)
                    continue;
                const cv::Vec3f lab = lab_of(0.6f * c.core + 0.4f * c.rim);
                if (fits(c, lab)) discs.push_back({c, lab, usual, quality_of(c, g.r_px)});
            }
}

// Circles of disc quality, each once.
std::vector<Circle> clear_rims(const std::vector<Circle>& circles) {
    std::vector<Circle> rims;
    for (const Circle& c : circles) {
        const bool known = std::any_of(rims.begin(), rims.end(), [&](const Circle& k) {
            return std::abs(k.r / c.r - 1) < 0.06 && cv::norm(k.centre - c.centre) < 0.3 * c.r;
        });
        if (!known && c.support >= 0.75 && c.step >= 0.6) rims.push_back(c);
    }
    return rims;
}

constexpr double kFarRims = 3;  // as much rim of another size than the board's set has, in discs:
                                // fewer may be strikers

}  // namespace

double common_radius(const std::vector<Circle>& circles, double r_px, double spread, double far) {
    const std::vector<Circle> rims = clear_rims(circles);
    double near_best = 0, near_at = r_px, far_best = 0, far_at = r_px;
    for (double r = r_px / spread; r <= r_px * std::max(spread, far); r *= 1.01) {
        double sum = 0;
        for (const Circle& c : rims) {
            const double q = std::log(c.r / r) / 0.03;
            sum += c.support * std::exp(-0.5 * q * q);
        }
        const double pull = 0.3 * std::exp(-0.5 * std::pow(std::log(r / r_px) / 0.06,
                                                           2));  // slightly to the nominal
        if (r <= r_px * spread && sum + pull > near_best) near_best = sum + pull, near_at = r;
        if (r > r_px * spread && sum > far_best) far_best = sum, far_at = r;
    }
    return far_best > std::max(near_best, kFarRims) ? far_at : near_at;
}

void take_colours(const cv::Mat& bgr, double r_px, std::vector<ChosenDisc>& discs) {
    double scale = 1;
    const cv::Vec3f usual = lab_of(usual_colour(ground_colours(bgr, r_px, scale)));
    for (ChosenDisc& d : discs) {
        take_colours(bgr, d.circle);
        d.lab = lab_of(0.6f * d.circle.core + 0.4f * d.circle.rim), d.surface = usual;
    }
}

std::vector<ChosenDisc> choose_discs(const cv::Mat& bgr, const std::vector<Circle>& circles,
                                     Ground ground, const ChoiceLimits& limits) {
    const GroundLook look(bgr, ground.r_px);
    const cv::Vec3f usual = lab_of(usual_colour(look.colours()));
    std::vector<Candidate> all;
    const double r_mm = ground.plane ? ground.r_px / ground.plane->px_per_mm : 0;
    for (const Circle& c : circles) {
        Candidate k{c,
                    lab_of(0.6f * c.core + 0.4f * c.rim),
                    lab_of(c.core),
                    lab_of(c.rim),
                    lab_of(look.at(c.centre)),
                    {},
                    false};
        if (ground.board) k.at = ground.plane->local(c.centre);
        if (!ground.board || on_surface(ground, k.at, r_mm)) all.push_back(k);
    }
    if (ground.board) {
        drop_what_is_at_holes(ground, bgr, all);
        mark_print(ground, r_mm, all);
    }
    ground.r_px = common_radius(circles_of(all), ground.r_px, ground.spread, ground.far);

    const double trust = trust_in_size(all, ground, limits);
    std::vector<ChosenDisc> discs;
    for (const Candidate& c : all) {
        const bool is_larger = c.circle.r >
                               (1 + limits.size_tolerance) *
                                   ground.r_px;  // the one of its kind never looks like the ground
        if (c.print || !right_size(c.circle, ground, limits)) continue;
        if (ground.plane && (look.is_outline(c.circle, is_larger ? 0 : limits.outline_contrast) ||
                             look.is_drawing(c.circle)))
            continue;
        const double covered = look.covered(c.circle),
                     needed = rim_needed(c, covered, has_inner_ring(c, all), limits) +
                              (is_larger ? limits.large_rim : 0);
        const double rim = rim_of_turned(c.circle, limits);
        if (rim < needed ||
            (!ground.plane && is_clutter(c.circle, bgr, look.at(c.circle.centre), trust, limits)))
            continue;
        discs.push_back({c.circle, c.lab, usual, quality_of(c.circle, ground.r_px)});
    }
    discs = without_overlaps(std::move(discs), limits.overlap);
    if (ground.plane || trust >= 1) {  // else the lobes of a club are a cluster, too
        add_clustered(all, look, ground, limits, usual, discs);
        add_hidden(bgr, all, look, ground, limits, usual, discs);
        add_clustered(all, look, ground, limits, usual, discs);
    }
    for (ChosenDisc& d : discs) fit_top(bgr, look.at(d.circle.centre), ground.walls, d.circle);
    return discs;
}

}  // namespace overboard::vision
