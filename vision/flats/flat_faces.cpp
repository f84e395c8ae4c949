// The cold way, on any photograph:
//   1. quadrilaterals from outlines (quads);
//   2. each is read, the ones nobody knows with more patience (flat_reading);
//   3. of readings that overlap the best stays; where nothing has a name, outlines that run into
//      one are parted by the pieces' shape (bare_outlines) and read;
//   4. cards lie beside cards: places next to a named one are tried too (outlines of touching
//      pieces merge). If nearly all lie the same way up, doubtful ones are read again that way up;
//   5. outlines without a name stay only when they look like the named ones;
//   6. what lies under the named ones, or shows no outline, is looked for by single corners and by
//      details of the faces (covered_faces).
#include "vision/flats/flat_faces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "vision/discs/print_reader.hpp"
#include "vision/flats/bare_outlines.hpp"
#include "vision/flats/covered_faces.hpp"
#include "vision/flats/flat_plane.hpp"
#include "vision/flats/flat_reading.hpp"
#include "vision/flats/known_size.hpp"
#include "vision/flats/laid_out.hpp"

namespace overboard::vision {
namespace {

/// Chosen on labelled photographs with tests/bench/vision_cards_accuracy_bench.
struct ColdLimits {
    int longer_side_px = 1600;  ///< The picture is scaled down to this. Lower: faster, small pieces
                                ///< lost.
    int longer_side_on_table_px = 2100;  ///< The same when the sizes of pieces are known.
    float overlap = 0.25F;               ///< Two pieces may cover this much of each other.
    float same = 0.92F;                  ///< Outlines that have so much in common are of one piece.
    std::size_t most_by_size = 800;      ///< Bounds the time on clutter.
    float odd_tint = 0.55F;      ///< How far the tint of one piece may be from the others', as a
                                 ///< log-ratio.
    float odd_lamp = 0.85F;      ///< The same from the references'. Tiles "named" on foreign
                                 ///< photographs: 0.98 to 1.2.
    float sure_outline = 0.85F;  ///< What an outline without a name needs.
    float sure_contrast = 12;
};
constexpr ColdLimits kCold;

float size_of(const Corners& c) {
    return std::sqrt(area_of(c));
}

double worth(const FlatFace& f) {
    return (f.named() ? 1 + f.match.score : 0.5 * std::max(0.0, f.match.score)) +
           0.4 * f.quad.support + f.quad.contrast / 500;
}

/// What lies in shadow as bright as what does not, or nearly: steps of colour are then worth the
/// same everywhere.
cv::Mat evenly_lit(const cv::Mat& bgr) {
    constexpr double kBright = 110, kMost = 2.5;
    constexpr int kCell = 32;
    cv::Mat small, grey, gain, out;
    cv::resize(bgr, small, {std::max(2, bgr.cols / kCell), std::max(2, bgr.rows / kCell)}, 0, 0,
               cv::INTER_AREA);
    cv::cvtColor(small, grey, cv::COLOR_BGR2GRAY);
    grey.convertTo(grey, CV_32F);
    cv::GaussianBlur(grey, grey, {}, 2);
    gain = kBright / (grey + 1);
    cv::min(gain, kMost, gain);
    cv::max(gain, 1.0, gain);
    double most = 0;
    cv::minMaxLoc(gain, nullptr, &most);
    if (most < 1.1) return bgr;
    cv::resize(gain, gain, bgr.size(), 0, 0, cv::INTER_LINEAR);
    cv::merge(std::vector<cv::Mat>{gain, gain, gain}, gain);
    cv::multiply(bgr, gain, out, 1, CV_8UC3);
    return out;
}

/// The ones of `more` that lie nowhere where one of `quads` lies.
void add_unknown(const std::vector<Quad>& more, std::vector<Quad>& quads) {
    struct Place {
        cv::Point2f centre;
        float size;
    };
    std::vector<Place> known;
    for (const Quad& q : quads) known.push_back({centre_of(q.corners), size_of(q.corners)});
    for (const Quad& q : more) {
        const Place p{centre_of(q.corners), size_of(q.corners)};
        const auto same = [&](const Place& o) {
            return cv::norm(o.centre - p.centre) < 0.03 * p.size &&
                   std::fabs(o.size / p.size - 1) < 0.04F;
        };
        if (std::none_of(known.begin(), known.end(), same)) quads.push_back(q);
    }
}

/// Best first, and nothing on top of something better.
void keep_best(std::vector<FlatFace>& list) {
    std::stable_sort(list.begin(), list.end(),
                     [](const FlatFace& a, const FlatFace& b) { return worth(a) > worth(b); });
    std::vector<FlatFace> out;
    for (const FlatFace& f : list)
        if (std::none_of(out.begin(), out.end(), [&](const FlatFace& o) {
                return covered(o.quad.corners, f.quad.corners) > kCold.overlap;
            }))
            out.push_back(f);
    list = std::move(out);
}

/// Steps from a piece to its four neighbours, side by side.
std::array<cv::Point2f, 4> steps_of(const Shape& s) {
    return {s.x * 1.02F, s.x * -1.02F, s.y * 1.02F, s.y * -1.02F};
}

bool inside(const cv::Mat& bgr, const Corners& c) {
    return std::all_of(c.begin(), c.end(), [&](cv::Point2f p) {
        return p.x > -2 && p.y > -2 && p.x < bgr.cols + 1 && p.y < bgr.rows + 1;
    });
}

/// Tries the place beside a piece: nothing unless a face is really there.
std::optional<FlatFace> read_place(const cv::Mat& bgr, const Faces& deck, int kind, Corners place,
                                   std::optional<double> up) {
    FlatFace f;
    f.kind = kind;
    f.quad.corners = place;
    if (refine_outline(bgr, place, 0.06F * size_of(place)) &&
        std::fabs(std::log(area_of(place) / area_of(f.quad.corners))) < 0.2F)
        f.quad.corners = place;
    measure_outline(bgr, f.quad);
    if (f.quad.support < 0.4F) return {};
    RecogniseOptions options = patient();
    options.upright_only = up.has_value();
    if (up) f.quad.corners = upright(f.quad.corners, *up);
    f.match = deck.recognise(bgr, f.quad.corners, options);
    if (!f.named() || f.match.score < deck.threshold() + (up ? 0 : 0.08)) return {};
    settle_corners(bgr, f);
    return f;
}

/// Tries the places beside named pieces, and beside the ones found there; every place once.
void add_neighbours(const cv::Mat& bgr, const std::vector<Faces>& decks,
                    const std::vector<bool>& laid_out, std::vector<FlatFace>& list) {
    std::vector<FlatFace> named, nameless;
    for (const FlatFace& f : list) (f.named() ? named : nameless).push_back(f);
    std::vector<std::optional<double>> up;
    for (std::size_t k = 0; k < decks.size(); ++k)
        up.push_back(common_up(named, decks[k], static_cast<int>(k)));
    std::vector<Corners> tried;
    for (std::size_t i = 0; i < named.size() && named.size() < 400; ++i) {
        if (laid_out[named[i].kind]) continue;
        const Shape shape = shape_of(named[i].quad.corners);
        for (const cv::Point2f step : steps_of(shape)) {
            Corners place = placed(centre_of(named[i].quad.corners) + step, shape);
            const auto taken = [&](const Corners& c) { return covered(c, place) > 0.4F; };
            const auto same = [&](const Corners& c) { return covered(c, place) > 0.93F; };
            if (!inside(bgr, place) || std::any_of(tried.begin(), tried.end(), same) ||
                std::any_of(named.begin(), named.end(),
                            [&](const FlatFace& o) { return taken(o.quad.corners); }))
                continue;
            tried.push_back(place);
            const int kind = named[i].kind;
            if (const auto f = read_place(bgr, decks[kind], kind, place, up[kind])) {
                if (std::any_of(named.begin(), named.end(), [&](const FlatFace& o) {
                        return covered(o.quad.corners, f->quad.corners) > 0.4F;
                    }))
                    continue;
                std::erase_if(nameless, [&](const FlatFace& o) {
                    return covered(o.quad.corners, f->quad.corners) > kCold.overlap;
                });
                named.push_back(*f);
            }
        }
    }
    list = std::move(named);
    list.insert(list.end(), nameless.begin(), nameless.end());
}

/// Every place where a piece of the size of the named ones could lie, best outline first.
std::vector<Quad> places_of_size(const cv::Mat& even, const std::vector<Quad>& quads,
                                 const std::vector<OutlineCorner>& corners,
                                 const KnownSizes& sizes) {
    std::vector<Quad> places = rectangles_at(even, corners, sizes);
    for (const Quad& q : quads)
        if (kind_of_size(sizes, q.corners) >= 0) places.push_back(q);
    std::stable_sort(places.begin(), places.end(),
                     [](const Quad& a, const Quad& b) { return a.support > b.support; });
    return places;
}

/// The kind of a deck nothing is known of but its references. Any length would do; limits in
/// millimetres are meant for cards.
FaceKind kind_by_shape(const Faces& deck) {
    constexpr double kLonger = 88;
    FaceKind kind;
    kind.width_mm = kLonger * std::min(1.0, deck.aspect()),
    kind.height_mm = kLonger * std::min(1.0, 1 / deck.aspect()), kind.thickness_mm = 0;
    return kind;
}

/// The named pieces tell how the table is seen; one alone does for what lies beside it.
std::optional<calibration::TableMap> plane_of(const std::vector<FlatFace>& list, int kind,
                                              const FaceKind& size, cv::Size picture,
                                              bool one_will_do) {
    std::vector<Corners> named;
    for (const FlatFace& f : list)
        if (f.named() && f.kind == kind) named.push_back(f.quad.corners);
    if (named.size() != 1 || !one_will_do)
        return map_from_rectangles(named, size.width_mm, size.height_mm, picture);
    const double w = size.width_mm, h = size.height_mm;
    return calibration::map_from_points({{0, 0}, {w, 0}, {w, h}, {0, h}},
                                        {named[0].begin(), named[0].end()}, picture);
}

/// With that, one corner of an outline is enough to try a whole piece, and what its neighbours
/// touch or cover is found as well.
void add_by_size(const cv::Mat& bgr, const cv::Mat& even, const std::vector<Quad>& quads,
                 const std::vector<OutlineCorner>& corners, const Faces& deck, int kind,
                 std::vector<FlatFace>& list) {
    const FaceKind size = kind_by_shape(deck);
    const auto map = plane_of(list, kind, size, bgr.size(), false);
    if (!map) return;
    const std::vector<FaceKind> kinds{size};
    std::size_t tried = 0;
    for (const Quad& q : places_of_size(even, quads, corners, {&*map, &kinds, nullptr})) {
        const auto taken = [&](const FlatFace& o) {
            return o.named() && covered(o.quad.corners, q.corners) > kCold.overlap;
        };
        if (tried >= kCold.most_by_size || std::any_of(list.begin(), list.end(), taken) ||
            !printed(bgr, q.corners))
            continue;
        FlatFace f;
        f.quad = q, f.kind = kind;
        RecogniseOptions options;
        options.rounds = 3;
        f.match = deck.recognise(bgr, q.corners, options);
        ++tried;
        if (!f.named()) continue;
        settle_corners(bgr, f);
        if (std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
                return o.named() && covered(o.quad.corners, f.quad.corners) > kCold.overlap;
            }))
            continue;
        std::erase_if(list, [&](const FlatFace& o) {
            return covered(o.quad.corners, f.quad.corners) > kCold.overlap;
        });
        list.push_back(f);
    }
}

