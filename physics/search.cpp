// Three sieves. First every placement with every sensible aim and force, once each, without error:
// direct shots at every disc for every pocket, and a fan of directions for all that is less obvious
// (banks, combinations). Then what scored, with a few hand errors; then the best of these with more
// and more, the errors being the same for all, so that luck does not choose. Trials left over go to
// aims beside the best. Where nothing scores (the closed cluster of an opening), what opens the
// position is told instead. Each trial is independent and written to its own place: threads change
// the speed, not the answer.
#include "physics/search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "physics/exact.hpp"

namespace overboard::physics {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPlacements = 13, kFan = 64, kForces = 3;
constexpr double kFanHalf_rad = 80 * M_PI / 180;
constexpr std::size_t kOpeners = 24;
constexpr int kOpenerSamples = 12;
constexpr auto kOpenersMost = std::chrono::milliseconds{100};  // what opens may be late by this
constexpr double kSteepestCut = 0.25;  // cosine of the thinnest cut worth trying

struct Candidate {
    Point from;
    double angle = 0, speed = 0;
    double sum = 0;
    int scored = 0, samples = 0, opened = 0;
    [[nodiscard]] double mean() const { return samples ? sum / samples : 0; }
    [[nodiscard]] double opening() const { return samples ? double(opened) / samples : 0; }
};

/// Errors of the hand in units of its deviation: the same well spread list for every candidate.
struct Error {
    double aim, force;
};
double halton(int index, int base) {
    double f = 1, r = 0;
    for (; index > 0; index /= base) f /= base, r += f * (index % base);
    return r;
}
std::vector<Error> errors(int count) {
    std::vector<Error> list;
    for (int k = 1; k <= count; ++k) {
        const double r = std::sqrt(-2 * std::log(1 - halton(k, 2))), a = 2 * M_PI * halton(k, 3);
        list.push_back({r * std::cos(a), r * std::sin(a)});
    }
    return list;
}

class Search {
public:
    Search(const Position& position, const Board& board, const ShootingLine& line,
           const Worth& worth, const Parameters& parameters, const SearchOptions& options)
        : board_{board},
          line_{line},
          worth_{worth},
          options_{options},
          world_{board, parameters},
          end_{Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options.seconds))} {
        places_ = placements(position, board, line, options.open_line, kPlacements);
        if (places_.empty()) return;
        discs_ = checked_start(position, {places_.front(), {}}, board);
        if (static_cast<int>(discs_.size()) > ExactWorld::kMaxDiscs)
            throw std::runtime_error("too many discs to search");
        for (const Disc& d : discs_)
            world_.add(d.at, board.diameter_of(d.type) / 2, board.mass_of(d.type));
    }

    std::vector<Suggestion> run() {
        if (places_.empty()) return {};
        std::vector<Candidate> pool = first_sieve();
        pool = sieve(std::move(pool), 220, 12);
        pool = sieve(std::move(pool), 40, 48);
        for (int round = 0; round < 8 && trials_left() > 2500 && !late(); ++round) {
            auto beside = neighbours(pool, round);
            beside = sieve(std::move(beside), 60, 48);
            pool.insert(pool.end(), beside.begin(), beside.end());
            pool = sieve(std::move(pool), 40, 48);
        }
        pool = sieve(std::move(pool), 12, 200);
        std::stable_sort(pool.begin(), pool.end(), better);
        std::erase_if(pool, [](const Candidate& c) { return c.mean() <= 0; });
        return pool.empty() ? openers() : chosen(pool);
    }

