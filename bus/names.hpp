#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "bus/marks.hpp"
#include "bus/observation.hpp"

/// The words the wire uses for our enums, in the order of the enumerators.
namespace overboard {

inline constexpr std::array<std::string_view, 7> kPieceKinds = {"disc",    "die",   "card", "tile",
                                                                "polygon", "stone", "pawn"};
inline constexpr std::array<std::string_view, 7> kMarkKinds = {"text",  "circle", "polygon", "line",
                                                               "arrow", "ghost",  "badge"};
inline constexpr std::array<std::string_view, 5> kMarkStyles = {"hint", "warning", "zone", "score",
                                                                "replay"};

/// What a camera can be worth: CameraState::state and Observation::sight.
inline constexpr std::array<std::string_view, 7> kSights = {
    "ok", "lost", "dark", "overexposed", "blurred", "blocked", "moved"};

inline bool is_sight(std::string_view word) {
    return std::find(kSights.begin(), kSights.end(), word) != kSights.end();
}

inline std::string_view name_of(PieceKind kind) {
    return kPieceKinds[std::size_t(kind)];
}
inline std::string_view name_of(MarkKind kind) {
    return kMarkKinds[std::size_t(kind)];
}
inline std::string_view name_of(MarkStyle style) {
    return kMarkStyles[std::size_t(style)];
}

template <class E, std::size_t N>
std::optional<E> named(std::string_view word, const std::array<std::string_view, N>& words) {
    for (std::size_t i = 0; i < N; ++i)
        if (words[i] == word) return E(i);
    return {};
}

}  // namespace overboard
