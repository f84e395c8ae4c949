#include "bus/data.hpp"
#include "rules/fields.hpp"
#include "rules/gayplay/gayplay.hpp"

namespace overboard::rules::gayplay {
namespace {

constexpr double kSquare_mm = 28;
constexpr double kCardWidth_mm = 40, kCardHeight_mm = 56;

Mark shop_zone(const State& s, int shop) {
    const auto& places = s.board->places[static_cast<std::size_t>(shop - 1)];
    Point low = places[0], high = places[0];
    for (const Point p : places) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    const double dx = kCardWidth_mm / 2 + 4, dy = kCardHeight_mm / 2 + 4;
    Mark zone;
    zone.kind = MarkKind::polygon;
    zone.style = MarkStyle::zone;
    zone.at = (low + high) * 0.5;
    zone.points = {{low.x - dx, low.y - dy},
                   {high.x + dx, low.y - dy},
                   {high.x + dx, high.y + dy},
                   {low.x - dx, high.y + dy}};
    zone.key = s.searching ? "gayplay.peeking" : "";
    return zone;
}

Mark way_to_go(const State& s, const Figure& f) {
    Mark arrow;
    arrow.kind = MarkKind::arrow;
    arrow.at = s.board->squares[static_cast<std::size_t>(f.was)].at;
    arrow.points = {s.board->squares[static_cast<std::size_t>(f.square)].at};
    return arrow;
}

void print_square(BoardKind& board, const Square& square) {
    const Point c = square.at - Point{board.at.x, board.at.y};
    const double h = kSquare_mm / 2;
    const Rgb ink{70, 60, 40};
    board.lines.push_back({c + Point{-h, -h}, c + Point{h, -h}, 1, ink});
    board.lines.push_back({c + Point{h, -h}, c + Point{h, h}, 1, ink});
    board.lines.push_back({c + Point{h, h}, c + Point{-h, h}, 1, ink});
    board.lines.push_back({c + Point{-h, h}, c + Point{-h, -h}, 1, ink});
    if (square.kind == Kind::red) board.circles.push_back({c, 10, 0, {200, 40, 40}});
}

}  // namespace

std::vector<Mark> Gayplay::marks(const State& s) {
    std::vector<std::string> names, seats;
    std::vector<int> scores;
    for (const Figure& f : s.figures) {
        names.push_back(f.name);
        seats.push_back(f.seat);
        scores.push_back(static_cast<int>(f.bought.size()));
    }
    std::vector<Mark> marks = score_marks({}, names, seats, scores,
                                          s.winner >= 0 ? s.winner : s.turn);
    for (const Figure& f : s.figures)
        if (f.was != f.square) marks.push_back(way_to_go(s, f));
    const Figure& f = s.figures[static_cast<std::size_t>(s.turn)];
    if (s.winner < 0 && f.status == Status::in_shop)
        marks.push_back(shop_zone(s, needed_shop(s, f)));
    return marks;
}

Catalogue Gayplay::catalogue(const Setup& setup) {
    Catalogue c;
    c.palette = {{"red", {200, 40, 40}},     {"blue", {40, 80, 190}},
                 {"green", {40, 140, 60}},   {"yellow", {235, 200, 40}},
                 {"white", {240, 240, 235}}, {"purple", {120, 60, 150}}};
    c.dice = {{16, 1}};
    // Places and backs only: vision is never told what a face looks like, so it cannot tell.
    c.cards = {{"gayplay", kCardWidth_mm, kCardHeight_mm, 0.5, 3, {}, true, false}};
    RoundKind figure{14, 30, {}};
    // Only those in play: print has colours, too.
    for (std::size_t i = 0; i < setup.players.size(); ++i)
        figure.colours.push_back(colour_of(setup, i));
    if (figure.colours.empty())
        for (const auto& colour : c.palette) figure.colours.push_back(colour.name);
    c.pawns = {figure};
    BoardKind board;
    board.name = "gayplay";
    board.width_mm = 980;
    board.height_mm = 520;
    board.surface = {226, 222, 190};
    if (const auto town = board_from(setup.options))
        for (const Square& square : (*town)->squares) print_square(board, square);
    c.board = board;
    return c;
}

}  // namespace overboard::rules::gayplay