/// What lies under others, the plane being told by the named ones.
void add_covered_by_shape(const cv::Mat& bgr, const std::vector<Faces>& decks,
                          const std::vector<OutlineCorner>& corners, std::vector<FlatFace>& list) {
    const std::vector<FaceKind> kinds{kind_by_shape(decks[0])};
    if (const auto map = plane_of(list, 0, kinds[0], bgr.size(), true))
        add_partly_covered(bgr, decks, corners, {&*map, &kinds, nullptr}, list);
}

/// One lamp lights them all: a face seen in quite another tint is print of the same shape. Few do
/// not tell which lamp, but no lamp is as coloured as ink.
void drop_odd_tints(std::vector<FlatFace>& list) {
    std::vector<double> blue, red;
    const auto tint = [](const FlatFace& f, int c) {
        return std::log(static_cast<double>(f.match.light[c]) / f.match.light[1]);
    };
    for (const FlatFace& f : list)
        if (f.named()) blue.push_back(tint(f, 0)), red.push_back(tint(f, 2));
    const bool few = blue.size() < 5;
    const double b = few ? 0 : median_of(blue), r = few ? 0 : median_of(red),
                 most = few ? kCold.odd_lamp : kCold.odd_tint;
    std::erase_if(list, [&](const FlatFace& f) {
        return f.named() && (std::fabs(tint(f, 0) - b) > most || std::fabs(tint(f, 2) - r) > most);
    });
}

