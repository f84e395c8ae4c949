#include "table/menu.hpp"

#include <algorithm>
#include <array>

#include "bus/messages.hpp"

namespace overboard::table {
namespace {

constexpr double kWidth = 540, kGap = 8;
constexpr int kVariantColumns = 3;
constexpr std::array<const char*, 6> kColours = {"blue",   "red",   "green",
                                                 "yellow", "white", "brown"};

const GameEntry* chosen_game(const Scene& scene) {
    for (const GameEntry& game : scene.games)
        if (game.id == scene.menu.game) return &game;
    return nullptr;
}

double player_row_mm(const GameEntry& game) {
    return game.max_players > 4 ? 26 : 34;
}

double height_of(const Scene& scene) {
    const std::string& page = scene.menu.page;
    if (page == "languages") return 200;
    if (page == "end") return 140;
    if (page == "games")
        return 80 + 54.0 * double((std::min<std::size_t>(scene.games.size(), 12) + 2) / 2);
    const GameEntry* game = chosen_game(scene);
    const int more_rows = game ? std::clamp((static_cast<int>(game->variants.size()) - 1) /
                                                kVariantColumns,
                                            0, 2)
                               : 0;
    // As high as the most players need: buttons stay under the finger when their number changes.
    if (page == "setup" && game)
        return 220 + 42.0 * more_rows + (player_row_mm(*game) + kGap) * game->max_players;
    return 385;
}

// A page being laid out: rows of equal height from the title downwards, in the dialogue's frame.
struct Sheet {
    Stage& stage;
    const Menu& menu;
    Pose frame;
    double height;
    double y = -height / 2 + 58;
    double row = 46;

