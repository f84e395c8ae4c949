#include "simulator/solid.hpp"

#include <opencv2/imgproc.hpp>

#include "simulator/shapes.hpp"

// Bodies are drawn back to front without a depth buffer: the silhouette of the whole body in the
// light of its sides, then what is seen of it from above. A shadow is the hull of the body's
// outlines thrown onto the ground from the middle of a lamp, blurred by the lamp's size.
namespace overboard::simulator {

using cv::Point2f;
using cv::Vec3d;
using cv::Vec3f;
using Outline = std::vector<Point2f>;

cv::Vec3f glare_at(const Light& light, const Vec3d& eye, const Vec3d& point, double width_mm) {
    Vec3f sum{0, 0, 0};
    for (const Lamp& lamp : light.lamps) {
        const double k = eye[2] / (eye[2] + lamp.at_mm[2]);  // where the table mirrors the lamp
        const double x = eye[0] + (lamp.at_mm[0] - eye[0]) * k,
                     y = eye[1] + (lamp.at_mm[1] - eye[1]) * k;
        const double width = width_mm + lamp.radius_mm * k;
        const double d2 = ((point[0] - x) * (point[0] - x) + (point[1] - y) * (point[1] - y)) /
                          (width * width);
        if (d2 < 12) sum += lamp.colour * float(2.2 * std::exp(-d2) + 0.12 / (1 + 3 * d2));
    }
    return sum;
}

double vignette_at(const Light& light, cv::Size size, cv::Point2d px) {
    const double x = (px.x - size.width / 2.0) / (size.width / 2.0),
                 y = (px.y - size.height / 2.0) / (size.width / 2.0);
    const double r2 = (x * x + y * y) / 1.316;  // 1 in the corners of 16:9
    return 1 - light.vignette * r2;
}

namespace {

class Drafter {
public:
    Drafter(const Body& body, const Stage& stage, const Exposure& exposure)
        : body_{body}, shape_{*body.shape}, stage_{stage}, exposure_{exposure} {
        moving_ = body.vx != 0 || body.vy != 0 || body.spin != 0 || body.vz != 0;
        where_ = pixel({0, 0}, 0);
        vignette_ = float(vignette_at(stage.light, stage.map.size(), where_));
        const auto eye = stage.map.eye();
        eye_ = eye ? *eye : Vec3d(body.at.x, body.at.y, 1e5);
    }

    Drawing draw() {
        switch (shape_.form) {
            case Form::prism: prism(); break;
            case Form::disc: disc(); break;
            case Form::die: die(); break;
            case Form::turned: turned(); break;
        }
        finish();
        return std::move(out_);
    }

private:
    // A point of the body (its own frame, z from its underside) in pixels, at the moment its row is
    // read.
    Point2f pixel(Point local, double z) const {
        const auto at = [&](double dt) {
            const Pose pose{body_.at.x + body_.vx * dt, body_.at.y + body_.vy * dt,
                            body_.at.angle + body_.spin * dt};
            return stage_.map.project(place(pose, local), body_.z + z + body_.vz * dt);
        };
        cv::Point2d p = at(0);
        if (moving_ && exposure_.readout_s > 0)
            p = at(exposure_.readout_s * (p.y / stage_.map.size().height - 0.5));
        return {float(p.x), float(p.y)};
    }

    Outline pixels(const Polygon& local, double z) const {
        Outline out;
        out.reserve(local.size());
        for (const Point& p : local) out.push_back(pixel(p, z));
        return out;
    }

    Vec3d world(Point local, double z) const {
        const Point p = place(body_.at, local);
        return {p.x, p.y, body_.z + z};
    }

    Vec3f light(Vec3d at, Vec3d normal) const { return stage_.light.at(at, normal) * vignette_; }

    Vec3f shine(double z, double width_mm = 70) const {
        return glare_at(stage_.light, eye_, world({0, 0}, z), width_mm) *
               float(0.10 * shape_.gloss) * vignette_;
    }

