#include "simulator/world.hpp"

#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>

#include "simulator/shapes.hpp"

namespace overboard::simulator {
namespace {

double reach(const Polygon& p, Point c) {
    double r = 0;
    for (const Point& q : p) r = std::max(r, distance(c, q));
    return r;
}

std::vector<cv::Point2f> points(const Polygon& p) {
    std::vector<cv::Point2f> out;
    for (const Point& q : p) out.emplace_back(float(q.x), float(q.y));
    return out;
}

// Overlap of more than a sliver: pieces laid side by side do not climb on each other.
bool overlap(const Polygon& a, const Polygon& b) {
    std::vector<cv::Point2f> common;
    return cv::intersectConvexConvex(points(a), points(b), common) > 6.0f;
}

struct Laid {
    Polygon outline;
    Point centre;
    double reach_mm;
    double top;
};

double support(const std::vector<Laid>& below, const Laid& piece) {
    double z = 0;
    for (const Laid& l : below)
        if (l.top > z && distance(l.centre, piece.centre) < l.reach_mm + piece.reach_mm &&
            overlap(l.outline, piece.outline))
            z = l.top;
    return z;
}

Laid laid(const Body& body) {
    Laid l{footprint(body), {body.at.x, body.at.y}, 0, body.z + height_of(body)};
    l.reach_mm = reach(l.outline, l.centre);
    return l;
}

}  // namespace

namespace {

double widest(const Shape& s) {
    double r = 1;
    for (const Ring& ring : s.rings) r = std::max(r, ring.radius_mm);
    return r;
}

}  // namespace

double height_of(const Body& body) {
    return body.shape->height_mm;
}

Polygon footprint(const Body& body) {
    const Shape& s = *body.shape;
    Polygon local = s.outline_mm;
    if (s.form == Form::disc) local = circle_mm(s.radius_mm, 24);
    if (s.form == Form::turned) local = circle_mm(widest(s), 24);
    if (s.form == Form::die) local = rectangle_mm(s.height_mm, s.height_mm, 0);
    for (Point& p : local) p = place(body.at, p);
    return local;
}

Body body_of(const Catalogue& catalogue, const Piece& piece, double z) {
    Body b;
    b.shape = shape_of(catalogue, piece);
    if (!b.shape) throw std::runtime_error("the catalogue does not know a piece of the scene");
    b.id = piece.id;
    b.at = {piece.x, piece.y, piece.angle};
    b.z = b.ground = z;
    if (piece.kind == PieceKind::die) {
        b.turn = die_turn(piece.value.value_or(1));
        if (!piece.value) {  // cocked: leaning on an edge, between two faces
            const double a = 0.6;
            b.turn = cv::Matx33d(1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a),
                                 std::cos(a)) *
                     die_turn(3);
        }
    }
    b.vx = piece.vx, b.vy = piece.vy;
    return b;
}

World world_from(const Catalogue& catalogue, const Observation& scene) {
    World world;
    world.table = catalogue.table;
    for (const TableMarker& m : catalogue.table.markers) {
        Body b;
        b.shape = marker_shape(catalogue.table, m.id);
        b.at = {m.centre.x, m.centre.y, 0};
        b.fixed = true;
        world.bodies.push_back(b);
    }
    std::vector<Laid> below;
    if (catalogue.board) {
        const Pose pose = scene.board.value_or(catalogue.board->at);
        for (Body& b : board_bodies(*catalogue.board, pose)) world.bodies.push_back(std::move(b));
        below.push_back({rectangle_mm(catalogue.board->width_mm, catalogue.board->height_mm, 0),
                         {pose.x, pose.y},
                         std::hypot(catalogue.board->width_mm, catalogue.board->height_mm) / 2,
                         catalogue.board->elevation_mm});
        for (Point& p : below.back().outline) p = place(pose, p);
    }
    for (const Piece& piece : scene.pieces) {
        Body b = body_of(catalogue, piece);
        b.z = b.ground = support(below, laid(b));
        below.push_back(laid(b));
        world.bodies.push_back(std::move(b));
    }
    return world;
}

