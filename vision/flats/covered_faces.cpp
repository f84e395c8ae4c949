// A piece under others shows a corner, some of its outline, and some of its print. Every corner is
// tried: a whole piece is laid into it, moved until as much of its outline as the known pieces
// leave uncovered follows edges, and what shows is read. So is every place where details of a face
// say that it lies (face_details), whatever of its outline shows; it must read as that face then.
// What is covered is painted over, in the picture and in all references alike, so a covered face is
// told from the others as carefully as a whole one, and the less of it shows the more alike they
// are. The surest reading counts, then covers what lies under it in turn.
#include "vision/flats/covered_faces.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/faces/face_details.hpp"
#include "vision/faces/face_thumb.hpp"
#include "vision/flats/flat_reading.hpp"
#include "vision/flats/known_size.hpp"

namespace overboard::vision {
namespace {

/// Chosen on rendered photographs of towers, fans and heaps.
struct CoveredLimits {
    float least_shows = 0.15F;    ///< Of the face. Lower: guesses.
    float least_covered = 0.08F;  ///< By one other piece. With less, it was read as a whole one.
    float
        outline = 0.85F;  ///< Of what shows of the outline, the part along which there is an edge.
    int least_probes = 20;    ///< Of 96 along the outline, that are not covered.
    float step = 24;          ///< Of three colours together: an edge.
    float stands_out = 1.5F;  ///< How much stronger it is than steps beside it: grain, pile, print.
    float light_within = 0.22F;  ///< How differently a piece and its cover may be lit, a log-ratio.
    double strange = 3.5;       ///< How strange its print may be (FaceMatch::worst) when all of its
                                ///< outline is seen,
    double by_outline = 10;     ///< and how much less so when some is not.
    double strange_told = 2.5;  ///< And where its details tell it, whatever of its outline shows.
    double turn = 0.07;         ///< How far a corner's sides may be off, radians.
    double shift = 1.5;         ///< And where it is, pixels.
    float beyond = 2.5F;        ///< The rim of a cover is no longer trusted, pixels.
    float same_place = 0.2F;    ///< Of the shorter side: pieces that lie nearer each other are one.
    float reach = 2.2F;         ///< Of a cover's size: where a piece under it may have its middle.
    int alike = 3;              ///< So many that lie alike are read. Higher: slower, more found.
    std::size_t most_pieces = 60;  ///< Bounds the time on clutter.
};
constexpr CoveredLimits kCovered;

constexpr int kProbesASide = 24;

using Ring = std::vector<cv::Point2f>;

/// An outline a little larger.
Ring grown(const Corners& c) {
    const cv::Point2f middle = centre_of(c);
    Ring out;
    for (const cv::Point2f& p : c) {
        const cv::Point2f d = p - middle;
        out.push_back(p + d * (1.4F * kCovered.beyond / (static_cast<float>(cv::norm(d)) + 1e-3F)));
    }
    return out;
}

bool under(const std::vector<Ring>& covers, cv::Point2f p) {
    return std::any_of(covers.begin(), covers.end(),
                       [&](const Ring& r) { return cv::pointPolygonTest(r, p, false) >= 0; });
}

struct Candidate {
    FlatPlacement at;
    Corners corners{};
    std::string told;                  // by its details; empty: found by a corner
    std::vector<Ring> covers;          // those that touch it
    std::vector<std::uint8_t> hidden;  // of the grid faces are compared on
    float shows = 1;                   // of the face
    float outline = 0;                 // of what shows of it
    bool stale = true;                 // what covers it is not known yet
    bool fits = false;  // its outline is there, and no other piece in the same place fits better
    FaceMatch match;
};

Corners short_side_first(Corners c, const FaceKind& kind) {
    if (kind.width_mm > kind.height_mm) std::rotate(c.begin(), c.begin() + 1, c.end());
    return c;
}

float step_across(const cv::Mat& bgr, cv::Point2f p, cv::Point2f out) {
    const auto pixel = [&](cv::Point2f q) {
        return cv::Vec3f(bgr.at<cv::Vec3b>(std::clamp(cvRound(q.y), 0, bgr.rows - 1),
                                           std::clamp(cvRound(q.x), 0, bgr.cols - 1)));
    };
    const cv::Vec3f d = pixel(p + out * 1.5F) - pixel(p - out * 1.5F);
    return std::fabs(d[0]) + std::fabs(d[1]) + std::fabs(d[2]);
}

/// How strong steps are on the calmer side of a line, beside it.
float calmer_side(const cv::Mat& bgr, cv::Point2f p, cv::Point2f out) {
    const auto most = [&](float side) {
        return std::max(step_across(bgr, p + out * (4 * side), out),
                        step_across(bgr, p + out * (6 * side), out));
    };
    return std::min(most(-1), most(1));
}

/// The part of the uncovered outline that follows an edge; 0 when too little is uncovered.
float outline_seen(const cv::Mat& bgr, const Corners& c, const std::vector<Ring>& covers,
                   double* strength = nullptr) {
    int open = 0, seen = 0;
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        const cv::Point2f along = c[(i + 1) % 4] - c[i];
        const cv::Point2f out = cv::Point2f(along.y, -along.x) /
                                (static_cast<float>(cv::norm(along)) + 1e-6F);
        for (int k = 0; k < kProbesASide; ++k) {
            const cv::Point2f p = c[i] + along * (0.06F + 0.88F * (static_cast<float>(k) + 0.5F) /
                                                              kProbesASide);
            if (under(covers, p)) continue;
            const float here = step_across(bgr, p, out),
                        step = std::max(
                            {here, step_across(bgr, p + out, out), step_across(bgr, p - out, out)});
            ++open, sum += std::min(here, 90.0F);
            seen += step > kCovered.step && step > kCovered.stands_out * calmer_side(bgr, p, out);
        }
    }
    if (strength) *strength = sum / std::max(1, open);
    return open < kCovered.least_probes ? 0 : static_cast<float>(seen) / static_cast<float>(open);
}

/// Which cells of the face the covers hide.
void find_hidden(Candidate& c) {
    const cv::Matx33f h = square_to(c.corners);
    c.hidden.assign(kGray, 0);
    int n = 0;
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x)
            if (under(c.covers, through(h, {(static_cast<float>(x) + 0.5F) / kW,
                                            (static_cast<float>(y) + 0.5F) / kH})))
                c.hidden[y * kW + x] = 1, ++n;
    c.shows = 1 - static_cast<float>(n) / kGray;
}