    void map_texture(Face& face, const TexturePtr& texture, const Point2f (&quad)[4]) const {
        const Point2f uv[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        const cv::Mat h = cv::getPerspectiveTransform(quad, uv);
        for (int i = 0; i < 9; ++i) face.to_uv.val[i] = float(h.at<double>(i / 3, i % 3));
        const double area = std::abs((quad[2] - quad[0]).cross(quad[3] - quad[1])) / 2;
        face.texture = texture.get();
        face.texels = std::sqrt(texture->size().area() / std::max(area, 1.0));
    }

    Face& plain(Outline outline, Rgb colour, Vec3f light) {
        Face f;
        f.outline = std::move(outline);
        f.albedo = linear(colour);
        f.light = light;
        f.opacity = float(shape_.opacity);
        return out_.faces.emplace_back(std::move(f));
    }

    void top_quad(Face& f, double z) const {
        const double w = shape_.top_width_mm / 2, h = shape_.top_height_mm / 2;
        const Point2f quad[4] = {pixel({-w, -h}, z), pixel({w, -h}, z), pixel({w, h}, z),
                                 pixel({-w, h}, z)};
        map_texture(f, shape_.top, quad);
        f.albedo = {1, 1, 1};
    }

    // Sides facing the camera, each in its own light, over the silhouette.
    void sides(const Polygon& outline, const Outline& bottom, const Outline& top) {
        Outline all = bottom;
        all.insert(all.end(), top.begin(), top.end());
        const Vec3f mean = light(world({0, 0}, shape_.height_mm / 2), {0, 0, 1}) * 0.6f;
        if (outline.size() < 3) return;
        if (is_convex_) plain(hull_of(all), shape_.side, mean);
        if (shape_.height_mm < 1.5) return;
        const int n = int(outline.size());
        for (int i = 0; i < n; ++i) {
            const int j = (i + 1) % n;
            const Point along = rotated(outline[j] - outline[i], body_.at.angle);
            const Vec3d normal = cv::normalize(
                Vec3d(along.y, -along.x, 0));  // outwards: clockwise outline, y down
            const Vec3d to_eye = eye_ -
                                 world((outline[i] + outline[j]) * 0.5, shape_.height_mm / 2);
            if (normal.dot(to_eye) <= 0) continue;
            plain({bottom[i], bottom[j], top[j], top[i]}, shape_.side,
                  light(world((outline[i] + outline[j]) * 0.5, shape_.height_mm / 2), normal));
        }
    }

    static Polygon densified(const Polygon& p, double step_mm) {
        Polygon out;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Point a = p[i], b = p[(i + 1) % p.size()];
            const int n = std::max(1, int(distance(a, b) / step_mm));
            for (int k = 0; k < n; ++k) out.push_back(a + (b - a) * (double(k) / n));
        }
        return out;
    }

    void prism() {
        double size = 0;
        for (const Point& p : shape_.outline_mm) size = std::max(size, length(p));
        const bool large = size > 130;
        const Polygon outline = large ? densified(shape_.outline_mm, 40) : shape_.outline_mm;
        const Outline bottom = pixels(outline, 0), top = pixels(outline, shape_.height_mm);
        sides(outline, bottom, top);
        if (large && shape_.top) return cells(outline, top);
        const double chamfer = shape_.height_mm < 2 ? 0 : std::min(0.9, shape_.height_mm * 0.2);
        const Polygon inner = chamfer > 0 ? inset(outline, chamfer) : outline;
        if (chamfer > 0) edges(outline, inner, chamfer);
        Face& f = plain(chamfer > 0 ? pixels(inner, shape_.height_mm) : top, shape_.colour,
                        light(world({0, 0}, shape_.height_mm), {0, 0, 1}));
        f.shine = shine(shape_.height_mm);
        if (shape_.top) top_quad(f, shape_.height_mm);
        cast_prism(outline);
    }

    // The outline drawn in by `by` mm on every side (convex outlines).
    static Polygon inset(const Polygon& p, double by) {
        Polygon out;
        const int n = int(p.size());
        for (int i = 0; i < n; ++i) {
            const Point a = p[(i + n - 1) % n], b = p[i], c = p[(i + 1) % n];
            const Point u = (b - a) * (1 / std::max(distance(a, b), 1e-9)),
                        v = (c - b) * (1 / std::max(distance(b, c), 1e-9));
            const Point nu{-u.y, u.x}, nv{-v.y, v.x};  // inwards: clockwise outline, y down
            const double k = 1 / std::max(1 + dot(nu, nv), 0.2);
            out.push_back(b + (nu + nv) * (by * k));
        }
        return out;
    }

