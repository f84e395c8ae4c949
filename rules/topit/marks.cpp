#include "bus/data.hpp"
#include "rules/fields.hpp"
#include "rules/topit/topit.hpp"

namespace overboard::rules {
namespace topit {
namespace {

constexpr double kFirstPiece_mm = 120;  // Radius of the ring that says: begin here.

Mark told(MarkStyle style, Point at, const std::string& seat, const char* key,
          Json args = Json::object()) {
    Mark mark;
    mark.kind = MarkKind::text;
    mark.style = style;
    mark.at = at;
    mark.seat = seat;
    mark.key = key;
    mark.args = std::move(args);
    return mark;
}

Point before(const std::string& seat) {
    const Table table;
    const Point edge = seat_anchor(table, seat);
    return edge + (Point{table.width_mm / 2, table.height_mm / 2} - edge) * 0.12;
}

Mark ring() {
    Mark mark;
    mark.kind = MarkKind::circle;
    mark.style = MarkStyle::zone;
    mark.at = {600, 337.5};
    mark.radius = kFirstPiece_mm;
    return mark;
}

Rgb rgb_from(const Json& json) {
    return {json.at(0), json.at(1), json.at(2)};
}

}  // namespace
}  // namespace topit

using namespace topit;

std::vector<Mark> Topit::marks(const State& state) {
    std::vector<std::string> names, seats;
    std::vector<int> scores;
    for (const Player& player : state.players) {
        names.push_back(player.name);
        seats.push_back(player.seat);
        scores.push_back(player.score);
    }
    auto marks = score_marks(Table{}, names, seats, scores, state.finished ? -1 : state.turn);
    if (state.finished) {
        for (const int winner : view(state).winners)
            marks.push_back(told(
                MarkStyle::score, before(seats[static_cast<std::size_t>(winner)]),
                seats[static_cast<std::size_t>(winner)], "topit.wins",
                {{"player", state.player(winner).name}, {"points", state.player(winner).score}}));
        return marks;
    }
    const Player& next = state.player(state.turn);
    const bool pass = view(state).actions == std::vector<std::string>{"pass"};
    marks.push_back(told(MarkStyle::hint, before(next.seat), next.seat,
                         pass ? "topit.please_pass" : "topit.your_turn", {{"player", next.name}}));
    if (state.mosaic.pieces().empty()) marks.push_back(ring());
    return marks;
}

Catalogue Topit::catalogue(const Setup& setup) {
    const Json data = load_data("rules/topit/data/pieces.json");
    const Json& own = field(setup.options, "pieces");
    const auto given = own.is_null() ? nullptr : pieces_from(own);
    const PieceSet& set = given ? *given : *default_pieces();
    Catalogue catalogue;
    std::vector<std::string> colours;
    for (const Json& colour : data.at("colours")) {
        colours.push_back(colour.at("name"));
        catalogue.palette.push_back({colours.back(), rgb_from(colour.at("rgb"))});
    }
    for (const Shape& shape : set.shapes)
        catalogue.polygons.push_back({shape.name, shape.outline, data.at("height_mm"), colours});
    catalogue.stones.push_back(
        {data.at("stone").at("diameter_mm"), data.at("stone").at("height_mm"), colours});
    return catalogue;
}

}  // namespace overboard::rules
