#include "vision/shapes/mosaic_cover.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <opencv2/imgproc.hpp>

// An exact cover in the small: take the square of the patch that the fewest places cover, try each
// of these, go on with what is left; the way back stays open. What a cover is worth is the fine
// lines along its seams; what it leaves over or covers twice costs. A branch that cannot catch up
// even if every square left were covered at its best is cut off.

namespace overboard::vision {
namespace {

using Bits = std::vector<std::uint64_t>;

void set(Bits& bits, std::size_t i) {
    bits[i / 64] |= 1ULL << (i % 64);
}
bool has(const Bits& bits, std::size_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}

int count(const Bits& bits) {
    int n = 0;
    for (const std::uint64_t w : bits) n += __builtin_popcountll(w);
    return n;
}

int count_both(const Bits& a, const Bits& b) {
    int n = 0;
    for (std::size_t i = 0; i < a.size(); ++i) n += __builtin_popcountll(a[i] & b[i]);
    return n;
}

class Search {
public:
    Search(const Patch& patch, const Catalogue& catalogue, const std::vector<Placement>& places,
           const std::vector<int>& lying, const CoverLimits& limits)
        : places_{places}, lying_{lying}, limits_{limits} {
        divide(patch);
        for (const Placement& p : places_) {
            squares_.push_back(squares_of(patch, catalogue, p, -kRim_mm));
            cores_.push_back(squares_of(patch, catalogue, p, kRim_mm));
        }
        rate();
    }

    Cover best() {
        std::vector<int> all(places_.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        Bits open((cells_.size() + 63) / 64, 0);
        for (std::size_t i = 0; i < cells_.size(); ++i) set(open, i);
        best_worth_ = -1e9;
        dig(open, all, 0);
        Cover cover;
        for (const int i : best_) cover.pieces.push_back(places_[i]);
        cover.left_over = cells_.empty() ? 0
                                         : static_cast<double>(best_left_) /
                                               static_cast<double>(cells_.size());
        return cover;
    }

private:
    void divide(const Patch& patch) {
        const int step = std::max(1, cvRound(limits_.cell_mm * Patch::kCells_per_mm));
        cell_mm2_ = std::pow(step / Patch::kCells_per_mm, 2);
        for (int y = 0; y < patch.mask().rows; y += step)
            for (int x = 0; x < patch.mask().cols; x += step) {
                const Point p = patch.table({static_cast<float>(x), static_cast<float>(y)});
                if (patch.depth_mm(p) > 1.5 * kRim_mm) cells_.push_back(p);
            }
    }

    [[nodiscard]] Bits squares_of(const Patch& patch, const Catalogue& catalogue,
                                  const Placement& p, double within_mm) const {
        std::vector<cv::Point2f> outline;
        for (const Point q : catalogue.polygons[p.kind].outline_mm)
            outline.push_back(patch.cell(place(p.pose, q)));
        Bits bits((cells_.size() + 63) / 64, 0);
        for (std::size_t i = 0; i < cells_.size(); ++i)
            if (cv::pointPolygonTest(outline, patch.cell(cells_[i]), true) >
                within_mm * Patch::kCells_per_mm)
                set(bits, i);
        return bits;
    }

    /// What each place is worth, and the most each square could bring.
    void rate() {
        most_.assign(cells_.size(), 0);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            sizes_.push_back(std::max(1, count(squares_[i])));
            // Each seam is looked at from both sides.
            worth_.push_back(0.5 * places_[i].worth - limits_.cost_of_piece -
                             limits_.cost_of_twin * lying_[places_[i].kind]);
            for (std::size_t c = 0; c < cells_.size(); ++c)
                if (has(squares_[i], c)) most_[c] = std::max(most_[c], worth_[i] / sizes_[i]);
        }
    }

    [[nodiscard]] bool fit(int a, int b) const {
        return count_both(cores_[a], cores_[b]) <=
               limits_.overlap * std::min(count(cores_[a]), count(cores_[b]));
    }

    [[nodiscard]] double hope(const Bits& open) const {
        double sum = 0;
        for (std::size_t c = 0; c < cells_.size(); ++c)
            if (has(open, c)) sum += most_[c];
        return sum;
    }

    void finish(int left, double worth) {
        worth -= limits_.cost_per_mm2 * cell_mm2_ * left;
        if (worth <= best_worth_) return;
        best_worth_ = worth;
        best_ = chosen_;
        best_left_ = left;
    }

    /// The open square that the fewest of these places cover, but at least one; -1: none.
    [[nodiscard]] int hardest(const Bits& open, const std::vector<int>& free) const {
        std::vector<int> covers(cells_.size(), 0);
        for (const int i : free)
            for (std::size_t w = 0; w < open.size(); ++w)
                for (std::uint64_t bits = squares_[i][w] & open[w]; bits; bits &= bits - 1)
                    ++covers[w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))];
        int best = -1;
        for (std::size_t c = 0; c < cells_.size(); ++c)
            if (covers[c] > 0 && (best < 0 || covers[c] < covers[static_cast<std::size_t>(best)]))
                best = static_cast<int>(c);
        return best;
    }

    void dig(const Bits& open, const std::vector<int>& free, double worth) {
        finish(count(open), worth);
        if (++tries_ > limits_.most_tries || worth + hope(open) <= best_worth_) return;
        const int cell = hardest(open, free);
        if (cell < 0) return;
        std::vector<int> here, elsewhere;
        for (const int i : free)
            (has(squares_[i], static_cast<std::size_t>(cell)) ? here : elsewhere).push_back(i);
        std::sort(here.begin(), here.end(),
                  [&](int a, int b) { return gain(a, open) > gain(b, open); });
        for (const int i : here) take(i, open, free, worth);
        dig(open, elsewhere, worth);  // no piece here
    }

    /// What a place brings: its seams and what it covers, less what is covered already.
    [[nodiscard]] double gain(int i, const Bits& open) const {
        const int fresh = count_both(squares_[i], open);
        return worth_[i] + limits_.cost_per_mm2 * cell_mm2_ * (2.0 * fresh - sizes_[i]);
    }

    void take(int i, const Bits& open, const std::vector<int>& free, double worth) {
        std::vector<int> left;
        for (const int j : free)
            if (j != i && fit(i, j)) left.push_back(j);
        Bits rest = open;
        for (std::size_t w = 0; w < rest.size(); ++w) rest[w] &= ~squares_[i][w];
        const auto twins = std::count_if(chosen_.begin(), chosen_.end(),
                                         [&](int c) { return places_[c].kind == places_[i].kind; });
        chosen_.push_back(i);
        dig(rest, left, worth + worth_[i] - limits_.cost_of_twin * static_cast<double>(twins));
        chosen_.pop_back();
    }

    static constexpr double kRim_mm = 0.8;  // lost to blur, walls, shade; places are exact to this

    const std::vector<Placement>& places_;
    const std::vector<int>& lying_;
    const CoverLimits& limits_;
    std::vector<Point> cells_;
    double cell_mm2_ = 4;
    std::vector<Bits> squares_, cores_;  // by place: what it may cover, what it surely does
    std::vector<int> sizes_;
    std::vector<double> worth_, most_;
    std::vector<int> chosen_, best_;
    double best_worth_ = 0;
    int best_left_ = 0, tries_ = 0;
};

}  // namespace

Cover best_cover(const Patch& patch, const Catalogue& catalogue,
                 const std::vector<Placement>& places, const std::vector<int>& lying,
                 const CoverLimits& limits) {
    return Search{patch, catalogue, places, lying, limits}.best();
}

}  // namespace overboard::vision
