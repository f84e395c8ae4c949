#include "vision/discs/live_discs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "vision/discs/disc_colours.hpp"
#include "vision/discs/disc_lookalikes.hpp"
#include "vision/discs/disc_rim.hpp"
#include "vision/discs/disc_scan.hpp"
#include "vision/discs/disc_votes.hpp"
#include "vision/many_pixels.hpp"

// (1) A table of colours says for each pixel scanned which type of disc it could belong to, and
// equal neighbours are joined to blobs (disc_colours, disc_scan). (2) A blob of one disc's size is
// a disc to start from; in larger ones edge pixels vote for centres at the known radius. (3) From
// each start, rays look for the rim (disc_rim). (4) Just inside the rim the type's colour must
// show. (5) Print of a disc's colour is known: where its own rim shows, no disc covers it. Points
// are transformed, never the picture.
namespace overboard::vision {
namespace {

constexpr int kRays = DiscRim::kRays;
constexpr int kRowStep = 2;  // every other row of a disc tells its centre nearly as well as all

/// Nearer to each other than that? Asked of every disc and every start: without a root.
bool within(Point a, Point b, double reach) {
    const double dx = a.x - b.x, dy = a.y - b.y;
    return dx * dx + dy * dy < reach * reach;
}

double height_of(const Catalogue& c) {
    double height = 0;
    for (const DiscKind& d : c.discs) height = std::max(height, d.height_mm);
    return height + (c.board ? c.board->elevation_mm : 0);
}

}  // namespace

struct LiveDiscs::Eye {
    Catalogue catalogue;
    calibration::TableMap map;
    Pose board;
    LiveLimits limits;
    double height_mm = 0;
    std::optional<cv::Vec3d> camera;  // where it hangs
    cv::Size size;
    DiscColours colours;
    DiscRim rim;
    DiscLookalikes prints;
    DiscScan scan;
    DiscVotes votes;
    std::array<std::uint8_t, 512> row_classes{};  // more than across any disc
    std::vector<Piece> found;

    Eye(const Catalogue& c, const calibration::TableMap& m, const Pose& b, LiveLimits l)
        : catalogue{c},
          map{m},
          board{b},
          limits{l},
          height_mm{height_of(c)},
          camera{map.eye()},
          size{m.size()},
          colours{catalogue},
          rim{map, height_mm},
          prints{catalogue, map, board},
          scan{size, stride(), outline()} {
        prints.note(colours);
    }

    std::vector<cv::Point2d> outline() const {
        std::vector<cv::Point2d> corners;
        const auto add = [&](Point p) { corners.push_back(map.project(p, height_mm)); };
        if (catalogue.board) {
            const double w = catalogue.board->width_mm / 2, h = catalogue.board->height_mm / 2;
            for (Point p :
                 {Point{-w, -h}, {0, -h}, {w, -h}, {w, 0}, {w, h}, {0, h}, {-w, h}, {-w, 0}})
                add(place(board, p));
        } else {
            const double w = catalogue.table.width_mm, h = catalogue.table.height_mm;
            for (Point p : {Point{0, 0},
                            {w / 2, 0},
                            {w, 0},
                            {w, h / 2},
                            {w, h},
                            {w / 2, h},
                            {0, h},
                            {0, h / 2}})
                add(p);
        }
        return corners;
    }

    // Small discs need a finer grid: five samples across, where the limit allows.
    [[nodiscard]] int stride() const {
        double smallest_mm = 1e9;
        for (const DiscKind& d : catalogue.discs)
            smallest_mm = std::min(smallest_mm, d.diameter_mm);
        const Point middle = catalogue.board ? Point{board.x, board.y}
                                             : Point{catalogue.table.width_mm / 2,
                                                     catalogue.table.height_mm / 2};
        return std::clamp(cvRound(smallest_mm * map.px_per_mm(middle, height_mm) / 5), 2,
                          limits.stride_px);
    }

    // --- colours
    void learn(const cv::Mat& bgr, const std::vector<Piece>& known) {
        const cv::Vec3f surface = scan.median_colour(bgr);
        // First as the catalogue says: a printed circle taken for a disc must not teach us that
        // disc's colour.
        colours.learn(surface, std::vector<std::optional<cv::Vec3f>>(colours.looks().size()));
        prints.note(colours);
        std::vector<std::optional<cv::Vec3f>> seen;
        for (int type = 0; type < int(colours.looks().size()); ++type) {
            cv::Vec3f sum{};
            int n = 0;
            for (const Piece& p : known)
                if (p.kind == PieceKind::disc && p.type == look(type).name &&
                    !is_print(bgr, type, {p.x, p.y}))
                    n += add_colour(bgr, {p.x, p.y}, look(type).r_mm, sum);
            seen.push_back(n ? plausible(type, sum * (1.0f / float(n))) : std::nullopt);
        }
        colours.learn(surface, seen);
        prints.note(colours);
    }

