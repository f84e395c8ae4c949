// Simulated strokes through the real vision, without rules: what fell where against what really
// fell, and whether every disc kept its id.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <opencv2/imgcodecs.hpp>

#include "app/bench.hpp"
#include "app/house.hpp"
#include "app/rig.hpp"
#include "bus/codec.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace {

struct StrokeTally {
    int strokes = 0, right = 0, missed = 0, imagined = 0;
    int fell = 0, fell_right = 0;       // discs
    int covered = 0, covered_kept = 0;  // discs that lay still, out of sight for up to 3 s
    int rests = 0, kept = 0;            // discs from one still table to the next
    int still = 0,
        still_right = 0;  // still tables, and those with every disc seen and none imagined
};

std::string list_of(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return fmt::format("[{}]", fmt::join(names, ", "));
}

// Follows one match: the film's discs by their true ids beside the ids vision gave them.
class Checker {
public:
    Checker(const Catalogue& catalogue, StrokeTally& tally,
            std::function<void(const std::string&, const RigFrame&)> say)
        : catalogue_{catalogue}, tally_{tally}, say_{std::move(say)} {}

    void add(const RigFrame& f) {
        for (const Piece& p : f.truth.pieces) last_[p.id] = p;
        for (const Shot& s : f.shots) seen_.push_back(s);
        note_unseen(f);
        if (f.seen.still && f.truth.still) compare_still(f);
        for (const auto& move : f.moves)
            if (move.mistake.empty()) stroke_over(f, move);
    }

    /// Strokes told wrong since last asked, as JSON.
    std::vector<std::string> take_wrong() { return std::exchange(shots_, {}); }

private:
    struct Eyed {
        int id = 0;           // vision's
        Point at;             // truly
        double unseen_s = 0;  // the longest it was out of sight since the last rest
    };

    [[nodiscard]] std::string pocket_of(const Piece& p) const {
        const Point at = local_to(catalogue_.board->at, {p.x, p.y});
        for (const Hole& h : catalogue_.board->holes)
            if (distance(h.centre, at) < h.diameter_mm) return h.name;
        return "";
    }

    void note_unseen(const RigFrame& f) {
        for (auto& [truth, eyed] : ids_)
            for (const Piece& p : f.seen.pieces)
                if (p.id == eyed.id) eyed.unseen_s = std::max(eyed.unseen_s, f.seen.time - p.seen);
    }

    void compare_still(const RigFrame& f) {
        std::map<int, Eyed> now;
        for (const Piece& t : f.truth.pieces)
            for (const Piece& p : f.seen.pieces)
                if (p.type == t.type && distance({p.x, p.y}, {t.x, t.y}) < 5)
                    now[t.id] = {p.id, {t.x, t.y}, 0};
        ++tally_.still;
        const bool all = now.size() == f.truth.pieces.size() && f.seen.pieces.size() == now.size();
        tally_.still_right += all;
        if (!all && said_still_ < f.time_s - 1) {
            said_still_ = f.time_s;
            say_(fmt::format("{:.2f} still table: {} lie there, {} seen, {} right", f.time_s,
                             f.truth.pieces.size(), f.seen.pieces.size(), now.size()),
                 f);
        }
        for (const auto& [truth, eyed] : now) {
            const auto before = ids_.find(truth);
            if (before == ids_.end()) continue;
            const bool same = before->second.id == eyed.id;
            ++tally_.rests;
            tally_.kept += same;
            if (!same) say_(fmt::format("{:.2f} {} lost its id", f.time_s, last_[truth].type), f);
            const bool lay = distance(before->second.at, eyed.at) < 1;
            if (!lay || before->second.unseen_s < 0.05 || before->second.unseen_s > 3) continue;
            ++tally_.covered;
            tally_.covered_kept += same;
        }
        ids_ = std::move(now);
    }

    /// True places of what is not on the board any more.
    std::vector<std::string> fallen(const RigFrame& f) {
        std::vector<std::string> names;
        for (auto it = last_.begin(); it != last_.end();) {
            const bool lies = std::any_of(f.truth.pieces.begin(), f.truth.pieces.end(),
                                          [&](const Piece& p) { return p.id == it->first; });
            if (!lies) {
                const std::string pocket = pocket_of(it->second);
                if (!pocket.empty()) names.push_back(it->second.type + " " + pocket);
            }
            it = lies ? std::next(it) : last_.erase(it);
        }
        return names;
    }

