#include "vision/discs/disc_print.hpp"

#include <algorithm>
#include <cmath>

// Print is what the catalogue says is printed there, and what repeats itself in the board's own
// symmetry: games are not played in eightfold symmetry, boards are drawn in it. The ink learnt from
// such print also unmasks the printed centre.
namespace overboard::vision {
namespace {

constexpr double kFullRim = 0.9;  // Circle::support of what nothing covers

// Discs or shadows about a smaller round spot enclose a circle, too; but the spot's own rim is
// clearer, and it lies off the middle, where no disc has a groove.
bool is_ring_about(const Candidate& ring, const Candidate& spot) {
    constexpr double kClearer = 0.15, kOffCentre = 0.1, kSmaller = 0.86;
    const double away = cv::norm(spot.circle.centre - ring.circle.centre) / ring.circle.r,
                 ratio = spot.circle.r / ring.circle.r;
    return spot.circle.support >= kFullRim && spot.circle.step >= kFullRim &&
           spot.circle.support > ring.circle.support + kClearer && ratio > 0.5 &&
           ratio < kSmaller && away > kOffCentre && away + ratio < 1.15;
}

void drop_rings_about_spots(std::vector<Candidate>& all) {
    std::vector<char> ring(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (Candidate& spot : all)
            if (is_ring_about(all[i], spot)) ring[i] = 1, spot.spot = true;
    std::size_t i = 0;
    std::erase_if(all, [&](const Candidate&) { return ring[i++] != 0; });
}

// The seven other places (three on an oblong board) a drawing on the board repeats itself at.
std::vector<Point> mirror_images(const BoardKind& board, Point p) {
    std::vector<Point> images = {{-p.x, p.y}, {p.x, -p.y}, {-p.x, -p.y}};
    if (std::abs(board.width_mm - board.height_mm) < 1)
        for (Point q : {Point{p.y, p.x}, Point{-p.y, p.x}, Point{p.y, -p.x}, Point{-p.y, -p.x}})
            images.push_back(q);
    return images;
}

bool alike(const Candidate& a, const Candidate& b) {
    return std::abs(a.circle.r - b.circle.r) < 0.15 * a.circle.r && cv::norm(a.lab - b.lab) < 20;
}

// Nothing is printed where it would be cut by a hole, but rims of holes and shade in them repeat
// themselves.
bool at_hole(const Ground& g, Point at, double r_mm) {
    return std::any_of(g.board->holes.begin(), g.board->holes.end(), [&](const Hole& h) {
        return distance(h.centre, at) < h.diameter_mm / 2 + r_mm;
    });
}

// Which circles repeat themselves in the board's symmetry.
std::vector<char> repeating(const Ground& g, double r_mm, const std::vector<Candidate>& all) {
    const double middle = 0.15 * std::min(g.board->width_mm, g.board->height_mm);
    std::vector<char> repeats(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        // An opening position is as symmetric as any print.
        if (length(all[i].at) < middle || at_hole(g, all[i].at, r_mm)) continue;
        int found = 0;
        for (const Point& image : mirror_images(*g.board, all[i].at))
            found += std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
                return distance(c.at, image) < 0.4 * r_mm + g.slack_mm && alike(all[i], c);
            });
        repeats[i] = found >= 3;
    }
    return repeats;
}

bool is_near(const std::vector<Point>& places, Point at, double reach) {
    return std::any_of(places.begin(), places.end(),
                       [&](const Point& p) { return distance(p, at) < reach; });
}

// Men may happen to lie mirrored, but then there are others that look the same and do not.
bool has_twins_elsewhere(const Ground& g, double r_mm, const std::vector<Candidate>& all,
                         const std::vector<char>& repeats, std::size_t i) {
    constexpr double kSameSize = 0.06, kClear = 0.8;
    constexpr float kSameTint = 8;  // glare and shade change lightness more
    constexpr std::size_t kSeveral = 2;
    std::vector<Point> twins, orbit = mirror_images(*g.board, all[i].at);
    orbit.push_back(all[i].at);
    for (std::size_t j = 0; j < all.size(); ++j) {
        const Circle& c = all[j].circle;
        const bool twin = !repeats[j] && c.support > kClear && c.step > kClear &&
                          std::abs(c.r / all[i].circle.r - 1) < kSameSize &&
                          alike(all[i], all[j]) && chroma(all[j].lab - all[i].lab) < kSameTint;
        if (twin && !is_near(orbit, all[j].at, 2 * r_mm + g.slack_mm) &&
            !is_near(twins, all[j].at, r_mm))
            twins.push_back(all[j].at);
    }
    return twins.size() >= kSeveral;
}

void mark_repeated_print(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    const std::vector<char> repeats = repeating(g, r_mm, all);
    std::vector<Point> men;  // the best circle of a place says which it is
    // Whatever shares the place and the colour of print is print, rings around it included.
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!repeats[i] || is_near(men, all[i].at, 0.5 * r_mm)) continue;
        if (has_twins_elsewhere(g, r_mm, all, repeats, i)) {
            men.push_back(all[i].at);
            continue;
        }
        for (Candidate& c : all)
            c.print |= distance(c.at, all[i].at) < 0.5 * r_mm && cv::norm(c.lab - all[i].lab) < 20;
    }
}

