#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "bus/json.hpp"
#include "bus/marks.hpp"
#include "bus/match.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"

/// Struct ⇄ JSON: the only file that knows the wire format. Unknown keys are ignored, a wrong value
/// is an error that names its key, numbers never depend on the locale.
namespace overboard {

inline constexpr std::size_t kMaxMessageBytes = 1 << 20;
inline constexpr int kMaxDepth = 64;

struct DecodeError {
    std::string key;     ///< The offending key; empty when the text itself is broken.
    std::string reason;  ///< One plain sentence.
};
template <class T>
using Decoded = tl::expected<T, DecodeError>;

/// The hot path: appends to `out`, which the caller reuses.
void encode(const Observation& observation, std::string& out);
Decoded<Observation> decode_observation(std::string_view json);

std::string encode(const Observation& observation);
std::string encode(const CameraState& state);
std::string encode(const Shot& shot);
std::string encode(const Marks& marks);
std::string encode(const MatchState& state);

Decoded<CameraState> decode_camera_state(std::string_view json);
Decoded<Shot> decode_shot(std::string_view json);
Decoded<Marks> decode_marks(std::string_view json);
Decoded<MatchState> decode_match_state(std::string_view json);

/// Any JSON text from outside: at most kMaxMessageBytes, kMaxDepth deep, valid UTF-8.
Decoded<Json> parse_json(std::string_view text);
/// Invalid UTF-8 in a name is replaced, never thrown about: what we write always leaves.
std::string dumped(const Json& json);

/// For the edges, where a DOM is at hand anyway.
Json to_json(const Observation& observation);
Json to_json(const Shot& shot);
Json to_json(const Marks& marks);
Json to_json(const MatchState& state);
Decoded<Observation> observation_from(const Json& json);
Decoded<Shot> shot_from(const Json& json);

}  // namespace overboard
