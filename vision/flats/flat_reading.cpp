// Reading outlines, with as much patience as each deserves: all of them once, what may be a face
// but is not named again with slack, because an outline may be an inner frame and a reference may
// be cropped; at last, where they lie being settled, everything with care.
#include "vision/flats/flat_reading.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/faces/face_thumb.hpp"
#include "vision/flats/known_size.hpp"

namespace overboard::vision {
namespace {

/// Chosen on labelled photographs with tests/bench/vision_cards_accuracy_bench.
struct ReadingLimits {
    float foreshortening = 1.6F;  ///< How much perspective may change the shape of a piece.
    float slack = 0.12F;
    std::size_t most_read = 600, most_read_again = 160;  ///< Bounds the time on clutter.
    float sure_score = 0.88F;  ///< Readings below are made again with slack. Lower: faster.
    float maybe = 0.35F;   ///< Readings below are not made again at all. Higher: faster, faces in
                           ///< bad light lost.
    float nearly = 0.12F;  ///< A reading the common way up may be this much worse and still be
                           ///< preferred.
    float sure_print = 0.75F;  ///< Score from which the print is trusted more than the outline.
    float least_print = 7;  ///< Standard deviation of brightness inside a face. Higher: pale faces
                            ///< are not read again.
    int burnt = 250;        ///< Level from which a pixel has nothing more to tell.
    float some_outline = 0.5F;  ///< What a piece needs that looked like a face and is none.
};
constexpr ReadingLimits kReading;

/// Could this be a piece of this aspect ratio, in either orientation, seen at a slant?
bool plausible(const Corners& c, double aspect) {
    const auto off = [](double a, double b) { return std::max(a / b, b / a); };
    const double shape = aspect_of(c);
    return off(shape, aspect) < kReading.foreshortening ||
           off(shape, 1 / aspect) < kReading.foreshortening;
}

void read(const cv::Mat& bgr, const std::vector<Faces>& decks, const RecogniseOptions& options,
          FlatFace& f) {
    for (std::size_t k = 0; k < decks.size(); ++k) {
        if (decks[k].empty() || !plausible(f.quad.corners, decks[k].aspect())) continue;
        const FaceMatch m = decks[k].recognise(bgr, f.quad.corners, options);
        if (m.score > f.match.score || (m.face && !f.match.face))
            f.match = m, f.kind = static_cast<int>(k);
    }
}

/// One reading has nothing to do with another: all processors read.
template <class Reading>
void each_alone(std::size_t count, const Reading& reading) {
    cv::parallel_for_(
        {0, static_cast<int>(count)},
        [&](const cv::Range& some) {
            for (int i = some.start; i < some.end; ++i) reading(static_cast<std::size_t>(i));
        },
        static_cast<double>(count));
}

/// Every pixel but those near the rim.
template <class Visit>
void each_inside(const Thumb& thumb, const Visit& visit) {
    for (int y = kFineH / 6; y < kFineH * 5 / 6; ++y)
        for (int x = kFineW / 6; x < kFineW * 5 / 6; ++x)
            visit(&thumb.bgr[static_cast<std::size_t>(y * kFineW + x) * 3]);
}

bool printed(const Thumb& thumb) {
    double sum = 0, squares = 0, n = 0;
    each_inside(thumb, [&](const std::uint8_t* p) {
        const double g = p[1];
        sum += g, squares += g * g, n += 1;
    });
    return squares / n - sum / n * (sum / n) > kReading.least_print * kReading.least_print;
}

/// So bright that print would not show.
bool burnt(const Thumb& thumb) {
    double bright = 0, n = 0;
    each_inside(thumb, [&](const std::uint8_t* p) {
        bright += std::max({p[0], p[1], p[2]}) >= kReading.burnt, n += 1;
    });
    return bright > 0.5 * n;
}

double turn_of(const Corners& c) {
    const cv::Point2f d = c[1] - c[0] + c[2] - c[3];
    return std::atan2(d.y, d.x);
}

}  // namespace

float aspect_of(const Corners& c) {
    return mean_side(c, 0) / mean_side(c, 1);
}

double median_of(std::vector<double> v) {
    if (v.empty()) return 0;
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

std::optional<cv::Vec3f> lamp_over(const std::vector<FlatFace>& list) {
    std::array<std::vector<double>, 3> light;
    for (const FlatFace& f : list)
        for (int c = 0; c < 3 && f.named(); ++c)
            light[c].push_back(f.match.light[c] / f.match.light[1]);
    if (light[0].size() < 4) return {};
    return cv::Vec3f(static_cast<float>(median_of(light[0])), 1,
                     static_cast<float>(median_of(light[2])));
}

RecogniseOptions patient() {
    RecogniseOptions options;
    options.rounds = 5;
    options.slack = kReading.slack;
    return options;
}

bool printed(const cv::Mat& bgr, const Corners& corners) {
    Thumb thumb;
    sample(bgr, corners, thumb, true);
    return printed(thumb);
}

bool bare(const cv::Mat& bgr, const Corners& corners, const Faces& deck) {
    Thumb thumb;
    sample(bgr, corners, thumb, true);
    if (printed(thumb) || burnt(thumb)) return false;
    for (std::size_t i = 0; i < deck.size(); ++i)
        if (!printed(deck.reference(i, 0))) return false;
    return true;
}

void settle_corners(const cv::Mat& bgr, FlatFace& f) {
    if (!f.named()) return;
    const auto first = static_cast<std::ptrdiff_t>((4 - f.match.quarter_turns) % 4);
    std::rotate(f.quad.corners.begin(), f.quad.corners.begin() + first, f.quad.corners.end());
    // References are often cropped inside the piece: then the outline is right and the reading
    // smaller.
    const float larger = area_of(f.quad.corners) / area_of(f.match.corners);
    if (f.quad.support > 0.6F && covered(f.quad.corners, f.match.corners) > 0.85F &&
        larger > 0.8F && larger < 2)
        return;
    f.quad.corners = f.match.corners;
    refine_outline(bgr, f.quad.corners, 3);
    measure_outline(bgr, f.quad);
}

void settle_on_print(const KnownSizes& sizes, FlatFace& f) {
    if (f.match.score < kReading.sure_print || kind_of_size(sizes, f.match.corners) < 0 ||
        f.kind >= static_cast<int>(sizes.kinds->size()))
        return;
    f.quad.corners = corners_at(sizes, f.kind, pose_at(sizes, f.kind, f.match.corners));
}

std::vector<FlatFace> read_quads(const cv::Mat& bgr, const std::vector<Quad>& quads,
                                 const std::vector<Faces>& decks, bool with_patience) {
    std::vector<FlatFace> list(std::min(quads.size(), kReading.most_read));
    each_alone(list.size(), [&](std::size_t i) {
        list[i].quad = quads[i];
        RecogniseOptions options;
        options.rounds = 2;
        read(bgr, decks, options, list[i]);
    });
    if (!with_patience) return list;
    std::vector<FlatFace*> again;
    for (FlatFace& f : list) {
        if (f.named() || again.size() >= kReading.most_read_again) continue;
        const bool hidden = std::any_of(list.begin(), list.end(), [&](const FlatFace& o) {
            return o.named() && o.match.score > 0.7 &&
                   covered(o.quad.corners, f.quad.corners) > 0.5F;
        });
        if (!hidden && printed(bgr, f.quad.corners)) again.push_back(&f);
    }
    each_alone(again.size(), [&](std::size_t i) { read(bgr, decks, patient(), *again[i]); });
    return list;
}

void read_doubtful(const cv::Mat& bgr, const std::vector<Faces>& decks,
                   std::vector<FlatFace>& list) {
    each_alone(list.size(), [&](std::size_t i) {
        FlatFace& f = list[i];
        if (!f.named() || f.match.score >= kReading.sure_score) return;
        FlatFace again = f;
        again.match = {};
        read(bgr, decks, patient(), again);
        if (again.match.score > f.match.score) f = again;
    });
}

void read_carefully(const cv::Mat& bgr, const std::vector<Faces>& decks,
                    std::vector<FlatFace>& list) {
    const std::optional<cv::Vec3f> lamp = lamp_over(list);
    each_alone(list.size(), [&](std::size_t i) {
        FlatFace& f = list[i];
        if ((f.laid && f.named()) || (!f.named() && f.match.score < kReading.maybe)) return;
        RecogniseOptions options = patient();
        options.careful = true, options.lamp = lamp;
        if (f.match.score >= kReading.sure_score) options.slack = 0;
        FlatFace again = f;
        again.match = {};
        read(bgr, decks, options, again);
        // One of many laid out, unread by its print: named when both ways of reading agree and
        // nothing is strange.
        if (f.laid && (again.match.face != f.match.best || again.match.worst >= 1)) return;
        // One that was named lies there, whatever it is called.
        again.laid = f.named() && !again.named() && f.quad.support >= kReading.some_outline;
        if (again.named() && !f.named())
            settle_corners(bgr, again);
        else if (again.named())
            std::rotate(again.quad.corners.begin(),
                        again.quad.corners.begin() + (4 - again.match.quarter_turns) % 4,
                        again.quad.corners.end());
        f = again;
    });
}

std::optional<double> common_up(const std::vector<FlatFace>& list, const Faces& deck, int kind) {
    if (deck.empty() || std::fabs(std::log(deck.aspect())) > 0.1) return {};
    std::vector<double> turns;
    for (const FlatFace& f : list)
        if (f.named() && f.kind == kind) turns.push_back(turn_of(f.quad.corners));
    if (turns.size() < 6) return {};
    const auto votes = [&](double up) {
        return std::count_if(turns.begin(), turns.end(),
                             [&](double t) { return std::fabs(wrapped(t - up)) < 0.3; });
    };
    const double up = *std::max_element(turns.begin(), turns.end(),
                                        [&](double a, double b) { return votes(a) < votes(b); });
    if (static_cast<double>(votes(up)) < 0.6 * static_cast<double>(turns.size())) return {};
    return up;
}

Corners upright(Corners c, double up) {
    for (int r = 0; r < 4 && std::fabs(wrapped(turn_of(c) - up)) > 0.8; ++r)
        std::rotate(c.begin(), c.begin() + 1, c.end());
    return c;
}

void agree_on_up(const cv::Mat& bgr, const Faces& deck, int kind, double up,
                 std::vector<FlatFace>& list) {
    RecogniseOptions options = patient();
    options.upright_only = true;
    for (FlatFace& f : list) {
        if (f.named() && (f.kind != kind || std::fabs(wrapped(turn_of(f.quad.corners) - up)) < 0.3))
            continue;
        const Corners c = upright(f.quad.corners, up);
        const FaceMatch m = deck.recognise(bgr, c, options);
        if (m.face && (!f.named() || m.score > f.match.score - kReading.nearly))
            f.match = m, f.quad.corners = c, f.kind = kind;
    }
}

}  // namespace overboard::vision