/// Turned round its middle and moved until its outline fits best.
void fit_outline(const cv::Mat& bgr, const KnownSizes& sizes, Candidate& c) {
    const FaceKind& kind = (*sizes.kinds)[c.at.kind];
    double best = -1;
    const FlatPlacement from = c.at;
    const double mm = std::sqrt(kind.width_mm * kind.height_mm / area_of(c.corners));
    for (int t = -3; t <= 3; ++t)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) {
                FlatPlacement p = from;
                p.pose.angle += kCovered.turn * t / 3;
                p.pose.x += kCovered.shift * mm * x, p.pose.y += kCovered.shift * mm * y;
                const Corners corners = short_side_first(corners_at(sizes, p.kind, p.pose), kind);
                double strength = 0;
                const float seen = outline_seen(bgr, corners, c.covers, &strength);
                if (seen + strength / 90 <= best) continue;
                best = seen + strength / 90;
                c.at = p, c.corners = corners, c.outline = seen;
            }
}

/// What shows of it, read beside what would show of every face.
FaceMatch read_uncovered(const cv::Mat& bgr, const Faces& deck, const Candidate& c,
                         const RecogniseOptions& options) {
    const cv::Rect box = (cv::boundingRect(Ring(c.corners.begin(), c.corners.end())) +
                          cv::Size(24, 24) - cv::Point(12, 12)) &
                         cv::Rect({}, bgr.size());
    if (box.area() < 100) return {};
    cv::Mat part = bgr(box).clone();
    const cv::Point2f corner = box.tl();
    Corners here = c.corners;
    for (auto& p : here) p -= corner;
    Thumb thumb;
    sample(part, here, thumb);
    cover(c.hidden, thumb);
    const std::size_t at = std::find(c.hidden.begin(), c.hidden.end(), 1) - c.hidden.begin();
    const std::uint8_t* usual = &thumb.bgr[(at / kW * 2 * kFineW + at % kW * 2) * 3];
    for (const Ring& ring : c.covers) {
        std::vector<cv::Point> points;
        for (const cv::Point2f& p : ring) points.emplace_back(p - corner);
        cv::fillConvexPoly(part, points, cv::Scalar(usual[0], usual[1], usual[2]));
    }
    FaceMatch match = deck.covered(c.hidden).recognise(part, here, options);
    for (auto& p : match.corners) p += corner;
    return match;
}

