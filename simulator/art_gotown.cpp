#include <map>

#include "simulator/art_sets.hpp"
#include "simulator/icons.hpp"
#include "simulator/pen.hpp"

// A floor card is a storey of a coloured house: a huge number, as many lit windows as the number,
// and the number in all four corners so that a covered card still tells. Colours step in brightness
// too, and each number has its own wall pattern: told apart without colour.
namespace overboard::simulator {
namespace {

struct Style {
    Rgb wall;
    int pattern;  // 0 plain, 1 bricks, 2 stripes, 3 dots
};

Style floor_style(int number) {
    static constexpr unsigned walls[] = {0xf4d03a, 0x1f4fa8, 0xe8731e, 0x7fc6ee,
                                         0x8e2460, 0x62b357, 0x2f2f3a, 0xd23a36};
    return {pen::rgb(walls[(number - 1) % 8]), (number - 1) % 4};
}

void pattern(cairo_t* cr, int kind, double x, double y, double w, double h, Rgb line) {
    cairo_save(cr);
    cairo_rectangle(cr, x, y, w, h);
    cairo_clip(cr);
    if (kind == 1)
        for (int r = 0; r * 6 < h; ++r) {
            cairo_move_to(cr, x, y + r * 6), cairo_line_to(cr, x + w, y + r * 6);
            for (double c = (r % 2) * 6; c < w; c += 12)
                cairo_move_to(cr, x + c, y + r * 6), cairo_rel_line_to(cr, 0, 6);
        }
    if (kind == 2)
        for (double c = -h; c < w; c += 9)
            cairo_move_to(cr, x + c, y + h), cairo_rel_line_to(cr, h, -h);
    if (kind == 3)
        for (int r = 0; r * 9 < h + 9; ++r)
            for (double c = (r % 2) * 4.5; c < w + 9; c += 9)
                pen::circle(cr, x + c, y + r * 9, 1.3);
    pen::outline(cr, line, kind == 3 ? 1.6 : 0.9);
    cairo_restore(cr);
}

void windows(cairo_t* cr, int count, double x, double y, double w) {
    const double step = w / 4, size = step * 0.62;
    for (int i = 0; i < count; ++i) {
        const double wx = x + step * (i % 4 + 0.5) - size / 2, wy = y + (i / 4) * (size * 1.35);
        cairo_rectangle(cr, wx, wy, size, size);
        pen::fill(cr, pen::rgb(0xfff3b0));
        cairo_rectangle(cr, wx, wy, size, size);
        pen::outline(cr, pen::kInk, 0.9);
    }
}

void corners(cairo_t* cr, FaceSize s, const std::function<void(double, double)>& mark) {
    for (int turn = 0; turn < 2; ++turn) {
        mark(8.5, 9.5);
        mark(s.width_mm - 8.5, 9.5);
        cairo_translate(cr, s.width_mm, s.height_mm);
        cairo_rotate(cr, M_PI);
    }
}

void floor_card(cairo_t* cr, int number, FaceSize s) {
    const Style style = floor_style(number);
    const double w = s.width_mm, h = s.height_mm;
    pen::rounded(cr, 2.5, 17, w - 5, h - 34, 2);
    pen::fill(cr, style.wall);
    const bool dark = style.wall.r * 3 + style.wall.g * 6 + style.wall.b < 1150;
    pattern(cr, style.pattern, 2.5, 17, w - 5, h - 34,
            pen::mixed(style.wall, dark ? pen::kWhite : pen::kInk, 0.22));
    pen::bordered_text(cr, std::to_string(number), w / 2, h * 0.405, 31, pen::kWhite, pen::kInk,
                       1.6);
    windows(cr, number, 5, h * 0.615, w - 10);
    corners(cr, s, [&](double x, double y) {
        pen::text(cr, std::to_string(number), x, y, 10.5, pen::kInk);
    });
}

struct Special {
    unsigned panel;
    const char* title;
};

const std::map<std::string, Special>& specials() {
    static const std::map<std::string, Special> all = {
        {"joker", {0xfdf3c0, "JOKER"}},
        {"dog", {0x2a7f4f, "DOG"}},
        {"bone", {0x5b3a8e, "BONE"}},
        {"hammer", {0xf0c48a, "HAMMER"}},
        {"wrecking_ball", {0x9c1f2e, "WRECKING BALL"}},
        {"milkshake", {0x144a7c, "MILKSHAKE"}},
        {"donut_truck", {0xffd7e4, "DONUT TRUCK"}},
        {"thief", {0xb9c2cc, "THIEF"}},
        {"super_thief", {0x1d1b26, "SUPER THIEF"}}};
    return all;
}

void special_card(cairo_t* cr, const std::string& face, const Special& look, FaceSize s) {
    const double w = s.width_mm, h = s.height_mm;
    pen::rounded(cr, 2.5, 17, w - 5, h - 34, 8);
    pen::fill(cr, pen::rgb(look.panel));
    pen::rounded(cr, 2.5, 17, w - 5, h - 34, 8);
    pen::outline(cr, pen::kInk, 1.4);
    paint_icon(cr, face, w / 2, h / 2, 44);
    corners(cr, s, [&](double x, double y) { paint_icon(cr, face, x, y, 12); });
    cairo_save(cr);
    corners(cr, s, [&](double x, double y) {
        if (x < w / 2) pen::text(cr, look.title, w / 2, y, 4.2, pen::kInk, w - 34);
    });
    cairo_restore(cr);
}

void card_back(cairo_t* cr, FaceSize s) {
    const double w = s.width_mm, h = s.height_mm;
    pen::rounded(cr, 2.5, 2.5, w - 5, h - 5, 3);
    pen::fill(cr, pen::rgb(0x1b5e78));
    cairo_save(cr);
    pen::rounded(cr, 4.5, 4.5, w - 9, h - 9, 2);
    cairo_clip(cr);
    for (int i = -1; i < 9; ++i)
        for (int j = -1; j < 12; ++j) {
            const double x = i * 9 + (j % 2) * 4.5, y = j * 8;
            cairo_move_to(cr, x, y + 5), cairo_line_to(cr, x + 4.5, y),
                cairo_line_to(cr, x + 9, y + 5);
        }
    pen::outline(cr, pen::rgb(0x6fb6c9), 1.2);
    cairo_restore(cr);
    pen::circle(cr, w / 2, h / 2, 15);
    pen::fill(cr, pen::kPaper);
    pen::text(cr, "GO", w / 2, h / 2, 10, pen::rgb(0x1b5e78));
}

}  // namespace

void paint_gotown(cairo_t* cr, const std::string& face, FaceSize s) {
    if (face == "back") return card_back(cr, s);
    const auto special = specials().find(face);
    if (special != specials().end()) return special_card(cr, face, special->second, s);
    floor_card(cr, face[0] - '0', s);
}

int gotown_copies(const std::string& face) {
    static const std::map<std::string, int> specials_count = {
        {"joker", 4},     {"dog", 4},         {"bone", 2},  {"hammer", 3},     {"wrecking_ball", 1},
        {"milkshake", 3}, {"donut_truck", 1}, {"thief", 3}, {"super_thief", 1}};
    const auto found = specials_count.find(face);
    return found == specials_count.end() ? 4 : found->second;
}

std::vector<std::string> gotown_faces() {
    return {"1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "joker",
            "dog",
            "bone",
            "hammer",
            "wrecking_ball",
            "milkshake",
            "donut_truck",
            "thief",
            "super_thief"};
}

}  // namespace overboard::simulator