private:
    static bool better(const Candidate& a, const Candidate& b) { return a.mean() > b.mean(); }
    [[nodiscard]] bool late() const { return Clock::now() >= end_; }
    [[nodiscard]] int trials_left() const { return options_.trials - trials_; }

    [[nodiscard]] Falls falls_of(const ExactWorld& world) const {
        Falls f;
        for (int i = 0; i < world.size(); ++i) {
            if (world.pocket_of(i) < 0) continue;
            const std::string& type = discs_[static_cast<std::size_t>(i)].type;
            if (type == "striker")
                f.striker = true;
            else if (type == "queen")
                f.queen = true;
            else
                ++f.discs;
        }
        return f;
    }

    /// Discs that end up more than their own width from where they lay; none, if the striker falls.
    [[nodiscard]] int freed(const ExactWorld& world) const {
        const int striker = world.size() - 1;
        if (world.pocket_of(striker) != ExactWorld::kNoPocket) return 0;
        int count = 0;
        for (int i = 0; i < striker; ++i)
            count += world.pocket_of(i) == ExactWorld::kNoPocket &&
                     distance(world.position(i), discs_[static_cast<std::size_t>(i)].at) >
                         board_.disc_diameter_mm;
        return count;
    }

    /// Of all that was tried: what sets most discs free, with a trembling hand too.
    std::vector<Suggestion> openers() {
        const auto opener = [](const Candidate& a, const Candidate& b) {
            return a.opening() > b.opening();
        };
        std::erase_if(tried_, [](const Candidate& c) { return c.opened == 0; });
        std::stable_sort(tried_.begin(), tried_.end(), opener);
        if (tried_.size() > kOpeners) tried_.resize(kOpeners);
        end_ = std::max(end_, Clock::now() + kOpenersMost);
        evaluate(tried_, kOpenerSamples, true);
        std::stable_sort(tried_.begin(), tried_.end(), opener);
        return chosen(tried_);
    }

    [[nodiscard]] ExactWorld struck(const Candidate& c, Error e) const {
        ExactWorld world = world_;
        const int striker = world.size() - 1;
        world.move(striker, c.from);
        const double speed = c.speed * std::max(0.2, 1 + options_.hand.force * e.force);
        world.strike(striker, rotated({speed, 0}, c.angle + options_.hand.aim_rad * e.aim));
        return world;
    }

    /// Tries every candidate until it has `samples`; those that are late keep what they have.
    void evaluate(std::vector<Candidate>& list, int samples, bool with_error) {
        const auto shaken = with_error ? errors(samples) : std::vector<Error>{{0, 0}};
        const unsigned threads = options_.threads
                                     ? options_.threads
                                     : std::max(1u, std::thread::hardware_concurrency());
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t k = next++; k < list.size() && !late(); k = next++) {
                Candidate& c = list[k];
                for (int e = with_error ? c.samples : 0; e < static_cast<int>(shaken.size()); ++e) {
                    if (e % 16 == 15 && late()) break;
                    ExactWorld world = struck(c, shaken[static_cast<std::size_t>(e)]);
                    world.run();
                    const double points = worth_(falls_of(world));
                    c.sum += points;
                    c.scored += points > 0;
                    c.opened += freed(world);
                    ++c.samples;
                }
            }
        };
        std::vector<std::jthread> crew;
        for (unsigned t = 1; t < threads; ++t) crew.emplace_back(work);
        work();
        crew.clear();
        for (const Candidate& c : list) trials_ += with_error ? std::min(samples, c.samples) : 1;
    }

    /// Keeps the best `keep` and looks at them `samples` times.
    std::vector<Candidate> sieve(std::vector<Candidate> list, std::size_t keep, int samples) {
        std::stable_sort(list.begin(), list.end(), better);
        if (list.size() > keep) list.resize(keep);
        while (list.size() > 1 &&
               static_cast<int>(list.size()) * samples > std::max(trials_left(), 12 * samples))
            list.pop_back();
        evaluate(list, samples, true);
        return list;
    }

    std::vector<Candidate> first_sieve() {
        std::vector<Candidate> list;
        for (Point from : places_) {
            std::vector<double> aims = direct_aims(from);
            const double ahead = std::atan2(-line_.outward.y, -line_.outward.x);
            for (int k = 0; k < kFan; ++k)
                aims.push_back(ahead + kFanHalf_rad * (2.0 * (k + 0.5) / kFan - 1));
            for (double angle : aims)
                for (int f = 0; f < kForces; ++f)
                    list.push_back({from, angle, force(f / (kForces - 1.0)), 0, 0, 0, 0});
        }
        // Too many for the trials: leave out evenly, by a stride that hits every placement and
        // force.
        const std::size_t most = static_cast<std::size_t>(std::max(200, options_.trials / 2));
        if (list.size() > most) {
            std::vector<Candidate> fewer;
            for (std::size_t k = 0; k < most; ++k) fewer.push_back(list[k * list.size() / most]);
            list = std::move(fewer);
        }
        evaluate(list, 1, false);
        tried_ = list;
        std::erase_if(list, [](const Candidate& c) { return c.sum <= 0; });
        // Many neighbours score alike: deal them out so that those first in the list come from all
        // over it.
        std::vector<std::pair<double, Candidate>> dealt;
        for (std::size_t k = 0; k < list.size(); ++k)
            dealt.push_back({halton(static_cast<int>(k) + 1, 2), list[k]});
        std::stable_sort(dealt.begin(), dealt.end(), [](const auto& x, const auto& y) {
            return x.second.sum != y.second.sum ? x.second.sum > y.second.sum : x.first < y.first;
        });
        for (std::size_t k = 0; k < list.size(); ++k) {
            list[k] = dealt[k].second;
            list[k].sum = list[k].scored = list[k].samples = list[k].opened =
                0;  // luck without error does not count
        }
        return list;
    }

    [[nodiscard]] double force(double share) const {
        return options_.slowest_mm_s *
               std::pow(options_.fastest_mm_s / options_.slowest_mm_s, share);
    }

    /// Directions that send a disc straight to a pocket.
    [[nodiscard]] std::vector<double> direct_aims(Point from) const {
        std::vector<double> aims;
        for (const Disc& d : discs_) {
            if (d.type == "striker") continue;
            for (const Hole& hole : board_.pockets) {
                Point way = hole.centre - d.at;
                way = way * (1 / std::max(1e-9, length(way)));
                const Point contact = d.at - way * ((board_.striker_diameter_mm +
                                                     board_.disc_diameter_mm) /
                                                    2);
                const Point aim = contact - from;
                if (dot(aim, way) > kSteepestCut * length(aim))
                    aims.push_back(std::atan2(aim.y, aim.x));
            }
        }
        return aims;
    }

    /// Finer aims and other forces beside the best so far.
    [[nodiscard]] std::vector<Candidate> neighbours(const std::vector<Candidate>& pool,
                                                    int round) const {
        std::vector<Candidate> list;
        const double shrink = std::pow(0.7, round);
        for (std::size_t k = 0; k < std::min<std::size_t>(pool.size(), 10); ++k)
            for (const auto& [turn, force] : {std::pair{0.8, 0.0},
                                              {-0.8, 0.0},
                                              {0.0, 0.18},
                                              {0.0, -0.15},
                                              {0.4, 0.1},
                                              {-0.4, -0.1}}) {
                Candidate c{pool[k].from,
                            pool[k].angle + turn * shrink * M_PI / 180,
                            pool[k].speed * (1 + force * shrink),
                            0,
                            0,
                            0,
                            0};
                c.speed = std::clamp(c.speed, options_.slowest_mm_s, options_.fastest_mm_s);
                list.push_back(c);
            }
        return list;
    }

    /// The best that differ: not the same aim from nearly the same place again.
    [[nodiscard]] std::vector<Suggestion> chosen(const std::vector<Candidate>& pool) const {
        std::vector<Candidate> kept;
        for (const Candidate& c : pool) {
            const bool alike = std::any_of(kept.begin(), kept.end(), [&](const Candidate& k) {
                return distance(k.from, c.from) < board_.striker_diameter_mm &&
                       std::abs(wrapped(k.angle - c.angle)) < 3 * M_PI / 180;
            });
            if (alike) continue;
            kept.push_back(c);
            if (static_cast<int>(kept.size()) == options_.count) break;
        }
        std::vector<Suggestion> list;
        for (const Candidate& c : kept) list.push_back(told(c));
        return list;
    }

    [[nodiscard]] Suggestion told(const Candidate& c) const {
        Suggestion s;
        s.strike = {c.from, rotated({c.speed, 0}, c.angle), 0, 0};
        s.expected = c.mean();
        s.success = static_cast<double>(c.scored) / std::max(1, c.samples);
        s.opens = c.opening();
        s.samples = c.samples;
        ExactWorld world = struck(c, {0, 0});
        Trace trace;
        world.run(&trace);
        const int striker = world.size() - 1;
        s.first_contact = world.position(striker);
        for (const Impact& i : trace.impacts) {
            if (i.kind == Impact::Kind::pocket)
                s.falls.push_back({discs_[std::size_t(i.a)].id, discs_[std::size_t(i.a)].type,
                                   board_.pockets[std::size_t(i.b)].name, i.t});
            if (i.kind == Impact::Kind::disc && !s.target && (i.a == striker || i.b == striker)) {
                s.target = discs_[std::size_t(i.a == striker ? i.b : i.a)].id;
                for (const Leg& leg : trace.legs[std::size_t(striker)])
                    if (leg.t <= i.t) s.first_contact = leg.at;
            }
        }
        return s;
    }

    const Board& board_;
    const ShootingLine& line_;
    const Worth& worth_;
    const SearchOptions& options_;
    ExactWorld world_;
    Clock::time_point end_;
    std::vector<Point> places_;
    std::vector<Disc> discs_;
    std::vector<Candidate> tried_;  // in the first sieve
    int trials_ = 0;
};

}  // namespace

