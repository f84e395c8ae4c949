#include "rules/race/race.hpp"

// The one thing to see is the die. It was rolled when it shows something new or lies elsewhere; a
// die without a value is cocked, and people are asked to roll again.
namespace overboard::rules::race {
namespace {

constexpr double kRolledMm = 12;  // nearer than this and showing the same: only nudged
const Point kTray{600, 337};

/// Where the die comes to lie: each roll elsewhere, so that the same value twice is still a roll.
Point resting_place(const State& s) {
    return {kTray.x + 40.0 * (s.rolls % 5) - 80, kTray.y + 30.0 * (s.rolls % 3)};
}

}  // namespace

Observation Race::scene_of(const State& s) {
    Observation scene;
    scene.still = true;
    if (!s.die) return scene;
    Piece die;
    die.id = 1;
    die.kind = PieceKind::die;
    die.value = s.die;
    const Point place = s.die_at.value_or(resting_place(s));
    die.x = place.x;
    die.y = place.y;
    scene.pieces = {die};
    return scene;
}

Reading Race::read(const State& s, const Observation& seen) {
    Reading reading;
    if (s.winner >= 0) return reading;
    for (const Piece& p : seen.pieces) {
        if (p.kind != PieceKind::die) continue;
        const Point place{p.x, p.y};
        if (!p.value) {
            reading.attention = refused("RACE-2", "race.cocked", {}, place);
            return reading;
        }
        const Observation before = scene_of(s);
        const bool same = !before.pieces.empty() && before.pieces[0].value == p.value &&
                          distance(place, {before.pieces[0].x, before.pieces[0].y}) < kRolledMm;
        if (same) continue;
        reading.choices.push_back(
            {{{s.turn, {{"type", "roll"}, {"value", *p.value}, {"at", {place.x, place.y}}}}},
             p.confidence});
        return reading;
    }
    return reading;
}

bool Race::visible(const State&, const PlayerMove&) {
    return true;
}

}  // namespace overboard::rules::race
