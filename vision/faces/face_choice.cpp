// Rivals that remain close are compared only on the pixels where their references differ; cold,
// also by what either leaves unexplained. What is accepted in the end must not have a symbol too
// many or missing, where strangers could look as much alike.
#include "vision/faces/face_choice.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "vision/faces/face_local.hpp"
#include "vision/faces/face_misfit.hpp"
#include "vision/flats/quads.hpp"

namespace overboard::vision {
namespace {

/// Chosen with tests/bench/faces_bench; run it again when you change them.
struct ChoiceLimits {
    float close = 0.30F;  ///< Rivals within this score are compared pixel by pixel. Higher: slower.
    float clear = 0.6F;   ///< Unless one is so clearly ahead: 1: as its reference is, 0: half-way.
                          ///< Lower: quicker, less sure.
    float apart = 0.03F;  ///< Faces more alike than this are always compared so.
    double by_misfit = 0.6;  ///< What is left unexplained, as a part of how rivals are told apart:
                             ///< in all and in the worst place,
    double by_place = 1;     ///< and where the two differ.
    double
        in_places = 10;  ///< What the few places count where they differ most; there 0.03 says much
    double most_in_places = 0.1;  ///< and more says no more.
    double glare = 2.5;    ///< How strange a face may be that no stranger could look like. Higher:
                           ///< fewer unread.
    double covered = 3.5;  ///< The same of a face a part of which is painted over,
    float covered_score = 0.55F;  ///< what it has to score, since few cells agree by chance,
    double covered_margin = 0.2;  ///< and how far any other has to be behind then.
    double by_score = 40;         ///< How much stranger it may be the better all of it fits.
    double lamp_within = 0.2;  ///< What the lamp over a card may differ from that over the others,
                               ///< and references from each other.
    double by_lamp = 3;  ///< How much more counts against a face. Higher: faces of one shape are
                         ///< told by colour, whatever their references were lit by.
    float low = 0.12F;   ///< So far below the threshold a face in bad light may score when it is
                         ///< told with care,
    double low_margin = 0.4;       ///< no other comes near it,
    double low_strange = 0.85;     ///< and nothing about it is strange.
    float min_margin = 0.02F;      ///< Lower: more guesses between twins,
    float careful_margin = 0.06F;  ///< and when they are told with care.
    float unexplained = 0.95F;     ///< Of the print in any one place; the better the rest fits, the
                                   ///< less. Higher: strangers with a symbol more; lower: faces in
                                   ///< glare unread.
    float odd = 0.3F;              ///< How much such a place counts against the score,
    float stranger = 0.45F;        ///< and what has to be left of it. Likewise.
};
constexpr ChoiceLimits kChoice;

/// A reading with its crop and its reference ready to be told from others.
struct Contender {
    Contender(const Faces::Table& t, const Reading& r)
        : score{r.score},
          px_a_cell{std::sqrt(area_of(r.corners) / (kFineW * kFineH))},
          crop{looks_of(r.thumb)},
          reference{looks_of(t.thumb(r.index))} {}
    float score;
    float px_a_cell;
    Looks crop, reference;
};

/// How much rather `a` than `b`, the two being close: on the pixels where their references differ.
double told_apart(const Contender& a, const Contender& b) {
    return a.score - b.score + 0.5 * tell_apart(a.crop, a.reference, b.reference) -
           0.5 * tell_apart(b.crop, b.reference, a.reference);
}

/// How far ahead of `b` reading `a` is, by how much their references differ: when that is clear.
std::optional<double> clearly_ahead(const Faces::Table& t, const Reading& a, const Reading& b) {
    const float apart = 1 - dot(t.brief[a.index], t.brief[b.index]),
                ahead = (a.score - b.score) / std::max(apart, kChoice.apart);
    if (apart < kChoice.apart || std::fabs(ahead) < kChoice.clear * std::max(a.score, b.score))
        return {};
    return ahead;
}

/// The same with what either of them leaves unexplained.
double told_with_care(double seen, const Misfit& a, const Misfit& b) {
    return seen + kChoice.by_misfit * std::log((b.mean + 0.3) / (a.mean + 0.3)) +
           kChoice.by_misfit * std::log((b.worst + 1) / (a.worst + 1)) +
           kChoice.by_place * better_explained(a, b);
}

/// The same by the few places where the two differ most.
double told_in_places(const Contender& a, const Contender& b) {
    const auto told = [&](const Contender& crop) {
        return std::clamp(told_locally(crop.crop.fine, a.reference.fine, b.reference.fine),
                          -kChoice.most_in_places, kChoice.most_in_places);
    };
    // Where cells are smaller than pixels a place holds less than it seems.
    const double fine = std::min(1.0F, a.px_a_cell);
    return kChoice.in_places * fine * fine * 0.5 * (told(a) + told(b));
}

/// How far the light a reading needs is from the lamp all others lie under, as log-ratios of
/// colour; 0: not known.
double odd_light(const Faces::Table& t, const RecogniseOptions& options, const Reading& r) {
    if (!options.lamp) return 0;
    const cv::Vec3f light = light_on(r.thumb, t.thumb(r.index));
    const auto off = [&](int c) {
        return std::log(light[c] / light[1]) - std::log((*options.lamp)[c] / (*options.lamp)[1]);
    };
    return std::max(0.0, std::hypot(off(0), off(2)) - kChoice.lamp_within);
}

}  // namespace

void one_a_face(const Faces::Table& t, Readings& readings) {
    std::stable_sort(readings.begin(), readings.end(),
                     [](const auto& a, const auto& b) { return a->score > b->score; });
    std::vector<int> seen;
    std::erase_if(readings, [&](const auto& r) {
        const int face = t.templates[r->index].face;
        if (std::find(seen.begin(), seen.end(), face) != seen.end()) return true;
        seen.push_back(face);
        return false;
    });
}

Champion choose(const Faces::Table& t, const cv::Mat& bgr, const RecogniseOptions& options,
                Readings& readings) {
    if (options.careful)
        for (const auto& r : readings) sample(bgr, r->corners, r->thumb);  // as finely as can be
    std::vector<std::unique_ptr<Contender>> contenders(readings.size());
    std::vector<std::optional<Misfit>> misfits(readings.size());
    const auto contender = [&](std::size_t k) -> const Contender& {
        if (!contenders[k]) contenders[k] = std::make_unique<Contender>(t, *readings[k]);
        return *contenders[k];
    };
    const auto misfit_of = [&](std::size_t k) -> const Misfit& {
        const Reading& r = *readings[k];
        if (!misfits[k]) misfits[k] = misfit(r.thumb, t.thumb(r.index));
        return *misfits[k];
    };
    // How much rather `a` than `b`.
    const auto seen = [&](std::size_t a, std::size_t b) {
        const double gap = readings[a]->score - readings[b]->score;
        if (std::fabs(gap) > kChoice.close) return gap;
        if (!options.careful)
            if (const auto ahead = clearly_ahead(t, *readings[a], *readings[b])) return *ahead;
        const double told = told_apart(contender(a), contender(b));
        if (!options.careful) return told;
        return told_with_care(told, misfit_of(a), misfit_of(b)) +
               told_in_places(contender(a), contender(b)) +
               kChoice.by_lamp *
                   (odd_light(t, options, *readings[b]) - odd_light(t, options, *readings[a]));
    };
    Champion c;
    for (std::size_t k = 1; k < readings.size(); ++k) {
        const double rather = seen(c.index, k);
        if (rather < 0)
            c = {k, -rather};
        else
            c.margin = std::min(c.margin, rather);
    }
    // One that came late has not met those that were beaten before.
    for (std::size_t k = 0; options.careful && k < c.index; ++k)
        c.margin = std::min(c.margin, seen(c.index, k));
    return c;
}

bool strange(const Faces::Table& t, const RecogniseOptions& options, const Reading& r,
             double& how) {
    if (options.careful) {
        how = strangeness(misfit(r.thumb, t.thumb(r.index)), r.thumb, t.thumb(r.index)) +
              kChoice.by_lamp * std::max(0.0, odd_light(t, options, r) - kChoice.lamp_within);
        if (r.score < t.threshold) return how >= kChoice.low_strange;
        // The rim of a cover is strange to what it covers.
        if (options.part_only) return how >= kChoice.covered;
        // Where no face of the deck looks as much like another, a lamp's glare is likelier than a
        // stranger.
        return how >= (r.score > t.stranger ? kChoice.glare
                                            : 1 + kChoice.by_score * std::max(0.0, r.score - 0.88));
    }
    if (r.score < t.stranger) how = worst_block(r.feature, t.full[r.index]);
    return how >= kChoice.unexplained - std::max(0.0F, r.score - 0.75F) ||
           r.score - kChoice.odd * how < kChoice.stranger;
}

bool high_enough(const Faces::Table& t, const RecogniseOptions& options, const Reading& r,
                 double margin) {
    if (options.part_only) return r.score >= std::max(t.threshold, kChoice.covered_score);
    return r.score >= t.threshold || (options.careful && r.score >= t.threshold - kChoice.low &&
                                      margin >= kChoice.low_margin);
}

bool clear_margin(const RecogniseOptions& options, double margin) {
    if (options.part_only) return margin >= kChoice.covered_margin;
    return margin >= (options.careful ? kChoice.careful_margin : kChoice.min_margin);
}

}  // namespace overboard::vision