// What shares the place of recognised print, and a colour usual there.
void mark_recognised_print(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    constexpr double kOneInk = 26;  // Lab distance of one ink in light and in shade
    const auto at_print = [&](const Candidate& c) {
        const double reach = 0.5 * r_mm * std::max(1.0, c.circle.r / g.r_px);
        return std::any_of(g.printed.begin(), g.printed.end(),
                           [&](const Point& p) { return distance(c.at, p) < reach; });
    };
    std::vector<cv::Vec3f> inks;
    for (const Candidate& c : all)
        if (at_print(c)) inks.push_back(c.lab);
    for (Candidate& c : all) {
        const auto alike = std::count_if(inks.begin(), inks.end(), [&](const cv::Vec3f& ink) {
            return cv::norm(ink - c.lab) < kOneInk;
        });
        c.print |= at_print(c) && 3 * alike > std::ptrdiff_t(inks.size());
    }
}

// Where the board is known well the catalogue tells what is printed in its middle: a disc is
// larger.
bool covers_smaller_centre(const Ground& g, const Candidate& c) {
    constexpr double kLarger = 1.12;  // than the printed spot
    const auto is_centre = [](const PrintedCircle& p) {
        return p.line_mm <= 0 && length(p.centre) < p.diameter_mm / 2;
    };
    const auto& printed = g.board->circles;
    const auto spot = std::find_if(printed.begin(), printed.end(), is_centre);
    return g.slack_mm <= 0 && spot != printed.end() && c.circle.support > kFullRim &&
           c.circle.r > kLarger * spot->diameter_mm / 2 * g.plane->px_per_mm;
}

void mark_inked_centre(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    std::vector<cv::Vec3f> ink;
    for (const Candidate& c : all)
        if (c.print && cv::norm(c.core_lab - c.surface) > 20) ink.push_back(c.core_lab);
    for (Candidate& c : all) {
        if (c.print || length(c.at) > 0.8 * r_mm + g.slack_mm || covers_smaller_centre(g, c))
            continue;
        const auto near = std::count_if(ink.begin(), ink.end(), [&](const cv::Vec3f& k) {
            return cv::norm(k - c.core_lab) < 18;
        });
        c.print = 3 * near > std::ptrdiff_t(ink.size());
    }
}

Point quarter_turned(Point p, int quarters) {
    for (int k = 0; k < quarters; ++k) p = {-p.y, p.x};
    return p;
}

// Corners do not tell which side of the board is which: print is looked for where most circles lie
// on it. Half turns only on an oblong board; a board that was found by its pose lies as it says.
int quarters_of_print(const Ground& g, double r_mm, const std::vector<Candidate>& all) {
    if (g.slack_mm <= 0) return 0;
    const int step = std::abs(g.board->width_mm - g.board->height_mm) < 1 ? 1 : 2;
    int best = 0, most = -1;
    for (int quarters = 0; quarters < 4; quarters += step) {
        int explained = 0;
        for (const PrintedCircle& print : g.board->circles)
            explained += std::any_of(all.begin(), all.end(), [&](const Candidate& c) {
                return distance(c.at, quarter_turned(print.centre, quarters)) < 0.45 * r_mm;
            });
        if (explained > most) most = explained, best = quarters;
    }
    return best;
}

// Discs laid round a smaller printed spot enclose a circle of their own size, with the spot in its
// middle and bare board along its rim.
bool is_spot_among_discs(const PrintedCircle& print, const Candidate& c, const Ground& g) {
    constexpr double
        kBare = 0.35;  // of what parts spot and board; a disc is of one colour to its rim
    return print.line_mm <= 0 && c.circle.r < 1.1 * g.r_px &&
           cv::norm(c.rim_lab - c.core_lab) > kBare * cv::norm(c.core_lab - c.surface);
}

