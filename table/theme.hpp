#pragma once

#include <SFML/Graphics/Color.hpp>

#include "bus/marks.hpp"
#include "table/scene.hpp"

/// How everything looks. A projector adds light: black is no light, so "dark" means leaving the
/// wood alone. Hues are of the Okabe-Ito set, which colour-blind people tell apart; whatever a
/// colour says, a shape or a sign says too.
namespace overboard::table {

struct PanelSize {
    double width_mm, depth_mm;
};

struct Theme {
    sf::Color text{244, 241, 232};
    sf::Color quiet{208, 214, 223};  ///< Text of those who wait: dim light is lost on dark wood.
    sf::Color panel{17, 22, 31};     ///< Brighter: panels show more, the table's wood less.
    sf::Color panel_line{98, 112, 136};
    sf::Color button{36, 46, 64};
    sf::Color button_line{118, 138, 170};
    sf::Color accent{240, 196, 84};  ///< Whose turn it is; what is chosen.
    sf::Color hint{86, 180, 233};
    sf::Color warning{240, 128, 40};
    sf::Color zone{
        80, 220,
        110};  ///< Less red: gone on brown wood, which throws back hardly any blue and green.
    sf::Color score{240, 228, 66};
    sf::Color replay{214, 150, 190};
    sf::Color good{60, 190, 145};
    sf::Color what_if{190, 140, 255};  ///< What did not happen; dashed as well.

    double title_mm = 25;   ///< Sizes of type; capitals are 0.73 of it. Two metres away, capitals
    double body_mm = 16.5;  ///< of 10 mm are comfortable and 8 mm the least.
    double small_mm = 13;
    double least_mm = 11;  ///< Capitals of 8 mm: nothing a player must read is smaller.
    double score_mm = 56;
    double line_mm = 2;
    double corner_mm = 8;
    PanelSize wide{
        440,
        70};  ///< Deeper: larger type, but a board of 520 mm leaves no more on the usual table.
    PanelSize brief{300, 70};     ///< Where the long one would lie on the game.
    PanelSize compact{172, 116};  ///< Where even that one would.
    double edge_mm = 6;           ///< Panels keep this from the table's edge.
    double finger_mm = 24;        ///< The least height of anything to be tapped.

    [[nodiscard]] const PanelSize& size_of(PanelForm form) const {
        return form == PanelForm::wide ? wide : form == PanelForm::brief ? brief : compact;
    }
    [[nodiscard]] sf::Color of(MarkStyle style) const {
        switch (style) {
            case MarkStyle::hint: return hint;
            case MarkStyle::warning: return warning;
            case MarkStyle::zone: return zone;
            case MarkStyle::score: return score;
            case MarkStyle::replay: return replay;
        }
        return hint;
    }
};

inline sf::Color faded(sf::Color colour, double alpha) {
    colour.a = static_cast<sf::Uint8>(colour.a * (alpha < 0 ? 0 : alpha > 1 ? 1 : alpha));
    return colour;
}

}  // namespace overboard::table