namespace {

ShapePtr phone() {
    Shape s;
    s.outline_mm = rectangle_mm(72, 148, 9);
    s.height_mm = 8;
    s.colour = {22, 23, 27}, s.side = {60, 62, 68};
    s.gloss = 0.9;
    return std::make_shared<const Shape>(s);
}

ShapePtr glass(bool full) {
    Shape s;
    s.form = Form::turned;
    s.height_mm = 110;
    s.colour = full ? Rgb{196, 120, 30} : Rgb{215, 225, 228}, s.side = {210, 222, 226};
    s.rings = {{28, 0}, {31, 30}, {34, 70}, {36, 110}};
    s.opacity = full ? 0.62 : 0.10;
    s.gloss = 1;
    return std::make_shared<const Shape>(s);
}

ShapePtr cup() {
    Shape s;
    s.form = Form::turned;
    s.height_mm = 62;
    s.colour = {58, 34, 20}, s.side = {238, 236, 230};
    s.rings = {{24, 0}, {36, 20}, {41, 62}};
    s.gloss = 0.5;
    return std::make_shared<const Shape>(s);
}

ShapePtr pencil() {
    Shape s;
    s.outline_mm = {{-80, -3.5}, {70, -3.5}, {86, 0}, {70, 3.5}, {-80, 3.5}};
    s.height_mm = 7;
    s.colour = {222, 170, 30}, s.side = {180, 120, 20};
    return std::make_shared<const Shape>(s);
}

ShapePtr coaster() {
    Shape s;
    s.form = Form::disc;
    s.radius_mm = 47, s.height_mm = 1.4;
    s.colour = s.side = {196, 160, 112};
    s.gloss = 0.05;
    return std::make_shared<const Shape>(s);
}

struct Thing {
    std::string name;
    ShapePtr shape;
};

const std::vector<Thing>& left_things() {
    static const std::vector<Thing> things = {{"phone", phone()},      {"tea", glass(true)},
                                              {"cup", cup()},          {"pencil", pencil()},
                                              {"glass", glass(false)}, {"coaster", coaster()}};
    return things;
}

bool clear_of(const Polygon& p, const std::vector<Polygon>& others) {
    for (const Polygon& o : others)
        if (overlap(p, o)) return false;
    return true;
}

}  // namespace

Body left_thing(const std::string& name, Pose at) {
    for (const Thing& thing : left_things())
        if (thing.name == name) {
            Body b;
            b.shape = thing.shape;
            b.at = at;
            return b;
        }
    throw std::invalid_argument("nobody leaves a " + name + " on a table");
}

void add_clutter(World& world, int count, std::uint64_t seed,
                 const std::vector<Polygon>& keep_out) {
    std::mt19937_64 engine(seed + 99);
    const auto between = [&](double a, double b) {
        return std::uniform_real_distribution<double>(a, b)(engine);
    };
    std::vector<Polygon> taken = keep_out;
    for (const Body& b : world.bodies) taken.push_back(footprint(b));
    for (int tries = 0; count > 0 && tries < 400; ++tries) {
        Body b;
        b.shape = left_things()[engine() % left_things().size()].shape;
        const bool side = between(0, 1) < 0.5;
        b.at = {side ? (between(0, 1) < 0.5 ? between(55, 170)
                                            : world.table.width_mm - between(55, 170))
                     : between(60, world.table.width_mm - 60),
                side ? between(60, world.table.height_mm - 60)
                     : (between(0, 1) < 0.5 ? between(55, 130)
                                            : world.table.height_mm - between(55, 130)),
                between(-3, 3)};
        b.fixed = true;
        // A tall thing hides what stands behind it: keep as far away as it may lean in the picture.
        Polygon room = footprint(b);
        for (Point& p : room) p = p + (p - Point{b.at.x, b.at.y}) * (0.12 + 0.012 * height_of(b));
        const bool on_table = std::all_of(room.begin(), room.end(), [&](Point p) {
            return p.x > 4 && p.y > 4 && p.x < world.table.width_mm - 4 &&
                   p.y < world.table.height_mm - 4;
        });
        if (!on_table || !clear_of(room, taken)) continue;
        taken.push_back(footprint(b));
        world.bodies.push_back(b);
        --count;
    }
}

}  // namespace overboard::simulator