// What the catalogue says is printed: same place, same size, and nearer to the ink than to any
// disc; or a line there about what is as bare as what is beyond it.
void mark_known_print(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    constexpr double kOneColour = 12;  // Lab: bad light moves colours as far
    constexpr double kEmpty = 7;       // grey levels of Circle::face_step; drawn rings reach 6.8
    const cv::Vec3f board = lab_of(bgr_of(g.board->surface));
    const int quarters = quarters_of_print(g, r_mm, all);
    for (const PrintedCircle& print : g.board->circles) {
        const cv::Vec3f ink = against(lab_of(bgr_of(print.colour)), board);
        for (Candidate& c : all) {
            if (distance(c.at, quarter_turned(print.centre, quarters)) > 0.45 * r_mm) continue;
            c.spot |= is_spot_among_discs(print, c, g);
            c.print |= c.spot;
            const double ratio = c.circle.r / (print.diameter_mm / 2 * g.plane->px_per_mm);
            const bool empty = print.line_mm > 0 && c.circle.face_step < kEmpty;
            const double largest = empty ? 1.2 * g.far : g.slack_mm > 0 ? 1.35 : 1.2;
            if (ratio < 0.8 || ratio > largest) continue;
            cv::Vec3f tint = against(c.lab, c.surface);
            tint *= board[0] / std::max(10.0f, c.surface[0]);  // less light makes all of it smaller
            const double to_ink = print.line_mm > 0 ? cv::norm(c.lab - c.surface)
                                                    : cv::norm(tint - ink);
            const bool nearer_a_disc = std::any_of(
                g.disc_tints.begin(), g.disc_tints.end(), [&](const cv::Vec3f& d) {
                    const bool like_ink = g.slack_mm <= 0 && cv::norm(d - ink) < kOneColour;
                    return !like_ink && 1.25 * cv::norm(tint - d) < to_ink;
                });
            c.print |= empty || !nearer_a_disc;
        }
    }
}

double to_nearest_spot(const BoardKind& board, int quarters, Point at) {
    double nearest = 1e9;
    for (const PrintedCircle& print : board.circles)
        if (print.line_mm <= 0)
            nearest = std::min(nearest, distance(at, quarter_turned(print.centre, quarters)));
    return nearest;
}

bool same_hue(const Candidate& a, const Candidate& b) {
    constexpr float kColoured = 12, kCosine = 0.8f;
    const cv::Vec3f s = against(a.lab, a.surface), t = against(b.lab, b.surface);
    return s[1] * t[1] + s[2] * t[2] > kCosine * chroma(s) * chroma(t) && chroma(s) > kColoured;
}

// Spots printed for the opening may be as large and nearly as blue as the discs. What lies there,
// several alike, and is of another shade than every disc of that hue elsewhere, is the print.
void mark_spots_unlike_discs(const Ground& g, double r_mm, std::vector<Candidate>& all) {
    constexpr double kAlike = 8, kOther = 9;
    constexpr int kSeveral = 3;
    if (g.slack_mm <= 0) return;
    const int quarters = quarters_of_print(g, r_mm, all);
    std::vector<Candidate*> at_spots;
    std::vector<const Candidate*> on, off;
    for (Candidate& c : all) {
        const double away = to_nearest_spot(*g.board, quarters, c.at), ratio = c.circle.r / g.r_px;
        const bool clear = ratio > 0.7 && ratio < 1.2 && c.circle.support > 0.7 &&
                           c.circle.step > 0.6;
        if (away < 0.5 * r_mm) at_spots.push_back(&c);
        if (away < 0.5 * r_mm && clear) on.push_back(&c);
        if (away > r_mm && clear) off.push_back(&c);
    }
    std::vector<cv::Vec3f> inks;
    for (const Candidate* c : on) {
        const auto twins = std::count_if(on.begin(), on.end(), [&](const Candidate* other) {
            return distance(other->at, c->at) > r_mm && cv::norm(other->lab - c->lab) < kAlike;
        });
        const auto discs = std::count_if(off.begin(), off.end(),
                                         [&](const Candidate* d) { return same_hue(*c, *d); });
        const bool like_a_disc = std::any_of(off.begin(), off.end(), [&](const Candidate* d) {
            return same_hue(*c, *d) && cv::norm(d->lab - c->lab) < kOther;
        });
        const bool unlike_discs = discs >= kSeveral && !like_a_disc;
        if (twins + 1 >= kSeveral && (c->print || unlike_discs)) inks.push_back(c->lab);
    }
    for (Candidate* c : at_spots)
        c->print |= std::any_of(inks.begin(), inks.end(), [&](const cv::Vec3f& ink) {
            return cv::norm(ink - c->lab) < kAlike;
        });
}

}  // namespace

void mark_print(const Ground& ground, double r_mm, std::vector<Candidate>& all) {
    drop_rings_about_spots(all);
    mark_recognised_print(ground, r_mm, all);
    mark_repeated_print(ground, r_mm, all);
    mark_inked_centre(ground, r_mm, all);
    mark_known_print(ground, r_mm, all);
    mark_spots_unlike_discs(ground, r_mm, all);
}

}  // namespace overboard::vision