    // Chamfered edges: each catches the light its own way, which is how pieces of one colour are
    // told apart.
    void edges(const Polygon& outer, const Polygon& inner, double chamfer) {
        const Outline low = pixels(outer, shape_.height_mm - chamfer),
                      high = pixels(inner, shape_.height_mm);
        const int n = int(outer.size());
        for (int i = 0; i < n; ++i) {
            const int j = (i + 1) % n;
            const Point along = rotated(outer[j] - outer[i], body_.at.angle);
            const Vec3d normal = cv::normalize(Vec3d(along.y, -along.x, length(along)));
            Face& f = plain(
                {low[i], low[j], high[j], high[i]}, shape_.colour,
                light(world((outer[i] + outer[j]) * 0.5, shape_.height_mm), normal) * 0.92f);
            f.shine = edge_shine(world((outer[i] + outer[j]) * 0.5, shape_.height_mm), normal);
        }
    }

    // Lamps mirrored in an edge: bright where its normal lies half way between lamp and eye.
    Vec3f edge_shine(const Vec3d& at, const Vec3d& normal) const {
        Vec3f sum{0, 0, 0};
        for (const Lamp& lamp : stage_.light.lamps) {
            const Vec3d half = cv::normalize(cv::normalize(lamp.at_mm - at) +
                                             cv::normalize(eye_ - at));
            sum += lamp.colour *
                   float(0.5 * shape_.gloss * std::pow(std::max(0.0, half.dot(normal)), 18));
        }
        return sum * vignette_;
    }

