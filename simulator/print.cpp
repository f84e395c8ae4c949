#include "simulator/print.hpp"

#include <fmt/format.h>

#include <map>
#include <opencv2/aruco/charuco.hpp>

#include "rules/games.hpp"
#include "simulator/art.hpp"
#include "simulator/art_sets.hpp"
#include "simulator/pen.hpp"
#include "simulator/shapes.hpp"
#include "simulator/sheet.hpp"

// A game's sheets follow from its catalogue: whatever it looks for on the table is what is printed.
namespace overboard::simulator {
namespace {

// A marker as squares of ink; crisp at any size.
void paint_marker(cairo_t* cr, const cv::Ptr<cv::aruco::Dictionary>& dictionary, int id,
                  double side_mm) {
    const int cells = dictionary->markerSize + 2;
    cv::Mat bits;
    cv::aruco::drawMarker(dictionary, id, cells, bits, 1);
    const double cell = side_mm / cells;
    cairo_rectangle(cr, 0, 0, side_mm, side_mm);
    for (int y = 0; y < cells; ++y)
        for (int x = 0; x < cells; ++x)
            if (bits.at<uchar>(y, x) >
                127) {  // a hole in the black square, wound the other way round
                cairo_move_to(cr, x * cell, y * cell);
                cairo_rel_line_to(cr, 0, cell), cairo_rel_line_to(cr, cell, 0),
                    cairo_rel_line_to(cr, 0, -cell);
                cairo_close_path(cr);
            }
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    pen::fill(cr, pen::rgb(0));
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_WINDING);
}

void markers(Sheet& sheet) {
    const Table table;
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50);
    const double side = table.marker_mm, quiet = 10;
    static const char* corners[] = {"top left", "top right", "bottom right", "bottom left"};
    cairo_t* cr = sheet.page("table markers");
    for (int i = 0; i < 4; ++i) {
        const double x = sheet.left() + 10 + (i % 2) * 95, y = sheet.top() + 10 + (i / 2) * 115;
        const TableMarker& m = table.markers[i];
        cairo_save(cr);
        cairo_translate(cr, x + quiet, y + quiet);
        paint_marker(cr, dictionary, m.id, side);
        cairo_restore(cr);
        sheet.cut_marks(x, y, side + 2 * quiet, side + 2 * quiet);
        pen::text(cr, fmt::format("{}: {}", m.id, corners[i]), x + quiet + side / 2,
                  y + side + 2 * quiet + 6, 3, pen::kInk);
        pen::text(cr,
                  fmt::format("centre {:g} mm from the left, {:g} mm from the top", m.centre.x,
                              m.centre.y),
                  x + quiet + side / 2, y + side + 2 * quiet + 11, 1.9, pen::kInk);
    }
    pen::text(cr,
              fmt::format("for a table of {:g} × {:g} mm; keep the white border", table.width_mm,
                          table.height_mm),
              sheet.left() + sheet.width() / 2, sheet.top() + 240, 3, pen::kInk);
}

void chessboard(Sheet& sheet) {
    constexpr int nx = 10, ny = 7;
    constexpr double square = 24;
    cairo_t* cr = sheet.page("chessboard:9x6:24 (inner corners, mm)", true);
    const double x0 = sheet.left() + (sheet.width() - nx * square) / 2, y0 = sheet.top();
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            if ((x + y) % 2 == 0)
                cairo_rectangle(cr, x0 + x * square, y0 + y * square, square, square);
    pen::fill(cr, pen::rgb(0));
}

void charuco(Sheet& sheet) {
    constexpr int nx = 8, ny = 5;
    constexpr double square = 30, marker = 22;
    const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_100);
    const auto board = cv::aruco::CharucoBoard::create(nx, ny, float(square), float(marker),
                                                       dictionary);
    cairo_t* cr = sheet.page("charuco:8x5:30:22:DICT_4X4_100", true);
    const double x0 = sheet.left() + (sheet.width() - nx * square) / 2, y0 = sheet.top() + 2;
    // Where the board's own picture is black: its first square tells which parity is ink.
    cv::Mat tiny;
    board->draw({nx * 60, ny * 60}, tiny, 0, 1);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            if (tiny.at<uchar>(y * 60 + 3, x * 60 + 3) < 128)
                cairo_rectangle(cr, x0 + x * square, y0 + y * square, square, square);
    pen::fill(cr, pen::rgb(0));
    for (std::size_t i = 0; i < board->ids.size(); ++i) {
        // Its first corner is the marker's top-left one; the board's y runs up, the page's down.
        const cv::Point3f corner = board->objPoints[i][0];
        const int cell_x = int(corner.x / square), cell_y = ny - 1 - int((corner.y - 1) / square);
        cairo_save(cr);
        cairo_translate(cr, x0 + cell_x * square + (square - marker) / 2,
                        y0 + cell_y * square + (square - marker) / 2);
        paint_marker(cr, dictionary, board->ids[i], marker);
        cairo_restore(cr);
    }
}

