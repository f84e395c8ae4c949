// The shots most likely to score, found by simulating them with the errors of a hand
// (physics/search). What is expected of a shot is its own points; the queen counts two, halved
// while she must still be confirmed.
#include "physics/search.hpp"
#include "rules/carrom/carrom.hpp"

namespace overboard::rules::carrom {
namespace {

constexpr double kConfirmChance = 0.5;  // of the shot that must follow the queen
constexpr int kQueenPoints = 2;         // CARROM-10

double worth_of(const State& s, const physics::Falls& f) {
    if (s.rows || s.free) return f.discs + (s.free && f.queen ? 1 : 0);
    double points = f.discs;
    if (s.queen == Queen::to_confirm && f.discs > 0) points += kQueenPoints;
    const bool blue_remains = f.discs < s.blue_left;  // CARROM-R5
    if (s.queen == Queen::on_board && f.queen && blue_remains)
        points += kQueenPoints * kConfirmChance;
    return points;
}

/// The tower as it stands: several discs at one place.
bool stacked(const std::vector<Disc>& discs, double diameter) {
    for (std::size_t i = 0; i < discs.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (distance(discs[i].at, discs[k].at) < diameter / 2) return true;
    return false;
}

physics::Position position_of(const std::vector<Disc>& discs) {
    physics::Position position;
    for (const Disc& d : discs)
        if (d.type != "striker")
            position.discs.push_back(
                {static_cast<int>(position.discs.size()) + 1, d.type, d.at, 0});
    return position;
}

Mark arrow(const State& s, Point from, Point to) {
    Mark mark;
    mark.kind = MarkKind::arrow;
    mark.style = MarkStyle::hint;
    mark.at = place(s.board_at, from);
    mark.points = {place(s.board_at, to)};
    return mark;
}

Mark ghost(const State& s, Point at, double diameter_mm) {
    Mark mark;
    mark.kind = MarkKind::ghost;
    mark.style = MarkStyle::hint;
    mark.at = place(s.board_at, at);
    mark.radius = diameter_mm / 2;
    return mark;
}

/// Where to put the striker, where it will meet its disc, and the pockets things will fall into.
std::vector<Mark> marks_of(const State& s, const physics::Suggestion& hint,
                           const physics::Position& position) {
    std::vector<Mark> marks = {ghost(s, hint.strike.from, s.board->striker_diameter_mm),
                               arrow(s, hint.strike.from, hint.first_contact),
                               ghost(s, hint.first_contact, s.board->striker_diameter_mm)};
    for (const Fallen& fall : hint.falls)
        for (const Hole& hole : s.board->pockets) {
            if (hole.name != fall.pocket || fall.type == "striker") continue;
            Mark pocket;
            pocket.kind = MarkKind::circle;
            pocket.style = MarkStyle::hint;
            pocket.at = place(s.board_at, hole.centre);
            pocket.radius = hole.diameter_mm / 2;
            marks.push_back(pocket);
            if (fall.id == hint.target)
                marks.push_back(arrow(s, position.discs[static_cast<std::size_t>(fall.id) - 1].at,
                                      hole.centre));
        }
    return marks;
}

Hint hint_of(const State& s, const physics::Suggestion& found, const physics::Position& position,
             const physics::Hand& hand) {
    Hint hint;
    hint.move = {{"type", "place_striker"}, {"at", {found.strike.from.x, found.strike.from.y}}};
    hint.value = found.expected;
    const int percent = static_cast<int>(std::lround(found.success * 100));
    if (found.expected > 0)
        hint.message = {"carrom.hint_shot",
                        {{"percent", percent}, {"points", std::round(found.expected * 100) / 100}}};
    else
        hint.message = {"carrom.hint_open",
                        {{"discs", static_cast<int>(std::lround(found.opens))}}};
    hint.marks = marks_of(s, found, position);
    Json falls = Json::array();
    for (const Fallen& f : found.falls) falls.push_back({{"type", f.type}, {"pocket", f.pocket}});
    const Point v = found.strike.velocity_mm_s;
    hint.detail = {
        {"striker",
         {{"x", found.strike.from.x}, {"y", found.strike.from.y}, {"vx", v.x}, {"vy", v.y}}},
        {"expected_points", found.expected},
        {"opens", found.opens},
        {"success", found.success},
        {"samples", found.samples},
        {"falls", std::move(falls)},
        {"hand", {{"aim_deg", hand.aim_rad * 180 / M_PI}, {"force", hand.force}}}};
    return hint;
}

/// A standing tower cannot be foretold disc by disc: from the middle, hard, at its foot.
Hint tower_hint(const State& s, const physics::ShootingLine& line) {
    Hint hint;
    const Point from = (line.circles[0] + line.circles[1]) * 0.5;
    hint.move = {{"type", "place_striker"}, {"at", {from.x, from.y}}};
    hint.message = {"carrom.hint_tower", Json::object()};
    hint.marks = {ghost(s, from, s.board->striker_diameter_mm), arrow(s, from, {})};
    return hint;
}

}  // namespace

std::vector<Hint> Carrom::hints(const State& s, int count) {
    if (s.finished || count < 1) return {};
    const physics::ShootingLine* line = s.board->line_of(s.seats[static_cast<std::size_t>(s.turn)]);
    if (!line) return {};
    if (stacked(s.rest, s.board->disc_diameter_mm)) return {tower_hint(s, *line)};
    const physics::Position position = position_of(s.rest);
    physics::SearchOptions options;
    options.count = std::min(count, 10);
    options.open_line = s.open_line;
    std::vector<Hint> hints;
    try {
        const auto worth = [&s](const physics::Falls& f) { return worth_of(s, f); };
        for (const auto& found : physics::search(position, *s.board, *line, worth, {}, options))
            hints.push_back(hint_of(s, found, position, options.hand));
    } catch (const std::runtime_error&) {
        return {};  // what is known of the discs' places cannot be: no advice
    }
    return hints;
}

}  // namespace overboard::rules::carrom
