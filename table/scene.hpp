#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/marks.hpp"
#include "bus/match.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"
#include "bus/table.hpp"
#include "table/replay.hpp"

/// Everything there is to draw, as one value: the picture is a pure function of it.
namespace overboard::table {

/// Something on the table needs a person.
struct Attention {
    std::optional<Point> at;
    std::string rule;
    Message message;
    std::string reason;  ///< Plain English, when there is no key.
};

/// A short cheer. Tapping anywhere ends it.
struct Celebration {
    std::string seat;  ///< Empty: for the whole table.
    Message message;
    double started_s = 0;
    double lasts_s = 2.5;
    bool large = false;
};

/// What can be chosen in a menu, as the rules list it.
struct GameEntry {
    std::string id, name;
    int min_players = 1, max_players = 4;
    std::vector<std::string> variants;
};

struct PlayerEntry {
    std::string name, seat, colour;
};

/// The menu for staff and players: which page, seen from which seat, and what is chosen so far.
struct Menu {
    std::string page;  ///< Empty: closed. home, games, setup, keyboard, languages, end.
    std::string seat = "s";
    std::string game, variant;
    std::vector<PlayerEntry> players;
    std::size_t typing = 0;      ///< Whose name the keyboard writes.
    std::optional<int> minutes;  ///< How long the match has lasted.
};

/// One way the last event may really have been.
struct Candidate {
    Move move;
    bool legal = false;
    double confidence = 0;
};

/// A correction under way: tapped what, and what it may have been instead. Or a question of the
/// referee, whose candidates are the moves it may have been.
struct Correction {
    bool question = false;
    std::string player;  ///< Who is asked.
    std::string seat = "s";
    Message subject;          ///< "The die shows 5" …
    std::optional<Point> at;  ///< Near the piece, when a piece was tapped.
    int seq = 0;
    Move move;                          ///< As it was scored.
    std::vector<Candidate> candidates;  ///< Best first.
    bool waiting = false;               ///< The rules are being asked.
};

/// Playing by touch alone: the legal moves that are still possible after what was chosen.
struct TapMode {
    std::string seat = "s";
    std::string player;
    std::vector<Move> moves;             ///< All legal ones of the player.
    std::map<std::string, Json> chosen;  ///< Path → value, in the order asked.
    std::vector<std::string> order;
    int page = 0;
};

/// Long and low; shorter; nearly square, for the corner beside a game that needs the edge.
enum class PanelForm { wide, brief, compact };

/// How a seat's panel made way: along its edge, away from the edge, or by becoming smaller.
struct PanelPlace {
    double along_mm = 0;
    double inward_mm = 0;
    PanelForm form = PanelForm::wide;
};

struct Scene {
    Table table;
    double now_s = 0;
    std::string language = "en";
    std::map<std::string, std::string> seat_language;  ///< Seats that chose another one.

    std::optional<MatchState> match;
    std::vector<Mark> marks;
    std::vector<Piece> pieces;
    std::optional<Pose> board;
    std::string camera = "ok";
    bool rules_here = true;
    bool vision_here = true;
    bool paused = false;

    std::optional<Attention> attention;
    std::optional<Message> notice;  ///< One line at the seat of the player to move, e.g. a refusal.
    std::vector<Celebration> celebrations;
    std::vector<GameEntry> games;
    std::map<std::string, PanelPlace> panels;  ///< Seats whose panel made way for the game.
    std::map<std::string, Point> dialogues;    ///< Where dialogues stand while they are open.
    std::map<std::uint64_t, Point> words;  ///< Where words were put: while pieces move they stay.
    bool still = true;                     ///< Nothing moves on the table.

    Menu menu;
    std::optional<Correction> correction;
    std::optional<TapMode> tap;
    std::optional<Replay> replay;
    bool shot_here = false;     ///< There is one to replay.
    bool what_if_here = false;  ///< Somebody can compute what would have happened.

    [[nodiscard]] const std::string& language_at(const std::string& seat) const {
        const auto own = seat_language.find(seat);
        return own == seat_language.end() ? language : own->second;
    }
};

}  // namespace overboard::table
