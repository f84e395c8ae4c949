#include "vision/disc_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

// A disc is a circle of the right size with enough rim; the less it differs in colour from the
// surface, the more rim it needs. Before that, circles leave the field that cannot be discs: over
// a hole, off the surface, or print. Print is what the catalogue says is printed there, and what
// repeats itself in the board's own symmetry: games are not played in eightfold symmetry, boards
// are drawn in it. The ink learnt from such print also unmasks the printed centre.
namespace overboard::vision {
namespace {

struct Candidate {
    Circle circle;
    cv::Vec3f lab, core_lab, rim_lab, surface;
    Point at;  // board frame, mm
    bool print = false;
};

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
    const int x = std::clamp(int(p.x * scale), 0, small.cols - 1), y = std::clamp(int(p.y * scale), 0, small.rows - 1);
    return cv::Vec3f(small.at<cv::Vec3b>(y, x));
}

// The usual colour of the ground: names are given against it, for near a cushion the ground is in shade.
cv::Vec3f usual_colour(const cv::Mat& colours) {
    cv::Vec3f usual;
    const cv::Rect middle(colours.cols / 8, colours.rows / 8, colours.cols - colours.cols / 4, colours.rows - colours.rows / 4);
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
    return std::abs(p.x) < g.board->width_mm / 2 + within && std::abs(p.y) < g.board->height_mm / 2 + within;
}

bool over_hole(const Ground& g, Point p) {
    return std::any_of(g.board->holes.begin(), g.board->holes.end(), [&](const Hole& h) {
        return distance(p, h.centre) < h.diameter_mm / 2 * 0.95 + g.slack_mm;
    });
}

// Where the corners are not known well, holes are looked for: larger than any disc, near where they should be.
void drop_holes(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    std::vector<std::pair<Point, double>> holes;
    for (const Hole& h : g.board->holes)
        for (const Candidate& c : all)
            if (c.circle.r > 1.12 * g.r_px && distance(c.at, h.centre) < g.edge_mm + 0.3 * h.diameter_mm)
                holes.emplace_back(c.at, c.circle.r / g.r_px * r_mm);
    std::erase_if(all, [&](const Candidate& c) {
        return std::any_of(holes.begin(), holes.end(), [&](const auto& h) { return distance(c.at, h.first) < 0.8 * h.second; });
    });
}

// The seven other places (three on an oblong board) a drawing on the board repeats itself at.
std::vector<Point> mirror_images(const BoardKind& board, Point p) {
    std::vector<Point> images = {{-p.x, p.y}, {p.x, -p.y}, {-p.x, -p.y}};
    if (std::abs(board.width_mm - board.height_mm) < 1)
        for (Point q : {Point{p.y, p.x}, Point{-p.y, p.x}, Point{p.y, -p.x}, Point{-p.y, -p.x}}) images.push_back(q);
    return images;
}

bool alike(const Candidate& a, const Candidate& b) {
    return std::abs(a.circle.r - b.circle.r) < 0.15 * a.circle.r && cv::norm(a.lab - b.lab) < 20;
}

void mark_repeated_print(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    const double middle = 0.3 * std::min(g.board->width_mm, g.board->height_mm);
    std::vector<char> repeats(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (length(all[i].at) < middle) continue;  // an opening position is as symmetric as any print
        int found = 0;
        for (const Point& image : mirror_images(*g.board, all[i].at))
            found += std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
                return distance(c.at, image) < 0.4 * r_mm + g.slack_mm && alike(all[i], c);
            });
        repeats[i] = found >= 3;
    }
    // Whatever shares the place and the colour of print is print, rings around it included.
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!repeats[i]) continue;
        for (Candidate& c : all)
            c.print |= distance(c.at, all[i].at) < 0.5 * r_mm && cv::norm(c.lab - all[i].lab) < 20;
    }
}

void mark_inked_centre(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    std::vector<cv::Vec3f> ink;
    for (const Candidate& c : all)
        if (c.print && chroma(c.core_lab) > 20) ink.push_back(c.core_lab);
    for (Candidate& c : all) {
        if (c.print || length(c.at) > 0.8 * r_mm + g.slack_mm) continue;
        const auto near = std::count_if(ink.begin(), ink.end(), [&](const cv::Vec3f& k) { return cv::norm(k - c.core_lab) < 18; });
        c.print = 3 * near > std::ptrdiff_t(ink.size());
    }
}

// What the catalogue says is printed: same place, same size, and nearer to the ink than to any disc.
void mark_known_print(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    const cv::Vec3f board = lab_of(bgr_of(g.board->surface));
    for (const PrintedCircle& print : g.board->circles) {
        const cv::Vec3f ink = against(lab_of(bgr_of(print.colour)), board);
        for (Candidate& c : all) {
            if (distance(c.at, print.centre) > 0.45 * r_mm) continue;
            const double print_px = print.diameter_mm / 2 * g.plane->px_per_mm;
            if (std::abs(c.circle.r - print_px) > 0.2 * print_px) continue;
            cv::Vec3f tint = against(c.lab, c.surface);
            tint[0] *= board[0] / std::max(10.0f, c.surface[0]);
            const double to_ink = print.line_mm > 0 ? cv::norm(c.lab - c.surface) : cv::norm(tint - ink);
            const bool nearer_a_disc = std::any_of(g.disc_tints.begin(), g.disc_tints.end(),
                                                   [&](const cv::Vec3f& d) { return 1.25 * cv::norm(tint - d) < to_ink; });
            c.print |= !nearer_a_disc;
        }
    }
}

