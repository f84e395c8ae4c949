#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "table/display_list.hpp"
#include "table/keepout.hpp"
#include "table/scene.hpp"
#include "table/theme.hpp"

/// What the drawing functions of the room share: the scene, the list they add to, the places that
/// can be tapped.
namespace overboard::table {

/// What a tap asks for; `data` is the verb's own.
struct Action {
    std::string verb;
    Json data = Json::object();
};

/// A place that can be tapped, table frame: an upright box in `frame`.
struct Target {
    Pose frame;
    Rect area;
    Action action;
    [[nodiscard]] bool contains(Point p) const { return area.contains(local_to(frame, p)); }
    [[nodiscard]] Point centre() const { return place(frame, area.centre()); }
};

/// Clockwise from the south.
inline constexpr std::array<const char*, 4> kSeats = {"s", "w", "n", "e"};

/// The middle of a seat's edge: x to the reader's right, y towards the reader.
Pose seat_pose(const std::string& seat, const Table& table);
/// How text is turned to be read from a seat.
double seat_angle(const std::string& seat);
/// How long a seat's edge is, between the markers.
double seat_width(const std::string& seat, const Table& table);
/// The seat whose edge is nearest to a point.
std::string nearest_seat(Point p, const Table& table);

class Stage {
public:
    Stage(const Scene& shown, DisplayList& into, const Theme& look, Pen measuring_pen);

    const Scene& scene;
    DisplayList& list;
    const Theme& theme;
    const Pen ruler;  ///< For measuring text.
    std::vector<Dark> dark;
    Clearance clearance;          ///< Grows with every text and panel placed.
    std::vector<Target> targets;  ///< The last ones lie on top.

    /// A sentence for a seat, its arguments translated where they are words ("word.<argument>").
    [[nodiscard]] std::string say(const std::string& seat, const std::string& key,
                                  const Json& args = Json::object()) const;
    /// A value of a message or a move in a seat's language. One the catalogue does not have is
    /// shown as it is, and remembered as untranslated unless it is somebody's or something's name.
    [[nodiscard]] std::string word(const std::string& seat, const std::string& value) const;
    /// What a player can do, e.g. "roll", in a seat's language: as the game says it, else as all
    /// games do.
    [[nodiscard]] std::string action(const std::string& seat, const std::string& name) const;
    /// A game's name, translated where its catalogue says "game.<id>": most are proper names.
    [[nodiscard]] std::string game_name(const std::string& seat, const GameEntry& game) const;
    /// The sentence of a key, or nothing where there may be none.
    [[nodiscard]] std::optional<std::string> known(const std::string& seat,
                                                   const std::string& key) const;
    mutable std::set<std::string> untranslated;
    void tap(Pose frame, const Rect& area, Action action);
    /// A labelled button.
    enum class Look { plain, chosen, primary, quiet, disabled };
    void button(Pose frame, const Rect& area, const std::string& label, Action action,
                Look look = Look::plain);
    void panel(Pose frame, const Rect& area, bool bright = false);
    void label(Pose frame, Point at, const std::string& text, const TextStyle& style);
    /// The middle of a w x h dialogue read from `seat`: where it stood before, else where it hides
    /// the fewest pieces.
    Pose dialogue_pose(const std::string& name, const std::string& seat, double w, double h,
                       std::optional<Point> near = {});
    std::map<std::string, Point> dialogues;  ///< Those shown, to be remembered in the scene.
    std::map<std::uint64_t, Point> words;    ///< Likewise.
};

}  // namespace overboard::table
