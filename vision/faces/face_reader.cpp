// From all references to the few worth a second look: block means of all, then the whole feature in
// eight bits of a shortlist, then a deformable comparison: sixteen blocks that may each shift by
// two cells. The shifts also say how the corners were wrong, so the best few are sampled anew
// through corrected corners and scored again.
#include "vision/faces/face_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace overboard::vision {
namespace {

/// Chosen with tests/bench/faces_bench; run it again when you change them.
struct ReaderLimits {
    std::size_t shortlist = 24;          ///< More: slower, safer on decks of near twins.
    std::size_t reranked = 12;           ///< How many of them are compared deformably.
    std::size_t realigned = 4;           ///< How many of those are sampled anew,
    std::size_t realigned_cold = 6;      ///< how many when there is time,
    std::size_t realigned_careful = 12;  ///< and how many where twins are to be told apart.
    float behind = 0.3F;  ///< Faces this much worse than the best are not looked at again. Higher:
                          ///< slower.
};
constexpr ReaderLimits kReader;

void keep_best(std::vector<Scored>& list, std::size_t count) {
    count = std::min(count, list.size());
    std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count), list.end(),
                      better);
    list.resize(count);
}

}  // namespace

Corners turned(const Corners& c, int first) {
    Corners out = c;
    std::rotate(out.begin(), out.begin() + first, out.end());
    return out;
}

std::vector<Scored> Recogniser::shortlist(const Feature& own, int first) const {
    const Coarse query = coarse_of(own);
    std::vector<Scored> list;
    list.reserve(t_.coarse.size());
    for (std::size_t i = 0; i < t_.coarse.size(); ++i)
        if (allowed(static_cast<int>(i), first))
            list.push_back({static_cast<float>(dot(query, t_.coarse[i])), static_cast<int>(i)});
    keep_best(list, kReader.shortlist);
    const Short brief = short_of(own);
    for (Scored& s : list) s.score = dot(brief, t_.brief[s.index]);
    keep_best(list, kReader.reranked);
    std::erase_if(list, [best = list.empty() ? 0 : list[0].score](const Scored& s) {
        return s.score < best - kReader.behind;
    });
    return list;
}

/// Samples through the reading's corners and scores against its template.
void Recogniser::look(Reading& r) const {
    sample(bgr_, r.corners, r.thumb);
    describe(r.thumb, r.feature);
    score(r);
}

/// From eight bits: what matters is how far the others are behind the reading's own template, which
/// is compared in the same way.
std::vector<float> Recogniser::scores_as(const std::vector<Faces::Table::Rival>& others,
                                         const Reading& r) const {
    std::vector<float> scores;
    if (others.empty()) return scores;
    const Short brief = short_of(r.feature);
    const float own = r.score / std::max(dot(brief, t_.brief[r.index]), 1e-6F);
    for (const Faces::Table::Rival& other : others)
        scores.push_back(own * dot(brief, t_.brief[other.index]));
    return scores;
}

void Recogniser::score(Reading& r) const {
    const float common = dot(r.feature.data(), t_.common.data(), kDim),
                own = dot(r.feature.data(), t_.own[r.index].data(), kDim),
                theirs = t_.commonness[r.index];
    // A template is its own part and the common one, at right angles.
    r.likeness = own * std::sqrt(std::max(1 - theirs * theirs, 0.0F)) + common * theirs;
    r.score = own / std::sqrt(std::max(1 - common * common, 1e-6F));
}

/// Pulls the corners onto the reference as long as it helps.
void Recogniser::realign(Deformation deformation, Reading& reading) const {
    score(reading);
    for (int round = 0; round < options_.rounds; ++round) {
        if (round > 0) deformation = deform(reading.feature, t_.full[reading.index]);
        Reading next;
        next.index = reading.index, next.first = reading.first;
        next.corners = corrected(reading.corners, deformation);
        look(next);
        const float gained = next.score - reading.score;
        if (gained <= 0) return;
        reading = next;
        if (gained < 0.004F) return;
    }
}