/// A gap between pieces has the outline of one: named pieces on three or four sides of it.
bool gap(const FlatFace& f, const std::vector<FlatFace>& list) {
    int beside = 0;
    const cv::Point2f middle = centre_of(f.quad.corners);
    for (int i = 0; i < 4; ++i) {
        const cv::Point2f edge = (f.quad.corners[i] + f.quad.corners[(i + 1) % 4]) * 0.5F,
                          p = middle + (edge - middle) * 1.25F;
        beside += std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
            return o.named() &&
                   cv::pointPolygonTest(
                       std::vector<cv::Point2f>(o.quad.corners.begin(), o.quad.corners.end()), p,
                       false) > 0;
        });
    }
    return beside >= 3;
}

/// Outlines without a name: only when they resemble the named ones and are not the print between
/// them.
void drop_clutter(std::vector<FlatFace>& list) {
    std::vector<double> sizes, shapes;
    for (const FlatFace& f : list)
        if (f.named())
            sizes.push_back(size_of(f.quad.corners)),
                shapes.push_back(std::fabs(std::log(aspect_of(f.quad.corners))));
    const double size = median_of(sizes), shape = median_of(shapes);
    const auto odd = [&](const FlatFace& f) {
        const double s = size_of(f.quad.corners) / size;
        return f.quad.support < kCold.sure_outline || f.quad.contrast < kCold.sure_contrast ||
               s < 0.75 || s > 1.35 ||
               std::fabs(std::fabs(std::log(aspect_of(f.quad.corners))) - shape) > 0.2;
    };
    const std::vector<FlatFace> all = list;
    if (!sizes.empty())
        std::erase_if(list, [&](const FlatFace& f) {
            return !f.named() && !f.strip && !f.laid && (odd(f) || gap(f, all));
        });
    const auto nameless = std::count_if(list.begin(), list.end(), [](const FlatFace& f) {
        return !f.named() && !f.strip && !f.laid;
    });
    if (nameless > 4 + static_cast<std::ptrdiff_t>(sizes.size()) / 2)
        std::erase_if(list, [](const FlatFace& f) { return !f.named() && !f.strip && !f.laid; });
}