    // Something else taken for a disc must not teach us its colour, either.
    std::optional<cv::Vec3f> plausible(int type, const cv::Vec3f& bgr) const {
        const std::uint8_t pixel[3] = {std::uint8_t(bgr[0]), std::uint8_t(bgr[1]),
                                       std::uint8_t(bgr[2])};
        return colours.class_of(pixel) == type + 1 ? std::optional(bgr) : std::nullopt;
    }

    int add_colour(const cv::Mat& bgr, Point at, double r_mm, cv::Vec3f& sum) const {
        const cv::Matx22d J = map.jacobian(at, height_mm);
        const cv::Point2d c = map.project(at, height_mm);
        int n = 0;
        for (const cv::Vec2f& ray : rim.rays())
            for (const double share : {0.35, 0.6, 0.85}) {
                const cv::Vec2d d = J * cv::Vec2d(ray[0], ray[1]) * (r_mm * share);
                const int x = cvRound(c.x + d[0]), y = cvRound(c.y + d[1]);
                if (x < 0 || y < 0 || x >= bgr.cols || y >= bgr.rows) continue;
                sum += cv::Vec3f(bgr.at<cv::Vec3b>(y, x));
                ++n;
            }
        return n;
    }

    // Share of a disc's face that has its colour, in circles of so many of its radii.
    double face_shown(const cv::Mat& bgr, int type, Point at,
                      std::initializer_list<double> circles) const {
        const cv::Matx22d J = map.jacobian(at, height_mm);
        const cv::Point2d c = map.project(at, height_mm);
        int right = 0, n = 0;
        for (const double share : circles)
            for (std::size_t i = 0; i < kRays; i += 2, ++n) {
                const cv::Vec2d d = J * cv::Vec2d(rim.rays()[i][0], rim.rays()[i][1]) *
                                    (look(type).r_mm * share);
                const int x = std::clamp(cvRound(c.x + d[0]), 0, bgr.cols - 1),
                          y = std::clamp(cvRound(c.y + d[1]), 0, bgr.rows - 1);
                right += colours.class_of(bgr.ptr(y) + 3 * x) == type + 1;
            }
        return double(right) / n;
    }
    bool right_colour_inside(const cv::Mat& bgr, int type, Point at) const {
        return face_shown(bgr, type, at, {0.84}) >= 0.6;
    }
    double face_shown(const cv::Mat& bgr, int type, Point at) const {
        return face_shown(bgr, type, at, {0.4, 0.7, 0.85, 0.95});
    }

    [[nodiscard]] const DiscLook& look(int type) const {
        return colours.looks()[std::size_t(type)];
    }

    bool is_print(const cv::Mat& bgr, int type, Point at) const {
        return prints.shows(bgr, type, at, colours, limits.print_shown);
    }

    // --- candidates
    // The pixels of a blob, and some beside it.
    [[nodiscard]] cv::Rect part_of(const cv::Mat& bgr, const Blob& b) const {
        const int s = scan.stride();
        const cv::Point low(std::max(4, (b.x0 - 1) * s), std::max(4, (b.y0 - 1) * s));
        const cv::Point high(std::min(bgr.cols - 6, (b.x1 + 2) * s),
                             std::min(bgr.rows - 6, (b.y1 + 2) * s));
        return {low, cv::Size(std::max(0, high.x - low.x), std::max(0, high.y - low.y))};
    }

    static bool is_hidden(const cv::Mat& hidden, cv::Point2d px) {
        if (hidden.empty()) return false;
        const int x = std::clamp(int(px.x) / 8, 0, hidden.cols - 1),
                  y = std::clamp(int(px.y) / 8, 0, hidden.rows - 1);
        return hidden.at<std::uint8_t>(y, x) != 0;
    }

    bool near_known(Point at, double r_mm, double share) const {
        return std::any_of(found.begin(), found.end(), [&](const Piece& p) {
            return within({p.x, p.y}, at, share * (r_mm + radius_of(p.type)));
        });
    }

