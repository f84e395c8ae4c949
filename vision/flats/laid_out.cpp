#include "vision/flats/laid_out.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/discs/print_reader.hpp"

namespace overboard::vision {
namespace {

/// Chosen with tests/bench/vision_cards_accuracy_bench.
struct LayoutLimits {
    std::size_t least = 4;  ///< Pieces a layout is told from. Lower: chance readings make one.
    /// How far the middle one of them may be from the common shape, of a side.
    float alike = 0.25F;
    /// Part of them that has to lie the same way up for all to be taken so.
    float same_way = 0.6F;
    float apart = 0.5F;    ///< Pieces nearer than this to each other, in sides, are one.
    float beside = 1.02F;  ///< From piece to piece, in sides.
    float seen = 0.6F;     ///< Correlation of a print with some face from which there is a piece.
                           ///< Lower: clutter.
    float tint = 0.2F;     ///< How far one piece's tint may be from the others', as a log-ratio, if
                           ///< theirs hardly differ.
    float crisp = 0.97F;   ///< When the better ones reach it, the size is right and is not fitted
                           ///< again.
    float clear = 0.8F;  ///< What the better ones of them have to reach; else they are not laid out
                         ///< like that.
    float worse = 3;  ///< How much further from its reference a face may be than the better ones.
                      ///< Lower: fewer strangers, more unread.
    float surely = 0.88F;  ///< Correlation no face needs more than.
    float again = 0.9F;    ///< Part of the named pieces a layout has to find again. Lower: layouts
                           ///< where there are none.
    float same_place = 0.6F;  ///< Common area from which two readings are of one piece.
    float overlap = 0.25F;    ///< Two pieces may cover this much of each other.
    float outline = 0.6F;     ///< Of the named ones' usual support, what one without a name needs.
                           ///< On made photographs of dark tiles on wood the ground has up to 0.5.
    float likely = 0.75F;  ///< Correlation from which a piece needs no outline: touching tiles have
                           ///< none.
    std::size_t most = 400;
};
constexpr LayoutLimits kLayout;

struct Layout {
    Shape shape;
    bool upright = false;
};

float median_of(std::vector<float> v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

Shape quarter_turned(const Shape& s) {
    return {-s.y, s.x};
}

float apart(const Shape& a, const Shape& b) {
    return static_cast<float>(cv::norm(a.x - b.x) + cv::norm(a.y - b.y));
}

Shape median_of(const std::vector<Shape>& shapes) {
    const auto along = [&](auto&& part) {
        std::vector<float> v;
        for (const Shape& s : shapes) v.push_back(part(s));
        return median_of(std::move(v));
    };
    return {
        {along([](const Shape& s) { return s.x.x; }), along([](const Shape& s) { return s.x.y; })},
        {along([](const Shape& s) { return s.y.x; }), along([](const Shape& s) { return s.y.y; })}};
}

/// Turned by the quarter turns that bring it nearest to `like`.
Shape turned_like(Shape s, const Shape& like) {
    Shape best = s;
    for (int k = 1; k < 4; ++k) {
        s = quarter_turned(s);
        if (apart(s, like) < apart(best, like)) best = s;
    }
    return best;
}

/// Good enough to tell a layout from: most of them are what they look like.
bool hints(const FlatFace& f, int kind) {
    return f.kind == kind && (f.named() || f.match.score >= kLayout.seen);
}

std::optional<Layout> layout_of(const std::vector<FlatFace>& list, int kind) {
    std::vector<Shape> shapes;
    for (const FlatFace& f : list)
        if (hints(f, kind)) shapes.push_back(shape_of(f.quad.corners));
    if (shapes.size() < kLayout.least) return {};
    const auto near = [](const Shape& a, const Shape& b) {
        return apart(a, b) < 2 * kLayout.alike * cv::norm(b.x);
    };
    const auto votes = [&](const Shape& s) {
        return std::count_if(shapes.begin(), shapes.end(),
                             [&](const Shape& o) { return near(o, s); });
    };
    const Shape most = *std::max_element(
        shapes.begin(), shapes.end(),
        [&](const Shape& a, const Shape& b) { return votes(a) < votes(b); });
    Layout layout;
    layout.upright = static_cast<float>(votes(most)) >=
                     kLayout.same_way * static_cast<float>(shapes.size());
    for (Shape& s : shapes) s = turned_like(s, most);
    layout.shape = median_of(shapes);
    std::vector<float> off;
    for (const Shape& s : shapes) off.push_back(apart(s, layout.shape));
    if (median_of(std::move(off)) > kLayout.alike * static_cast<float>(cv::norm(layout.shape.x)))
        return {};
    return layout;
}

Shape scaled(const Shape& s, cv::Point2f by) {
    return {s.x * by.x, s.y * by.y};
}

/// How well named pieces look like their references when these are as large as `by` of the pieces.
float fit_of(const cv::Mat& bgr, const Faces& deck, const Layout& layout, cv::Point2f by,
             const std::vector<const FlatFace*>& named) {
    const PrintReader reader(deck, scaled(layout.shape, by), layout.upright);
    float sum = 0;
    for (const FlatFace* f : named)
        sum += reader.likeness(bgr, centre_of(f->quad.corners), f->match.best);
    return sum;
}

/// References are often cropped inside the piece, all alike, and outlines are not always the
/// piece's: the size at which the named ones look most like their references, as a part of the
/// layout's.
cv::Point2f print_size(const cv::Mat& bgr, const Faces& deck, const Layout& layout, int kind,
                       const std::vector<FlatFace>& list) {
    std::vector<const FlatFace*> named;
    for (const FlatFace& f : list)
        if (hints(f, kind) && named.size() < 12) named.push_back(&f);
    cv::Point2f size(1, 1);
    float best = -1e9F;
    for (const cv::Point2f direction : {cv::Point2f(1, 1), cv::Point2f(1, 0), cv::Point2f(0, 1)}) {
        const cv::Point2f start = size;
        for (float more = -0.24F; more < 0.17F; more += 0.03F) {
            const cv::Point2f by = start + direction * more;
            const float fit = fit_of(bgr, deck, layout, by, named);
            if (fit > best) best = fit, size = by;
        }
    }
    return size;
}

/// The middle and a fifth around it have to be in the picture.
bool inside(const cv::Mat& bgr, cv::Point2f p, const Shape& s) {
    const float reach = 0.4F * static_cast<float>(std::min(cv::norm(s.x), cv::norm(s.y)));
    return p.x > reach && p.y > reach && p.x < static_cast<float>(bgr.cols) - reach &&
           p.y < static_cast<float>(bgr.rows) - reach;
}

/// The outline near where the print says it is, when there is one of the right size.
void settle_outline(const cv::Mat& bgr, FlatFace& f) {
    f.quad.corners = f.match.corners;
    Corners moved = f.quad.corners;
    const float side = std::sqrt(area_of(moved));
    if (refine_outline(bgr, moved, 0.12F * side) &&
        std::fabs(std::log(area_of(moved) / area_of(f.quad.corners))) < 0.12F)
        f.quad.corners = moved;
    measure_outline(bgr, f.quad);
}

/// Ground is a little like a plain face, too; but it has no outline where the named ones have one.
void drop_without_outline(std::vector<FlatFace>& laid) {
    std::vector<float> named;
    for (const FlatFace& f : laid)
        if (f.named()) named.push_back(f.quad.support);
    if (named.empty()) return;
    const float least = kLayout.outline * median_of(named);
    std::erase_if(laid, [&](const FlatFace& f) {
        return !f.named() && f.match.score < kLayout.likely && f.quad.support < least;
    });
}

float tint_of(const FlatFace& f, int channel) {
    return std::log(f.match.light[channel] / f.match.light[1]);
}

bool same_place(const FlatFace& a, const FlatFace& b) {
    return covered(a.quad.corners, b.quad.corners) > kLayout.same_place;
}

/// Seen from a slant, pieces are not equally large: then a layout loses pieces that were named
/// already.
bool finds_again(const std::vector<FlatFace>& laid, const std::vector<FlatFace>& list, int kind) {
    std::size_t named = 0, again = 0;
    for (const FlatFace& f : list) {
        if (f.kind != kind || !f.named()) continue;
        ++named, again += std::any_of(laid.begin(), laid.end(),
                                      [&](const FlatFace& o) { return same_place(o, f); });
    }
    return static_cast<float>(again) >= kLayout.again * static_cast<float>(named);
}

/// Its outline and its print, read apart, gave it the same name.
bool named_twice(const FlatFace& laid, const std::vector<FlatFace>& list) {
    return laid.named() && std::any_of(list.begin(), list.end(), [&](const FlatFace& f) {
               return f.kind == laid.kind && f.match.face == laid.match.face && same_place(f, laid);
           });
}

/// What overlaps a named piece and has no name is the ground beside it.
void drop_ground(std::vector<FlatFace>& laid) {
    const std::vector<FlatFace> all = laid;
    std::erase_if(laid, [&](const FlatFace& f) {
        return !f.named() && std::any_of(all.begin(), all.end(), [&](const FlatFace& o) {
            return o.named() && covered(o.quad.corners, f.quad.corners) > kLayout.overlap;
        });
    });
}

/// One lamp lights them all: what is seen in quite another tint is the board's own print. Not so
/// what was named twice: the tint of a dark face in a shadow says little.
void drop_odd_tints(std::vector<FlatFace>& laid, const std::vector<FlatFace>& list) {
    for (const int channel : {0, 2}) {
        std::vector<float> tints, off;
        for (const FlatFace& f : laid) tints.push_back(tint_of(f, channel));
        if (tints.size() < kLayout.least) return;
        const float usual = median_of(tints);
        for (const float t : tints) off.push_back(std::fabs(t - usual));
        const float limit = std::max(kLayout.tint, 5 * median_of(off));
        std::erase_if(laid, [&](const FlatFace& f) {
            return std::fabs(tint_of(f, channel) - usual) > limit && !named_twice(f, list);
        });
    }
}

/// Of the better ones: half of what lies there may be strangers.
float usual_score(const std::vector<FlatFace>& laid) {
    std::vector<float> scores;
    for (const FlatFace& f : laid) scores.push_back(static_cast<float>(f.match.score));
    std::sort(scores.begin(), scores.end());
    return scores[scores.size() * 3 / 4];
}

/// All are seen equally well: one that is much less like its face than the others are like theirs
/// shows another.
void doubt_strangers(std::vector<FlatFace>& laid) {
    if (laid.empty()) return;
    const float level = std::min(kLayout.surely, 1 - kLayout.worse * (1 - usual_score(laid)));
    for (FlatFace& f : laid)
        if (f.named() && f.match.score < level) unname(f.match);
}

/// Reads what lies at `seeds`, beside it, and so on.
std::vector<FlatFace> read_all(const cv::Mat& bgr, const Faces& deck, const Layout& layout,
                               int kind, cv::Point2f printed,
                               const std::vector<cv::Point2f>& seeds) {
    const Shape& shape = layout.shape;
    const PrintReader reader(deck, scaled(shape, printed), layout.upright);
    const float side = static_cast<float>(std::min(cv::norm(shape.x), cv::norm(shape.y)));
    std::vector<FlatFace> laid;
    std::vector<cv::Point2f> tried;
    const auto near = [](cv::Point2f a, cv::Point2f b, float reach) {
        return cv::norm(a - b) < reach;
    };
    const auto look = [&](cv::Point2f place) {
        if (!inside(bgr, place, shape)) return;
        if (std::any_of(tried.begin(), tried.end(),
                        [&](cv::Point2f p) { return near(p, place, 0.1F * side); }))
            return;
        tried.push_back(place);
        FlatFace f;
        f.kind = kind, f.laid = true;
        f.match = reader.read(bgr, place);
        if (f.match.score < kLayout.seen) return;
        f.match.corners = placed(centre_of(f.match.corners),
                                 scaled(shape_of(f.match.corners), {1 / printed.x, 1 / printed.y}));
        f.quad.corners = f.match.corners;
        const cv::Point2f at = centre_of(f.quad.corners);
        const auto other = std::find_if(laid.begin(), laid.end(), [&](const FlatFace& o) {
            return near(centre_of(o.quad.corners), at, kLayout.apart * side);
        });
        if (other == laid.end())
            laid.push_back(f);
        else if (f.match.score > other->match.score)
            *other = f;
    };
    for (const cv::Point2f seed : seeds) look(seed);
    for (std::size_t i = 0; i < laid.size() && laid.size() < kLayout.most; ++i) {
        const cv::Point2f at = centre_of(laid[i].quad.corners), x = shape.x * kLayout.beside,
                          y = shape.y * kLayout.beside;
        for (const cv::Point2f step : {x, -x, y, -y}) {
            const cv::Point2f place = at + step;
            const bool taken = std::any_of(laid.begin(), laid.end(), [&](const FlatFace& o) {
                return near(centre_of(o.quad.corners), place, 0.4F * side);
            });
            if (!taken) look(place);
        }
    }
    return laid;
}

/// Read by what outlines say; and if that is not clear, once more by what was found so.
std::vector<FlatFace> read_twice(const cv::Mat& bgr, const Faces& deck, const Layout& layout,
                                 int kind, const std::vector<FlatFace>& list) {
    const auto side = static_cast<float>(cv::norm(layout.shape.x));
    std::vector<cv::Point2f> seeds;
    for (const FlatFace& f : list)
        if (f.kind == kind &&
            apart(turned_like(shape_of(f.quad.corners), layout.shape), layout.shape) < side)
            seeds.push_back(centre_of(f.quad.corners));
    std::vector<FlatFace> laid = read_all(bgr, deck, layout, kind,
                                          print_size(bgr, deck, layout, kind, list), seeds);
    if (laid.size() < kLayout.least || usual_score(laid) > kLayout.crisp) return laid;
    seeds.clear();
    for (const FlatFace& f : laid) seeds.push_back(centre_of(f.quad.corners));
    std::vector<FlatFace> again = read_all(bgr, deck, layout, kind,
                                           print_size(bgr, deck, layout, kind, laid), seeds);
    return again.size() >= laid.size() && usual_score(again) > usual_score(laid) ? again : laid;
}

}  // namespace

bool read_laid_out(const cv::Mat& bgr, const Faces& deck, int kind, std::vector<FlatFace>& list) {
    if (deck.empty() || std::fabs(std::log(deck.aspect())) > 0.1)
        return false;  // cards are laid out with gaps, and less neatly
    const auto layout = layout_of(list, kind);
    if (!layout) return false;
    std::vector<FlatFace> laid = read_twice(bgr, deck, *layout, kind, list);
    if (laid.size() < kLayout.least || usual_score(laid) < kLayout.clear ||
        !finds_again(laid, list, kind))
        return false;
    drop_ground(laid);
    drop_odd_tints(laid, list);
    doubt_strangers(laid);
    for (FlatFace& f : laid) settle_outline(bgr, f);
    drop_without_outline(laid);
    std::erase_if(list, [&](const FlatFace& f) {
        if (f.kind == kind && f.named()) return true;
        return std::any_of(laid.begin(), laid.end(), [&](const FlatFace& o) {
            return covered(o.quad.corners, f.quad.corners) > kLayout.overlap;
        });
    });
    list.insert(list.end(), laid.begin(), laid.end());
    return true;
}

}  // namespace overboard::vision
