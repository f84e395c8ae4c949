#include "simulator/icons.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "bus/data.hpp"
#include "simulator/pen.hpp"

// An icon is a list of strokes on a 100 × 100 grid. The file: a name at the start of a line, below
// it indented strokes "colour shape numbers…". `line W x y …` draws an open line W thick, `curve` a
// filled closed smooth outline through its points; everything else says itself.
namespace overboard::simulator {
namespace {

struct Stroke {
    Rgb colour;
    std::string shape;
    std::vector<double> n;
};
using Icon = std::vector<Stroke>;

const std::map<std::string, unsigned>& colours() {
    static const std::map<std::string, unsigned> all = {
        {"ink", 0x18161e},     {"white", 0xffffff},  {"cream", 0xf6e7c4},  {"grey", 0x8a8f98},
        {"dark", 0x4a4d57},    {"light", 0xd5dae2},  {"red", 0xd1242f},    {"maroon", 0x8c1c2a},
        {"orange", 0xf08a1d},  {"gold", 0xf5c02c},   {"yellow", 0xffe04a}, {"lime", 0x9ccc3c},
        {"green", 0x2e8b3d},   {"forest", 0x1c5a2c}, {"teal", 0x1b8f8f},   {"sky", 0x67b7f0},
        {"blue", 0x2456b8},    {"navy", 0x182c66},   {"purple", 0x7a3fb0}, {"pink", 0xf28cb0},
        {"magenta", 0xc02f83}, {"brown", 0x8a5428},  {"tan", 0xd9a868},    {"choc", 0x4e2e18},
        {"skin", 0xf2c9a0}};
    return all;
}

Rgb colour_named(const std::string& name) {
    const auto found = colours().find(name);
    if (found == colours().end())
        throw std::runtime_error("the icon file names an unknown colour '" + name + "'");
    return pen::rgb(found->second);
}

std::map<std::string, Icon> load_icons() {
    std::ifstream in(data_file("simulator/data/icons.txt"));
    std::map<std::string, Icon> icons;
    std::string line, name;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        words.imbue(std::locale::classic());
        std::string first;
        if (!(words >> first) || first[0] == '#') continue;
        if (line[0] != ' ') {
            name = first;
            icons[name];
            continue;
        }
        Stroke stroke{colour_named(first), {}, {}};
        words >> stroke.shape;
        for (double v; words >> v;) stroke.n.push_back(v);
        icons[name].push_back(std::move(stroke));
    }
    return icons;
}

const std::map<std::string, Icon>& icons() {
    static const std::map<std::string, Icon> all = load_icons();
    return all;
}

void ellipse(cairo_t* cr, const std::vector<double>& n) {
    cairo_save(cr);
    cairo_translate(cr, n[0], n[1]);
    cairo_rotate(cr, n.size() > 4 ? n[4] * M_PI / 180 : 0);
    cairo_scale(cr, n[2], n[3]);
    pen::circle(cr, 0, 0, 1);
    cairo_restore(cr);
}

void points(cairo_t* cr, const std::vector<double>& n, std::size_t from) {
    for (std::size_t i = from; i + 1 < n.size(); i += 2) cairo_line_to(cr, n[i], n[i + 1]);
}

// Closed Catmull-Rom through the points.
void smooth(cairo_t* cr, const std::vector<double>& n) {
    const int count = int(n.size() / 2);
    const auto at = [&](int i) {
        i = (i + 2 * count) % count;
        return Point{n[2 * i], n[2 * i + 1]};
    };
    cairo_move_to(cr, at(0).x, at(0).y);
    for (int i = 0; i < count; ++i) {
        const Point a = at(i) + (at(i + 1) - at(i - 1)) * (1 / 6.0),
                    b = at(i + 1) - (at(i + 2) - at(i)) * (1 / 6.0);
        cairo_curve_to(cr, a.x, a.y, b.x, b.y, at(i + 1).x, at(i + 1).y);
    }
    cairo_close_path(cr);
}

std::size_t least_numbers(const std::string& shape) {
    static const std::map<std::string, std::size_t> least = {
        {"circle", 3}, {"ring", 4},  {"ellipse", 4}, {"rect", 4},
        {"poly", 6},   {"curve", 6}, {"line", 5},    {"arc", 6}};
    const auto found = least.find(shape);
    if (found == least.end())
        throw std::runtime_error("the icon file names an unknown shape '" + shape + "'");
    return found->second;
}

void draw(cairo_t* cr, const Stroke& s) {
    const auto& n = s.n;
    if (n.size() < least_numbers(s.shape))
        throw std::runtime_error("the icon file gives too few numbers to '" + s.shape + "'");
    cairo_new_path(cr);
    if (s.shape == "line") {
        points(cr, n, 1);
        return pen::outline(cr, s.colour, n[0]);
    }
    if (s.shape == "arc") {  // W cx cy r from to (degrees)
        cairo_arc(cr, n[1], n[2], n[3], n[4] * M_PI / 180, n[5] * M_PI / 180);
        return pen::outline(cr, s.colour, n[0]);
    }
    if (s.shape == "ring") {
        pen::circle(cr, n[0], n[1], n[2]);
        return pen::outline(cr, s.colour, n[3]);
    }
    if (s.shape == "circle") pen::circle(cr, n[0], n[1], n[2]);
    if (s.shape == "ellipse") ellipse(cr, n);
    if (s.shape == "rect") pen::rounded(cr, n[0], n[1], n[2], n[3], n.size() > 4 ? n[4] : 0);
    if (s.shape == "poly") points(cr, n, 0);
    if (s.shape == "curve") smooth(cr, n);
    pen::fill(cr, s.colour);
}

}  // namespace

bool has_icon(const std::string& name) {
    return icons().contains(name);
}

bool paint_icon(cairo_t* cr, const std::string& name, double x, double y, double size_mm) {
    const auto found = icons().find(name);
    if (found == icons().end()) return false;
    cairo_save(cr);
    cairo_translate(cr, x - size_mm / 2, y - size_mm / 2);
    cairo_scale(cr, size_mm / 100, size_mm / 100);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    for (const Stroke& s : found->second) draw(cr, s);
    cairo_restore(cr);
    return true;
}

}  // namespace overboard::simulator