// Beside the table lie carpets, cups and hands. A disc has most of its rim, grooves or at least no pattern across
// it, and is not coloured like what is around it.
bool is_clutter(const Circle& c, const ChoiceLimits& limits) {
    const double rim = c.support + 0.5 * (c.rings - 0.5);
    return rim < limits.bare_rim + (c.contrast < 30 ? 0.08 : 0) || cv::norm(c.core - c.around) < 10;
}

double quality_of(const Circle& c, double r_px) { return c.support + 0.5 * c.step + 0.6 * (c.rings - 0.5) + 0.25 * std::max(0.0, c.r / r_px - 1); }

bool right_size(double r, const Ground& g, const ChoiceLimits& limits) {
    const double ratio = r / g.r_px;
    if (std::abs(ratio - 1) < limits.size_tolerance) return true;
    return g.large > 0 && ratio > 1.1 && ratio < g.large * (1 + limits.size_tolerance);
}

std::vector<ChosenDisc> without_overlaps(std::vector<ChosenDisc> discs, double overlap) {
    std::sort(discs.begin(), discs.end(), [](const auto& a, const auto& b) { return a.quality > b.quality; });
    std::vector<ChosenDisc> kept;
    for (const ChosenDisc& d : discs) {
        const bool taken = std::any_of(kept.begin(), kept.end(), [&](const ChosenDisc& k) {
            return cv::norm(k.circle.centre - d.circle.centre) < overlap * (k.circle.r + d.circle.r);
        });
        if (!taken) kept.push_back(d);
    }
    return kept;
}

}  // namespace

double common_radius(const std::vector<Circle>& circles, double r_px, double spread) {
    double best = 0, at = r_px;
    const double low = r_px / spread, high = r_px * spread;
    for (double r = low; r <= high; r *= 1.01) {
        double sum = 0.3 * std::exp(-0.5 * std::pow(std::log(r / r_px) / 0.06, 2));  // a slight pull to the nominal
        for (const Circle& c : circles) {
            if (c.support < 0.75 || c.step < 0.6) continue;
            const double q = std::log(c.r / r) / 0.03;
            sum += c.support * std::exp(-0.5 * q * q);
        }
        if (sum > best) best = sum, at = r;
    }
    return at;
}

std::vector<ChosenDisc> choose_discs(const cv::Mat& bgr, const std::vector<Circle>& circles, Ground ground,
                                     const ChoiceLimits& limits) {
    double scale = 1;
    const cv::Mat colours = ground_colours(bgr, ground.r_px, scale);
    const cv::Vec3f usual = lab_of(usual_colour(colours));
    std::vector<Candidate> all;
    const double r_mm = ground.plane ? ground.r_px / ground.plane->px_per_mm : 0;
    for (const Circle& c : circles) {
        Candidate k{c, lab_of(0.6f * c.core + 0.4f * c.rim), lab_of(c.core), lab_of(c.rim), lab_of(colour_at(colours, scale, c.centre)), {}, false};
        if (ground.board) {
            k.at = ground.plane->local(c.centre);
            if (!on_surface(ground, k.at, r_mm) || over_hole(ground, k.at)) continue;
        }
        all.push_back(k);
    }
    if (ground.board) {
        if (ground.edge_mm > 0) drop_holes(ground, r_mm, all);
        mark_repeated_print(ground, r_mm, all);
        mark_inked_centre(ground, r_mm, all);
        mark_known_print(ground, r_mm, all);
    }
    all.erase(std::remove_if(all.begin(), all.end(), [](const Candidate& c) { return c.print; }), all.end());

    std::vector<Circle> left;
    for (const Candidate& c : all) left.push_back(c.circle);
    ground.r_px = common_radius(left, ground.r_px, ground.spread);

    std::vector<ChosenDisc> discs;
    for (const Candidate& c : all) {
        if (!right_size(c.circle.r, ground, limits)) continue;
        const double clear = std::min(1.0, stands_out(c) / 25);
        const double turned = c.circle.step < 0.45 ? 0 : std::clamp((c.circle.rings - 0.6) / 0.25, 0.0, 1.0);  // a printed ring has no step
        const double needed = limits.plain_support + clear * (limits.bright_support - limits.plain_support) - turned * limits.turned_bonus;
        if (c.circle.support < needed || (!ground.plane && is_clutter(c.circle, limits))) continue;
        discs.push_back({c.circle, c.lab, usual, quality_of(c.circle, ground.r_px)});
    }
    return without_overlaps(std::move(discs), limits.overlap);
}

}  // namespace overboard::vision
