#include "table/drawing.hpp"

#include "table/correct.hpp"
#include "table/hud.hpp"
#include "table/menu.hpp"
#include "table/painter.hpp"
#include "table/replay_view.hpp"
#include "table/tap_mode.hpp"

namespace overboard::table {

Drawn draw_scene(const Scene& scene, DisplayList& list, TextAtlas& atlas, double px_per_mm,
                 const Theme& theme) {
    list.begin(atlas, px_per_mm);
    std::vector<sf::Vertex> unused;
    Stage stage{scene, list, theme, Pen{unused, atlas, px_per_mm}};
    const bool replaying = scene.replay.has_value();
    if (!replaying) paint_panels(stage);
    if (!replaying) paint_shapes(stage);
    if (!replaying) paint_words(stage);
    paint_banner(stage);
    list.lift();
    paint_celebrations(stage);
    paint_welcome(stage);
    paint_replay(stage);
    paint_attention(stage);
    paint_dark(stage);
    paint_tap_mode(stage);
    paint_replay_controls(stage);
    paint_correction(stage);
    paint_menu(stage);
    return {list.end(), std::move(stage.targets), std::move(stage.dialogues),
            std::move(stage.words), std::move(stage.untranslated)};
}

}  // namespace overboard::table
