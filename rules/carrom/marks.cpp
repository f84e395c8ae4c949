#include "rules/carrom/carrom.hpp"
#include "rules/fields.hpp"

namespace overboard::rules::carrom {
namespace {

/// The band between the shooter's two lines, circles included.
Mark shooting_zone(const State& s, const physics::ShootingLine& line) {
    const Point reach = line.along * (line.circle_diameter_mm / 2);
    const double left = dot(line.along, line.near[0]) <= dot(line.along, line.near[1]) ? -1 : 1;
    Mark zone;
    zone.kind = MarkKind::polygon;
    zone.style = MarkStyle::zone;
    for (const Point corner : {line.far[0] + reach * left, line.far[1] - reach * left,
                               line.near[1] - reach * left, line.near[0] + reach * left})
        zone.points.push_back(place(s.board_at, corner));
    zone.at = (zone.points[0] + zone.points[2]) * 0.5;
    zone.seat = line.seat;
    return zone;
}

Mark queen_badge(const State& s) {
    Mark badge;
    badge.kind = MarkKind::badge;
    badge.style = MarkStyle::warning;
    badge.at = {s.board_at.x, s.board_at.y - s.board->height_mm / 2 - s.board->frame_mm - 18};
    badge.key = "carrom.confirm_the_queen";
    badge.args = {{"player", s.names[static_cast<std::size_t>(s.turn)]}};
    badge.seat = s.seats[static_cast<std::size_t>(s.turn)];
    return badge;
}

}  // namespace

std::vector<Mark> Carrom::marks(const State& s) {
    const int turn = s.finished ? (s.winners.empty() ? -1 : s.winners.front()) : s.turn;
    std::vector<Mark> marks = score_marks({}, s.names, s.seats, s.scores, turn);
    if (s.finished || s.free) return marks;
    if (const auto* line = s.board->line_of(s.seats[static_cast<std::size_t>(s.turn)]))
        marks.push_back(shooting_zone(s, *line));
    if (s.queen == Queen::to_confirm) marks.push_back(queen_badge(s));
    return marks;
}

Catalogue Carrom::catalogue(const Setup& setup) {
    Catalogue c;
    const auto first = start(setup);
    const physics::Board& board = first ? *first->board : physics::load_board("to-go");
    c.discs = board.discs;
    c.board = physics::kind_of(board);
    return c;
}

}  // namespace overboard::rules::carrom
