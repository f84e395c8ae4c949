#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bus/geometry.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"

namespace overboard::table {

/// A disc changed its way abruptly: it hit something. Board frame.
struct Impact {
    double t = 0;
    Point at;
    double strength = 0;  ///< Change of velocity, mm/s.
};

/// What a player would have done differently, from an instant of the shot on.
struct WhatIf {
    double from_s = 0;    ///< On the shot's clock.
    double turn_rad = 0;  ///< The striker's course turned, clockwise.
    double force = 1;     ///< Its speed, times.
    friend bool operator==(const WhatIf&, const WhatIf&) = default;
};
/// The shot that would have followed; nothing when it cannot be told. Called on a thread of its
/// own, one call at a time.
using WhatIfMaker = std::function<std::optional<Shot>(const Shot&, const WhatIf&)>;

/// A recorded shot being played on the table, at the board's own place: slow motion, pause, scrub.
class Replay {
public:
    explicit Replay(Shot shot, Pose board);

    /// Moves the time on, and stops at the end.
    void advance(double seconds);
    void play(bool on);
    void set_speed(double factor) { speed_ = factor; }
    /// 0 the start, 1 the end.
    void scrub(double share);
    /// Shows where every piece stood before the shot, so that players can put it back.
    void restore(bool on) { restoring_ = on; }

    /// Asks what would have happened; nothing: not any more.
    void ask(std::optional<WhatIf> change);
    /// The answer to what was asked; until the next one comes, the old one is shown.
    void answer(std::optional<Shot> instead);

    [[nodiscard]] const std::optional<WhatIf>& what_if() const { return what_if_; }
    [[nodiscard]] const std::optional<Shot>& instead() const { return instead_; }
    [[nodiscard]] bool answered() const { return answered_; }
    [[nodiscard]] const Shot& shot() const { return shot_; }
    [[nodiscard]] Pose board() const { return board_; }
    [[nodiscard]] double time() const { return time_; }
    [[nodiscard]] double share() const;
    [[nodiscard]] double speed() const { return speed_; }
    [[nodiscard]] bool playing() const { return playing_; }
    [[nodiscard]] bool restoring() const { return restoring_; }
    [[nodiscard]] const std::vector<Impact>& impacts() const { return impacts_; }
    /// Where a track is at the time of the replay; after its last point it stays there. Board
    /// frame.
    [[nodiscard]] Point position(const Track& track) const;
    /// Has this disc fallen by now?
    [[nodiscard]] bool fallen(int id) const;
    [[nodiscard]] Point on_table(Point board) const { return place(board_, board); }

private:
    Shot shot_;
    Pose board_;
    std::vector<Impact> impacts_;
    double time_ = 0;
    double speed_ = 0.25;
    bool playing_ = true;
    bool restoring_ = false;
    std::optional<WhatIf> what_if_;
    std::optional<Shot> instead_;
    bool answered_ = true;
};

/// Abrupt changes of velocity in the tracks, in order of time.
std::vector<Impact> find_impacts(const Shot& shot);
/// Is a piece of that type back within 2 mm of `where` (table frame)?
bool is_back(const std::vector<Piece>& pieces, const std::string& type, Point where);

}  // namespace overboard::table