/// Longer by shorter side of what is looked for: told by references, else by the kind; 0: of any
/// shape. A square says nothing: it is what is told of tiles, which have many shapes.
double shape_sought(const std::vector<Faces>& decks, double shape) {
    double out = shape;
    for (const Faces& deck : decks) {
        if (deck.empty()) continue;
        if (out > 0 && out != shape) return 0;
        out = std::max(deck.aspect(), 1 / deck.aspect());
    }
    return out > 1.15 ? out : 0;
}

/// A place for a piece, printed on the board: as large as one, but of pieces both sides of which
/// are enrolled none is bare.
bool empty_place(const cv::Mat& bgr, const FlatFace& f, const std::vector<Faces>& decks) {
    if (f.named() || f.kind < 0 || f.kind >= static_cast<int>(decks.size())) return false;
    const std::vector<std::string> names = decks[f.kind].names();
    return std::find(names.begin(), names.end(), "back") != names.end() &&
           bare(bgr, f.quad.corners, decks[f.kind]);
}

/// Pieces that touch or overlap have one outline together; their shape parts them. Where nothing
/// could be named such parts are read, too.
void add_overlapping(const cv::Mat& bgr, const cv::Mat& even, const std::vector<Quad>& quads,
                     const std::vector<OutlineCorner>& corners, const std::vector<Faces>& decks,
                     double shape, std::vector<FlatFace>& list) {
    if (shape <= 0) return;
    std::vector<Quad> parted;
    for (const FlatFace& f : pieces_by_outline(even, quads, corners, shape)) {
        const auto taken = [&](const FlatFace& o) {
            const float common = covered(o.quad.corners, f.quad.corners);
            return (o.named() && common > kCold.overlap) ||
                   (common > kCold.same &&
                    std::fabs(size_of(o.quad.corners) / size_of(f.quad.corners) - 1) <
                        1 - kCold.same);
        };
        if (std::none_of(list.begin(), list.end(), taken)) parted.push_back(f.quad);
    }
    if (parted.empty()) return;
    std::vector<FlatFace> more = read_quads(bgr, parted, decks, true);
    read_doubtful(bgr, decks, more);
    for (FlatFace& f : more) settle_corners(bgr, f);
    // Found or not, one that cannot be read either is no better than the outline that lies there.
    std::erase_if(more, [&](const FlatFace& f) {
        return !f.named() && std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
            return covered(o.quad.corners, f.quad.corners) > kCold.overlap;
        });
    });
    list.insert(list.end(), more.begin(), more.end());
    keep_best(list);
}

