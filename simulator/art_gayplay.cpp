#include "bus/data.hpp"
#include "bus/json.hpp"
#include "simulator/art_sets.hpp"
#include "simulator/icons.hpp"
#include "simulator/pen.hpp"
#include "simulator/sheet.hpp"

// Article cards show their article large on their shop's colour, with the shop's number; all backs
// are alike. The board is drawn from the game's data file: lawns and roofs round a street of
// squares.
namespace overboard::simulator {
namespace {

const Json& town() {
    static const Json all = load_data("rules/gayplay/data/board.json");
    return all;
}

// Article → number of its shop (1…6), from the shopping lists.
const std::map<std::string, int>& articles() {
    static const std::map<std::string, int> all = [] {
        std::map<std::string, int> shops;
        const Json lists = load_data("rules/gayplay/data/lists.json");
        for (const Json& list : lists.at("lists")) {
            int shop = 1;
            for (const Json& article : list.at("articles")) shops[article] = shop++;
        }
        return shops;
    }();
    return all;
}

Rgb shop_colour(int shop) {
    static constexpr unsigned colours[] = {0xe9b872, 0x7fb77e, 0x8fb5e3,
                                           0xf2d04b, 0xc9a0dc, 0xf29ca3};
    return pen::rgb(colours[(shop + 5) % 6]);
}

std::string spoken(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

void shop_back(cairo_t* cr, FaceSize s) {
    const double w = s.width_mm, h = s.height_mm;
    pen::rounded(cr, 1.8, 1.8, w - 3.6, h - 3.6, 2);
    pen::fill(cr, pen::rgb(0x7c2740));
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 7; ++j)
            pen::circle(cr, 5 + i * (w - 10) / 4, 5 + j * (h - 10) / 6, 1.1);
    pen::fill(cr, pen::rgb(0xb75a70));
    pen::circle(cr, w / 2, h / 2, w * 0.3);
    pen::fill(cr, pen::rgb(0xf8ead0));
    pen::text(cr, "?", w / 2, h / 2, w * 0.36, pen::rgb(0x7c2740));
}

void article_card(cairo_t* cr, const std::string& face, FaceSize s) {
    const double w = s.width_mm, h = s.height_mm;
    const int shop = articles().at(face);
    pen::rounded(cr, 1.8, 1.8, w - 3.6, h - 3.6, 2);
    pen::fill(cr, shop_colour(shop));
    pen::rounded(cr, 4, 9, w - 8, h - 20, 2);
    pen::fill(cr, pen::kWhite);
    paint_icon(cr, face, w / 2, h / 2 - 1, w * 0.72);
    pen::text(cr, std::to_string(shop), 6, 5.6, 4.4, pen::kInk);
    pen::text(cr, spoken(face), w / 2, h - 6.3, 3.4, pen::kInk, w - 8);
}

// Table millimetres → board frame.
Point on_board(const Json& at, const BoardKind& board) {
    const double x = at.is_array() ? at.at(0).get<double>() : at.value("x", 0.0);
    const double y = at.is_array() ? at.at(1).get<double>() : at.value("y", 0.0);
    return {x - board.at.x, y - board.at.y};
}

void lawns(cairo_t* cr, const BoardKind& b) {
    cairo_rectangle(cr, -b.width_mm / 2, -b.height_mm / 2, b.width_mm, b.height_mm);
    pen::fill(cr, pen::rgb(0xa9c98b));
    std::uint32_t h = 7;
    const auto next = [&h](int n) {
        h = h * 1664525u + 1013904223u;
        return int((h >> 12) % unsigned(n));
    };
    for (int i = 0; i < 420; ++i) {  // tufts of grass
        const double x = next(980) - b.width_mm / 2, y = next(520) - b.height_mm / 2;
        cairo_move_to(cr, x, y), cairo_rel_line_to(cr, 1.5, -5), cairo_move_to(cr, x, y),
            cairo_rel_line_to(cr, -1.5, -4);
    }
    pen::outline(cr, pen::rgb(0x8cb36d), 0.8);
}

void shop(cairo_t* cr, int number, const Json& json, const BoardKind& b) {
    Point low{1e9, 1e9}, high{-1e9, -1e9};
    for (const Json& p : json.at("places")) {
        const Point at = on_board(p, b);
        low = {std::min(low.x, at.x), std::min(low.y, at.y)},
        high = {std::max(high.x, at.x), std::max(high.y, at.y)};
    }
    const double x = low.x - 26, y = low.y - 52, w = high.x - low.x + 52, h = high.y - low.y + 88;
    pen::rounded(cr, x, y, w, h, 6);
    pen::fill(cr, pen::mixed(shop_colour(number), pen::kWhite, 0.25));
    for (double stripe = x; stripe < x + w - 1; stripe += 24)
        cairo_rectangle(cr, stripe, y, std::min(12.0, x + w - stripe), 13);
    pen::fill(cr, pen::mixed(shop_colour(number), pen::kInk, 0.3));
    pen::bordered_text(cr, std::to_string(number) + "  " + json.value("name", std::string()),
                       x + w / 2, y + 12, 8, pen::kInk, pen::kWhite, 1.2);
    for (const Json& p : json.at("places")) {
        const Point at = on_board(p, b);
        pen::rounded(cr, at.x - 20, at.y - 28, 40, 56, 3);
        pen::fill(cr, pen::mixed(shop_colour(number), pen::kWhite, 0.7));
        pen::rounded(cr, at.x - 20, at.y - 28, 40, 56, 3);
        pen::outline(cr, pen::mixed(shop_colour(number), pen::kInk, 0.55), 0.7);
    }
}

struct SquareLook {
    unsigned colour;
    std::string sign;
};

SquareLook look_of(const Json& square) {
    const std::string kind = square.at("kind");
    const auto number = [&](const char* key) { return std::to_string(square.value(key, 0)); };
    if (kind == "start") return {0x6fbf73, "GO"};
    if (kind == "arrival") return {0xffffff, "END"};
    if (kind == "red") return {0xf3b1a8, ""};
    if (kind == "enter") return {0xf3b1a8, ">" + number("shop")};
    if (kind == "circus") return {0xd9a6e8, "circus"};
    if (kind == "park") return {0x9fd19a, "park"};
    if (kind == "send_home") return {0xc9d4e8, "home"};
    if (kind == "home_for_money") return {0xc9d4e8, "$"};
    if (kind == "send_shop") return {0xe8d5b0, "S" + number("shop")};
    if (kind == "back") return {0xf6c177, "-" + number("n")};
    if (kind == "forward") return {0xbfe0f2, "+" + number("n")};
    if (kind == "tobacco") return {0xc8ad8d, "tobac"};
    return {0xf7e39a, ""};
}

void square(cairo_t* cr, const Json& json, const BoardKind& b) {
    const Point at = on_board(json, b);
    const SquareLook look = look_of(json);
    cairo_rectangle(cr, at.x - 14, at.y - 14, 28, 28);
    pen::fill(cr, pen::rgb(look.colour));
    cairo_rectangle(cr, at.x - 14, at.y - 14, 28, 28);
    pen::outline(cr, pen::rgb(0x7d6b3a), 0.8);
    if (!look.sign.empty()) pen::text(cr, look.sign, at.x, at.y, 8, pen::rgb(0x3a3222), 24);
}

}  // namespace

void paint_gayplay(cairo_t* cr, const std::string& face, FaceSize s) {
    face == "back" ? shop_back(cr, s) : article_card(cr, face, s);
}

std::vector<std::string> gayplay_faces() {
    std::vector<std::string> names;
    for (const auto& [article, shop] : articles()) names.push_back(article);
    return names;
}

void print_extras(Sheet& sheet, const std::string& game) {
    if (game != "gayplay") return;
    const Json lists = load_data("rules/gayplay/data/lists.json");
    const Json& all = lists.at("lists");
    lay_out(sheet, "shopping lists", int(all.size()), 85, 75, [&](cairo_t* cr, int i) {
        const Json& list = all.at(std::size_t(i));
        pen::text(cr, list.at("who").get<std::string>(), 42, 7, 5, pen::kInk, 75);
        int shop = 0;
        for (const Json& article : list.at("articles")) {
            const double x = 14 + (shop % 3) * 28, y = 27 + (shop / 3) * 31;
            pen::rounded(cr, x - 12, y - 13, 24, 28, 2);
            pen::fill(cr, pen::mixed(shop_colour(shop + 1), pen::kWhite, 0.4));
            paint_icon(cr, article, x, y - 2, 17);
            pen::text(cr, std::to_string(++shop), x - 9, y - 10, 3, pen::kInk);
            pen::text(cr, spoken(article), x, y + 11.5, 2.4, pen::kInk, 22);
        }
    });
}

void paint_gayplay_board(cairo_t* cr, const BoardKind& b) {
    lawns(cr, b);
    int number = 1;
    for (const Json& s : town().at("shops")) shop(cr, number++, s, b);
    for (const Json& s : town().at("squares")) square(cr, s, b);
}

}  // namespace overboard::simulator