bool same_piece(const Corners& a, const Corners& b) {
    return cv::norm(centre_of(a) - centre_of(b)) <
           kCovered.same_place * std::min(mean_side(b, 0), mean_side(b, 1));
}

/// The ground beside a piece is lit like nothing that is printed.
bool lit_alike(const cv::Vec3f& a, const cv::Vec3f& b) {
    for (int c = 0; c < 3; ++c)
        if (std::fabs(std::log(a[c] / b[c])) > kCovered.light_within) return false;
    return true;
}

/// Lit like one of its covers, or if these have no name, like any piece that has one?
bool lit_as_known(const std::vector<FlatFace>& list, const Candidate& c) {
    bool any = false, cover = false, known_cover = false;
    for (const FlatFace& f : list) {
        if (!f.named()) continue;
        const bool alike = lit_alike(f.match.light, c.match.light);
        any |= alike;
        if (covered(f.quad.corners, c.corners) > 0.01F) known_cover = true, cover |= alike;
    }
    return known_cover ? cover : any;
}

/// Lays it under the known pieces and into its outline.
void lay(const cv::Mat& bgr, const KnownSizes& sizes, const std::vector<FlatFace>& list,
         Candidate& c) {
    c.fits = false, c.match = {};
    c.covers.clear();
    float most = 0;
    for (const FlatFace& f : list) {
        const bool same = same_piece(f.quad.corners, c.corners);
        if (same && f.named()) return;
        const float common = same ? 0 : covered(f.quad.corners, c.corners);
        if (common > 0.01F) c.covers.push_back(grown(f.quad.corners));
        most = std::max(most, common);
    }
    if (c.told.empty() && most < kCovered.least_covered) return;
    find_hidden(c);
    if (c.shows < kCovered.least_shows) return;
    if (!c.told.empty()) {
        fit_outline(bgr, sizes, c);
        find_hidden(c);
        c.fits = c.shows >= kCovered.least_shows;
        return;
    }
    if (outline_seen(bgr, c.corners, c.covers) < 0.5F * kCovered.outline) return;
    fit_outline(bgr, sizes, c);
    if (c.outline < kCovered.outline) return;
    find_hidden(c);
    // Moved out from under its covers it would be a whole piece, which is read elsewhere.
    c.fits = c.shows >= kCovered.least_shows && c.shows < 1;
}

/// The same corner is found in many binary pictures: of candidates that lie alike a few
/// are read.
void few_a_place(std::vector<Candidate>& list) {
    const auto alike = [](const Candidate& a, const Candidate& b) {
        const float reach = 0.03F * std::min(mean_side(a.corners, 0), mean_side(a.corners, 1)) + 1;
        const auto near = [&](int turn) {
            for (int i = 0; i < 4; ++i)
                if (cv::norm(a.corners[i] - b.corners[(i + turn) % 4]) > reach) return false;
            return true;
        };
        return a.at.kind == b.at.kind && (near(0) || near(2));
    };
    for (Candidate& c : list) {
        if (!c.stale || !c.fits || !c.told.empty()) continue;
        const auto better = std::count_if(list.begin(), list.end(), [&](const Candidate& o) {
            return &o != &c && o.fits && alike(o, c) &&
                   (!o.stale || o.outline > c.outline || (o.outline == c.outline && &o < &c));
        });
        c.fits = better < kCovered.alike;
    }
}

void read(const cv::Mat& bgr, const std::vector<Faces>& decks, const std::vector<FlatFace>& list,
          const std::optional<cv::Vec3f>& lamp, Candidate& c) {
    RecogniseOptions options = patient();
    options.slack = 0.04F, options.careful = true, options.part_only = c.shows < 1;
    options.lamp = lamp;
    const Faces& deck = decks[c.at.kind];
    c.match = options.part_only ? read_uncovered(bgr, deck, c, options)
                                : deck.recognise(bgr, c.corners, options);
    if (!c.told.empty() && c.match.face != c.told) unname(c.match);
    const bool alike = lit_as_known(list, c);
    const double most_strange = c.told.empty()
                                    ? kCovered.strange - kCovered.by_outline *
                                                             std::max(0.0, 0.95 - double{c.outline})
                                    : kCovered.strange_told;
    if (!alike || c.match.worst > most_strange) unname(c.match);
}

