#include "rules/carrom/carrom.hpp"
#include "rules/fields.hpp"

// Two ways to see a shot. The good one: vision watched the stroke and says what fell and what flew
// (read_shot), and the still table afterwards says how many of each are gone. Tracks are lost in a
// break, discs at rest are not: on how many, the table is right; on pocket or edge, the stroke. The
// poor one: the table lies still again and discs are missing (read); then they are taken for
// pocketed, because a camera that saw no stroke cannot tell a pocket from a pocketing hand.
namespace overboard::rules::carrom {
namespace {

/// More discs missing at the start of a round than this: they are still being set up.
constexpr int kMostAtOnce = 4;
/// Vision is less sure: hole or edge, nobody saw. Amid stacked discs it must have seen every one
/// fall.
constexpr double kSeenToGo = 0.5, kSeenToFall = 0.9;
/// How sure we are of a stroke whose counts the still table corrected.
constexpr double kAmended = 0.8;

Reading attention(Ruling ruling) {
    Reading r;
    r.attention = std::move(ruling);
    return r;
}

Reading as_move(const State& s, Move m, double confidence) {
    if (const Ruling ruling = Carrom::judge(s, s.turn, m); !ruling.legal())
        return attention(ruling);
    Reading r;
    r.choices = {{{{s.turn, std::move(m)}}, confidence}};
    return r;
}

Json rest_json(const std::vector<Disc>& discs) {
    Json all = Json::array();
    const auto tenth = [](double mm) { return std::round(mm * 10) / 10; };
    for (const Disc& d : discs)
        if (d.type != "striker")
            all.push_back({{"type", d.type}, {"x", tenth(d.at.x)}, {"y", tenth(d.at.y)}});
    return all;
}

/// A disc whose centre is over a pocket has fallen, whether it can still be seen or not.
bool stands_on(const physics::Board& board, Point at) {
    if (std::abs(at.x) > board.width_mm / 2 || std::abs(at.y) > board.height_mm / 2) return false;
    return std::none_of(board.pockets.begin(), board.pockets.end(), [&](const Hole& pocket) {
        return distance(pocket.centre, at) < pocket.diameter_mm / 2;
    });
}

struct Seen {
    std::vector<Disc> discs;
    double confidence = 1;
};

Seen discs_on(const State& s, const Observation& seen) {
    Seen found;
    const Pose board = seen.board.value_or(s.board_at);
    for (const Piece& p : seen.pieces) {
        const Point at = local_to(board, {p.x, p.y});
        if (p.kind != PieceKind::disc || !stands_on(*s.board, at)) continue;
        found.discs.push_back({p.type, at});
        found.confidence = std::min(found.confidence, p.confidence);
    }
    return found;
}

int number_of(const std::vector<Disc>& discs, const std::string& type) {
    return static_cast<int>(
        std::count_if(discs.begin(), discs.end(), [&](const Disc& d) { return d.type == type; }));
}

/// The last rest, each disc that moved at the end of its track, what fell or flew left out.
std::vector<Disc> rest_after(const State& s, const overboard::Shot& shot) {
    std::vector<Disc> rest = s.rest;
    const auto is_gone = [&](int id) {
        const auto same = [&](const Fallen& f) { return f.id == id; };
        return std::any_of(shot.pocketed.begin(), shot.pocketed.end(), same) ||
               std::any_of(shot.ejected.begin(), shot.ejected.end(), same);
    };
    for (const Track& track : shot.tracks) {
        if (track.type == "striker" || track.points.empty()) continue;
        const Point from{track.points.front().x, track.points.front().y},
            to{track.points.back().x, track.points.back().y};
        auto best = rest.end();
        for (auto d = rest.begin(); d != rest.end(); ++d)
            if (d->type == track.type &&
                (best == rest.end() || distance(d->at, from) < distance(best->at, from)))
                best = d;
        if (best == rest.end()) continue;
        if (is_gone(track.id))
            rest.erase(best);
        else
            best->at = to;
    }
    return rest;
}

using Counts = std::map<std::string, int>;

Counts counted(const std::vector<Fallen>& fallen) {
    Counts types;
    for (const Fallen& f : fallen) ++types[f.type];
    return types;
}

Json counts_json(const Counts& types) {
    Json json = Json::object();
    for (const auto& [type, n] : types)
        if (n > 0)
            json[type] = type == "queen" || type == "striker" ? (n == 1 ? Json(true) : Json(n))
                                                              : Json(n);
    return json;
}

/// Discs of a type that are gone for certain, and how many more may be: a stack hides some.
struct Gone {
    int least = 0, most = 0;
};

int on_board(const State& s, const std::string& type) {
    if (type == "blue") return s.blue_left;
    return s.queen == Queen::on_board && !s.rows ? 1 : 0;
}

Gone gone(const State& s, const Seen& seen, const std::string& type) {
    const int unseen = on_board(s, type) - number_of(seen.discs, type);
    // Of a tower any part may have slid away in one piece: every disc in view may hide others.
    const bool hides = s.tower && unseen > 0 && !seen.discs.empty();
    return {hides ? 0 : unseen, unseen};
}

/// One type's counts, put right by the table. What the table cannot decide is nobody's to guess.
enum class Word { agrees, amended, unclear };

Word put_right(const State& s, const Gone& gone, int& pocketed, int& ejected) {
    if (gone.least < 0) return Word::unclear;
    const int told = pocketed + ejected;
    // Some are out of sight anyway: the table cannot take back what was told of the others.
    if (gone.least != gone.most && told > gone.most) return Word::unclear;
    // CARROM-R9: what left the box is put back, perhaps already.
    if (s.rows && told - ejected <= gone.most && told >= gone.least) return Word::agrees;
    if (told >= gone.least && told <= gone.most) return Word::agrees;
    if (told > gone.most) {  // they lie there in plain view
        if (pocketed > 0 && ejected > 0) return Word::unclear;
        (pocketed > 0 ? pocketed : ejected) = gone.most;
        return Word::amended;
    }
    return Word::unclear;  // more are gone than were seen to go
}

/// Discs as the still table shows them; those a tower hides stand where they were known to stand
/// last.
std::vector<Disc> rest_on(const State& s, const Seen& seen,
                          const std::map<std::string, int>& lost) {
    std::vector<Disc> rest = seen.discs;
    for (const char* type : {"blue", "queen"}) {
        int more = on_board(s, type) - number_of(seen.discs, type) -
                   (lost.contains(type) ? lost.at(type) : 0);
        for (auto d = s.rest.rbegin(); d != s.rest.rend() && more > 0; ++d)
            if (d->type == type) rest.push_back(*d), --more;
    }
    return rest;
}

}  // namespace

Reading Carrom::read(const State& s, const Observation& observation) {
    if (s.finished || s.free) return {};
    const Seen seen = discs_on(s, observation);
    const int blue = gone(s, seen, "blue").least, queen = gone(s, seen, "queen").least;
    if (blue < 0 || queen < 0)
        return attention(refused("CARROM-COUNT", "carrom.disc_too_many",
                                 {{"piece", blue < 0 ? "blue" : "queen"}}));
    if (blue == 0 && queen == 0) return {};
    if (s.shots_in_round == 0 && blue > kMostAtOnce)
        return attention(refused("CARROM-1", "carrom.set_up", {{"missing", blue + queen}}));
    Move m{{"type", "shot"},
           {"pocketed", {{"blue", blue}, {"queen", queen > 0}}},
           {"rest", rest_json(seen.discs)}};
    return as_move(s, std::move(m), seen.confidence);
}

Reading Carrom::read_shot(const State& s, const overboard::Shot& shot, const Observation* after) {
    if (s.finished) return {};
    Counts pocketed = counted(shot.pocketed), ejected = counted(shot.ejected);
    std::vector<Disc> rest = rest_after(s, shot);
    double confidence = shot.confidence.value_or(1);
    const bool any_gone = !shot.pocketed.empty() || !shot.ejected.empty();
    // Seen by a camera, with no still table after it: stacks hide what a later one could tell of
    // this stroke.
    const bool unchecked = s.tower && !after && shot.confidence;
    if (any_gone && (unchecked || confidence < kSeenToGo))
        return attention(refused("UNSEEN", "rules.unclear_stroke"));
    if (after && !s.free) {
        const Seen seen = discs_on(s, *after);
        const bool hides = s.tower &&
                           (gone(s, seen, "blue").most > 0 || gone(s, seen, "queen").most > 0);
        if (hides && confidence < kSeenToFall)
            return attention(refused("UNSEEN", "rules.unclear_stroke"));
        for (const char* type : {"blue", "queen"}) {
            const Word word = put_right(s, gone(s, seen, type), pocketed[type], ejected[type]);
            if (word == Word::unclear) return attention(refused("UNSEEN", "rules.unclear_stroke"));
            if (word == Word::amended) confidence = std::min(confidence, kAmended);
        }
        Counts lost = pocketed;
        for (const auto& [type, n] : ejected) lost[type] += n;
        rest = rest_on(s, seen, lost);
    }
    Move m{
        {"type", "shot"}, {"pocketed", counts_json(pocketed)}, {"ejected", counts_json(ejected)}};
    if (!shot.shot_id.empty()) m["shot_id"] = shot.shot_id;
    if (shot.striker_from) m["striker"] = point_json(*shot.striker_from);
    m["rest"] = rest_json(rest);
    return as_move(s, std::move(m), confidence);
}

bool Carrom::visible(const State& s, const PlayerMove& m) {
    const auto shot = shot_from(m.move);
    if (!shot || s.free || shot->ejected.any() || shot->pocketed.striker) return false;
    if (text_field(m.move, "type") != "shot" || (shot->pocketed.blue == 0 && !shot->pocketed.queen))
        return false;
    // Stacked discs hide each other, and the last disc of a round brings all of them back.
    return !s.tower && shot->pocketed.blue < s.blue_left &&
           (s.shots_in_round > 0 || shot->pocketed.blue <= kMostAtOnce);
}

Observation Carrom::scene_of(const State& s) {
    Observation scene;
    scene.source = "scene";
    scene.still = true;
    scene.board = s.board_at;
    for (const Disc& d : s.rest) {
        Piece p;
        p.id = static_cast<int>(scene.pieces.size()) + 1;
        p.kind = PieceKind::disc;
        p.type = d.type;
        const Point at = place(s.board_at, d.at);
        p.x = at.x;
        p.y = at.y;
        scene.pieces.push_back(p);
    }
    return scene;
}

}  // namespace overboard::rules::carrom
