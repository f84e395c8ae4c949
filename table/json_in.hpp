#pragma once

#include <optional>
#include <string>

#include "bus/geometry.hpp"
#include "bus/json.hpp"

/// Fields of messages that may lack them or have others than agreed: then empty, never an
/// exception.
namespace overboard::table {

/// Lists come bare or under their name.
inline Json list_in(const Json& result, const char* name) {
    if (result.is_array()) return result;
    const auto found = result.is_object() ? result.find(name) : result.end();
    return result.is_object() && found != result.end() && found->is_array() ? *found
                                                                            : Json::array();
}

inline std::optional<Point> point_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_array() || at->size() < 2 || !(*at)[0].is_number() ||
        !(*at)[1].is_number())
        return {};
    return Point{(*at)[0].get<double>(), (*at)[1].get<double>()};
}

inline std::string string_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

inline Json object_in(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_object() ? *at : Json::object();
}

}  // namespace overboard::table