    [[nodiscard]] std::string say(const std::string& key, const Json& args = Json::object()) const {
        return stage.say(menu.seat, key, args);
    }
    // The i-th of n equal cells of the present row, or of a part of it.
    [[nodiscard]] Rect cell(int i, int n, double from = 0, double to = 1) const {
        const double x0 = -kWidth / 2 + 16 + from * (kWidth - 32),
                     x1 = -kWidth / 2 + 16 + to * (kWidth - 32);
        const double wide = (x1 - x0 - (n - 1) * kGap) / n;
        return {x0 + i * (wide + kGap), y, x0 + i * (wide + kGap) + wide, y + row};
    }
    void next() { y += row + kGap; }
    void button(const Rect& area, const std::string& text, Action action,
                Stage::Look look = Stage::Look::plain) {
        stage.button(frame, area, text, std::move(action), look);
    }
    void note(const Rect& area, const std::string& text) {
        const TextStyle style{stage.theme.body_mm, stage.theme.quiet, Weight::regular, Anchor::left,
                              0};
        stage.label(frame, {area.x0 + 2, area.centre().y}, text,
                    stage.ruler.fitted(text, style, area.width() - 4));
    }
    // Or why the last tap was refused: the panels may be far away, or there are none yet.
    void title(const std::string& usual) {
        const auto& notice = stage.scene.notice;
        const std::string text = notice ? say(notice->key, notice->args) : usual;
        const TextStyle style{22, notice ? stage.theme.warning : stage.theme.text, Weight::bold,
                              Anchor::left, 0};
        stage.label(frame, {-kWidth / 2 + 20, -height / 2 + 30}, text,
                    stage.ruler.fitted(text, style, kWidth - 170, notice ? 2 : 1));
        const double x1 = kWidth / 2 - 14, y0 = -height / 2 + 13;
        if (menu.page != "home")
            button({x1 - 118, y0, x1 - 40, y0 + 34}, say("table.back"),
                   {"menu.page", {{"page", menu.page == "keyboard" ? "setup" : "home"}}},
                   Stage::Look::quiet);
        button({x1 - 34, y0, x1, y0 + 34}, "×", {"menu.close"}, Stage::Look::quiet);
    }
};

void home_page(Sheet& s) {
    const bool playing = s.stage.scene.match && !s.stage.scene.match->finished;
    const auto live = [&](Stage::Look look) { return playing ? look : Stage::Look::disabled; };
    const std::string clock = s.menu.minutes.value_or(0) > 0
                                  ? " · " +
                                        s.say("table.playing_for", {{"minutes", *s.menu.minutes}})
                                  : "";
    s.title(playing ? s.say("table.menu") + clock : s.say("table.welcome"));
    s.row = 54;
    s.button(s.cell(0, 2), s.say("table.new_game"), {"menu.page", {{"page", "games"}}},
             playing ? Stage::Look::plain : Stage::Look::primary);
    s.button(s.cell(1, 2), s.say(s.stage.scene.paused ? "table.resume" : "table.pause"),
             {"pause", {{"on", !s.stage.scene.paused}}}, live(Stage::Look::plain));
    s.next();
    s.button(s.cell(0, 2), s.say("table.undo"), {"undo"}, live(Stage::Look::plain));
    s.button(s.cell(1, 2), s.say("table.correct"), {"correct.last", {{"seat", s.menu.seat}}},
             live(Stage::Look::plain));
    s.next();
    s.button(s.cell(0, 2), s.say("table.hint"), {"hint"}, live(Stage::Look::plain));
    s.button(s.cell(1, 2), s.say("table.replay"), {"replay.last"},
             s.stage.scene.shot_here ? Stage::Look::plain : Stage::Look::disabled);
    s.next();
    s.button(s.cell(0, 1), s.say("table.tap_to_score"), {"tap.open", {{"seat", s.menu.seat}}},
             live(Stage::Look::plain));
    s.next();
    s.button(s.cell(0, 2), s.say("table.language"), {"menu.page", {{"page", "languages"}}},
             Stage::Look::plain);
    s.button(s.cell(1, 2), s.say("table.end_game"), {"menu.page", {{"page", "end"}}},
             live(Stage::Look::quiet));
}

// One tap too many must not cost an evening's game.
void end_page(Sheet& s) {
    s.title(s.say("table.end_sure"));
    s.row = 54;
    s.button(s.cell(0, 2), s.say("table.end_game"), {"end"});
    s.button(s.cell(1, 2), s.say("table.keep_playing"), {"menu.close"}, Stage::Look::primary);
}

void games_page(Sheet& s) {
    s.title(s.say("table.choose_game"));
    s.row = 46;
    const auto& games = s.stage.scene.games;
    if (games.empty()) s.note(s.cell(0, 1), s.say("table.no_games"));
    for (std::size_t i = 0; i < games.size() && i < 12; ++i) {
        const int column = static_cast<int>(i % 2);
        s.button(s.cell(column, 2), s.stage.game_name(s.menu.seat, games[i]),
                 {"menu.game", {{"game", games[i].id}}});
        if (column == 1) s.next();
    }
}

sf::Color swatch(const std::string& colour) {
    static const std::map<std::string, sf::Color> known = {
        {"blue", {70, 130, 235}},   {"red", {225, 70, 60}},     {"green", {50, 175, 95}},
        {"yellow", {240, 215, 70}}, {"white", {240, 240, 240}}, {"brown", {140, 95, 60}}};
    const auto found = known.find(colour);
    return found == known.end() ? sf::Color{120, 120, 120} : found->second;
}

// An arrow that points to the seat, whoever looks at it.
void seat_button(Sheet& s, const Rect& area, std::size_t player, const std::string& seat) {
    const bool chosen = s.menu.players[player].seat == seat;
    s.button(area, "", {"menu.seat", {{"player", player}, {"seat", seat}}},
             chosen ? Stage::Look::chosen : Stage::Look::quiet);
    const Pose arrow{area.centre().x, area.centre().y, seat_angle(seat) - s.frame.angle};
    s.stage.list.add(Hash{"seat"} << s.frame << arrow << chosen, [&](Pen& pen) {
        pen.frame = s.frame;
        const double r = 0.28 * area.height();
        pen.polygon(
            {place(arrow, {0, r}), place(arrow, {-r, -0.7 * r}), place(arrow, {r, -0.7 * r})},
            chosen ? s.stage.theme.accent : s.stage.theme.quiet);
    });
}

void player_row(Sheet& s, std::size_t i) {
    const PlayerEntry& player = s.menu.players[i];
    s.button(s.cell(0, 1, 0, 0.4), player.name, {"menu.type", {{"player", i}}});
    for (int k = 0; k < 4; ++k)
        seat_button(s, s.cell(k, 4, 0.415, 0.76), i, kSeats[std::size_t(k)]);
    const Rect colour = s.cell(0, 1, 0.775, 1);
    s.button(colour,
             "    " + (player.colour.empty() ? "–" : s.stage.word(s.menu.seat, player.colour)),
             {"menu.colour", {{"player", i}}});
    s.stage.list.add(Hash{"swatch"} << s.frame << colour.x0 << colour.y0 << player.colour,
                     [&](Pen& pen) {
                         pen.frame = s.frame;
                         pen.disc({colour.x0 + 17, colour.centre().y}, 8, swatch(player.colour));
                     });
    s.next();
}

void setup_page(Sheet& s) {
    const GameEntry* game = chosen_game(s.stage.scene);
    if (!game) return games_page(s);
    s.title(s.stage.game_name(s.menu.seat, *game));
    s.row = 34;
    const int count = static_cast<int>(s.menu.players.size());
    s.note(s.cell(0, 1, 0, 0.6), s.say("table.players_between", {{"least", game->min_players},
                                                                 {"most", game->max_players}}));
    s.button(s.cell(0, 2, 0.62, 1), "−", {"menu.count", {{"players", count - 1}}},
             count > game->min_players ? Stage::Look::plain : Stage::Look::disabled);
    s.button(s.cell(1, 2, 0.62, 1), "+", {"menu.count", {{"players", count + 1}}},
             count < game->max_players ? Stage::Look::plain : Stage::Look::disabled);
    s.next();
    s.row = player_row_mm(*game);
    const double below = s.y + game->max_players * (s.row + kGap);
    for (std::size_t i = 0; i < s.menu.players.size(); ++i) player_row(s, i);
    s.y = below;
    s.row = 34;
    const int variants = static_cast<int>(std::min<std::size_t>(game->variants.size(), 9)),
              columns = std::min(variants, kVariantColumns);
    for (int i = 0; variants > 1 && i < variants; ++i) {
        const std::string& v = game->variants[std::size_t(i)];
        if (i > 0 && i % columns == 0) s.next();
        s.button(s.cell(i % columns, columns),
                 v.empty() ? s.say("table.standard") : s.stage.word(s.menu.seat, v),
                 {"menu.variant", {{"variant", v}}},
                 v == s.menu.variant ? Stage::Look::chosen : Stage::Look::quiet);
    }
    s.y = s.height / 2 - 16 - 46;
    s.row = 46;
    s.button(s.cell(0, 1), s.say("table.start"), {"start"}, Stage::Look::primary);
}

void keyboard_page(Sheet& s) {
    const std::string& name = s.menu.players[s.menu.typing].name;
    s.title(s.say("table.your_name"));
    s.row = 44;
    s.button(s.cell(0, 1), name + "_", {"menu.page", {{"page", "setup"}}}, Stage::Look::chosen);
    s.next();
    static const std::array<std::array<const char*, 10>, 4> keys = {
        {{"A", "B", "C", "D", "E", "F", "G", "H", "I", "J"},
         {"K", "L", "M", "N", "O", "P", "Q", "R", "S", "T"},
         {"U", "V", "W", "X", "Y", "Z", "É", "È", "Ç", "Ï"},
         {"1", "2", "3", "4", "5", "6", "7", "8", "9", "0"}}};
    for (const auto& line : keys) {
        for (int i = 0; i < 10; ++i)
            s.button(s.cell(i, 10), line[std::size_t(i)],
                     {"menu.key", {{"key", line[std::size_t(i)]}}});
        s.next();
    }
    s.button(s.cell(0, 5), "←", {"menu.key", {{"key", "back"}}});
    s.button(s.cell(1, 5), "-", {"menu.key", {{"key", "-"}}});
    s.button(s.cell(2, 5), "'", {"menu.key", {{"key", "'"}}});
    s.button(s.cell(3, 5), s.say("table.space"), {"menu.key", {{"key", " "}}});
    s.button(s.cell(4, 5), s.say("table.done"), {"menu.page", {{"page", "setup"}}},
             Stage::Look::primary);
}

void languages_page(Sheet& s) {
    s.title(s.say("table.language"));
    const auto languages = Messages::shared().languages();
    const int n = static_cast<int>(std::min<std::size_t>(languages.size(), 5));
    s.row = 54;
    for (const bool whole : {false, true}) {
        s.note(s.cell(0, 1, 0, 0.38), s.say(whole ? "table.whole_table" : "table.this_seat"));
        for (int i = 0; i < n; ++i) {
            const std::string& l = languages[std::size_t(i)];
            const bool on = whole ? s.stage.scene.language == l
                                  : s.stage.scene.language_at(s.menu.seat) == l;
            s.button(s.cell(i, n, 0.4, 1), Messages::shared().text(l, "table.language_name"),
                     {"language", {{"language", l}, {"seat", whole ? "" : s.menu.seat}}},
                     on ? Stage::Look::chosen : Stage::Look::plain);
        }
        s.next();
    }
}

// Names are typed in capitals but written like names: "ANNA MARIA" is "Anna Maria".
void type_key(std::string& name, const std::string& key) {
    if (key == "back") {
        while (!name.empty() && (static_cast<unsigned char>(name.back()) & 0xc0) == 0x80)
            name.pop_back();
        if (!name.empty()) name.pop_back();
        return;
    }
    if (name.size() >= 24) return;
    const bool initial = name.empty() ||
                         std::string_view(" -'").find(name.back()) != std::string_view::npos;
    if (initial)
        name += key;
    else if (key.size() == 1)
        name += static_cast<char>(key[0] >= 'A' && key[0] <= 'Z' ? key[0] + 32 : key[0]);
    else
        name += {key[0], static_cast<char>(key[1] + 0x20)};  // É → é in UTF-8
}

void next_colour(std::vector<PlayerEntry>& players, std::size_t i) {
    const auto taken = [&](const char* c) {
        return std::any_of(players.begin(), players.end(),
                           [&](const PlayerEntry& p) { return p.colour == c; });
    };
    const auto now = std::find(kColours.begin(), kColours.end(), players[i].colour);
    const std::size_t from = now == kColours.end()
                                 ? 0
                                 : static_cast<std::size_t>(now - kColours.begin()) + 1;
    for (std::size_t k = 0; k < kColours.size(); ++k) {
        const char* colour = kColours[(from + k) % kColours.size()];
        if (taken(colour)) continue;
        players[i].colour = colour;
        return;
    }
}

std::string usual_name(const std::string& player_word, std::size_t i) {
    return player_word + " " + std::to_string(i + 1);
}

void set_language(Scene& scene, const std::string& seat, const std::string& language) {
    if (seat.empty()) {
        scene.language = language;
        scene.seat_language.clear();
    } else {
        scene.seat_language[seat] = language;
    }
}

}  // namespace

std::vector<PlayerEntry> seated(std::vector<PlayerEntry> players, const GameEntry& game,
                                const std::string& player_word) {
    static const std::array<std::vector<const char*>, 7> usual = {{{},
                                                                   {"s"},
                                                                   {"s", "n"},
                                                                   {"s", "w", "n"},
                                                                   {"s", "w", "n", "e"},
                                                                   {"s", "s", "w", "n", "e"},
                                                                   {"s", "s", "w", "n", "n", "e"}}};
    const auto wanted = std::clamp<std::size_t>(players.empty() ? 2 : players.size(),
                                                std::size_t(game.min_players),
                                                std::size_t(game.max_players));
    const bool fresh = players.size() != wanted;
    players.resize(wanted);
    for (std::size_t i = 0; i < wanted; ++i) {
        if (players[i].name.empty()) players[i].name = usual_name(player_word, i);
        if (fresh || players[i].seat.empty())
            players[i].seat = wanted < usual.size() ? usual[wanted][i] : kSeats[i % 4];
        if (players[i].colour.empty()) next_colour(players, i);
    }
    return players;
}

void paint_menu(Stage& stage) {
    const Menu& menu = stage.scene.menu;
    if (menu.page.empty()) return;
    const double height = height_of(stage.scene);
    Sheet sheet{stage, menu, stage.dialogue_pose("menu " + menu.page, menu.seat, kWidth, height),
                height};
    const Rect box{-kWidth / 2, -height / 2, kWidth / 2, height / 2};
    stage.tap({0, 0, 0}, {0, 0, stage.scene.table.width_mm, stage.scene.table.height_mm},
              {"menu.close"});
    stage.panel(sheet.frame, box, true);
    stage.tap(sheet.frame, box, {"none"});
    if (menu.page == "games")
        games_page(sheet);
    else if (menu.page == "setup")
        setup_page(sheet);
    else if (menu.page == "keyboard" && menu.typing < menu.players.size())
        keyboard_page(sheet);
    else if (menu.page == "languages")
        languages_page(sheet);
    else if (menu.page == "end")
        end_page(sheet);
    else
        home_page(sheet);
}

std::optional<int> minutes_since(const std::string& stamp, std::time_t now) {
    std::tm utc{};
    if (!::strptime(stamp.c_str(), "%Y-%m-%dT%H:%M:%S", &utc)) return {};
    const auto seconds = now - ::timegm(&utc);
    if (seconds < 0) return {};
    return static_cast<int>(seconds / 60);
}

bool apply_menu(Scene& scene, const Action& action) {
    Menu& menu = scene.menu;
    const Json& d = action.data;
    const auto number = d.find("player");
    const std::size_t player = number != d.end() && number->is_number_integer() && *number >= 0
                                   ? number->get<std::size_t>()
                                   : 0;
    const bool known = player < menu.players.size();
    const auto word = Messages::shared().text(scene.language_at(menu.seat), "table.player");
    if (action.verb == "menu.open")
        menu.page = "home", menu.seat = d.value("seat", "s"), menu.minutes.reset();
    else if (action.verb == "menu.close")
        menu.page.clear();
    else if (action.verb == "menu.page") {
        menu.page = d.value("page", "home");
        if (const GameEntry* game = chosen_game(scene); game && menu.page == "setup")
            menu.players = seated(menu.players, *game, word);
    } else if (action.verb == "menu.game") {
        menu.game = d.value("game", "");
        if (const GameEntry* game = chosen_game(scene)) {
            menu.players = seated(menu.players, *game, word);
            menu.variant = game->variants.empty() ? "" : game->variants.front();
            menu.page = "setup";
        }
    } else if (action.verb == "menu.count") {
        if (const GameEntry* game = chosen_game(scene)) {
            const std::size_t before = menu.players.size();
            menu.players.resize(d.value("players", before));
            for (PlayerEntry& p : menu.players) p.seat.clear();
            menu.players = seated(menu.players, *game, word);
        }
    } else if (action.verb == "menu.variant")
        menu.variant = d.value("variant", "");
    else if (action.verb == "menu.seat" && known)
        menu.players[player].seat = d.value("seat", "s");
    else if (action.verb == "menu.colour" && known)
        next_colour(menu.players, player);
    else if (action.verb == "menu.type" && known) {
        menu.typing = player, menu.page = "keyboard";
        if (std::string& name = menu.players[player].name; name == usual_name(word, player))
            name.clear();  // nobody's own
    } else if (action.verb == "menu.key" && menu.typing < menu.players.size())
        type_key(menu.players[menu.typing].name, d.value("key", ""));
    else if (action.verb == "language")
        set_language(scene, d.value("seat", ""), d.value("language", "en"));
    else
        return action.verb == "none";
    return true;
}

}  // namespace overboard::table
