#pragma once

#include "table/stage.hpp"

namespace overboard::table {

/// What a drawing tells besides the picture.
struct Drawn {
    std::vector<Rect> damage_mm;
    std::vector<Target> targets;
    std::map<std::string, Point> dialogues;
    std::map<std::uint64_t, Point> words;
    std::set<std::string> untranslated;  ///< Keys the catalogue lacks.
};

/// The whole picture of a scene, from back to front. A pure function of the scene: the list only
/// remembers what need not be built again.
Drawn draw_scene(const Scene& scene, DisplayList& list, TextAtlas& atlas, double px_per_mm,
                 const Theme& theme = {});

}  // namespace overboard::table