/// The same crop moved and scaled: `slack` is how far.
std::vector<Corners> Recogniser::variants(const Corners& corners) const {
    std::vector<Corners> out{corners};
    const float slack = options_.slack;
    if (slack <= 0) return out;
    const cv::Matx33f h = square_to(corners);
    for (const float scale : {1.0F, 1 - slack, 1 - 1.8F * slack, 1 + slack})
        for (int k = 0; k < 9; ++k) {
            const cv::Point2f middle(0.5F + static_cast<float>(k % 3 - 1) * slack * 0.6F,
                                     0.5F + static_cast<float>(k / 3 - 1) * slack * 0.6F);
            Corners c;
            for (int i = 0; i < 4; ++i) {
                const cv::Point2f unit(i == 1 || i == 2 ? 0.5F : -0.5F, i >= 2 ? 0.5F : -0.5F);
                c[i] = through(h, middle + unit * scale);
            }
            if (scale != 1 || k != 4) out.push_back(c);
        }
    return out;
}

/// Of every template its best variant, bent onto it; best first.
std::vector<Recogniser::Candidate> Recogniser::candidates(
    const std::vector<Reading>& starts) const {
    std::vector<Scored> list;     // of all variants
    std::vector<int> variant_of;  // beside it
    for (std::size_t k = 0; k < starts.size(); ++k) {
        Feature own = starts[k].feature;
        remove_direction(own, t_.common);
        for (const Scored& s : shortlist(own, starts[k].first))
            list.push_back(s), variant_of.push_back(static_cast<int>(k));
    }
    std::vector<int> order(list.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return list[a].score > list[b].score; });
    std::vector<Candidate> out;
    for (const int k : order) {
        const bool known = std::any_of(out.begin(), out.end(), [&](const Candidate& c) {
            return c.deformation.index == list[k].index;
        });
        if (known || out.size() >= kReader.reranked ||
            list[k].score < list[order[0]].score - kReader.behind)
            continue;
        Candidate c{deform(starts[variant_of[k]].feature, t_.full[list[k].index]), variant_of[k]};
        c.deformation.index = list[k].index;
        c.deformation.score += 0.3F * list[k].score;
        out.push_back(c);
    }
    std::sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
        return a.deformation.score > b.deformation.score;
    });
    return out;
}

void Recogniser::read(const Corners& corners, int first, Readings& out) const {
    const std::vector<Corners> places = variants(turned(corners, first));
    std::vector<Reading> starts(places.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
        starts[k].first = first;
        starts[k].corners = places[k];
        sample(bgr_, places[k], starts[k].thumb, options_.slack > 0);
        describe(starts[k].thumb, starts[k].feature);
    }
    const std::vector<Candidate> found = candidates(starts);
    const std::size_t most = options_.careful      ? kReader.realigned_careful
                             : options_.rounds > 1 ? kReader.realigned_cold
                                                   : kReader.realigned;
    for (std::size_t k = 0; k < found.size() && k < most; ++k) {
        if (found[k].deformation.score < found[0].deformation.score - kReader.behind) break;
        out.push_back(std::make_unique<Reading>(starts[found[k].variant]));
        out.back()->index = found[k].deformation.index;
        realign(found[k].deformation, *out.back());
    }
}

std::unique_ptr<Reading> Recogniser::read_as(int index, const Corners& corners) const {
    auto r = std::make_unique<Reading>();
    r->index = index;
    r->first = t_.templates[index].turn;
    r->corners = turned(corners, r->first);
    SparseThumb thumb;
    sample_sparsely(bgr_, r->corners, thumb);
    describe(thumb, r->feature);
    if (options_.rounds > 0)
        realign(deform(r->feature, t_.full[index]), *r);
    else
        score(*r), r->corners = corrected(r->corners, nudge(r->feature, t_.full[index]));
    return r;
}

}  // namespace overboard::vision
