#include "rules/wire.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::rules {

std::optional<double> number_in(const Json& value) {
    if (!value.is_number()) return {};
    const double number = value.get<double>();
    if (!std::isfinite(number)) return {};
    return number;
}

std::optional<int> whole_in(const Json& value) {
    const auto number = number_in(value);
    if (!number || std::abs(*number) > 1e6 || std::floor(*number) != *number) return {};
    return static_cast<int>(*number);
}

std::vector<std::string> distinct_seats(const Setup& setup) {
    const auto usual = default_seats(setup.players.size() == 2 ? 2 : 4);
    const auto all = default_seats(4);
    std::vector<std::string> seats;
    const auto taken = [&](const std::string& seat) {
        return std::find(seats.begin(), seats.end(), seat) != seats.end();
    };
    for (const auto& player : setup.players) {
        const bool real = std::find(all.begin(), all.end(), player.seat) != all.end();
        seats.push_back(real && !taken(player.seat) ? player.seat : "");
    }
    for (auto& seat : seats)
        for (const auto* order : {&usual, &all})
            for (const auto& free : *order)
                if (seat.empty() && !taken(free)) seat = free;
    return seats;
}

double seat_angle(const std::string& seat) {
    return seat == "w" ? M_PI / 2 : seat == "n" ? M_PI : seat == "e" ? -M_PI / 2 : 0;
}

}  // namespace overboard::rules
