#include "simulator/art.hpp"

#include <algorithm>
#include <functional>

#include "rules/games.hpp"
#include "simulator/art_sets.hpp"
#include "simulator/pen.hpp"

namespace overboard::simulator {
namespace {

struct SetArt {
    const char* set;
    void (*paint)(cairo_t*, const std::string&, FaceSize);
    std::vector<std::string> (*faces)();
    FaceSize size;  // until a game says otherwise
};

// The visible list: one line a set.
const std::vector<SetArt>& sets() {
    static const std::vector<SetArt> all = {
        {"gotown", paint_gotown, gotown_faces, {63, 88, 3}},
        {"jouets", paint_jouets, jouets_faces, {45, 45, 1.5}},
        {"gayplay", paint_gayplay, gayplay_faces, {40, 56, 3}},
    };
    return all;
}

const SetArt* find_set(const std::string& set) {
    const auto found = std::find_if(sets().begin(), sets().end(),
                                    [&](const SetArt& s) { return s.set == set; });
    return found == sets().end() ? nullptr : &*found;
}

// The kind of that set in the catalogue of any game.
const FaceKind* kind_of(const std::string& set) {
    static const std::vector<FaceKind> kinds = [] {
        std::vector<FaceKind> all;
        for (const rules::Game& game : rules::games()) {
            rules::Setup setup;
            for (int i = 0; i < game.info.min_players; ++i)
                setup.players.push_back({"P" + std::to_string(i + 1), "", Json::object()});
            const Catalogue c = game.catalogue(setup);
            all.insert(all.end(), c.cards.begin(), c.cards.end());
            all.insert(all.end(), c.tiles.begin(), c.tiles.end());
        }
        return all;
    }();
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const FaceKind& k) { return k.set == set; });
    return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

FaceSize face_size(const std::string& set) {
    if (const FaceKind* kind = kind_of(set))
        return {kind->width_mm, kind->height_mm, kind->corner_radius_mm};
    if (const SetArt* art = find_set(set)) return art->size;
    return {};
}

std::vector<std::string> face_names(const std::string& set) {
    const FaceKind* kind = kind_of(set);
    const SetArt* art = find_set(set);
    if (!kind && !art) return {};
    std::vector<std::string> names = kind && !kind->faces.empty() ? kind->faces
                                     : art                        ? art->faces()
                                                                  : std::vector<std::string>{};
    if (!kind || kind->has_back) names.push_back("back");
    return names;
}

void paint_face(cairo_t* cr, const std::string& set, const std::string& face, FaceSize size) {
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, size.width_mm, size.height_mm);
    pen::fill(cr, pen::kPaper);
    const SetArt* art = find_set(set);
    if (art) {
        cairo_scale(cr, size.width_mm / art->size.width_mm, size.height_mm / art->size.height_mm);
        const auto known = art->faces();
        const bool drawn = face == "back" ||
                           std::find(known.begin(), known.end(), face) != known.end();
        drawn ? art->paint(cr, face, art->size) : paint_unknown(cr, face, art->size);
    } else {
        paint_unknown(cr, face, size);
    }
    cairo_restore(cr);
}

cv::Mat draw_face(const std::string& set, const std::string& face, double px_per_mm) {
    const FaceSize size = face_size(set);
    return pen::picture(size.width_mm, size.height_mm, px_per_mm,
                        [&](cairo_t* cr) { paint_face(cr, set, face, size); });
}

void paint_unknown(cairo_t* cr, const std::string& face, FaceSize s) {
    std::size_t h = std::hash<std::string>{}(face);
    const auto next = [&h](int n) {
        h = h * 6364136223846793005ull + 1442695040888963407ull;
        return int((h >> 33) % n);
    };
    for (int i = 0; i < 7; ++i) {
        const Rgb colour{std::uint8_t(next(200)), std::uint8_t(next(200)), std::uint8_t(next(200))};
        const double x = s.width_mm * next(100) / 100, y = s.height_mm * next(100) / 100,
                     r = s.width_mm * (0.1 + next(20) / 100.0);
        next(2) ? pen::circle(cr, x, y, r) : cairo_rectangle(cr, x - r, y - r, 2 * r, 2 * r);
        pen::fill(cr, colour);
    }
    pen::bordered_text(
        cr, face, s.width_mm / 2, s.height_mm / 2,
        std::min(s.height_mm * 0.3, 1.2 * s.width_mm / std::max<std::size_t>(face.size(), 2)),
        pen::kInk, pen::kWhite, s.width_mm * 0.02);
}

namespace {

void pip(cairo_t* cr, double x, double y, double r, Rgb colour) {
    pen::circle(cr, x, y, r);
    pen::fill(cr, colour);
}

}  // namespace

cv::Mat draw_die_face(int value, int size_px, Rgb body, Rgb pips) {
    return pen::picture(1, 1, size_px, [&](cairo_t* cr) {
        cairo_paint(cr);
        cairo_rectangle(cr, 0, 0, 1, 1);
        pen::fill(cr, body);
        constexpr double a = 0.25, m = 0.5, b = 0.75, r = 0.092;
        if (value % 2) pip(cr, m, m, value == 1 ? 0.12 : r, pips);
        if (value > 1) pip(cr, a, a, r, pips), pip(cr, b, b, r, pips);
        if (value > 3) pip(cr, b, a, r, pips), pip(cr, a, b, r, pips);
        if (value == 6) pip(cr, a, m, r, pips), pip(cr, b, m, r, pips);
    });
}

}  // namespace overboard::simulator
