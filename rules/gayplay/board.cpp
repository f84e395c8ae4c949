#include "bus/data.hpp"
#include "rules/fields.hpp"
#include "rules/gayplay/gayplay.hpp"

namespace overboard::rules::gayplay {
namespace {

const std::map<std::string, Kind>& kinds() {
    static const std::map<std::string, Kind> all = {{"start", Kind::start},
                                                    {"street", Kind::street},
                                                    {"red", Kind::red},
                                                    {"enter", Kind::enter},
                                                    {"circus", Kind::circus},
                                                    {"park", Kind::park},
                                                    {"send_home", Kind::send_home},
                                                    {"home_for_money", Kind::home_for_money},
                                                    {"send_shop", Kind::send_shop},
                                                    {"back", Kind::back},
                                                    {"forward", Kind::forward},
                                                    {"tobacco", Kind::tobacco},
                                                    {"arrival", Kind::arrival},
                                                    {"home", Kind::home}};
    return all;
}

using Made = tl::expected<std::shared_ptr<const Board>, Ruling>;

Made wrong(const std::string& why) {
    return tl::unexpected(bad_option("board", why));
}

bool needs_shop(Kind kind) {
    return kind == Kind::red || kind == Kind::enter || kind == Kind::send_shop;
}
bool needs_n(Kind kind) {
    return kind == Kind::back || kind == Kind::forward;
}

tl::expected<Square, std::string> square_from(const Json& json, std::size_t index) {
    const auto kind = kinds().find(text_field(json, "kind").value_or(""));
    const std::string name = text_field(json, "id").value_or("number " + std::to_string(index + 1));
    if (kind == kinds().end()) return tl::unexpected("square " + name + " has no known kind");
    Square square{text_field(json, "id").value_or(std::to_string(index)),
                  kind->second,
                  int_field(json, "shop").value_or(0),
                  int_field(json, "n").value_or(0),
                  {number_field(json, "x").value_or(0), number_field(json, "y").value_or(0)}};
    if (needs_shop(square.kind) && (square.shop < 1 || square.shop > kShops))
        return tl::unexpected("square " + name + " needs a shop from 1 to 6");
    if (needs_n(square.kind) && (square.n < 1 || square.n > 1000))
        return tl::unexpected("square " + name + " needs n, the number of squares");
    return square;
}

int index_of(const Board& board, const std::string& id) {
    for (std::size_t i = 0; i < board.squares.size(); ++i)
        if (board.squares[i].id == id) return static_cast<int>(i);
    return -1;
}

void note_places(Board& board) {
    board.arrival = static_cast<int>(board.squares.size()) - 1;
    for (int i = static_cast<int>(board.squares.size()) - 1; i >= 0; --i) {
        const Square& square = board.squares[static_cast<std::size_t>(i)];
        if (square.kind == Kind::home) board.home = i;
        if (square.kind == Kind::arrival) board.arrival = i;
        if (square.kind == Kind::red) board.red[square.shop] = i;
    }
}

/// Default places for a board that names none: a row of six at the table's edge for each shop.
void note_card_places(Board& board, const Json& shops) {
    for (int shop = 0; shop < kShops; ++shop)
        for (int place = 0; place < kPlaces; ++place) {
            Point at{180.0 + 300 * (shop % 3) + 44 * place, shop < 3 ? 180.0 : 495.0};
            if (shops.is_array() && shop < static_cast<int>(shops.size())) {
                const Json& places = field(shops[static_cast<std::size_t>(shop)], "places");
                const Json wrapped = {
                    {"at", places.is_array() && place < static_cast<int>(places.size())
                               ? places[static_cast<std::size_t>(place)]
                               : Json{}}};
                at = point_field(wrapped, "at").value_or(at);
            }
            board.places[static_cast<std::size_t>(shop)][static_cast<std::size_t>(place)] = at;
        }
}

Made made_from(const Json& json) {
    const Json& squares = field(json, "squares");
    if (!squares.is_array() || squares.size() < 2 || squares.size() > 1000)
        return wrong("squares must be a list of 2 to 1000 squares");
    auto board = std::make_shared<Board>();
    std::set<std::string> ids;
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const auto square = square_from(squares[i], i);
        if (!square) return wrong(square.error());
        if (!ids.insert(square->id).second)
            return wrong("square " + square->id + " is there twice");
        board->squares.push_back(*square);
    }
    note_places(*board);
    if (const Json& shortcut = field(json, "shortcut"); shortcut.is_object()) {
        board->leave = index_of(*board, text_field(shortcut, "after").value_or(""));
        board->tobacco = index_of(*board, text_field(shortcut, "to").value_or(""));
        if (board->leave < 0 || board->tobacco < 0)
            return wrong("the shortcut names a square that is not there");
    }
    note_card_places(*board, field(json, "shops"));
    board->tray = point_field(json, "tray").value_or(board->tray);
    return std::shared_ptr<const Board>(std::move(board));
}

}  // namespace

Made board_from(const Json& options) {
    if (const Json& given = field(options, "board"); !given.is_null()) return made_from(given);
    static const Made own = made_from(load_data("rules/gayplay/data/board.json"));
    return own;
}

tl::expected<std::vector<std::vector<std::string>>, Ruling> lists_from(const Setup& setup) {
    static const Json own = load_data("rules/gayplay/data/lists.json");
    if (const Json& given = field(setup.options, "lists"); !given.is_null() && !given.is_object())
        return tl::unexpected(
            bad_option("lists", "it must give each player a list of six articles"));
    std::vector<std::vector<std::string>> lists;
    for (std::size_t i = 0; i < setup.players.size(); ++i) {
        const Json& given = field(field(setup.options, "lists"), setup.players[i].name.c_str());
        const Json& list = given.is_null() ? own.at("lists").at(i).at("articles") : given;
        std::vector<std::string> articles;
        for (const Json& article : list)
            if (article.is_string()) articles.push_back(article.get<std::string>());
        if (articles.size() != kShops || articles.size() != list.size())
            return tl::unexpected(bad_option(
                "lists", "the list of " + setup.players[i].name + " needs six articles"));
        for (const auto& other : lists)
            for (int shop = 0; shop < kShops; ++shop)
                if (other[static_cast<std::size_t>(shop)] ==
                    articles[static_cast<std::size_t>(shop)])
                    return tl::unexpected(bad_option(
                        "lists", "two lists name " + articles[static_cast<std::size_t>(shop)]));
        lists.push_back(articles);
    }
    return lists;
}

}  // namespace overboard::rules::gayplay
