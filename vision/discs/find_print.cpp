#include "vision/discs/find_print.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>

#include "vision/colour.hpp"
#include "vision/discs/plane.hpp"

// Two circles that could be two of the printed ones fix where all the others should be; the pair
// that finds most of them wins. Sizes and colours have to agree: print is alike all round. A
// perspective is then fitted to the winners, and what it predicts is looked up once more. How far
// from the line's end its circles stand differs between boards, so the pattern is tried a little
// narrower, too.
namespace overboard::vision {
namespace {

constexpr std::size_t kMostCircles = 140;
// of the printed radius: fill, rim and outline are all found as circles
constexpr double kSizeSlack = 0.35;
constexpr double kLoose = 0.07, kTight = 0.016;  // how far off a circle may be, of the pattern's
                                                 // span: before and after perspective
constexpr float kAlike = 24;                     // Lab distance within one ink, bad light included

struct Mark {
    cv::Point2d at;
    double r;
    cv::Vec3f lab;
};

struct Pattern {
    std::vector<cv::Point2d> at;  // mm
    double r_mm = 1, span_mm = 1;
};

// The largest group of filled circles alike in size and colour, the centre left out.
Pattern pattern_of(const BoardKind& board, double narrower) {
    Pattern best;
    for (const PrintedCircle& first : board.circles) {
        Pattern p;
        for (const PrintedCircle& c : board.circles) {
            const bool same = std::abs(c.diameter_mm - first.diameter_mm) < 0.1 &&
                              c.colour == first.colour && c.line_mm == first.line_mm;
            if (!same || length(c.centre) < first.diameter_mm) continue;
            const bool wide = std::abs(c.centre.x) > std::abs(c.centre.y);
            p.at.emplace_back(
                c.centre.x - (wide ? 0 : std::copysign(narrower * c.diameter_mm, c.centre.x)),
                c.centre.y - (wide ? std::copysign(narrower * c.diameter_mm, c.centre.y) : 0));
        }
        p.r_mm = first.diameter_mm / 2;
        if (first.line_mm <= 0 && p.at.size() > best.at.size()) best = p;
    }
    for (const auto& a : best.at) best.span_mm = std::max(best.span_mm, 2 * cv::norm(a));
    return best;
}

std::vector<Mark> marks_of(std::vector<Circle> circles) {
    std::sort(circles.begin(), circles.end(),
              [](const Circle& a, const Circle& b) { return a.score > b.score; });
    std::vector<Mark> marks;
    for (const Circle& c : circles) {
        if (c.support < 0.68 || c.step < 0.4) continue;
        const bool known = std::any_of(marks.begin(), marks.end(), [&](const Mark& m) {
            return cv::norm(m.at - c.centre) < 0.35 * std::min(m.r, c.r);
        });
        if (!known) marks.push_back({c.centre, c.r, lab_of(c.core)});
        if (marks.size() >= kMostCircles) break;
    }
    return marks;
}

// A turn, a scale and a shift, as complex numbers: p → a·p + b.
struct Similarity {
    cv::Point2d a, b;
    [[nodiscard]] cv::Point2d operator()(cv::Point2d p) const {
        return {a.x * p.x - a.y * p.y + b.x, a.x * p.y + a.y * p.x + b.y};
    }
    [[nodiscard]] double scale() const { return cv::norm(a); }
};

Similarity similarity(cv::Point2d p, cv::Point2d q, cv::Point2d to_p, cv::Point2d to_q) {
    const cv::Point2d d = q - p, e = to_q - to_p;
    const double n = d.dot(d);
    Similarity s{{(e.x * d.x + e.y * d.y) / n, (e.y * d.x - e.x * d.y) / n}, {}};
    s.b = to_p - s(p);
    return s;
}

bool right_size(double r, double expected) {
    return std::abs(r / expected - 1) < kSizeSlack;
}

// The mark at that place: of the right size and the right ink; -1: none.
int mark_at(const std::vector<Mark>& marks, cv::Point2d at, double r, const cv::Vec3f& ink,
            double reach) {
    int best = -1;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const double away = cv::norm(marks[i].at - at);
        if (away < reach && right_size(marks[i].r, r) && cv::norm(marks[i].lab - ink) < kAlike)
            reach = away, best = int(i);
    }
    return best;
}

struct Matches {
    std::vector<cv::Point2d> from, to;
    double off = 0;  // mean distance, of the reach
};

template <class Map>
Matches match(const Pattern& pattern, const std::vector<Mark>& marks, const Map& map, double scale,
              const cv::Vec3f& ink, double reach) {
    Matches m;
    for (const auto& p : pattern.at) {
        const cv::Point2d at = map(p);
        const int i = mark_at(marks, at, pattern.r_mm * scale, ink, reach);
        if (i < 0 || std::find(m.to.begin(), m.to.end(), marks[std::size_t(i)].at) != m.to.end())
            continue;
        m.from.push_back(p);
        m.to.push_back(marks[std::size_t(i)].at);
        m.off += cv::norm(marks[std::size_t(i)].at - at) / reach;
    }
    if (!m.from.empty()) m.off /= double(m.from.size());
    return m;
}

struct Guess {
    Similarity where;
    cv::Vec3f ink;
    Matches matches;
    [[nodiscard]] double score() const { return double(matches.from.size()) - 0.9 * matches.off; }
};

std::optional<Guess> best_guess(const Pattern& pattern, const std::vector<Mark>& marks) {
    std::optional<Guess> best;
    for (const Mark& a : marks)
        for (const Mark& b : marks) {
            if (&a == &b || !right_size(a.r, b.r) || cv::norm(a.lab - b.lab) > kAlike) continue;
            // The pattern looks the same from all sides: its first two circles stand for all as the
            // pair's first.
            for (std::size_t first = 0; first < 2; ++first)
                for (std::size_t second = 0; second < pattern.at.size(); ++second) {
                    const cv::Point2d p = pattern.at[first], q = pattern.at[second];
                    if (first == second || cv::norm(q - p) < 0.3 * pattern.span_mm) continue;
                    const Similarity s = similarity(p, q, a.at, b.at);
                    if (!right_size(a.r, pattern.r_mm * s.scale())) continue;
                    Guess guess{s, (a.lab + b.lab) * 0.5f, {}};
                    guess.matches = match(pattern, marks, s, s.scale(), guess.ink,
                                          kLoose * pattern.span_mm * s.scale());
                    if (!best || guess.score() > best->score()) best = std::move(guess);
                }
        }
    return best;
}

// No side of the pattern looks more than half as long again as another: photographs of tables are
// not steeper.
bool is_mild(const cv::Matx33d& h, const Pattern& pattern) {
    double shortest = 1e9, longest = 0;
    for (std::size_t i = 0; i < pattern.at.size(); ++i) {
        const cv::Point2d p = pattern.at[i], q{-p.y, p.x};  // a quarter turn further round
        const double side = cv::norm(through(h, p) - through(h, q)) / cv::norm(p - q);
        shortest = std::min(shortest, side), longest = std::max(longest, side);
    }
    return longest < 1.5 * shortest;
}

struct Fitted {
    PrintFit fit;
    double score = 0;
};

std::optional<Fitted> fit_pattern(const Pattern& pattern, const std::vector<Mark>& marks) {
    if (pattern.at.size() < 6) return {};
    const std::size_t needed = std::max<std::size_t>(6, pattern.at.size() * 3 / 4);
    const auto guess = best_guess(pattern, marks);
    if (!guess || guess->matches.from.size() < needed) return {};
    const double reach = kTight * pattern.span_mm * guess->where.scale();
    Matches m = guess->matches;
    cv::Matx33d h;
    for (int round = 0; round < 2; ++round) {
        const cv::Mat found = cv::findHomography(m.from, m.to, cv::RANSAC, reach);
        if (found.empty()) return {};
        h = cv::Matx33d(found.ptr<double>());
        m = match(
            pattern, marks, [&](cv::Point2d p) { return through(h, p); }, guess->where.scale(),
            guess->ink, reach);
        if (m.from.size() < needed) return {};
    }
    if (!is_mild(h, pattern)) return {};
    return Fitted{{h, m.to}, double(m.from.size()) - 0.9 * m.off};
}

}  // namespace

std::optional<PrintFit> find_print(const std::vector<Circle>& circles, const BoardKind& board) {
    const std::vector<Mark> marks = marks_of(circles);
    std::optional<Fitted> best;
    for (const double narrower : {0.0, 0.25, 0.5}) {
        const auto fitted = fit_pattern(pattern_of(board, narrower), marks);
        if (fitted && (!best || fitted->score > best->score + 0.05)) best = fitted;
    }
    if (!best) return {};
    return best->fit;
}

}  // namespace overboard::vision
