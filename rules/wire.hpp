#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/fields.hpp"

/// What games with shops and towers before each seat need beside fields.hpp.
namespace overboard::rules {

/// A finite number, else nothing.
std::optional<double> number_in(const Json& value);
/// A whole number between -1,000,000 and 1,000,000 (3.0 counts as 3), else nothing.
std::optional<int> whole_in(const Json& value);

/// Four sides of the table at most: seats as asked for; where two ask for one, or for none, the
/// free ones in the usual order.
std::vector<std::string> distinct_seats(const Setup& setup);
/// How a seat's own frame (x to the right hand, y towards the player) is turned on the table.
double seat_angle(const std::string& seat);

}  // namespace overboard::rules
