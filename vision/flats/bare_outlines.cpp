// Without references an outline is all there is, and much has four sides: print on a card, a sheet
// under it, two cards side by side. What is known of a card is its shape and that one picture shows
// one size. So:
//   1. outlines of another shape go;
//   2. where pieces touch or overlap, their outlines run into one: two corners that share a side
//      tell a piece whose fourth side is then looked for across it (`completed`). An outline that
//      such a piece is cut off from is that of several (`of_several`);
//   3. the outermost ones of one size stay;
//   4. what lies under them shows a corner: a piece of their size is laid into it, and it is one
//      when all of its outline that is not covered can be seen (`covered_pieces`).
#include "vision/flats/bare_outlines.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <optional>

namespace overboard::vision {
namespace {

/// Chosen on labelled photographs with tests/bench/vision_cards_accuracy_bench and on photographs
/// of dice, boards and polygons, where every outline is one too many.
struct BareLimits {
    float outline = 0.85F;  ///< Support an outline needs. Higher: fewer specks, fewer pieces.
    float contrast = 12;
    float overlap = 0.25F;    ///< Two pieces may cover this much of each other.
    float nearer = 1.8F;      ///< How much larger the nearest piece may look than the middle one.
    float squarer = 1.22F;    ///< How much squarer than seen from above: a camera 35° aslant.
    float longer = 1.65F;     ///< How much longer: cards seen from 50° aslant, and narrow ones.
    float same_way = 0.985F;  ///< Cosine between a side and the line from corner to corner.
    float parallel = 0.97F;   ///< Cosine between opposite sides.
    float step = 20;  ///< Of three colours together: an edge between two white cards has 25.
    float stands_out = 2.5F;   ///< How much clearer an edge is than what lies beside it.
    float restless = 0.75F;    ///< Of what lies beside it, the part that is calmer.
    int all_eighths = 20;      ///< Of 32, that show of an outline taken as it is …
    int least_eighths = 4;     ///< … and of each of its sides.
    int eighths = 7;           ///< So many of a side show.
    float shared = 0.05F;      ///< Of a side: corners this near are one.
    float true_shape = 0.15F;  ///< A log-ratio: outlines as little off are those of whole pieces.
    float least_part = 0.56F;  ///< Of an outline of several, by the one on top: half a card has a
                               ///< card's shape.
    float shows = 0.34F;       ///< Of the outline of a covered piece.
    float covered = 0.55F;     ///< Less than half of a piece showing is no piece to be sure of.
    float some = 0.04F;  ///< … and is at least this much, or it would have been found whole.
    int most_open = 28;  ///< Of 32 eighths of the outline of a covered piece.
    float alike = 90;    ///< Colours of two rims in one light, three colours together.
    std::size_t most_pieces = 60;
    float visible = 0.85F;  ///< Support of what shows of it.
    float least_side_px = 22;
    float depth = 1.2F;  ///< How much longer or shorter than its shape says a side may be.
    std::size_t most_pairs = 1500;
    std::size_t most_corners = 600;  ///< Bounds the time on clutter.
};
constexpr BareLimits kBare;

float size_of_outline(const Corners& c) {
    return std::sqrt(area_of(c));
}

float elongation(const Corners& c) {
    const float a = mean_side(c, 0), b = mean_side(c, 1);
    return std::max(a, b) / std::min(a, b);
}

/// Could this be a piece of that shape?
bool shaped(const Corners& c, double shape) {
    const double e = elongation(c);
    return shape <= 0 || (e > shape / kBare.squarer && e < shape * kBare.longer);
}

bool sure(const Quad& q) {
    return q.support >= kBare.outline && q.contrast >= kBare.contrast;
}

/// Every corner once: the same one is found in many binary pictures.
std::vector<OutlineCorner> distinct(const std::vector<OutlineCorner>& corners) {
    std::vector<OutlineCorner> out;
    for (const OutlineCorner& c : corners) {
        const bool known = std::any_of(out.begin(), out.end(), [&](const OutlineCorner& o) {
            return cv::norm(o.at - c.at) < 2.5 && o.back.dot(c.back) > 0.985F &&
                   o.on.dot(c.on) > 0.985F;
        });
        if (!known) out.push_back(c);
        if (out.size() >= kBare.most_corners) break;
    }
    return out;
}

bool inside_picture(const cv::Mat& bgr, const Corners& c) {
    return std::all_of(c.begin(), c.end(), [&](cv::Point2f p) {
        return p.x > -2 && p.y > -2 && p.x < bgr.cols + 1 && p.y < bgr.rows + 1;
    });
}

/// Contours run either way round.
Corners clockwise(Corners c) {
    if ((c[1] - c[0]).cross(c[2] - c[1]) < 0) std::reverse(c.begin(), c.end());
    return c;
}

/// Mean colours along the lines parallel to `a`–`b`, one a pixel from `first` to `last` along
/// `aside`: what runs along the line stays, grain and print do not.
std::vector<cv::Vec3f> lines_beside(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b,
                                    cv::Point2f aside, int first, int last) {
    const int n = std::clamp(static_cast<int>(cv::norm(b - a)), 4, 12);
    std::vector<cv::Vec3f> out;
    for (int o = first; o <= last; ++o) {
        cv::Vec3f sum;
        for (int k = 0; k < n; ++k) {
            const cv::Point2f p = a + (b - a) * ((static_cast<float>(k) + 0.5F) / n) +
                                  aside * static_cast<float>(o);
            const int x = std::clamp(cvRound(p.x), 0, bgr.cols - 1),
                      y = std::clamp(cvRound(p.y), 0, bgr.rows - 1);
            sum += cv::Vec3f(bgr.at<cv::Vec3b>(y, x));
        }
        out.push_back(sum / n);
    }
    return out;
}

float difference(const cv::Vec3f& a, const cv::Vec3f& b) {
    return std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]) + std::fabs(a[2] - b[2]);
}

