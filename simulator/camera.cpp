#include "simulator/camera.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "simulator/canvas.hpp"
#include "simulator/hands.hpp"
#include "simulator/sensor.hpp"
#include "simulator/solid.hpp"
#include "simulator/table_top.hpp"

// Three pictures are kept: the bare table in linear light, the same with everything fixed on it,
// and the last frame before noise. A new frame redraws, onto the second, the rectangles in which a
// body or a hand came, went or moved (what moves, several times within the exposure), blurs them as
// the lens does, and puts them into the third; noise is laid over a copy.
namespace overboard::simulator {

using cv::Vec3f;

namespace {

cv::Matx33d rotation(double x, double y, double z) {
    const auto c = [](double a) { return std::cos(a); };
    const auto s = [](double a) { return std::sin(a); };
    const cv::Matx33d rx(1, 0, 0, 0, c(x), -s(x), 0, s(x), c(x)),
        ry(c(y), 0, s(y), 0, 1, 0, -s(y), 0, c(y)), rz(c(z), -s(z), 0, s(z), c(z), 0, 0, 0, 1);
    return rz * ry * rx;
}

// A smooth function of the pixel on a coarse grid, stretched to the frame.
template <class T, class F>
cv::Mat over_frame(cv::Size size, int step, F&& f) {
    const int nx = (size.width + step - 1) / step + 2, ny = (size.height + step - 1) / step + 2;
    cv::Mat coarse(ny, nx, cv::traits::Type<T>::value), fine;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            coarse.at<T>(y, x) = f(cv::Point2d((x - 0.5) * step - 0.5, (y - 0.5) * step - 0.5));
    cv::resize(coarse, fine, {nx * step, ny * step}, 0, 0, cv::INTER_LINEAR);
    return fine(cv::Rect({step, step}, size)).clone();
}

// Overlapping rectangles become one, all on the JPEG grid.
std::vector<cv::Rect> merged(const std::vector<cv::Rect>& rects, cv::Size size) {
    std::vector<cv::Rect> out;
    constexpr int g = 16;
    for (cv::Rect r : rects) {
        const int x0 = std::max(0, (r.x - 4) / g * g), y0 = std::max(0, (r.y - 4) / g * g);
        const int x1 = std::min(size.width, (r.br().x + 4 + g - 1) / g * g),
                  y1 = std::min(size.height, (r.br().y + 4 + g - 1) / g * g);
        if (x1 <= x0 || y1 <= y0) continue;
        r = {x0, y0, x1 - x0, y1 - y0};
        for (std::size_t i = 0; i < out.size();)
            if (!(out[i] & r).empty())
                r |= out[i], out.erase(out.begin() + long(i)), i = 0;
            else
                ++i;
        out.push_back(r);
    }
    return out;
}

}  // namespace

calibration::TableMap map_of(const CameraSetup& s) {
    calibration::Intrinsics lens;
    lens.size = s.size;
    lens.distortion = s.distortion;
    const cv::Matx33d R = rotation(s.tilt_x, s.tilt_y, s.roll);
    const cv::Vec3d eye{s.table.width_mm / 2 + s.off_centre_mm.x,
                        s.table.height_mm / 2 + s.off_centre_mm.y, -s.height_mm};
    const cv::Vec3d t = -(R * eye);
    if (s.lens) return calibration::TableMap(*s.lens, R, t);
    // With unit focal length and no offset, how far do the table's edges reach?
    calibration::TableMap unit(lens, R, t);
    double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    for (int i = 0; i <= 16; ++i)
        for (const Point& p : {Point{s.table.width_mm * i / 16, 0},
                               {s.table.width_mm * i / 16, s.table.height_mm},
                               {0, s.table.height_mm * i / 16},
                               {s.table.width_mm, s.table.height_mm * i / 16}}) {
            const cv::Point2d q = unit.project(p);
            x0 = std::min(x0, q.x), x1 = std::max(x1, q.x), y0 = std::min(y0, q.y),
            y1 = std::max(y1, q.y);
        }
    const double f = (1 - 2 * s.margin) *
                     std::min(s.size.width / (x1 - x0), s.size.height / (y1 - y0));
    lens.K = cv::Matx33d(f, 0, s.size.width / 2.0 - f * (x0 + x1) / 2, 0, f,
                         s.size.height / 2.0 - f * (y0 + y1) / 2, 0, 0, 1);
    return calibration::TableMap(lens, R, t);
}

struct Camera::Eye {
    CameraSetup setup;
    calibration::TableMap map;
    Light light;
    Sensor sensor;
    LampShares shares;
    HandPainter hands;
    cv::Mat albedo;      // the bare table
    cv::Mat lit, shine;  // light on it, and mirrored light
    cv::Mat set;         // table and fixed bodies, lit
    cv::Mat projected;   // projector's light on the table, per pixel; empty: dark
    cv::Mat projector;   // the picture that made it
    cv::Mat where_mm;    // table point seen by each pixel
    std::vector<Body> fixed;
    std::vector<Drawing> fixed_drawings;
    struct Shown {
        Body body;
        Drawing drawing;
    };
    std::vector<Shown> shown;
    std::vector<Hand> shown_hands;
    cv::Mat clean;
    std::array<cv::Mat, 4> delivered;  // frames handed out; used again once nobody holds them
    double psf_px = 0.6;