std::vector<Point> placements(const Position& position, const Board& board,
                              const ShootingLine& line, bool open_line, int most) {
    const Point middle = (line.circles[0] + line.circles[1]) * 0.5;
    const double half = distance(line.circles[0], line.circles[1]) / 2;
    std::vector<Point> found;
    const auto free = [&](Point at) {
        return std::none_of(position.discs.begin(), position.discs.end(), [&](const Disc& d) {
            return distance(d.at, at) <
                   (board.striker_diameter_mm + board.diameter_of(d.type)) / 2 + 0.2;
        });
    };
    const int steps = 8 * most;
    for (int k = 0; k <= steps; ++k) {
        const Point at = middle + line.along * (half * (2.0 * k / steps - 1));
        if (striker_may_stand(board, line, at, open_line) && free(at)) found.push_back(at);
    }
    if (static_cast<int>(found.size()) <= most) return found;
    std::vector<Point> spread;
    for (int k = 0; k < most; ++k)
        spread.push_back(found[static_cast<std::size_t>(k) * (found.size() - 1) /
                               static_cast<std::size_t>(most - 1)]);
    return spread;
}

std::vector<Suggestion> search(const Position& position, const Board& board,
                               const ShootingLine& line, const Worth& worth,
                               const Parameters& parameters, const SearchOptions& options) {
    return Search(position, board, line, worth, parameters, options).run();
}

}  // namespace overboard::physics