/// Whatever is stale anew; one candidate has nothing to do with another.
template <class Look>
void each_stale(std::vector<Candidate>& list, const Look& look) {
    cv::parallel_for_(
        {0, static_cast<int>(list.size())},
        [&](const cv::Range& some) {
            for (int i = some.start; i < some.end; ++i)
                if (list[i].stale) look(list[i]);
        },
        static_cast<double>(list.size()));
}

/// A piece of every kind in every corner that is uncovered and near a known piece.
std::vector<Candidate> candidates(const std::vector<OutlineCorner>& corners,
                                  const KnownSizes& sizes, const std::vector<FlatFace>& list) {
    std::vector<Ring> covers;
    for (const FlatFace& f : list)
        if (f.named()) covers.emplace_back(f.quad.corners.begin(), f.quad.corners.end());
    std::vector<OutlineCorner> open;
    for (const OutlineCorner& c : corners)
        if (!under(covers, c.at + (c.back + c.on) * 3) &&
            std::any_of(list.begin(), list.end(), [&](const FlatFace& f) {
                return cv::norm(centre_of(f.quad.corners) - c.at) <
                       kCovered.reach * std::sqrt(area_of(f.quad.corners));
            }))
            open.push_back(c);
    std::vector<Candidate> out;
    for (const FlatPlacement& p : placements_at(open, sizes)) {
        Candidate c;
        c.at = p;
        c.corners = short_side_first(corners_at(sizes, p.kind, p.pose), (*sizes.kinds)[p.kind]);
        if (convex_clockwise(c.corners)) out.push_back(c);
    }
    return out;
}

/// A piece of every kind where its details say that it lies.
void add_detailed(const cv::Mat& bgr, const std::vector<Faces>& decks, const KnownSizes& sizes,
                  const std::vector<FlatFace>& list, std::vector<Candidate>& out) {
    std::vector<Corners> known;
    for (const FlatFace& f : list)
        if (f.named()) known.push_back(f.quad.corners);
    for (int kind = 0; kind < static_cast<int>(decks.size()); ++kind)
        for (const DetailedPlace& p : places_by_details(bgr, decks[kind], sizes, kind, known)) {
            Candidate c;
            c.at = {kind, p.pose}, c.told = decks[kind].names()[p.face];
            c.corners = short_side_first(corners_at(sizes, kind, p.pose), (*sizes.kinds)[kind]);
            if (convex_clockwise(c.corners)) out.push_back(c);
        }
}

FlatFace piece_of(const cv::Mat& bgr, const Candidate& c) {
    FlatFace f;
    f.strip = true, f.kind = c.at.kind, f.match = c.match;
    f.quad.corners = c.corners;
    std::rotate(f.quad.corners.begin(), f.quad.corners.begin() + (4 - c.match.quarter_turns) % 4,
                f.quad.corners.end());
    measure_outline(bgr, f.quad);
    return f;
}

}  // namespace

void add_partly_covered(const cv::Mat& bgr, const std::vector<Faces>& decks,
                        const std::vector<OutlineCorner>& corners, const KnownSizes& sizes,
                        std::vector<FlatFace>& list) {
    const std::optional<cv::Vec3f> lamp = lamp_over(list);
    std::vector<Candidate> tried = candidates(corners, sizes, list);
    add_detailed(bgr, decks, sizes, list, tried);
    while (list.size() < kCovered.most_pieces) {
        each_stale(tried, [&](Candidate& c) { lay(bgr, sizes, list, c); });
        few_a_place(tried);
        each_stale(tried, [&](Candidate& c) {
            if (c.fits) read(bgr, decks, list, lamp, c);
        });
        for (Candidate& c : tried) c.stale = false;
        const auto best = std::max_element(
            tried.begin(), tried.end(), [](const Candidate& a, const Candidate& b) {
                const auto sure = [](const Candidate& c) {
                    return c.match.face ? c.match.score * c.shows : -1;
                };
                return sure(a) < sure(b);
            });
        if (best == tried.end() || !best->match.face) return;
        const FlatFace found = piece_of(bgr, *best);
        std::erase_if(list, [&](const FlatFace& f) {
            return !f.named() && same_piece(f.quad.corners, found.quad.corners);
        });
        list.push_back(found);
        for (Candidate& c : tried) c.stale = covered(found.quad.corners, c.corners) > 0.01F;
    }
}

}  // namespace overboard::vision
