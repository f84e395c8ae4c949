#include "rules/carrom/carrom.hpp"
#include "rules/fields.hpp"

// Two ways to see a shot. The good one: vision watched the stroke and says what fell and what flew
// (read_shot). The poor one: the table lies still again and discs are missing (read); then they are
// taken for pocketed, because a camera that saw no stroke cannot tell a pocket from a pocketing hand.
namespace overboard::rules::carrom {
namespace {

/// In a tower discs hide discs: where several rested on one place, one seen there answers for all.
constexpr double kStack_mm = 8;
/// More discs missing at the start of a round than this: they are still being set up.
constexpr int kMostAtOnce = 4;

Reading attention(Ruling ruling) {
    Reading r;
    r.attention = std::move(ruling);
    return r;
}

Reading as_move(const State& s, Move m, double confidence) {
    if (const Ruling ruling = Carrom::judge(s, s.turn, m); !ruling.legal()) return attention(ruling);
    Reading r;
    r.choices = {{{{s.turn, std::move(m)}}, confidence}};
    return r;
}

Json rest_json(const std::vector<Disc>& discs) {
    Json all = Json::array();
    const auto tenth = [](double mm) { return std::round(mm * 10) / 10; };
    for (const Disc& d : discs)
        if (d.type != "striker") all.push_back({{"type", d.type}, {"x", tenth(d.at.x)}, {"y", tenth(d.at.y)}});
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
    return static_cast<int>(std::count_if(discs.begin(), discs.end(), [&](const Disc& d) { return d.type == type; }));
}

/// Discs that cannot be seen because another of the same stack can.
int hidden(const State& s, const Seen& seen, const std::string& type) {
    if (!s.tower) return 0;
    int covered = 0;
    std::vector<Point> stacks;
    for (const Disc& d : s.rest) {
        const auto here = [&](const Disc& other) { return distance(d.at, other.at) <= kStack_mm; };
        const auto here_too = [&](const Disc& other) { return other.type == type && here(other); };
        if (std::any_of(stacks.begin(), stacks.end(), [&](Point p) { return distance(p, d.at) <= kStack_mm; })) continue;
        if (std::count_if(s.rest.begin(), s.rest.end(), here) < 2) continue;
        stacks.push_back(d.at);
        if (std::none_of(seen.discs.begin(), seen.discs.end(), here)) continue;
        const auto stood = std::count_if(s.rest.begin(), s.rest.end(), here_too);
        const auto stands = std::count_if(seen.discs.begin(), seen.discs.end(), here_too);
        covered += static_cast<int>(std::max<long>(0, stood - stands));
    }
    return covered;
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
        const Point from{track.points.front().x, track.points.front().y}, to{track.points.back().x, track.points.back().y};
        auto best = rest.end();
        for (auto d = rest.begin(); d != rest.end(); ++d)
            if (d->type == track.type && (best == rest.end() || distance(d->at, from) < distance(best->at, from))) best = d;
        if (best == rest.end()) continue;
        if (is_gone(track.id)) rest.erase(best);
        else best->at = to;
    }
    return rest;
}

Json counted(const std::vector<Fallen>& fallen) {
    std::map<std::string, int> types;
    for (const Fallen& f : fallen) ++types[f.type];
    Json json = Json::object();
    for (const auto& [type, n] : types)
        json[type] = type == "queen" || type == "striker" ? (n == 1 ? Json(true) : Json(n)) : Json(n);
    return json;
}

}  // namespace

Reading Carrom::read(const State& s, const Observation& observation) {
    if (s.finished || s.free) return {};
    const Seen seen = discs_on(s, observation);
    const int queens = s.queen == Queen::on_board && !s.rows ? 1 : 0;
    const int blue = s.blue_left - number_of(seen.discs, "blue") - hidden(s, seen, "blue");
    const int queen = queens - number_of(seen.discs, "queen") - hidden(s, seen, "queen");
    if (blue < 0 || queen < 0)
        return attention(refused("CARROM-COUNT", "carrom.disc_too_many", {{"piece", blue < 0 ? "blue" : "queen"}}));
    if (blue == 0 && queen == 0) return {};
    if (s.shots_in_round == 0 && blue > kMostAtOnce)
        return attention(refused("CARROM-1", "carrom.set_up", {{"missing", blue + queen}}));
    Move m{{"type", "shot"}, {"pocketed", {{"blue", blue}, {"queen", queen > 0}}}, {"rest", rest_json(seen.discs)}};
    return as_move(s, std::move(m), seen.confidence);
}

Reading Carrom::read_shot(const State& s, const overboard::Shot& shot) {
    if (s.finished) return {};
    Move m{{"type", "shot"}, {"pocketed", counted(shot.pocketed)}, {"ejected", counted(shot.ejected)}};
    if (!shot.shot_id.empty()) m["shot_id"] = shot.shot_id;
    if (shot.striker_from) m["striker"] = point_json(*shot.striker_from);
    m["rest"] = rest_json(rest_after(s, shot));
    return as_move(s, std::move(m), shot.confidence.value_or(1));
}

bool Carrom::visible(const State& s, const PlayerMove& m) {
    const auto shot = shot_from(m.move);
    if (!shot || s.free || shot->ejected.any() || shot->pocketed.striker) return false;
    if (text_field(m.move, "type") != "shot" || (shot->pocketed.blue == 0 && !shot->pocketed.queen)) return false;
    // Stacked discs hide each other, and the last disc of a round brings all of them back.
    return !s.tower && shot->pocketed.blue < s.blue_left && (s.shots_in_round > 0 || shot->pocketed.blue <= kMostAtOnce);
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
