#include "simulator/shapes.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <opencv2/aruco.hpp>
#include <opencv2/imgproc.hpp>

#include "simulator/art.hpp"
#include "simulator/table_top.hpp"

namespace overboard::simulator {
namespace {

constexpr double kFacePxPerMm = 4;

ShapePtr remembered(const std::string& key, const std::function<Shape()>& make) {
    static std::mutex mutex;
    static std::map<std::string, ShapePtr> known;
    const std::scoped_lock lock(mutex);
    ShapePtr& shape = known[key];
    if (!shape) shape = std::make_shared<const Shape>(make());
    return shape;
}

std::string text(Rgb c) {
    return fmt::format("{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

Rgb palette_colour(const Catalogue& catalogue, const std::string& name) {
    for (const NamedColour& c : catalogue.palette)
        if (c.name == name) return c.rgb;
    return {128, 128, 128};
}

// Turned wood or plastic: rings round the middle, a little grain.
TexturePtr disc_top(Rgb colour, bool ornate) {
    constexpr int n = 128;
    cv::Mat picture(n, n, CV_8UC3);
    cv::RNG noise(colour.r * 65536 + colour.g * 256 + colour.b + 1);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const double r = std::hypot(x - 63.5, y - 63.5) / 64;
            double shade = 1 + noise.gaussian(0.012);
            const auto groove = [&](double at, double width, double depth) {
                const double d = std::abs(r - at) / width;
                if (d < 1) shade *= 1 - depth * (1 - d * d);
            };
            groove(0.78, 0.05, 0.30), groove(0.70, 0.03, -0.10);
            if (ornate) groove(0.45, 0.05, 0.28), groove(0.12, 0.06, 0.25);
            const auto c = [&](int v) { return cv::saturate_cast<uchar>(v * shade); };
            picture.at<cv::Vec3b>(y, x) = {c(colour.b), c(colour.g), c(colour.r)};
        }
    return std::make_shared<const Texture>(picture);
}

Shape disc_shape(const DiscKind& kind) {
    Shape s;
    s.form = Form::disc;
    s.radius_mm = kind.diameter_mm / 2;
    s.height_mm = kind.height_mm;
    s.colour = s.side = kind.colour;
    s.top = disc_top(kind.colour, kind.type == "striker");
    s.top_width_mm = s.top_height_mm = kind.diameter_mm;
    s.gloss = 0.35;
    return s;
}

// A hole shows its lit edge, then darkness.
Shape hole_shape(const Hole& hole) {
    constexpr int n = 96;
    cv::Mat picture(n, n, CV_8UC3);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const double r = std::hypot(x - 47.5, y - 47.5) / 48,
                         wall = std::hypot(x - 47.5 + 5, y - 47.5 + 6) / 48;
            const double v = r > 0.93 ? 52 : wall > 0.9 ? 26 : 9;
            picture.at<cv::Vec3b>(y, x) = cv::Vec3b(uchar(v * 0.6), uchar(v * 0.75), uchar(v));
        }
    Shape s;
    s.form = Form::disc;
    s.radius_mm = hole.diameter_mm / 2;
    s.height_mm = 0.02;
    s.colour = s.side = {20, 15, 12};
    s.top = std::make_shared<const Texture>(picture);
    s.top_width_mm = s.top_height_mm = hole.diameter_mm;
    s.gloss = 0;
    return s;
}

Shape stone_shape(const RoundKind& kind, Rgb colour) {
    return disc_shape({"stone", kind.diameter_mm, kind.height_mm, colour, 1});
}

Shape pawn_shape(const RoundKind& kind, Rgb colour) {
    Shape s;
    s.form = Form::turned;
    s.height_mm = kind.height_mm;
    s.colour = s.side = colour;
    s.gloss = 0.3;
    const double r = kind.diameter_mm / 2, h = kind.height_mm;
    s.rings = {{r, 0},
               {r, 0.10 * h},
               {0.85 * r, 0.14 * h},
               {0.55 * r, 0.3 * h},
               {0.38 * r, 0.62 * h},
               {0.5 * r, 0.68 * h},
               {0.62 * r, 0.78 * h},
               {0.6 * r, 0.86 * h},
               {0.45 * r, 0.95 * h},
               {0.2 * r, 0.99 * h}};
    return s;
}

Shape die_shape(const DieKind& kind, Rgb body, Rgb pips) {
    Shape s;
    s.form = Form::die;
    s.height_mm = kind.edge_mm;
    s.colour = s.side = body;
    s.gloss = 0.3;
    for (int v = 1; v <= 6; ++v)
        s.faces[v - 1] = std::make_shared<const Texture>(draw_die_face(v, 96, body, pips));
    return s;
}

Shape face_shape(const FaceKind& kind, const std::string& face) {
    Shape s;
    s.outline_mm = rectangle_mm(kind.width_mm, kind.height_mm, kind.corner_radius_mm);
    s.height_mm = kind.thickness_mm;
    s.top = std::make_shared<const Texture>(draw_face(kind.set, face, kFacePxPerMm));
    s.top_width_mm = kind.width_mm;
    s.top_height_mm = kind.height_mm;
    s.side = {214, 208, 196};
    s.gloss = 0.12;
    return s;
}

Shape polygon_shape(const PolygonKind& kind, Rgb colour) {
    Shape s;
    // Sawn a hair small, as real ones are: laid side by side they show a seam.
    s.outline_mm = kind.outline_mm;
    for (Point& p : s.outline_mm) p = p * (1 - 0.2 / std::max(length(p), 1.0));
    s.height_mm = kind.height_mm;
    s.colour = s.side = colour;
    double reach = 1;
    for (const Point& p : kind.outline_mm) reach = std::max(reach, length(p));
    cv::Mat paint(int(reach * 8), int(reach * 8), CV_8UC3,
                  cv::Scalar(colour.b, colour.g, colour.r));  // painted wood
    add_grain(paint, 4, 0.55, unsigned(kind.type.size() * 31 + colour.r));
    s.top = std::make_shared<const Texture>(paint);
    s.top_width_mm = s.top_height_mm = 2 * reach;
    s.gloss = 0.25;
    return s;
}

// The first kind whose faces hold this one, else the first kind.
const FaceKind* kind_for(const std::vector<FaceKind>& kinds, const std::string& face) {
    for (const FaceKind& k : kinds)
        if (std::find(k.faces.begin(), k.faces.end(), face) != k.faces.end()) return &k;
    return kinds.empty() ? nullptr : &kinds.front();
}

const RoundKind* round_for(const std::vector<RoundKind>& kinds, const std::string& colour) {
    for (const RoundKind& k : kinds)
        if (std::find(k.colours.begin(), k.colours.end(), colour) != k.colours.end()) return &k;
    return kinds.empty() ? nullptr : &kinds.front();
}

ShapePtr faced(const std::vector<FaceKind>& kinds, const Piece& piece) {
    const std::string face = piece.face.value_or("back");
    const FaceKind* kind = kind_for(kinds, face);
    if (!kind) return nullptr;
    return remembered(fmt::format("face {} {} {} {} {}", kind->set, face, kind->width_mm,
                                  kind->height_mm, kind->thickness_mm),
                      [&] { return face_shape(*kind, face); });
}

ShapePtr round(const char* what, const std::vector<RoundKind>& kinds, const Catalogue& catalogue,
               const Piece& piece, Shape (*make)(const RoundKind&, Rgb)) {
    const RoundKind* kind = round_for(kinds, piece.colour);
    if (!kind) return nullptr;
    const Rgb colour = palette_colour(catalogue, piece.colour);
    return remembered(
        fmt::format("{} {} {} {}", what, text(colour), kind->diameter_mm, kind->height_mm),
        [&] { return make(*kind, colour); });
}

ShapePtr disc(const Catalogue& catalogue, const Piece& piece) {
    for (const DiscKind& k : catalogue.discs)
        if (k.type == piece.type)
            return remembered(
                fmt::format("disc {} {} {} {}", k.type, text(k.colour), k.diameter_mm, k.height_mm),
                [&] { return disc_shape(k); });
    return nullptr;
}

ShapePtr polygon(const Catalogue& catalogue, const Piece& piece) {
    for (const PolygonKind& k : catalogue.polygons)
        if (k.type == piece.type) {
            const Rgb colour = palette_colour(catalogue, piece.colour);
            return remembered(fmt::format("polygon {} {} {}", k.type, text(colour),
                                          k.outline_mm.empty() ? 0 : k.outline_mm[0].x),
                              [&] { return polygon_shape(k, colour); });
        }
    return nullptr;
}

}  // namespace

ShapePtr shape_of(const Catalogue& catalogue, const Piece& piece) {
    switch (piece.kind) {
        case PieceKind::disc: return disc(catalogue, piece);
        case PieceKind::polygon: return polygon(catalogue, piece);
        case PieceKind::card: return faced(catalogue.cards, piece);
        case PieceKind::tile: return faced(catalogue.tiles, piece);
        case PieceKind::stone:
            return round("stone", catalogue.stones, catalogue, piece, stone_shape);
        case PieceKind::pawn: return round("pawn", catalogue.pawns, catalogue, piece, pawn_shape);
        case PieceKind::die:
            if (catalogue.dice.empty()) return nullptr;
            return remembered(fmt::format("die {}", catalogue.dice[0].edge_mm), [&] {
                return die_shape(catalogue.dice[0], {244, 242, 236}, {20, 20, 24});
            });
    }
    return nullptr;
}

ShapePtr marker_shape(const Table& table, int id) {
    return remembered(fmt::format("marker {} {}", id, table.marker_mm), [&] {
        constexpr int cell = 16, cells = 6;  // DICT_4X4: four bits and a black border
        cv::Mat marker, sheet((cells + 2) * cell, (cells + 2) * cell, CV_8U, cv::Scalar(245));
        cv::aruco::drawMarker(cv::aruco::getPredefinedDictionary(cv::aruco::DICT_4X4_50), id,
                              cells * cell, marker, 1);
        cv::Mat(cv::max(marker, 18))
            .copyTo(sheet(cv::Rect(cell, cell, cells * cell, cells * cell)));
        cv::Mat bgr;
        cv::cvtColor(sheet, bgr, cv::COLOR_GRAY2BGR);
        Shape s;
        const double side = table.marker_mm * (cells + 2) / cells;
        s.outline_mm = rectangle_mm(side, side, 0);
        s.height_mm = 0.05;  // lies flat: its print is at table height
        s.top = std::make_shared<const Texture>(bgr);
        s.top_width_mm = s.top_height_mm = side;
        s.side = {230, 230, 226};
        s.gloss = 0.05;
        return s;
    });
}

std::vector<Body> board_bodies(const BoardKind& board, Pose pose) {
    std::vector<Body> bodies;
    const auto slab = remembered(fmt::format("board {} {} {} {} {}", board.name, board.art,
                                             board.width_mm, board.height_mm, board.elevation_mm),
                                 [&] {
                                     Shape s;
                                     s.outline_mm = rectangle_mm(board.width_mm, board.height_mm,
                                                                 board.frame_mm > 0 ? 0 : 2);
                                     s.height_mm = std::max(board.elevation_mm, 0.05);
                                     cv::Mat art = draw_board(board, 2.5);
                                     if (board.frame_mm > 0) add_grain(art, 2.5, 0.55, 3);
                                     s.top = std::make_shared<const Texture>(art);
                                     s.top_width_mm = board.width_mm;
                                     s.top_height_mm = board.height_mm;
                                     s.side = {150, 140, 125};
                                     s.gloss = board.frame_mm > 0 ? 0.4 : 0.15;
                                     return s;
                                 });
    bodies.push_back({slab, 0, pose, 0, 0, cv::Matx33d::eye(), 0, 0, 0, 0, true});
    for (const Hole& hole : board.holes) {
        const auto pocket = remembered(fmt::format("hole {}", hole.diameter_mm),
                                       [&] { return hole_shape(hole); });
        const Point at = place(pose, hole.centre);
        bodies.push_back({pocket,
                          0,
                          {at.x, at.y, 0},
                          board.elevation_mm,
                          board.elevation_mm,
                          cv::Matx33d::eye(),
                          0,
                          0,
                          0,
                          0,
                          true});
    }
    if (board.frame_mm <= 0) return bodies;
    const double w = board.width_mm / 2, h = board.height_mm / 2, f = board.frame_mm;
    const Polygon bars[4] = {{{-w - f, -h - f}, {w + f, -h - f}, {w, -h}, {-w, -h}},
                             {{w + f, -h - f}, {w + f, h + f}, {w, h}, {w, -h}},
                             {{w + f, h + f}, {-w - f, h + f}, {-w, h}, {w, h}},
                             {{-w - f, h + f}, {-w - f, -h - f}, {-w, -h}, {-w, h}}};
    for (int i = 0; i < 4; ++i) {
        const auto bar = remembered(
            fmt::format("bar {} {} {} {} {} {}", i, board.width_mm, board.height_mm, f,
                        text(board.frame), board.frame_height_mm),
            [&] {
                Shape s;
                s.outline_mm = bars[i];
                s.height_mm = board.elevation_mm + board.frame_height_mm;
                cv::Mat art(int(2 * (h + f)), int(2 * (w + f)), CV_8UC3,
                            cv::Scalar(board.frame.b, board.frame.g, board.frame.r));
                add_grain(art, 1, i % 2 ? 1.2 : 1.0, 11 + i, i % 2);
                s.top = std::make_shared<const Texture>(art);
                s.top_width_mm = 2 * (w + f), s.top_height_mm = 2 * (h + f);
                s.colour = s.side = board.frame;
                s.gloss = 0.5;
                return s;
            });
        bodies.push_back({bar, 0, pose, 0, 0, cv::Matx33d::eye(), 0, 0, 0, 0, true});
    }
    return bodies;
}

Polygon circle_mm(double radius, int corners) {
    Polygon p;
    for (int i = 0; i < corners; ++i) p.push_back(rotated({radius, 0}, 2 * M_PI * i / corners));
    return p;
}

Polygon rectangle_mm(double width, double height, double radius) {
    const double w = width / 2, h = height / 2;
    if (radius <= 0) return {{-w, -h}, {w, -h}, {w, h}, {-w, h}};
    Polygon p;
    const Point middle[4] = {{w - radius, -h + radius},
                             {w - radius, h - radius},
                             {-w + radius, h - radius},
                             {-w + radius, -h + radius}};
    for (int corner = 0; corner < 4; ++corner)
        for (int i = 0; i <= 4; ++i)
            p.push_back(middle[corner] + rotated({radius, 0}, (corner - 1 + i / 4.0) * M_PI / 2));
    return p;
}

// Faces lie as on western dice: 1 opposite 6, 2 opposite 5, 3 opposite 4. Unturned, 1 is on top
// (+z), 2 towards +x, 3 towards +y.
cv::Matx33d die_turn(int value) {
    switch (value) {
        case 2: return {0, 0, -1, 0, 1, 0, 1, 0, 0};
        case 3: return {1, 0, 0, 0, 0, -1, 0, 1, 0};
        case 4: return {1, 0, 0, 0, 0, 1, 0, -1, 0};
        case 5: return {0, 0, 1, 0, 1, 0, -1, 0, 0};
        case 6: return {1, 0, 0, 0, -1, 0, 0, 0, -1};
        default: return cv::Matx33d::eye();
    }
}

}  // namespace overboard::simulator