/// Everything that can be read in a picture of workable size.
std::vector<FlatFace> find_in(const cv::Mat& bgr, const cv::Mat& mask,
                              const std::vector<Faces>& decks, const KnownSizes* sizes,
                              double shape) {
    std::vector<OutlineCorner> corners;
    const cv::Mat even = sizes ? bgr : evenly_lit(bgr);
    std::vector<Quad> quads = find_quads(bgr, mask, {}, &corners);
    if (even.data != bgr.data) add_unknown(find_quads(even, mask, {}, &corners), quads);
    const auto hidden = [&](const Corners& c) {
        const cv::Point p = centre_of(c);
        return !mask.empty() && cv::Rect({}, mask.size()).contains(p) &&
               mask.at<std::uint8_t>(p) == 0;
    };
    std::erase_if(quads, [&](const Quad& q) { return hidden(q.corners); });
    if (sizes) {
        std::erase_if(quads, [&](const Quad& q) { return kind_of_size(*sizes, q.corners) < 0; });
        for (const Quad& q : rectangles_at(bgr, corners, *sizes)) quads.push_back(q);
    }
    const bool readable = std::any_of(decks.begin(), decks.end(),
                                      [](const Faces& f) { return !f.empty(); });
    std::vector<FlatFace> list;
    if (readable) {
        list = read_quads(bgr, quads, decks, sizes == nullptr);
        keep_best(list);
        if (!sizes) read_doubtful(bgr, decks, list);
        for (FlatFace& f : list) {
            settle_corners(bgr, f);
            if (sizes) settle_on_print(*sizes, f);
        }
        keep_best(list);
        if (!sizes)
            add_overlapping(bgr, even, quads, corners, decks, shape_sought(decks, shape), list);
        drop_odd_tints(list);
        std::vector<bool> laid_out;
        for (std::size_t k = 0; k < decks.size(); ++k) {
            const int kind = static_cast<int>(k);
            laid_out.push_back(!sizes && read_laid_out(bgr, decks[k], kind, list));
            if (laid_out[k]) continue;
            if (const auto up = common_up(list, decks[k], kind))
                agree_on_up(bgr, decks[k], kind, *up, list);
        }
        add_neighbours(bgr, decks, laid_out, list);
        for (std::size_t k = 0; k < decks.size(); ++k)
            if (!laid_out[k] && !sizes && !decks[k].empty())
                add_by_size(bgr, even, quads, corners, decks[k], static_cast<int>(k), list);
        // With more of them named it may show that they are laid out.
        for (std::size_t k = 0; k < decks.size(); ++k)
            if (!laid_out[k] && !sizes)
                laid_out[k] = read_laid_out(bgr, decks[k], static_cast<int>(k), list);
        drop_odd_tints(list);
        if (!sizes) {
            read_carefully(bgr, decks, list);
            drop_odd_tints(list);  // of what has a name only now
        }
        if (sizes) add_covered(bgr, decks, *sizes, list);
        drop_clutter(list);
        if (!sizes && decks.size() == 1 && !laid_out[0])
            add_covered_by_shape(bgr, decks, corners, list);
    }
    const bool none = std::none_of(list.begin(), list.end(),
                                   [](const FlatFace& f) { return f.named(); });
    if (none && !(sizes && readable))
        list = pieces_by_outline(even, quads, corners, shape_sought(decks, shape));
    std::erase_if(list, [&](const FlatFace& f) { return hidden(f.quad.corners); });
    if (!sizes) return list;
    std::erase_if(list, [&](const FlatFace& f) {
        return kind_of_size(*sizes, f.quad.corners) < 0 ||
               (!f.named() && on_marker(*sizes, f.quad.corners));
    });
    for (FlatFace& f : list)
        if (!f.named()) f.kind = kind_of_size(*sizes, f.quad.corners);
    std::erase_if(list, [&](const FlatFace& f) { return empty_place(bgr, f, decks); });
    return list;
}

}  // namespace