    double radius_of(const std::string& type) const {
        for (const DiscLook& t : colours.looks())
            if (t.name == type) return t.r_mm;
        return 10;
    }

    // A disc whose middle is over a hole is falling, or lies at the bottom of it.
    bool over_hole(Point at) const {
        if (!catalogue.board) return false;
        const Point local = local_to(board, at);
        return std::any_of(
            catalogue.board->holes.begin(), catalogue.board->holes.end(),
            [&](const Hole& h) { return within(h.centre, local, 0.45 * h.diameter_mm); });
    }

    // The better of two discs that claim one place stays.
    bool accept(const cv::Mat& bgr, int type, Point at, const RimFit& fit) {
        if (over_hole(at) || is_print(bgr, type, at)) return false;
        const double confidence = std::min(1.0, 0.55 + 0.45 * fit.share);
        for (Piece& p : found) {
            if (!within({p.x, p.y}, at, 0.8 * (look(type).r_mm + radius_of(p.type)))) continue;
            if (confidence > p.confidence)
                p.type = look(type).name, p.x = at.x, p.y = at.y, p.confidence = confidence;
            return true;
        }
        Piece p;
        p.kind = PieceKind::disc;
        p.type = look(type).name;
        p.x = at.x, p.y = at.y;
        p.confidence = confidence;
        found.push_back(std::move(p));
        return true;
    }

    bool try_start(const cv::Mat& bgr, int type, Point at, double half_mm, bool touching) {
        const DiscLook& t = look(type);
        return try_way(bgr, type, touching ? t.plain : t.shadowless, at, half_mm, touching) ||
               try_way(bgr, type, touching ? t.shadowless : t.plain, at, half_mm, touching);
    }

    bool try_way(const cv::Mat& bgr, int type, const Direction& way, Point at, double half_mm,
                 bool touching) {
        RimFit fit;
        const DiscLook& t = look(type);
        if (!rim.fit(bgr, t, way, at, half_mm, 2, fit)) return false;
        if (fit.share < (touching ? limits.min_rim_cluster : limits.min_rim)) return false;
        if (std::abs(fit.off_mm) > limits.radius_slack * t.r_mm ||
            !right_colour_inside(bgr, type, at))
            return false;
        at = on_ray(at, height_mm, middle_mm(type));
        return accept(bgr, type, at, fit);
    }

    // Amid touching discs hardly any of a rim shows. But a whole face of the colour that no other
    // disc explains is one.
    void accept_inner(const cv::Mat& bgr, int type, Point from) {
        Point at = from;
        const double shown = centre_face(bgr, type, at);
        if (shown >= limits.min_face && !near_known(at, look(type).r_mm, 0.85))
            accept(bgr, type, at, {0.0, 0});
    }

    // Moves `at` to where most of the disc's face has its colour; returns that share.
    double centre_face(const cv::Mat& bgr, int type, Point& at) const {
        const Point from = at;
        const double r = look(type).r_mm;
        double best = face_shown(bgr, type, at);
        for (const double step : {0.16 * r, 0.08 * r})
            for (bool moved = true; moved && distance(from, at) < 0.35 * r;) {
                moved = false;
                const Point here = at;
                for (int i = 0; i < kRays; i += 4) {
                    const Point there{here.x + rim.rays()[std::size_t(i)][0] * step,
                                      here.y + rim.rays()[std::size_t(i)][1] * step};
                    if (const double shown = face_shown(bgr, type, there); shown > best)
                        best = shown, at = there, moved = true;
                }
            }
        return best;
    }

    void touch_disc(const cv::Mat& bgr, Point at, double r_mm) const {
        const cv::Point2d c = map.project(at, height_mm);
        const double r = r_mm * map.px_per_mm(at, height_mm);
        const cv::Rect box = cv::Rect(int(c.x - r), int(c.y - r), int(2 * r) + 1, int(2 * r) + 1) &
                             cv::Rect({}, bgr.size());
        if (!box.empty()) touch(bgr, box, 1);
    }

    // Seen aslant a lone disc also shows its side, on the very side its foot lies on: the middle of
    // all that shows of it is that of its body, not of its face.
    [[nodiscard]] double middle_mm(int type) const {
        return (catalogue.board ? catalogue.board->elevation_mm : 0) +
               0.5 * catalogue.discs[std::size_t(type)].height_mm;
    }

