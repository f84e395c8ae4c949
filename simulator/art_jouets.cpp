#include <map>

#include "bus/data.hpp"
#include "bus/json.hpp"
#include "simulator/art_sets.hpp"
#include "simulator/icons.hpp"
#include "simulator/pen.hpp"

// A tile is drawn from its description: the eight half-sides, going round, belong to zones; each
// zone is the wedge from the tile's middle to its half-sides, in its type's colour and pattern,
// with its toy in it. The wedges bow round a white path so that neighbours of one colour still end
// at a line.
namespace overboard::simulator {
namespace {

struct Zone {
    std::string type;
    std::vector<std::string> toys;
};
struct Tile {
    std::vector<Zone> zones;
    int half_sides[8];  // clockwise from the top-left corner: n n e e s s w w
};

Tile tile_from(const Json& json) {
    Tile tile;
    for (const Json& z : json.at("zones"))
        tile.zones.push_back({z.at("type"), z.value("toys", std::vector<std::string>{})});
    const Json& sides = json.at("sides");
    const auto side = [&](const char* name, int k) { return sides.at(name).at(k).get<int>(); };
    const int all[8] = {side("n", 0), side("n", 1), side("e", 0), side("e", 1),
                        side("s", 1), side("s", 0), side("w", 1), side("w", 0)};
    std::copy(all, all + 8, tile.half_sides);
    return tile;
}

void collect(const Json& json, std::map<std::string, Tile>& tiles) {
    if (json.is_object() && json.contains("id") && json.contains("sides"))
        tiles[json.at("id")] = tile_from(json);
    else if (json.is_structured())
        for (const Json& child : json) collect(child, tiles);
}

const std::map<std::string, Tile>& tiles() {
    static const std::map<std::string, Tile> all = [] {
        std::map<std::string, Tile> found;
        for (const char* file :
             {"rules/jouets/data/tiles.json", "rules/jouets/data/registers.json"})
            if (std::filesystem::exists(data_root() / file)) collect(load_data(file), found);
        return found;
    }();
    return all;
}

Rgb colour_of(const std::string& type) {
    if (type == "plush") return pen::rgb(0x7cc4f2);
    if (type == "dolls") return pen::rgb(0x8a4bbd);
    if (type == "vehicles") return pen::rgb(0xd8352f);
    if (type == "sports") return pen::rgb(0x3f9e46);
    return pen::rgb(0xb8b2a6);
}

// Half-side k runs from corner point k to k + 1 on the border, clockwise.
Point border(double k, double s) {
    const double t = std::fmod(k + 8, 8.0) / 2;
    const int side = int(t);
    const double f = (t - side) * s;
    switch (side) {
        case 0: return {f, 0};
        case 1: return {s, f};
        case 2: return {s - f, s};
        default: return {0, s - f};
    }
}

void wedge_path(cairo_t* cr, int k, double s) {
    const Point a = border(k, s), b = border(k + 1, s);
    cairo_move_to(cr, s / 2, s / 2);
    cairo_line_to(cr, a.x, a.y);
    cairo_line_to(cr, b.x, b.y);
    cairo_close_path(cr);
}

// A second code beside the colour, for eyes and cameras that lose it.
void hatch(cairo_t* cr, const std::string& type, double s) {
    const Rgb line = pen::mixed(colour_of(type), pen::kWhite, 0.45);
    if (type == "plush")
        for (int i = 0; i < 90; ++i)
            pen::circle(cr, (i % 9 + (i / 9 % 2) * 0.5) * s / 8, i / 9 * s / 8, s * 0.012);
    if (type == "dolls")
        for (int i = 0; i < 16; ++i)
            cairo_move_to(cr, 0, i * s / 12), cairo_line_to(cr, s, i * s / 12);
    if (type == "vehicles")
        for (int i = -12; i < 12; ++i)
            cairo_move_to(cr, i * s / 10, 0), cairo_rel_line_to(cr, s, s);
    if (type == "sports")
        for (int i = 0; i < 12; ++i)
            cairo_move_to(cr, i * s / 9, 0), cairo_line_to(cr, i * s / 9, s);
    pen::outline(cr, line, s * 0.012);
}

// The middle of a zone's wedges, pulled inwards.
Point middle(const Tile& tile, int zone, double s) {
    Point sum;
    int n = 0;
    for (int k = 0; k < 8; ++k)
        if (tile.half_sides[k] == zone) sum = sum + border(k + 0.5, s), ++n;
    if (n == 0) return {s / 2, s / 2};
    const Point c{s / 2, s / 2}, out = sum * (1.0 / n) - c;
    const double far = n >= 6 ? 0.0 : 0.295 * s;
    return length(out) < 1e-6 ? c : c + out * (far / length(out));
}

void zones(cairo_t* cr, const Tile& tile, double s) {
    for (int z = 0; z < int(tile.zones.size()); ++z) {
        cairo_save(cr);
        for (int k = 0; k < 8; ++k)
            if (tile.half_sides[k] == z) wedge_path(cr, k, s);
        cairo_clip(cr);
        cairo_rectangle(cr, 0, 0, s, s);
        pen::fill(cr, colour_of(tile.zones[z].type));
        hatch(cr, tile.zones[z].type, s);
        cairo_restore(cr);
    }
    for (int k = 0; k < 8; ++k)
        if (tile.half_sides[k] != tile.half_sides[(k + 7) % 8]) {
            cairo_move_to(cr, s / 2, s / 2), cairo_line_to(cr, border(k, s).x, border(k, s).y);
            pen::outline(cr, pen::kWhite, 1.0);
        }
}

void toys(cairo_t* cr, const Tile& tile, double s) {
    for (int z = 0; z < int(tile.zones.size()); ++z) {
        const auto& names = tile.zones[z].toys;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Point at = middle(tile, z, s) +
                             Point{(double(i) - (names.size() - 1) / 2.0) * 8, 0};
            pen::circle(cr, at.x, at.y, 8.8);
            pen::fill(cr, pen::kWhite);
            pen::circle(cr, at.x, at.y, 8.8);
            pen::outline(cr, pen::mixed(colour_of(tile.zones[z].type), pen::kInk, 0.5), 0.7);
            if (!paint_icon(cr, names[i], at.x, at.y, 14.5))
                pen::text(cr, names[i], at.x, at.y, 3, pen::kInk, 12);
        }
    }
}

void register_mark(cairo_t* cr, const std::string& id, double s) {
    pen::rounded(cr, s * 0.28, s * 0.3, s * 0.44, s * 0.4, 2);
    pen::fill(cr, pen::kInk);
    pen::rounded(cr, s * 0.33, s * 0.34, s * 0.34, s * 0.12, 1);
    pen::fill(cr, pen::rgb(0xf5c02c));
    for (int i = 0; i < 6; ++i)
        cairo_rectangle(cr, s * (0.35 + 0.11 * (i % 3)), s * (0.51 + 0.09 * (i / 3)), s * 0.07,
                        s * 0.05);
    pen::fill(cr, pen::kWhite);
    pen::text(cr, id, s / 2, s * 0.4, s * 0.08, pen::kInk);
}

void tile_back(cairo_t* cr, double s) {
    cairo_rectangle(cr, 0, 0, s, s);
    pen::fill(cr, pen::rgb(0xf5b82e));
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
            pen::circle(cr, (i + 0.5) * s / 5, (j + 0.5) * s / 5, (i + j) % 2 ? 1.6 : 0.8);
    pen::fill(cr, pen::rgb(0xfff0c4));
    pen::bordered_text(cr, "GO", s / 2, s / 2, s * 0.3, pen::rgb(0xc22b4e), pen::kWhite, 1.2);
}

}  // namespace

void paint_jouets(cairo_t* cr, const std::string& face, FaceSize size) {
    const double s = size.width_mm;
    if (face == "back") return tile_back(cr, s);
    const Tile& tile = tiles().at(face);
    zones(cr, tile, s);
    toys(cr, tile, s);
    bool any = false;
    for (const Zone& z : tile.zones) any |= !z.toys.empty();
    any ? pen::bordered_text(cr, face, s / 2, s / 2, 2.2, pen::kInk, pen::kWhite, 0.5)
        : register_mark(cr, face, s);
    cairo_rectangle(cr, 0.4, 0.4, s - 0.8, s - 0.8);
    pen::outline(cr, pen::rgb(0xf7f1e3), 1.2);
}

std::vector<std::string> jouets_faces() {
    std::vector<std::string> names;
    for (const auto& [id, tile] : tiles()) names.push_back(id);
    return names;
}

}  // namespace overboard::simulator
