// The JSON of `overboard shot simulate`: every complaint names the key.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "physics/shot.hpp"

namespace overboard::physics {
namespace {

double number(const Json& json, const char* key, double otherwise, bool needed, const char* of) {
    const auto found = json.find(key);
    if (found == json.end()) {
        if (needed) throw std::runtime_error(fmt::format("{} lacks \"{}\"", of, key));
        return otherwise;
    }
    if (!found->is_number())
        throw std::runtime_error(fmt::format("\"{}\" of {} is not a number", key, of));
    const double value = found->get<double>();
    if (!std::isfinite(value))
        throw std::runtime_error(fmt::format("\"{}\" of {} is not finite", key, of));
    return value;
}

int whole(const Json& json, const char* key, int otherwise, const char* of) {
    const double value = number(json, key, otherwise, false, of);
    if (value != std::floor(value) || std::abs(value) > 1e9)
        throw std::runtime_error(fmt::format("\"{}\" of {} is not a whole number", key, of));
    return static_cast<int>(value);
}

struct Range {
    const char* key;
    double Parameters::*value;
    double lowest, highest;
};
constexpr Range kRanges[] = {
    {"friction", &Parameters::friction, 0, 2},
    {"restitution", &Parameters::restitution, 0, 1},
    {"wall_restitution", &Parameters::wall_restitution, 0, 1},
    {"rim_friction", &Parameters::rim_friction, 0, 2},
    {"capture_speed_mm_s", &Parameters::capture_speed_mm_s, 0, 1e6},
    {"leap_speed_mm_s", &Parameters::leap_speed_mm_s, 0, 1e6},
    {"gravity_mm_s2", &Parameters::gravity_mm_s2, 0, 1e6},
};

Disc disc_from(const Json& json, int id) {
    if (!json.is_object())
        throw std::runtime_error("\"discs\" holds something that is not an object");
    const auto type = json.find("type");
    if (type == json.end() || !type->is_string()) throw std::runtime_error("a disc lacks \"type\"");
    return {whole(json, "id", id, "a disc"),
            type->get<std::string>(),
            {number(json, "x", 0, true, "a disc"), number(json, "y", 0, true, "a disc")},
            whole(json, "level", 0, "a disc")};
}

const Json& object(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_object())
        throw std::runtime_error(fmt::format("\"{}\" is missing or no object", key));
    return *found;
}

}  // namespace

Parameters parameters_from(const Json& json) {
    if (!json.is_object()) throw std::runtime_error("\"physics\" is no object");
    Parameters p;
    for (const Range& range : kRanges) {
        p.*range.value = number(json, range.key, p.*range.value, false, "\"physics\"");
        if (!(p.*range.value >= range.lowest && p.*range.value <= range.highest))
            throw std::runtime_error(fmt::format("\"{}\" of \"physics\" is not between {} and {}",
                                                 range.key, range.lowest, range.highest));
    }
    return p;
}

Json to_json(const Parameters& parameters) {
    Json json = Json::object();
    for (const Range& range : kRanges) json[range.key] = parameters.*range.value;
    return json;
}

ShotRequest request_from(const Json& json) {
    if (!json.is_object()) throw std::runtime_error("a shot to simulate is one JSON object");
    ShotRequest request;
    if (const auto board = json.find("board"); board != json.end()) {
        if (!board->is_string()) throw std::runtime_error("\"board\" is not a name");
        request.board = board->get<std::string>();
    }
    if (const auto discs = json.find("discs"); discs != json.end()) {
        if (!discs->is_array()) throw std::runtime_error("\"discs\" is not a list");
        for (const Json& disc : *discs)
            request.position.discs.push_back(
                disc_from(disc, static_cast<int>(request.position.discs.size()) + 1));
    }
    const Json& striker = object(json, "striker");
    const char* who = "the striker";
    request.strike.from = {number(striker, "x", 0, true, who), number(striker, "y", 0, true, who)};
    request.strike.velocity_mm_s = {number(striker, "vx", 0, true, who),
                                    number(striker, "vy", 0, true, who)};
    request.strike.spin_rad_s = number(striker, "spin", 0, false, who);
    request.strike.id = whole(striker, "id", 0, who);
    if (const auto physics = json.find("physics"); physics != json.end() && !physics->is_null())
        request.parameters = parameters_from(*physics);
    return request;
}

}  // namespace overboard::physics