int copies_of(const std::string& set, const std::string& face) {
    return set == "gotown" ? gotown_copies(face) : 1;
}

void faces(Sheet& sheet, const FaceKind& kind) {
    std::vector<std::string> all;
    for (const std::string& face : face_names(kind.set))
        if (face != "back") all.insert(all.end(), std::size_t(copies_of(kind.set, face)), face);
    const FaceSize size{kind.width_mm, kind.height_mm, kind.corner_radius_mm};
    const auto front = [&](cairo_t* cr, int i) {
        paint_face(cr, kind.set, all[std::size_t(i)], size);
    };
    std::function<void(cairo_t*, int)> behind;
    if (kind.has_back) behind = [&](cairo_t* cr, int) { paint_face(cr, kind.set, "back", size); };
    lay_out(sheet, "cards and tiles", int(all.size()), kind.width_mm, kind.height_mm, front,
            behind);
}

struct Round {
    double diameter_mm;
    Rgb colour;
    std::string name;
};

void rounds(Sheet& sheet, const std::string& caption, const std::vector<Round>& all) {
    if (all.empty()) return;
    double size = 1;
    for (const Round& r : all) size = std::max(size, r.diameter_mm);
    lay_out(sheet, caption, int(all.size()), size + 8, size + 8, [&](cairo_t* cr, int i) {
        const Round& r = all[std::size_t(i)];
        const double c = (size + 8) / 2;
        pen::circle(cr, c, c, r.diameter_mm / 2);
        pen::fill(cr, r.colour);
        pen::circle(cr, c, c, r.diameter_mm / 2);
        pen::outline(cr, pen::kInk, 0.15);
        pen::circle(cr, c, c, r.diameter_mm * 0.36);
        pen::outline(cr, pen::mixed(r.colour, pen::kInk, 0.3), r.diameter_mm * 0.05);
    });
}

Rgb colour_in(const Catalogue& c, const std::string& name) {
    for (const NamedColour& n : c.palette)
        if (n.name == name) return n.rgb;
    return {128, 128, 128};
}

void polygons(Sheet& sheet, const Catalogue& c) {
    for (const PolygonKind& kind : c.polygons) {
        double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
        for (const Point& p : kind.outline_mm)
            x0 = std::min(x0, p.x), x1 = std::max(x1, p.x), y0 = std::min(y0, p.y),
            y1 = std::max(y1, p.y);
        lay_out(sheet, kind.type, int(kind.colours.size()), x1 - x0 + 4, y1 - y0 + 4,
                [&](cairo_t* cr, int i) {
                    const Rgb colour = colour_in(c, kind.colours[std::size_t(i)]);
                    for (const Point& p : kind.outline_mm)
                        cairo_line_to(cr, p.x - x0 + 2, p.y - y0 + 2);
                    cairo_close_path(cr);
                    pen::ink(cr, colour);
                    cairo_fill_preserve(cr);
                    pen::outline(cr, pen::kInk, 0.15);
                });
    }
}