    void stroke_over(const RigFrame& f, const simulator::TruthMove& move) {
        ++tally_.strokes;
        std::vector<std::string> truth = fallen(f);
        // Its owner may have taken it up from beside a pocket.
        if (!move.move.move.value("pocketed", Json::object()).contains("striker"))
            std::erase_if(truth,
                          [](const std::string& name) { return name.starts_with("striker"); });
        tally_.fell += int(truth.size());
        std::vector<std::string> told;
        if (!seen_.empty())
            for (const Fallen& fell : seen_.back().pocketed)
                told.push_back(fell.type + " " + fell.pocket);
        const bool same = list_of(truth) == list_of(told);
        if (seen_.empty())
            ++tally_.missed;
        else {
            tally_.imagined += int(seen_.size()) - 1;
            tally_.right += same;
            for (const std::string& t : told)
                tally_.fell_right += std::count(truth.begin(), truth.end(), t) > 0;
        }
        if (!same || seen_.size() != 1) {
            std::string out;
            if (!seen_.empty())
                for (const Fallen& e : seen_.back().ejected) out += " " + e.type;
            say_(fmt::format("{:.2f} {} strokes seen; fell {}, seen to fall {}, ejected [{}]",
                             f.time_s, seen_.size(), list_of(truth), list_of(told), out),
                 f);
            for (const Shot& s : seen_) shots_.push_back(encode(s));
        }
        seen_.clear();
    }

    const Catalogue& catalogue_;
    StrokeTally& tally_;
    std::function<void(const std::string&, const RigFrame&)> say_;
    std::map<int, Piece> last_;  // by true id
    std::map<int, Eyed> ids_;    // by true id, at the last still table
    std::vector<Shot> seen_;
    std::vector<std::string> shots_;  // those told wrong, as JSON
    double said_still_ = -10;
};

double percent(int part, int of) {
    return of ? 100.0 * part / of : 100;
}

}  // namespace

void bench_shots(const PlayBenchOptions& o, int strokes) {
    const rules::Game& game = *rules::find_game("carrom");
    StrokeTally tally;
    for (std::uint64_t seed = o.seed; tally.strokes < strokes; ++seed) {
        RigOptions rig_options;
        rig_options.light = o.light;
        rig_options.seed = rig_options.script.seed = seed;
        rig_options.script.pace = 3;
        rig_options.script.clutter = int(seed % 3);
        Rig rig(game, usual_setup(game, 2, o.variant), rig_options);
        Checker checker(rig.catalogue(), tally, [&](const std::string& line, const RigFrame& f) {
            fmt::print(stderr, "seed {}: {}\n", seed, line);
            if (!o.pictures.empty())
                cv::imwrite(fmt::format("{}/shots-{}-{:07.2f}.png", o.pictures, seed, f.time_s),
                            f.picture);
        });
        const int enough = std::min(strokes, tally.strokes + 10);
        for (bool over = false; !over && tally.strokes < enough;) {
            const RigFrame frame = rig.next();
            checker.add(frame);
            for (const std::string& shot : checker.take_wrong())
                if (o.verbose) fmt::print(stderr, "{}\n", shot);
            over = frame.finished || frame.time_s > o.most_s;
        }
    }
    fmt::print(
        "| strokes | all that fell right | not seen | imagined | discs fallen | right | still "
        "tables right | ids kept | ids kept at rest, out of sight up to 3 s |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
        "| {} | {} | {} | {} | {} | {} | {:.2f} % of {} | {:.2f} % of {} | {:.2f} % of {} |\n",
        tally.strokes, tally.right, tally.missed, tally.imagined, tally.fell, tally.fell_right,
        percent(tally.still_right, tally.still), tally.still, percent(tally.kept, tally.rests),
        tally.rests, percent(tally.covered_kept, tally.covered), tally.covered);
}

}  // namespace overboard::app