    // What is seen where a point of one height would be, at another height.
    [[nodiscard]] Point on_ray(Point at, double from_mm, double to_mm) const {
        if (!camera) return at;
        const Point below{(*camera)[0], (*camera)[1]};
        return at + (at - below) * ((from_mm - to_mm) / ((*camera)[2] - from_mm));
    }

    // By all pixels of its colour, where they are as round as a disc: quicker than a rim, and noise
    // hardly moves it.
    bool accept_by_area(const cv::Mat& bgr, int type, Point from) {
        if (prints.near(type, from, colours)) return false;
        const double scale = map.px_per_mm(from, height_mm), r = look(type).r_mm * scale,
                     reach = 1.25 * r;
        const cv::Point2d c = map.project(from, height_mm);
        const int x0 = std::max(0, int(c.x - reach)),
                  x1 = std::min(bgr.cols - 2, int(c.x + reach) + 1);
        const int y0 = std::max(0, int(c.y - reach)) / kRowStep * kRowStep,
                  y1 = std::min(bgr.rows - 1, int(c.y + reach) + 1);
        const int width = x1 - x0 + 1;
        if (width <= 0 || width > int(row_classes.size())) return false;
        touch(bgr, {x0, y0, width, y1 - y0 + 1}, kRowStep);
        long n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
        for (int y = y0; y <= y1; y += kRowStep) {
            const std::uint8_t* p = bgr.ptr(y) + 3 * x0;
            for (int dx = 0; dx < width; ++dx, p += 3)
                row_classes[std::size_t(dx)] = colours.class_within(p);
            int row_n = 0, row_x = 0, row_xx = 0;
            for (int dx = 0; dx < width; ++dx) {
                const int is_it = row_classes[std::size_t(dx)] == type + 1;
                row_n += is_it, row_x += is_it * dx, row_xx += is_it * dx * dx;
            }
            const int dy = y - y0;
            n += row_n, sx += row_x, sxx += row_xx, sy += row_n * dy, sxy += row_x * dy,
                syy += row_n * dy * dy;
        }
        if (n == 0) return false;
        const double filled = kRowStep * double(n) / (M_PI * r * r);
        if (filled < limits.min_area || filled > limits.max_area) return false;
        const double mx = double(sx) / double(n), my = double(sy) / double(n);
        const double xx = double(sxx) / double(n) - mx * mx, xy = double(sxy) / double(n) - mx * my,
                     yy = double(syy) / double(n) - my * my;
        const double longer = std::hypot((xx - yy) / 2, xy) / ((xx + yy) / 2),
                     spread = (xx + yy) / 2 / (kRowStep * double(n) / (4 * M_PI));
        if (longer > limits.out_of_round || spread > 1 + limits.out_of_round) return false;
        return accept(bgr, type, map.to_table({mx + x0, my + y0}, middle_mm(type)),
                      {1 - longer, 0});
    }

    void look_at(const cv::Mat& bgr, const cv::Mat& hidden, int id) {
        const Blob b = scan.blobs()[std::size_t(id)];
        if (b.n < 4) return;
        const DiscLook& t = look(b.type);
        const int s = scan.stride();
        const cv::Point2d px = scan.pixel(double(b.sx) / b.n, double(b.sy) / b.n);
        if (is_hidden(hidden, px)) return;
        const Point at = map.to_table(px, height_mm);
        const double scale = map.px_per_mm(at, height_mm),
                     area = M_PI * t.r_mm * t.r_mm * scale * scale / (s * s);
        const double filled = b.n / area, across = 2 * t.r_mm * scale / s * 1.35 + 1;
        if (filled < 0.3) return;
        if (filled < 1.35 && b.x1 - b.x0 + 1 < across && b.y1 - b.y0 + 1 < across) {
            if (is_print(bgr, b.type, at)) return;
            if (accept_by_area(bgr, b.type, at)) return;
            if (try_start(bgr, b.type, at, 0.32 * t.r_mm, false)) return;
            if (filled < 0.7) return;
        }
        const std::vector<DiscStart>& starts = votes.cast(bgr, part_of(bgr, b), t,
                                                          float(t.r_mm * scale));
        bool any = false;
        for (const DiscStart& start : starts) {
            if (is_hidden(hidden, start.px)) continue;
            const Point from = map.to_table(start.px, height_mm);
            if (near_known(from, t.r_mm, 0.65)) continue;
            any |= try_start(bgr, b.type, from, 0.22 * t.r_mm, true);
        }
        if (any)
            for (const DiscStart& start : starts) {
                const Point from = map.to_table(start.px, height_mm);
                if (!is_hidden(hidden, start.px) && !near_known(from, t.r_mm, 0.8))
                    accept_inner(bgr, b.type, from);
            }
        if (!any && filled < 3.2 && filled > 0.6)
            accept_streak(bgr, b, at);
        else if (any)
            accept_rest(bgr, id, area);
    }