std::vector<FlatFace> find_flat_faces(const cv::Mat& bgr, const cv::Mat& mask,
                                      const std::vector<Faces>& decks, const KnownSizes* sizes,
                                      double shape) {
    if (bgr.empty() || std::min(bgr.cols, bgr.rows) < 32) return {};
    const int longer = sizes ? kCold.longer_side_on_table_px : kCold.longer_side_px;
    const double scale = static_cast<double>(longer) / std::max(bgr.cols, bgr.rows);
    if (scale >= 1) return find_in(bgr, mask, decks, sizes, shape);
    cv::Mat small, small_mask;
    cv::resize(bgr, small, {}, scale, scale, cv::INTER_AREA);
    if (!mask.empty()) cv::resize(mask, small_mask, small.size(), 0, 0, cv::INTER_NEAREST);
    std::optional<calibration::TableMap> map;
    KnownSizes small_sizes;
    if (sizes) {
        map = scaled_map(*sizes->map, small.size());
        small_sizes = {&*map, sizes->kinds, sizes->table};
    }
    std::vector<FlatFace> list = find_in(small, small_mask, decks, sizes ? &small_sizes : nullptr,
                                         shape);
    for (FlatFace& f : list)
        for (auto& p : f.quad.corners)
            p = (p + cv::Point2f(0.5F, 0.5F)) / static_cast<float>(scale) - cv::Point2f(0.5F, 0.5F);
    return list;
}

}  // namespace overboard::vision