    Eye(CameraSetup s, const std::string& preset, std::uint64_t seed);
    void light_table(std::uint64_t seed);
    cv::Rect update_set(const World& world, const cv::Mat& picture);
    cv::Rect changed_by(const cv::Mat& picture) const;
    void project(const cv::Mat& picture, cv::Rect window);
    void bake(cv::Rect window);
    cv::Mat& spare();
    [[nodiscard]] cv::Rect frame() const { return {{}, setup.size}; }
    std::vector<cv::Rect> update_shown(const World& world);
    void redraw(cv::Rect window);
    void expose(cv::Mat& pixels, cv::Point origin);
    void smear(const Shown& shown_body, cv::Mat& pixels, cv::Point origin);
    [[nodiscard]] cv::Vec2d travel(const Body& b) const;
    [[nodiscard]] Stage stage() const { return {map, light, setup.projector_mm}; }
    [[nodiscard]] Exposure exposure() const { return {light.readout_s}; }
};

Camera::Eye::Eye(CameraSetup s, const std::string& preset, std::uint64_t seed)
    : setup{std::move(s)}, map{map_of(setup)}, light{light_preset(preset, seed, setup.table)} {
    if (setup.material) light.material = *setup.material;
    if (setup.shutter_s) light.shutter_s = *setup.shutter_s;
    if (setup.noise) light.noise = *setup.noise;
    if (setup.jpeg_quality) light.jpeg_quality = *setup.jpeg_quality;
    psf_px = light.psf_px * setup.size.width / 1920.0;
    shares = lamp_shares(map, light);
    light_table(seed);
    const cv::Vec3d middle{setup.table.width_mm / 2, setup.table.height_mm / 2, 0};
    sensor = Sensor(light, light.at(middle, {0, 0, 1}), seed);
}

void Camera::Eye::light_table(std::uint64_t seed) {
    const cv::Size size = setup.size;
    const cv::Mat where = over_frame<cv::Vec2f>(size, 8, [&](cv::Point2d px) {
        const Point p = map.to_table(px);
        return cv::Vec2f(float((p.x + kMarginMm) * kTopPxPerMm - 0.5),
                         float((p.y + kMarginMm) * kTopPxPerMm - 0.5));
    });
    cv::Mat top;
    cv::remap(table_top(light.material, setup.table, unsigned(seed)), top, where, {},
              cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    cv::Mat lut(1, 256, CV_32F);
    for (int i = 0; i < 256; ++i) lut.at<float>(i) = to_linear(uchar(i));
    cv::LUT(top, lut, albedo);
    lit = over_frame<Vec3f>(size, 32, [&](cv::Point2d px) {
        const Point p = map.to_table(px);
        return Vec3f(light.at({p.x, p.y, 0}, {0, 0, 1}) * float(vignette_at(light, size, px)));
    });
    if (light.gloss > 0)
        shine = over_frame<Vec3f>(size, 16, [&](cv::Point2d px) {
            const Point p = map.to_table(px);
            const bool on = p.x > 0 && p.y > 0 && p.x < setup.table.width_mm &&
                            p.y < setup.table.height_mm;
            const auto g = float(light.gloss * vignette_at(light, size, px));
            return on ? Vec3f(glare_at(light, *map.eye(), {p.x, p.y, 0}, light.gloss_width_mm) * g)
                      : Vec3f(0, 0, 0);
        });
}

// The projector's light on the table, in one window of the frame.
void Camera::Eye::project(const cv::Mat& picture, cv::Rect window) {
    projector = picture.clone();
    if (picture.empty()) {
        projected.release();
        return;
    }
    if (where_mm.empty())
        where_mm = over_frame<cv::Vec2f>(setup.size, 8, [&](cv::Point2d px) {
            const Point p = map.to_table(px);
            return cv::Vec2f(float(p.x), float(p.y));
        });
    if (projected.empty()) projected.create(setup.size, CV_32FC3), window = frame();
    cv::Mat where, seen, lut(1, 256, CV_32F), light_there;
    cv::multiply(
        where_mm(window),
        cv::Scalar(picture.cols / setup.table.width_mm, picture.rows / setup.table.height_mm),
        where);
    where -= cv::Scalar(0.5, 0.5);
    cv::remap(picture, seen, where, {}, cv::INTER_LINEAR, cv::BORDER_CONSTANT);
    const Vec3f room = light.at({setup.table.width_mm / 2, setup.table.height_mm / 2, 0},
                                {0, 0, 1});
    const auto white = float(setup.projector_light * (room[0] + room[1] + room[2]) / 3);
    for (int i = 0; i < 256; ++i)
        lut.at<float>(i) = white * (0.004f + to_linear(uchar(i)));  // black is never quite dark
    cv::LUT(seen, lut, light_there);
    light_there.copyTo(projected(window));
}

void Camera::Eye::bake(cv::Rect window) {
    set.create(setup.size, CV_32FC3);
    cv::Mat all = lit(window).clone(), part = set(window);
    if (!projected.empty()) all += projected(window);
    cv::multiply(albedo(window), all, part);
    if (!shine.empty()) part += shine(window);
    std::vector<const Drawing*> order;
    for (const Drawing& d : fixed_drawings)
        if (!(d.bounds & window).empty()) order.push_back(&d);
    Canvas(part, window.tl(), shares, projected).put(order);
}

// Where the frame changes when the projector shows this instead: also on pieces up to a glass's
// height.
cv::Rect Camera::Eye::changed_by(const cv::Mat& picture) const {
    if (picture.empty() && projector.empty()) return {};
    if (picture.size() != projector.size() || picture.type() != projector.type()) return frame();
    if (picture.isContinuous() &&
        std::memcmp(picture.data, projector.data, picture.total() * picture.elemSize()) == 0)
        return {};
    cv::Mat difference, grey;
    cv::absdiff(picture, projector, difference);
    cv::reduce(difference.reshape(1, int(difference.total())), grey, 1, cv::REDUCE_MAX);
    const cv::Rect in = cv::boundingRect(grey.reshape(1, picture.rows));
    if (in.empty()) return {};
    std::vector<cv::Point2f> px;
    const double sx = setup.table.width_mm / picture.cols,
                 sy = setup.table.height_mm / picture.rows;
    for (int i = 0; i <= 8; ++i)
        for (const double height : {0.0, 120.0})
            for (const cv::Point2d& p : {cv::Point2d(in.x + in.width * i / 8.0, in.y),
                                         {in.x + in.width * i / 8.0, double(in.br().y)},
                                         {double(in.x), in.y + in.height * i / 8.0},
                                         {double(in.br().x), in.y + in.height * i / 8.0}}) {
                const cv::Point2d q = map.project({p.x * sx, p.y * sy}, height);
                px.emplace_back(float(q.x), float(q.y));
            }
    const cv::Rect b = bounds_of(px);
    return cv::Rect(b.x - 24, b.y - 24, b.width + 48, b.height + 48) & frame();
}

// The part of the frame whose background is new.
cv::Rect Camera::Eye::update_set(const World& world, const cv::Mat& picture) {
    std::vector<Body> now;
    for (const Body& b : world.bodies)
        if (b.fixed) now.push_back(b);
    cv::Rect window = changed_by(picture);
    const bool first = set.empty() || now != fixed;
    if (first) {
        window = frame();
        fixed = std::move(now);
        fixed_drawings.clear();
        for (const Body& b : fixed) fixed_drawings.push_back(draw(b, stage(), exposure()));
    }
    if (window.empty()) return window;
    if (!first || !picture.empty() || !projector.empty()) project(picture, window);
    bake(window);
    return window;
}

std::vector<cv::Rect> Camera::Eye::update_shown(const World& world) {
    std::vector<cv::Rect> dirty;
    std::vector<Shown> next;
    std::vector<char> kept(shown.size(), 0);
    for (const Body& b : world.bodies) {
        if (b.fixed) continue;
        std::size_t i = 0;
        while (i < shown.size() && (kept[i] || !(shown[i].body == b))) ++i;
        if (i < shown.size()) {
            kept[i] = 1;
            next.push_back(std::move(shown[i]));
            continue;
        }
        next.push_back({b, draw(b, stage(), exposure())});
        const int grow = int(std::ceil(cv::norm(travel(b)) / 2));
        cv::Rect& r = next.back().drawing.bounds;
        r = {r.x - grow, r.y - grow, r.width + 2 * grow, r.height + 2 * grow};
        dirty.push_back(r);
    }
    for (std::size_t i = 0; i < shown.size(); ++i)
        if (!kept[i]) dirty.push_back(shown[i].drawing.bounds);
    shown = std::move(next);
    if (world.hands != shown_hands) {
        for (const Hand& h : shown_hands) dirty.push_back(hands.bounds(h, stage()));
        for (const Hand& h : world.hands) dirty.push_back(hands.bounds(h, stage()));
        shown_hands = world.hands;
    }
    return dirty;
}

// How far the body goes while the shutter is open, px.
cv::Vec2d Camera::Eye::travel(const Body& b) const {
    return map.jacobian({b.at.x, b.at.y}, b.z) * cv::Vec2d(b.vx, b.vy) * light.shutter_s;
}

// A moving body, several times within the exposure, over what does not move.
void Camera::Eye::smear(const Shown& shown_body, cv::Mat& pixels, cv::Point origin) {
    const cv::Vec2d way = travel(shown_body.body);
    const int n = std::clamp(int(std::ceil(cv::norm(way) / 1.6)), 1, 14);
    const cv::Rect window = shown_body.drawing.bounds & cv::Rect(origin, pixels.size());
    if (window.empty()) return;
    cv::Mat target = pixels(window - origin), sum = cv::Mat::zeros(window.size(), CV_32FC3), once;
    for (int i = 0; i < n; ++i) {
        const double f = (i + 0.5) / n - 0.5;
        const Drawing moved = shifted(shown_body.drawing, {float(way[0] * f), float(way[1] * f)});
        target.copyTo(once);
        Canvas(once, window.tl(), shares, projected).put({&moved});
        sum += once;
    }
    sum.convertTo(target, CV_32FC3, 1.0 / n);
}

// What lies still, then what moves, then hands.
void Camera::Eye::expose(cv::Mat& pixels, cv::Point origin) {
    const cv::Rect window(origin, pixels.size());
    std::vector<const Drawing*> still;
    std::vector<const Shown*> moving;
    for (const Shown& s : shown) {
        if ((s.drawing.bounds & window).empty()) continue;
        const bool moves = s.body.vx != 0 || s.body.vy != 0;
        if (moves)
            moving.push_back(&s);
        else
            still.push_back(&s.drawing);
    }
    Canvas canvas(pixels, origin, shares, projected);
    canvas.put(still);
    std::stable_sort(moving.begin(), moving.end(), [](const Shown* a, const Shown* b) {
        return a->drawing.layer != b->drawing.layer ? a->drawing.layer < b->drawing.layer
                                                    : a->drawing.order < b->drawing.order;
    });
    for (const Shown* s : moving) smear(*s, pixels, origin);
    for (const Hand& h : shown_hands) hands.put(h, stage(), exposure(), light.shutter_s, canvas);
}

void Camera::Eye::redraw(cv::Rect window) {
    const int edge = int(std::ceil(3 * psf_px));
    const cv::Rect frame = this->frame();
    const cv::Rect wide = cv::Rect(window.x - edge - 16, window.y - edge - 16,
                                   window.width + 2 * edge + 32, window.height + 2 * edge + 32) &
                          frame;
    cv::Mat pixels = set(wide).clone();
    expose(pixels, wide.tl());
    const int taps = psf_px < 0.62 ? 3 : psf_px < 1.2 ? 5 : 9;
    if (psf_px > 0.2)
        cv::GaussianBlur(pixels, pixels, {taps, taps}, psf_px, psf_px, cv::BORDER_REPLICATE);
    // A block of JPEG reaches into its neighbours when colours are spread again: take 16 px more.
    const cv::Rect coded = cv::Rect(window.x - 16, window.y - 16, window.width + 32,
                                    window.height + 32) &
                           frame;
    cv::Mat bytes = sensor.develop(pixels(coded - wide.tl()));
    sensor.compress(bytes);
    bytes(window - coded.tl()).copyTo(clean(window));
}

// Fresh memory costs more than the noise written into it.
cv::Mat& Camera::Eye::spare() {
    for (cv::Mat& m : delivered)
        if (!m.u || CV_XADD(&m.u->refcount, 0) == 1) return m;
    delivered[0] = cv::Mat();
    return delivered[0];
}

Camera::Camera(CameraSetup setup, const std::string& light, std::uint64_t seed)
    : eye_{std::make_unique<Eye>(std::move(setup), light, seed)} {}
Camera::~Camera() = default;
Camera::Camera(Camera&&) noexcept = default;
Camera& Camera::operator=(Camera&&) noexcept = default;

cv::Mat Camera::render(const World& world, double time_s, const cv::Mat& projector) {
    const cv::Rect anew = eye_->update_set(world, projector);
    std::vector<cv::Rect> dirty = eye_->update_shown(world);
    if (!anew.empty()) dirty.push_back(anew);
    eye_->clean.create(eye_->setup.size, CV_8UC3);
    for (const cv::Rect& r : merged(dirty, eye_->setup.size)) eye_->redraw(r);
    cv::Mat& out = eye_->spare();
    eye_->sensor.disturb(eye_->clean, time_s, out);
    return out;
}

const calibration::TableMap& Camera::map() const {
    return eye_->map;
}
const Light& Camera::light() const {
    return eye_->light;
}

}  // namespace overboard::simulator
