#include "rules/fields.hpp"

#include <cmath>
#include <limits>
#include <map>

namespace overboard::rules {

const Json& field(const Json& object, const char* key) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

std::optional<std::string> text_field(const Json& object, const char* key) {
    const Json& value = field(object, key);
    if (!value.is_string()) return {};
    return value.get<std::string>();
}

std::optional<double> number_field(const Json& object, const char* key) {
    const Json& value = field(object, key);
    if (!value.is_number()) return {};
    const double number = value.get<double>();
    if (!std::isfinite(number)) return {};
    return number;
}

std::optional<int> int_field(const Json& object, const char* key) {
    const auto number = number_field(object, key);
    if (!number || *number != std::floor(*number) ||
        std::abs(*number) > std::numeric_limits<int>::max())
        return {};
    return static_cast<int>(*number);
}

std::optional<bool> bool_field(const Json& object, const char* key) {
    const Json& value = field(object, key);
    if (!value.is_boolean()) return {};
    return value.get<bool>();
}

std::optional<Point> point_field(const Json& object, const char* key) {
    const Json& value = field(object, key);
    if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number())
        return {};
    const Point p{value[0].get<double>(), value[1].get<double>()};
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) return {};
    return p;
}

Json point_json(Point p) {
    return Json::array({p.x, p.y});
}

Ruling not_a_move(std::string key, Json args) {
    return refused("MOVE", std::move(key), std::move(args));
}

Ruling not_your_turn(const std::string& whose) {
    Ruling ruling = refused("TURN", "rules.not_your_turn", {{"player", whose}});
    ruling.verdict = Ruling::Verdict::not_your_turn;
    return ruling;
}

Ruling bad_option(const std::string& option, const std::string& why) {
    return refused("SETUP", "rules.bad_option", {{"option", option}, {"why", why}});
}

int player_index(const Setup& setup, const std::string& name) {
    for (std::size_t i = 0; i < setup.players.size(); ++i)
        if (setup.players[i].name == name) return static_cast<int>(i);
    return -1;
}

tl::expected<int, Ruling> first_player(const Setup& setup) {
    const Json& first = field(setup.options, "first");
    if (first.is_null()) return 0;
    const auto number = int_field(setup.options, "first");
    const int index = first.is_string() ? player_index(setup, first.get<std::string>())
                                        : number.value_or(-1);
    if (index < 0 || index >= static_cast<int>(setup.players.size()))
        return tl::unexpected(bad_option("first", "it must name one of the players"));
    return index;
}

std::vector<std::string> default_seats(int count) {
    static const std::vector<std::vector<std::string>> all = {{},
                                                              {"s"},
                                                              {"s", "n"},
                                                              {"s", "w", "n"},
                                                              {"s", "w", "n", "e"},
                                                              {"s", "s", "w", "n", "e"},
                                                              {"s", "s", "w", "n", "n", "e"}};
    if (count < static_cast<int>(all.size()))
        return all[static_cast<std::size_t>(std::max(count, 0))];
    return std::vector<std::string>(static_cast<std::size_t>(count), "s");
}

std::vector<std::string> seats_of(const Setup& setup) {
    std::vector<std::string> seats = default_seats(static_cast<int>(setup.players.size()));
    for (std::size_t i = 0; i < seats.size(); ++i)
        if (!setup.players[i].seat.empty()) seats[i] = setup.players[i].seat;
    return seats;
}

Point seat_anchor(const Table& table, const std::string& seat, int nth) {
    const double edge_mm = 24, side_mm = 180.0 * nth;
    const double w = table.width_mm, h = table.height_mm;
    if (seat == "n") return {w / 2 + side_mm, edge_mm};
    if (seat == "w") return {edge_mm, h / 2 - side_mm};
    if (seat == "e") return {w - edge_mm, h / 2 + side_mm};
    return {w / 2 - side_mm, h - edge_mm};
}

std::vector<Mark> score_marks(const Table& table, const std::vector<std::string>& names,
                              const std::vector<std::string>& seats, const std::vector<int>& scores,
                              int turn) {
    std::map<std::string, int> taken;
    std::vector<Mark> marks;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Mark mark;
        mark.kind = static_cast<int>(i) == turn ? MarkKind::badge : MarkKind::text;
        mark.style = MarkStyle::score;
        mark.at = seat_anchor(table, seats[i], taken[seats[i]]++);
        mark.text = names[i] + "  " + std::to_string(scores[i]);
        mark.seat = seats[i];
        marks.push_back(mark);
    }
    return marks;
}

}  // namespace overboard::rules