// The net of a die: fold along the lines, glue the flaps.
void die_net(Sheet& sheet, const DieKind& die) {
    const double e = die.edge_mm;
    static constexpr int places[6][3] = {{1, 1, 0}, {2, 1, 1}, {3, 2, 1},
                                         {4, 0, 1}, {5, 1, 3}, {6, 1, 2}};  // value, column, row
    lay_out(sheet, "die to fold", die.count, 3 * e + 12, 4 * e + 12, [&](cairo_t* cr, int) {
        cairo_translate(cr, 6, 6);
        for (const auto& [value, column, row] : places) {
            cairo_rectangle(cr, column * e, row * e, e, e);
            pen::outline(cr, pen::kInk, 0.2);
            const auto pip = [&](double x, double y) {
                pen::circle(cr, (column + x) * e, (row + y) * e, 0.09 * e);
            };
            if (value % 2) pip(0.5, 0.5);
            if (value > 1) pip(0.25, 0.25), pip(0.75, 0.75);
            if (value > 3) pip(0.75, 0.25), pip(0.25, 0.75);
            if (value == 6) pip(0.25, 0.5), pip(0.75, 0.5);
            pen::fill(cr, pen::kInk);
        }
    });
}

// A board larger than the paper, in parts to be glued edge to edge.
void board(Sheet& sheet, const BoardKind& kind) {
    cairo_t* cr = nullptr;
    const double page_w = 186, page_h = 250;
    const int nx = int(std::ceil(kind.width_mm / page_w)),
              ny = int(std::ceil(kind.height_mm / page_h));
    const double w = kind.width_mm / nx, h = kind.height_mm / ny;
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            cr = sheet.page(fmt::format("board {}, row {} of {}, column {} of {}", kind.name, j + 1,
                                        ny, i + 1, nx));
            const double x = sheet.left() + (sheet.width() - w) / 2, y = sheet.top() + 2;
            cairo_save(cr);
            cairo_rectangle(cr, x, y, w, h);
            cairo_clip(cr);
            cairo_translate(cr, x - i * w + kind.width_mm / 2, y - j * h + kind.height_mm / 2);
            paint_board(cr, kind);
            cairo_restore(cr);
            sheet.cut_marks(x, y, w, h);
        }
}

Catalogue catalogue_of(const rules::Game& game) {
    rules::Setup setup;
    const int players = std::clamp(4, game.info.min_players, game.info.max_players);
    for (int i = 0; i < players; ++i)
        setup.players.push_back({fmt::format("P{}", i + 1), "", Json::object()});
    return game.catalogue(setup);
}

void print_game(Sheet& sheet, const rules::Game& game) {
    const Catalogue c = catalogue_of(game);
    for (const FaceKind& kind : c.cards) faces(sheet, kind);
    for (const FaceKind& kind : c.tiles) faces(sheet, kind);
    polygons(sheet, c);
    std::vector<Round> discs, stones, pawns;
    for (const DiscKind& d : c.discs)
        discs.insert(discs.end(), std::size_t(d.count), Round{d.diameter_mm, d.colour, d.type});
    for (const RoundKind& k : c.stones)
        for (const std::string& colour : k.colours)
            stones.push_back({k.diameter_mm, colour_in(c, colour), colour});
    for (const RoundKind& k : c.pawns)
        for (const std::string& colour : k.colours)
            pawns.push_back({k.diameter_mm, colour_in(c, colour), colour});
    rounds(sheet, "discs: glue on wood or card", discs);
    rounds(sheet, "stones: glue on wood or card", stones);
    rounds(sheet, "figures: glue under corks or pawns of this colour", pawns);
    for (const DieKind& d : c.dice) die_net(sheet, d);
    if (c.board) board(sheet, *c.board);
    print_extras(sheet, game.info.id);
}

}  // namespace

Paper paper_named(const std::string& name) {
    static const std::map<std::string, Paper> all = {
        {"A4", {210, 297}}, {"A3", {297, 420}}, {"letter", {215.9, 279.4}}};
    const auto found = all.find(name);
    if (found == all.end())
        throw std::invalid_argument("there is no paper '" + name + "': A4, A3 or letter");
    return found->second;
}

int print_pdf(const std::string& what, const std::filesystem::path& file, Paper paper) {
    const rules::Game* game = rules::find_game(what);
    if (!game && what != "markers" && what != "calibration")
        throw std::invalid_argument("there is nothing to print for '" + what +
                                    "': a game, markers or calibration");
    Sheet sheet(file, paper, game ? game->info.name : what);
    if (game) print_game(sheet, *game);
    if (game || what == "markers") markers(sheet);
    if (what == "calibration") chessboard(sheet), charuco(sheet);
    sheet.close();
    return sheet.pages();
}

}  // namespace overboard::simulator