    // What of a blob no disc explains: one that runs past others too fast to have a rim.
    void accept_rest(const cv::Mat& bgr, int id, double area) {
        const int type = scan.blobs()[std::size_t(id)].type;
        std::vector<std::pair<cv::Point2d, double>> known;
        for (const Piece& p : found)
            known.emplace_back(
                map.project({p.x, p.y}, height_mm),
                std::pow(1.15 * radius_of(p.type) * map.px_per_mm({p.x, p.y}, height_mm), 2));
        double sx = 0, sy = 0;
        int n = 0;
        scan.for_each(id, [&](double x, double y) {
            const bool explained = std::any_of(known.begin(), known.end(), [&](const auto& k) {
                return (x - k.first.x) * (x - k.first.x) + (y - k.first.y) * (y - k.first.y) <
                       k.second;
            });
            if (!explained) sx += x, sy += y, ++n;
        });
        if (n < 0.5 * area || n > 2.5 * area) return;
        const Point at = map.to_table({sx / n, sy / n}, height_mm);
        if (!near_known(at, look(type).r_mm, 0.6)) accept(bgr, type, at, {0.0, 0});
    }

    // No rim but the right colour and about the right area: a disc too fast for the shutter.
    void accept_streak(const cv::Mat& bgr, const Blob& b, Point at) {
        const double fill = double(b.n) / ((b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1));
        if (fill < 0.35 || near_known(at, look(b.type).r_mm, 0.7) ||
            prints.near(b.type, at, colours))
            return;
        accept(bgr, b.type, at, {0.0, 0});
    }

    void fill_pixels() {
        for (Piece& p : found) {
            const cv::Point2d px = map.project({p.x, p.y}, height_mm);
            p.px = Point{px.x, px.y};
            p.size_px = 2 * radius_of(p.type) * map.px_per_mm({p.x, p.y}, height_mm);
        }
    }
};

LiveDiscs::LiveDiscs(const Catalogue& catalogue, const calibration::TableMap& map,
                     const Pose& board, LiveLimits limits)
    : eye_{std::make_unique<Eye>(catalogue, map, board, limits)} {}
LiveDiscs::~LiveDiscs() = default;
LiveDiscs::LiveDiscs(LiveDiscs&&) noexcept = default;

void LiveDiscs::relight(const cv::Vec3f& times) {
    eye_->colours.relight(times);
    eye_->prints.note(eye_->colours);
}

void LiveDiscs::learn(const cv::Mat& bgr, const std::vector<Piece>& known) {
    eye_->learn(bgr, known);
}

const std::vector<Piece>& LiveDiscs::detect(const cv::Mat& bgr, const cv::Mat& hidden) {
    eye_->found.clear();
    if (bgr.size() != eye_->size || bgr.type() != CV_8UC3) return eye_->found;
    eye_->scan.run(bgr, eye_->colours);
    for (int i = 0; i < int(eye_->scan.blobs().size()); ++i) eye_->look_at(bgr, hidden, i);
    eye_->fill_pixels();
    return eye_->found;
}

bool LiveDiscs::follow(const cv::Mat& bgr, Piece& disc) const {
    for (int type = 0; type < int(eye_->colours.looks().size()); ++type) {
        const DiscLook& t = eye_->look(type);
        if (t.name != disc.type) continue;
        const double top = eye_->height_mm, middle = eye_->middle_mm(type);
        Point at = eye_->on_ray({disc.x, disc.y}, middle, top);
        RimFit fit;
        eye_->touch_disc(bgr, at, 1.2 * t.r_mm);
        if (!eye_->rim.fit(bgr, t, t.shadowless, at, 0.2 * t.r_mm, 1, fit) ||
            fit.share < eye_->limits.min_rim_cluster)
            return false;
        const cv::Point2d px = eye_->map.project(at, top);
        at = eye_->on_ray(at, top, middle);
        disc.x = at.x, disc.y = at.y;
        disc.px = Point{px.x, px.y};
        return true;
    }
    return false;
}

}  // namespace overboard::vision