/// How much of a step, or of a thin line, there is at every one but the outermost three.
std::vector<float> strengths(const std::vector<cv::Vec3f>& lines) {
    std::vector<float> out(lines.size());
    for (std::size_t i = 3; i + 3 < lines.size(); ++i)
        out[i] = std::max(difference(lines[i + 2], lines[i - 2]),
                          1.4F * difference(lines[i], (lines[i - 3] + lines[i + 3]) * 0.5F));
    return out;
}

float quantile_of(std::vector<float> v, double q) {
    const auto at = v.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

/// Does an eighth of the line from `a` to `b` follow an edge that stands out from what lies on
/// either the one side of it or the other?
bool edge_at(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b, int eighth, int slack = 1) {
    constexpr int kReach = 14, kFar = 5;
    const cv::Point2f along = b - a;
    const cv::Point2f aside = cv::Point2f(along.y, -along.x) / (cv::norm(along) + 1e-6);
    const cv::Point2f from = a + along * (0.05F + 0.9F * static_cast<float>(eighth) / 8),
                      to = from + along * (0.9F / 8);
    const auto strength = [&](int first, int last) {
        return strengths(lines_beside(bgr, from, to, aside, first - 3, last + 3));
    };
    const auto calm = [](const std::vector<float>& s) {
        return quantile_of({s.begin() + 3, s.end() - 3}, kBare.restless);
    };
    const std::vector<float> here = strength(-slack, slack);
    const float edge = *std::max_element(here.begin(), here.end());
    if (edge <= kBare.step) return false;
    const float most = edge / kBare.stands_out;
    return calm(strength(-kReach + 3, -kFar)) < most || calm(strength(kFar, kReach - 3)) < most;
}

int eighths_seen(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b) {
    int n = 0;
    for (int k = 0; k < 8; ++k) n += edge_at(bgr, a, b, k);
    return n;
}

bool nearly_all_seen(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b) {
    int missing = 0;
    for (int k = 0; k < 8 && missing <= 8 - kBare.eighths; ++k) missing += !edge_at(bgr, a, b, k);
    return missing <= 8 - kBare.eighths;
}

/// Print ends before the edge of a piece; its edge does not.
bool runs_across(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b) {
    return edge_at(bgr, a, b, 0) && edge_at(bgr, a, b, 7) && nearly_all_seen(bgr, a, b);
}

/// The piece with a side from `a` to `b` whose opposite side is the nearest one that runs across
/// between two depths. Nothing when there is no such side.
std::optional<Quad> completed(const cv::Mat& bgr, const OutlineCorner& a, const OutlineCorner& b,
                              float from, float to) {
    const auto at = [&](float depth) {
        return Corners{a.at, b.at, b.at + b.on * depth, a.at + a.back * depth};
    };
    const auto along = [&](float depth) {
        const Corners c = at(depth);
        return nearly_all_seen(bgr, c[1], c[2]) && nearly_all_seen(bgr, c[3], c[0]);
    };
    if (!nearly_all_seen(bgr, a.at, b.at) || !along(from)) return {};
    for (float d = from; d <= to; d += 1.5F) {
        const Corners c = at(d);
        if (!runs_across(bgr, c[2], c[3])) continue;
        if (!along(d)) return {};
        Quad q;
        q.corners = clockwise(c);
        (void)refine_outline(bgr, q.corners, 2.5F);
        measure_outline(bgr, q);
        return q;
    }
    return {};
}

using Facing = std::pair<const OutlineCorner*, const OutlineCorner*>;

/// Pairs of corners with a side in common, the longest sides first: the rest of clutter is print.
std::vector<Facing> facing(const std::vector<OutlineCorner>& corners) {
    std::vector<Facing> out;
    for (const OutlineCorner& a : corners)
        for (const OutlineCorner& b : corners) {
            const cv::Point2f along = b.at - a.at;
            const float side = static_cast<float>(cv::norm(along));
            if (side >= kBare.least_side_px && a.on.dot(along) > kBare.same_way * side &&
                b.back.dot(along) < -kBare.same_way * side && a.back.dot(b.on) > kBare.parallel)
                out.emplace_back(&a, &b);
        }
    const auto longer = [](const Facing& p, const Facing& q) {
        return cv::norm(p.first->at - p.second->at) > cv::norm(q.first->at - q.second->at);
    };
    std::stable_sort(out.begin(), out.end(), longer);
    if (out.size() > kBare.most_pairs) out.resize(kBare.most_pairs);
    return out;
}

/// Pieces of which two corners show, and a fourth side, however their outline goes on.
std::vector<Quad> completed_pieces(const cv::Mat& bgr, const std::vector<OutlineCorner>& corners,
                                   double shape) {
    const std::vector<Facing> pairs = facing(corners);
    std::vector<std::optional<Quad>> found(2 * pairs.size());
    const auto look = [&](std::size_t i) {
        const auto& [a, b] = pairs[i / 2];
        const float side = static_cast<float>(cv::norm(b->at - a->at)),
                    s = static_cast<float>(shape), usual = i % 2 ? side / s : side * s;
        found[i] = completed(bgr, *a, *b, usual / kBare.depth, usual * kBare.depth);
    };
    cv::parallel_for_({0, static_cast<int>(found.size())}, [&](const cv::Range& some) {
        for (int i = some.start; i < some.end; ++i) look(static_cast<std::size_t>(i));
    });
    std::vector<Quad> out;
    for (const auto& q : found)
        if (q && inside_picture(bgr, q->corners) && shaped(q->corners, shape)) out.push_back(*q);
    return out;
}

int corners_shared(const Corners& a, const Corners& b) {
    const float reach = kBare.shared * std::min(mean_side(b, 0), mean_side(b, 1)) + 2;
    return static_cast<int>(std::count_if(a.begin(), a.end(), [&](cv::Point2f p) {
        return std::any_of(b.begin(), b.end(),
                           [&](cv::Point2f q) { return cv::norm(p - q) < reach; });
    }));
}

/// How far the shape of an outline is from what it is seen from above.
double off_shape(const Quad& q, double shape) {
    return std::fabs(std::log(elongation(q.corners) / shape));
}

/// Too square for one piece: side by side they make a wider one. One too long is seen aslant.
bool squarer(const Quad& q, double shape) {
    return std::log(elongation(q.corners) / shape) < -kBare.true_shape;
}

/// Is `whole` the outline of `part` and what lies beside it? Then they share a side, and the part
/// has the better shape.
bool of_several(const Quad& whole, const Quad& part, double shape) {
    const float share = area_of(part.corners) / area_of(whole.corners);
    return share > kBare.least_part && share < 0.93F &&
           covered(whole.corners, part.corners) > 0.93F &&
           corners_shared(whole.corners, part.corners) >= 2 && squarer(whole, shape) &&
           off_shape(part, shape) + 0.04 < off_shape(whole, shape);
}

cv::Vec3f colour_at(const cv::Mat& bgr, cv::Point2f p) {
    return bgr.at<cv::Vec3b>(std::clamp(cvRound(p.y), 0, bgr.rows - 1),
                             std::clamp(cvRound(p.x), 0, bgr.cols - 1));
}

/// Just inside the outline, in the middle of an eighth of a side.
cv::Vec3f rim_colour(const cv::Mat& bgr, const Corners& c, int side, int eighth) {
    const cv::Point2f a = c[side], along = c[(side + 1) % 4] - a;
    const cv::Point2f inward = cv::Point2f(-along.y, along.x) / (cv::norm(along) + 1e-6);
    const cv::Point2f at = a + along * (0.05F + 0.9F * static_cast<float>(eighth) / 8) + inward * 3;
    const std::vector<cv::Vec3f> lines = lines_beside(bgr, at, at + along * (0.9F / 8), inward, 0,
                                                      1);
    return (lines[0] + lines[1]) * 0.5F;
}

/// The usual colour along the inside of an outline.
cv::Vec3f rim_colour(const cv::Mat& bgr, const Corners& c) {
    std::array<std::vector<float>, 3> all;
    for (int i = 0; i < 32; ++i) {
        const cv::Vec3f colour = rim_colour(bgr, c, i / 8, i % 8);
        for (int k = 0; k < 3; ++k) all[k].push_back(colour[k]);
    }
    return {quantile_of(all[0], 0.5), quantile_of(all[1], 0.5), quantile_of(all[2], 0.5)};
}

bool under(const std::vector<FlatFace>& on_top, cv::Point2f p, double beside) {
    return std::any_of(on_top.begin(), on_top.end(), [&](const FlatFace& f) {
        const std::vector<cv::Point2f> ring(f.quad.corners.begin(), f.quad.corners.end());
        return cv::pointPolygonTest(ring, p, true) > -beside;
    });
}

/// Eighths of an outline: how many are not covered by pieces on top, how many of these follow an
/// edge, and how many have the pieces' colour inside. What runs along the edge of a piece on top
/// tells nothing.
struct Shows {
    int open = 0, seen = 0, alike = 0, corners = 0;
};
Shows shows_of(const cv::Mat& bgr, const Corners& c, const std::vector<FlatFace>& on_top,
               const cv::Vec3f& rim) {
    Shows out;
    for (int i = 0; i < 4; ++i) {
        const cv::Point2f a = c[i], b = c[(i + 1) % 4];
        out.corners += !under(on_top, a, 3);
        for (int k = 0; k < 8; ++k) {
            const cv::Point2f p = a + (b - a) * (0.05F + 0.9F * (static_cast<float>(k) + 0.5F) / 8);
            if (under(on_top, p, 3)) continue;
            ++out.open, out.seen += edge_at(bgr, a, b, k, 2);
            out.alike += difference(rim_colour(bgr, c, i, k), rim) < kBare.alike;
        }
    }
    return out;
}

/// A piece of the size of `like` in a corner, its first or second side the longer one.
Corners laid_into(const OutlineCorner& corner, const Corners& like, bool longer_first) {
    const float a = mean_side(like, 0), b = mean_side(like, 1);
    const cv::Point2f x = corner.on * (longer_first ? std::max(a, b) : std::min(a, b)),
                      y = corner.back * (longer_first ? std::min(a, b) : std::max(a, b));
    return clockwise({corner.at, corner.at + x, corner.at + x + y, corner.at + y});
}

/// The clearest piece that lies under those known with a part of it showing; nothing when there is
/// none.
std::optional<FlatFace> covered_piece(const cv::Mat& bgr, const std::vector<OutlineCorner>& corners,
                                      const std::vector<FlatFace>& known) {
    std::optional<FlatFace> best;
    float most = 0;
    for (const OutlineCorner& corner : corners)
        for (const FlatFace& top : known) {
            if (cv::norm(centre_of(top.quad.corners) - corner.at) >
                    2.5 * size_of_outline(top.quad.corners) ||
                under(known, corner.at, 2))
                continue;
            const cv::Vec3f rim = rim_colour(bgr, top.quad.corners);
            if (difference(colour_at(bgr, corner.at + (corner.on + corner.back) * 5), rim) >
                kBare.alike)
                continue;
            for (const bool longer_first : {true, false}) {
                const Corners c = laid_into(corner, top.quad.corners, longer_first);
                if (!inside_picture(bgr, c) ||
                    std::any_of(known.begin(), known.end(),
                                [&](const FlatFace& f) {
                                    return covered(f.quad.corners, c) > kBare.covered;
                                }) ||
                    std::none_of(known.begin(), known.end(), [&](const FlatFace& f) {
                        return covered(f.quad.corners, c) > kBare.some;
                    }))
                    continue;
                const Shows shows = shows_of(bgr, c, known, rim);
                const float part = static_cast<float>(shows.seen) /
                                   static_cast<float>(std::max(1, shows.open));
                if (static_cast<float>(shows.open) < 32 * kBare.shows || part < kBare.visible ||
                    shows.corners < 2 || shows.open > kBare.most_open ||
                    static_cast<float>(shows.alike) <
                        kBare.visible * static_cast<float>(shows.open))
                    continue;
                const float worth = part * static_cast<float>(shows.seen);
                if (worth <= most) continue;
                most = worth;
                best.emplace();
                best->quad = {c, part, kBare.contrast};
                best->strip = true;
            }
        }
    return best;
}

/// Pieces of one game are of one size, nearer and farther ones a little apart: of the outlines,
/// those like the one that most large ones are like. What else has four sides on a table is smaller
/// print, or larger than they are.
void keep_one_size(std::vector<FlatFace>& list) {
    const auto apart = [](const FlatFace& a, const FlatFace& b) {
        return std::fabs(
                   std::log(size_of_outline(a.quad.corners) / size_of_outline(b.quad.corners))) /
               std::log(kBare.nearer);
    };
    const auto weight = [&](const FlatFace& f) {
        return std::accumulate(list.begin(), list.end(), 0.0, [&](double sum, const FlatFace& o) {
            return sum + std::max(0.0F, 1 - apart(o, f)) *
                             std::pow(size_of_outline(o.quad.corners), 1.25);
        });
    };
    const auto most = std::max_element(
        list.begin(), list.end(),
        [&](const FlatFace& a, const FlatFace& b) { return weight(a) < weight(b); });
    if (most == list.end()) return;
    std::erase_if(list, [&, like = *most](const FlatFace& f) { return apart(f, like) >= 1; });
}

/// Does an outline merely frame several others alike?
bool frames_several(const Quad& frame, const std::vector<Quad>& good) {
    double held = 0;
    std::vector<Corners> apart;
    for (const Quad& o : good) {
        if (area_of(o.corners) > 0.6F * area_of(frame.corners) ||
            area_of(o.corners) < 0.02F * area_of(frame.corners) ||
            covered(o.corners, frame.corners) < 0.8F)
            continue;
        if (std::any_of(apart.begin(), apart.end(),
                        [&](const Corners& a) { return covered(a, o.corners) > 0.1F; }))
            continue;
        apart.push_back(o.corners);
        held += area_of(o.corners);
    }
    return apart.size() >= 2 && held > 0.5 * area_of(frame.corners);
}

/// The outermost ones, unless one merely frames several others alike.
std::vector<FlatFace> outermost(std::vector<Quad> good) {
    std::sort(good.begin(), good.end(),
              [](const Quad& a, const Quad& b) { return area_of(a.corners) > area_of(b.corners); });
    std::vector<FlatFace> out;
    for (const Quad& q : good) {
        if (std::any_of(out.begin(), out.end(), [&](const FlatFace& o) {
                return covered(o.quad.corners, q.corners) > kBare.overlap;
            }))
            continue;
        if (frames_several(q, good)) continue;
        FlatFace f;
        f.quad = q;
        out.push_back(f);
    }
    return out;
}

/// Do all four sides stand out from their surroundings? Grain and pile are full of steps that do
/// not.
bool stands_out(const cv::Mat& bgr, const Corners& c) {
    int all = 0, least = 8;
    for (int i = 0; i < 4; ++i) {
        const int n = eighths_seen(bgr, c[i], c[(i + 1) % 4]);
        all += n, least = std::min(least, n);
    }
    return all >= kBare.all_eighths && least >= kBare.least_eighths;
}

/// A piece that a whole one holds is print on it; one that holds two lies nowhere.
bool contradicted(const Quad& piece, const std::vector<Quad>& whole, double shape) {
    std::vector<Corners> held;
    for (const Quad& w : whole) {
        if (squarer(w, shape) || covered(w.corners, piece.corners) < kBare.outline) continue;
        if (area_of(w.corners) > area_of(piece.corners) && covered(w.corners, piece.corners) > 0.9F)
            return true;
        const float share = area_of(w.corners) / area_of(piece.corners);
        if (share > 0.1F && share < 0.6F &&
            std::none_of(held.begin(), held.end(),
                         [&](const Corners& h) { return covered(h, w.corners) > 0.1F; }))
            held.push_back(w.corners);
    }
    return held.size() >= 2;
}

/// Adds pieces whose outlines run into others', and drops those outlines.
void part_from_each_other(const cv::Mat& bgr, const std::vector<OutlineCorner>& corners,
                          double shape, std::vector<Quad>& good) {
    std::vector<Quad> all = good;
    for (const Quad& q : completed_pieces(bgr, corners, shape))
        if (!contradicted(q, good, shape)) all.push_back(q);
    good.clear();
    std::copy_if(all.begin(), all.end(), std::back_inserter(good), [&](const Quad& q) {
        return std::none_of(all.begin(), all.end(),
                            [&](const Quad& o) { return of_several(q, o, shape); });
    });
}

}  // namespace

std::vector<FlatFace> pieces_by_outline(const cv::Mat& bgr, const std::vector<Quad>& quads,
                                        const std::vector<OutlineCorner>& corners,
                                        double longer_by_shorter) {
    const double shape = longer_by_shorter;
    std::vector<Quad> good;
    for (const Quad& q : quads)
        if (sure(q) && shaped(q.corners, shape) && (shape <= 0 || stands_out(bgr, q.corners)))
            good.push_back(q);
    const std::vector<OutlineCorner> once = shape > 0 ? distinct(corners)
                                                      : std::vector<OutlineCorner>{};
    if (shape > 0) part_from_each_other(bgr, once, shape, good);
    std::vector<FlatFace> out = outermost(std::move(good));
    keep_one_size(out);
    while (shape > 0 && out.size() < kBare.most_pieces) {
        const auto more = covered_piece(bgr, once, out);
        if (!more) break;
        out.push_back(*more);
    }
    return out;
}

}  // namespace overboard::vision