    // A large top in small patches, each lit and mapped on its own: follows the lens's bending.
    void cells(const Polygon& outline, const Outline& top) {
        const Rgb edge = shape_.side;
        plain(top, edge, light(world(centroid(), shape_.height_mm), {0, 0, 1}));
        const double w = shape_.top_width_mm, h = shape_.top_height_mm, step = 45,
                     z = shape_.height_mm;
        const int nx = int(std::ceil(w / step)), ny = int(std::ceil(h / step));
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                const double x0 = -w / 2 + w * i / nx, x1 = x0 + w / nx, y0 = -h / 2 + h * j / ny,
                             y1 = y0 + h / ny;
                const Outline cell = clipped({{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, z);
                if (cell.size() < 3) continue;
                const Point middle{(x0 + x1) / 2, (y0 + y1) / 2};
                Face& f = plain(cell, {255, 255, 255}, light(world(middle, z), {0, 0, 1}));
                patch(f, x0, y0, x1, y1);
            }
        cast_prism(outline);
    }

    // The cell, a hair larger so that neighbours leave no seam, cut to the outline.
    Outline clipped(Polygon cell, double z) const {
        constexpr double over = 0.5;
        std::vector<Point2f> a, b, common;
        const Point c = (cell[0] + cell[2]) * 0.5;
        for (const Point& p : cell)
            a.emplace_back(float(p.x + (p.x > c.x ? over : -over)),
                           float(p.y + (p.y > c.y ? over : -over)));
        for (const Point& p : shape_.outline_mm) b.emplace_back(float(p.x), float(p.y));
        cv::intersectConvexConvex(a, b, common);
        Polygon local;
        for (const Point2f& p : common) local.push_back({p.x, p.y});
        return pixels(local, z);
    }

    void patch(Face& f, double x0, double y0, double x1, double y1) const {
        const double w = shape_.top_width_mm, h = shape_.top_height_mm, z = shape_.height_mm;
        const Point2f quad[4] = {pixel({x0, y0}, z), pixel({x1, y0}, z), pixel({x1, y1}, z),
                                 pixel({x0, y1}, z)};
        const auto u = [&](double x) { return float((x + w / 2) / w); };
        const auto v = [&](double y) { return float((y + h / 2) / h); };
        const Point2f uv[4] = {{u(x0), v(y0)}, {u(x1), v(y0)}, {u(x1), v(y1)}, {u(x0), v(y1)}};
        const cv::Mat m = cv::getPerspectiveTransform(quad, uv);
        for (int i = 0; i < 9; ++i) f.to_uv.val[i] = float(m.at<double>(i / 3, i % 3));
        const double area = std::abs((quad[2] - quad[0]).cross(quad[3] - quad[1])) / 2;
        f.texture = shape_.top.get();
        f.texels = std::sqrt(shape_.top->size().area() * (x1 - x0) * (y1 - y0) / (w * h) /
                             std::max(area, 1.0));
        grade(f, {(x0 + x1) / 2, (y0 + y1) / 2}, z);
    }

    // Light and glare of a patch as planes over the picture, so that patches join without a step.
    void grade(Face& f, Point middle, double z) const {
        constexpr double h = 20;
        struct Both {
            Vec3f light, shine;
        };
        const auto at = [&](Point p) {
            const Vec3d w = world(p, z);
            const auto v = float(vignette_at(stage_.light, stage_.map.size(), pixel(p, z)));
            return Both{stage_.light.at(w, {0, 0, 1}) * v,
                        glare_at(stage_.light, eye_, w, 90) * float(0.10 * shape_.gloss) * v};
        };
        const Both here = at(middle), right = at(middle + Point{h, 0}),
                   left = at(middle - Point{h, 0}), down = at(middle + Point{0, h}),
                   up = at(middle - Point{0, h});
        f.graded = true;
        f.centre = pixel(middle, z);
        f.light = here.light, f.shine = here.shine;
        // Pixels from local millimetres: gradients follow by the inverse.
        const Point2f gx = pixel(middle + Point{1, 0}, z) - f.centre,
                      gy = pixel(middle + Point{0, 1}, z) - f.centre;
        const float det = gx.x * gy.y - gx.y * gy.x;
        const auto planes = [&](Vec3f a, Vec3f b, Vec3f& dx,
                                Vec3f& dy) {  // a, b: per mm along local x, y
            dx = (a * gy.y - b * gx.y) * (1 / det);
            dy = (b * gx.x - a * gy.x) * (1 / det);
        };
        const auto k = float(1 / (2 * h));
        planes((right.light - left.light) * k, (down.light - up.light) * k, f.light_dx, f.light_dy);
        planes((right.shine - left.shine) * k, (down.shine - up.shine) * k, f.shine_dx, f.shine_dy);
    }

    // Light on a round wall (or bevel) by direction; `slope` is the z part of its normal.
    void light_around(Face& f, double z, double slope) const {
        f.round = true;
        f.centre = pixel({0, 0}, z);
        const double flat = std::sqrt(1 - slope * slope);
        const cv::Matx22d j = stage_.map.jacobian({body_.at.x, body_.at.y}, body_.z + z).inv();
        for (int i = 0; i < Face::kAround; ++i) {
            const Point2f seen = diamond_direction(4.0f * i / Face::kAround);
            const cv::Vec2d n = cv::normalize(j * cv::Vec2d(seen.x, seen.y));
            f.around[i] = light(world({0, 0}, z), {n[0] * flat, n[1] * flat, slope});
        }
    }

    Point centroid() const {
        Point sum;
        for (const Point& p : shape_.outline_mm) sum = sum + p;
        return sum * (1.0 / double(shape_.outline_mm.size()));
    }

    static bool is_centred(const Polygon& outline) {
        Point sum;
        for (const Point& p : outline) sum = sum + p;
        return length(sum) < 1;
    }

    void disc() {
        const double r = shape_.radius_mm, h = shape_.height_mm, bevel = std::min(1.0, h * 0.25);
        const int corners = r > 20 ? 48 : 36;
        const Outline bottom = pixels(circle_mm(r, corners), 0),
                      upper = pixels(circle_mm(r, corners), h - bevel);
        Outline all = bottom;
        all.insert(all.end(), upper.begin(), upper.end());
        light_around(plain(hull_of(all), shape_.side, {1, 1, 1}), h / 2, 0.05);
        if (h > 2) light_around(plain(upper, shape_.colour, {1, 1, 1}), h - bevel / 2, 0.75);
        Face& top = plain(pixels(circle_mm(r - bevel, corners), h), shape_.colour,
                          light(world({0, 0}, h), {0, 0, 1}));
        top.shine = shine(h, 110);
        if (shape_.top) top_quad(top, h);
        cast(circle_mm(r, 24), 0, circle_mm(r, 24), h);
    }

    void turned() {
        const bool clear = shape_.opacity < 1;
        for (std::size_t i = 0; i + 1 < shape_.rings.size(); ++i) {
            const Ring a = shape_.rings[i], b = shape_.rings[i + 1];
            Outline all = pixels(circle_mm(a.radius_mm, 28), a.z_mm),
                    upper = pixels(circle_mm(b.radius_mm, 28), b.z_mm);
            all.insert(all.end(), upper.begin(), upper.end());
            const double dr = a.radius_mm - b.radius_mm, dz = std::max(b.z_mm - a.z_mm, 1e-3);
            const double slope = dr / std::hypot(dr, dz);
            Face& f = plain(hull_of(all), shape_.side, {1, 1, 1});
            light_around(f, (a.z_mm + b.z_mm) / 2, std::clamp(slope, -0.3, 0.98));
            f.opacity = float(clear ? 0.11 : 1);
        }
        const Ring last = shape_.rings.back();
        if (shape_.form == Form::turned && last.radius_mm > 12)
            open_top(last);
        else
            crown(last);
        for (std::size_t i = 0; i + 1 < shape_.rings.size(); ++i) {
            const Ring a = shape_.rings[i], b = shape_.rings[i + 1];
            cast(circle_mm(a.radius_mm, 16), a.z_mm, circle_mm(b.radius_mm, 16), b.z_mm);
        }
    }

    void crown(Ring last) {
        Face& f = plain(pixels(circle_mm(last.radius_mm * 1.6, 16), last.z_mm - 0.3), shape_.colour,
                        light(world({0, 0}, last.z_mm), {0, 0, 1}));
        f.shine = shine(last.z_mm, 150) +
                  light(world({0, 0}, last.z_mm), {0, 0, 1}) * float(0.18 * shape_.gloss);
        f.opacity = 0.75f;
    }

    // Between two circles about the axis: once round, and back round the inner one.
    Outline ring(double outer, double inner, double z) const {
        Outline out = pixels(circle_mm(outer, 40), z);
        out.push_back(out.front());
        Outline back = pixels(circle_mm(inner, 40), z);
        back.push_back(back.front());
        out.insert(out.end(), back.rbegin(), back.rend());
        return out;
    }

    // Cups and glasses: what is in them, the rim above it, and the lamps in the rim.
    void open_top(Ring last) {
        const bool clear = shape_.opacity < 1;
        const double r = last.radius_mm, z = last.z_mm, level = clear ? 0.6 * z : 0.85 * z;
        const Vec3f l = light(world({0, 0}, z), {0, 0, 1});
        Face& inside = plain(pixels(circle_mm(r * (clear ? 0.88 : 0.9), 40), level), shape_.colour,
                             l * 0.8f);
        inside.opacity = clear ? float(shape_.opacity) : 1.f;
        inside.shine = shine(level, 120);
        Face& rim = plain(ring(r, r * (clear ? 0.95 : 0.9), z), shape_.side, l);
        rim.opacity = clear ? 0.5f : 1.f;
        for (const Lamp& lamp : stage_.light.lamps) {
            const double a = std::atan2(lamp.at_mm[1] - body_.at.y, lamp.at_mm[0] - body_.at.x) -
                             body_.at.angle;
            Polygon arc;
            for (int i = 0; i <= 8; ++i) arc.push_back(rotated({r * 0.99, 0}, a + (i - 4) * 0.07));
            for (int i = 8; i >= 0; --i) arc.push_back(rotated({r * 0.93, 0}, a + (i - 4) * 0.07));
            Face& spark = plain(pixels(arc, z), {255, 255, 255}, l * 1.3f);
            spark.opacity = 0.65f;
        }
    }

    struct Corner {
        Vec3d at;  // from the middle of the die
    };

    Point2f die_pixel(Vec3d p) const {
        const Vec3d q = body_.turn * p;
        return pixel({q[0], q[1]}, lift_ + q[2]);
    }

    void die() {
        const double e = shape_.height_mm / 2, r = 0.16 * shape_.height_mm;
        double low = 0;
        for (int i = 0; i < 8; ++i) low = std::min(low, (body_.turn * corner(i, e))[2]);
        lift_ = -low;  // its lowest corner touches the ground
        Outline all;
        for (int i = 0; i < 8; ++i)
            for (int k = 0; k < 12; ++k) {
                const Point2f c = die_pixel(corner(i, e - r));
                const float s = float(
                    stage_.map.px_per_mm({body_.at.x, body_.at.y}, body_.z + lift_) * r);
                all.emplace_back(c.x + s * std::cos(k * 0.5236f), c.y + s * std::sin(k * 0.5236f));
            }
        const Vec3f up = light(world({0, 0}, 2 * e), {0, 0, 1});
        plain(hull_of(all), shape_.colour, up * 0.80f);
        static constexpr int kNormals[6][3] = {{0, 0, 1},  {1, 0, 0},  {0, 1, 0},
                                               {0, -1, 0}, {-1, 0, 0}, {0, 0, -1}};
        for (int v = 0; v < 6; ++v)
            die_face(v, Vec3d(kNormals[v][0], kNormals[v][1], kNormals[v][2]), e, r);
        const Polygon square = rectangle_mm(2 * e, 2 * e, r);
        cast(square, 0.1 * e, square, 2 * e - r * 0.4);
    }

    static Vec3d corner(int i, double e) {
        return {i & 1 ? e : -e, i & 2 ? e : -e, i & 4 ? e : -e};
    }

    void die_face(int v, Vec3d normal, double e, double r) {
        const Vec3d n = body_.turn * normal;
        const Point turned_n = rotated({n[0], n[1]}, body_.at.angle);
        const Vec3d world_n{turned_n.x, turned_n.y, n[2]};
        if (world_n.dot(eye_ - world({n[0] * e, n[1] * e}, lift_ + n[2] * e)) <= 0) return;
        const Vec3d u = std::abs(normal[2]) > 0.5 ? Vec3d(1, 0, 0)
                                                  : Vec3d(-normal[1], normal[0], 0);
        const Vec3d w = normal.cross(u);
        Outline outline;
        for (const Point& p : rectangle_mm(2 * e - r * 0.7, 2 * e - r * 0.7, r * 1.3))
            outline.push_back(die_pixel(normal * e + u * p.x + w * p.y));
        Face& f = plain(outline, {255, 255, 255},
                        light(world({n[0] * e, n[1] * e}, lift_ + n[2] * e), world_n));
        f.shine = n[2] > 0.9 ? shine(2 * e, 120) : Vec3f(0, 0, 0);
        const Point2f quad[4] = {
            die_pixel(normal * e - u * e - w * e), die_pixel(normal * e + u * e - w * e),
            die_pixel(normal * e + u * e + w * e), die_pixel(normal * e - u * e + w * e)};
        map_texture(f, shape_.faces[v], quad);
        f.albedo = {1, 1, 1};
    }

    void cast_prism(const Polygon& outline) { cast(outline, 0, outline, shape_.height_mm); }

    // Both outlines thrown onto the ground from every lamp; and the dark seam where the body
    // stands.
    void cast(const Polygon& lower, double z0, const Polygon& upper, double z1) {
        const double ground = body_.ground;
        for (int k = 0; k < int(stage_.light.lamps.size()); ++k) {
            const Lamp& lamp = stage_.light.lamps[k];
            Outline all;
            throw_from(lamp, lower, body_.z + z0, ground, all);
            throw_from(lamp, upper, body_.z + z1, ground, all);
            const double rise = body_.z + z1 - ground, d = cv::norm(lamp.at_mm - world({0, 0}, z1));
            Shadow s{k, is_convex_ ? hull_of(all) : all, 0, float(shape_.opacity < 1 ? 0.35 : 1)};
            s.soft_px = float(2 * lamp.radius_mm * rise / d * 0.5 * scale());
            out_.shadows.push_back(std::move(s));
        }
        if (body_.z > ground + 4) return;  // in the air
        Shadow seam{-1, {}, float(0.35 * std::min(z1 - z0, 12.0) * scale()), 0.55f};
        for (const Point& p : lower) {
            const double grow = 1 + 0.3 * std::min(z1, 6.0) / std::max(length(p), 1.0);
            seam.outline.push_back(pixel(p * grow, ground - body_.z));
        }
        if (z1 > 0.2) out_.shadows.push_back(std::move(seam));
    }

    double scale() const { return stage_.map.px_per_mm({body_.at.x, body_.at.y}); }

    void throw_from(const Lamp& lamp, const Polygon& outline, double z, double ground,
                    Outline& all) const {
        for (const Point& local : outline) {
            const Point p = place(body_.at, local);
            const double k = (z - ground) / (lamp.at_mm[2] - z);
            const Point shift{(p.x - lamp.at_mm[0]) * k, (p.y - lamp.at_mm[1]) * k};
            const Point moved = local + rotated(shift, -body_.at.angle);
            all.push_back(pixel(moved, ground - body_.z));
        }
    }

    void finish() {
        cv::Rect all;
        for (const Face& f : out_.faces) all |= bounds_of(f.outline);
        for (const Shadow& s : out_.shadows) {
            const int grow = int(std::ceil(s.soft_px)) + 2;
            const cv::Rect b = bounds_of(s.outline);
            all |= cv::Rect(b.x - grow, b.y - grow, b.width + 2 * grow, b.height + 2 * grow);
        }
        out_.bounds = all;
        out_.where = where_;
        const double top = body_.z + shape_.height_mm;
        // Flat things first, one on the other; then what stands; then what is carried.
        out_.layer = body_.z > body_.ground + 1 ? 3
                     : shape_.height_mm < 2     ? 0
                     : shape_.height_mm < 11    ? 1
                                                : 2;
        out_.order = out_.layer == 0
                         ? body_.z * 1e6
                         : body_.z * 1e6 - std::hypot(body_.at.x - eye_[0], body_.at.y - eye_[1]);
        if (shape_.top_width_mm > 250 && body_.fixed)
            out_.layer = is_centred(shape_.outline_mm) ? -2 : -1;  // slab, then its frame
        const Vec3d& j = stage_.projector_mm;
        const double k = top / std::max(j[2] - top, 1.0);
        const Point lands{body_.at.x + (body_.at.x - j[0]) * k,
                          body_.at.y + (body_.at.y - j[1]) * k};
        const cv::Point2d from = stage_.map.project({body_.at.x, body_.at.y}, top),
                          to = stage_.map.project(lands, 0);
        out_.projector_shift = {float(to.x - from.x), float(to.y - from.y)};
    }

    const Body& body_;
    const Shape& shape_;
    const Stage& stage_;
    Exposure exposure_;
    bool moving_ = false;
    bool is_convex_ = true;
    double lift_ = 0;
    float vignette_ = 1;
    Point2f where_;
    Vec3d eye_;
    Drawing out_;
};

}  // namespace

Drawing shifted(Drawing d, cv::Point2f by) {
    for (Face& f : d.faces) {
        for (Point2f& p : f.outline) p += by;
        f.centre += by;
        f.to_uv = f.to_uv * cv::Matx33f(1, 0, -by.x, 0, 1, -by.y, 0, 0, 1);
    }
    for (Shadow& s : d.shadows)
        for (Point2f& p : s.outline) p += by;
    d.bounds = cv::Rect(d.bounds.x + int(std::floor(by.x)), d.bounds.y + int(std::floor(by.y)),
                        d.bounds.width + 1, d.bounds.height + 1);
    return d;
}

Drawing draw(const Body& body, const Stage& stage, const Exposure& exposure) {
    return Drafter(body, stage, exposure).draw();
}

}  // namespace overboard::simulator
