#include "vision/live_discs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vision/colour.hpp"

// (1) A table of 32³ colours says for each pixel scanned which type of disc it could belong to.
// (2) Runs of equal class are joined to blobs. (3) A blob of one disc's size is a disc to start
// from; in larger ones edge pixels vote for centres at the known radius. (4) From each start, rays
// look for the rim along the colour direction that separates this type from the surface, and a
// robust fit gives the centre directly in millimetres through the local Jacobian: points are
// transformed, never the picture. (5) Just inside the rim the type's colour must show.
namespace overboard::vision {
namespace {

constexpr int kRays = 32;
constexpr int kSide = 32;  // levels a channel in the colour table

// A direction in colour space: the scalar (w · bgr) / 256 is larger inside the disc.
struct Direction {
    int wb = 0, wg = 0, wr = 0;
    float contrast = 20;  // scalar difference between disc and surface
};

struct Type {
    std::string name;
    double r_mm = 10;
    cv::Vec3f bgr;         // as it looks in this light
    Direction plain;       // the whole difference: shows gaps between touching discs
    Direction shadowless;  // without what a shadow changes: for rims on the open surface
};

struct Blob {
    int n = 0, sx = 0, sy = 0, x0 = 0, x1 = 0, y0 = 0, y1 = 0, type = 0, parent = 0;
};

struct Start {
    float votes;
    cv::Point2f px;
};

struct RimFit {
    double share = 0;   // of the rays
    double off_mm = 0;  // fitted radius less the kind's
};

int colour_index(const std::uint8_t* p) { return (p[0] >> 3) | (p[1] >> 3) << 5 | (p[2] >> 3) << 10; }

}  // namespace

struct LiveDiscs::Eye {
    Catalogue catalogue;
    calibration::TableMap map;
    Pose board;
    LiveLimits limits;
    double height_mm = 0;
    std::vector<Type> types;
    cv::Vec3f surface;
    std::vector<std::uint8_t> classes;  // colour → type + 1
    std::array<cv::Vec2f, kRays> ray;
    cv::Size size;

    // The scanned grid: rows, and where each begins and ends.
    int columns = 0, rows = 0;
    std::vector<int> first, count;
    std::vector<std::uint8_t> grid;
    std::vector<std::uint16_t> label;
    std::vector<Blob> blobs;
    std::vector<std::uint16_t> votes;
    std::vector<int> smooth_rows, smooth;
    std::vector<Start> starts;
    std::vector<Piece> found;

    Eye(const Catalogue& c, const calibration::TableMap& m, const Pose& b, LiveLimits l)
        : catalogue{c}, map{m}, board{b}, limits{l}, size{m.size()} {
        for (int i = 0; i < kRays; ++i) ray[i] = {float(std::cos(2 * M_PI * i / kRays)), float(std::sin(2 * M_PI * i / kRays))};
        for (const DiscKind& d : c.discs) height_mm = std::max(height_mm, d.height_mm);
        if (c.board) height_mm += c.board->elevation_mm;
        for (const DiscKind& d : c.discs) types.push_back({d.type, d.diameter_mm / 2, bgr_of(d.colour), {}, {}});
        surface = c.board ? bgr_of(c.board->surface) : cv::Vec3f(180, 180, 180);
        lay_grid();
        build_classes();
    }

    // --- what is scanned
    std::vector<cv::Point2d> outline() const {
        std::vector<cv::Point2d> corners;
        const auto add = [&](Point p) { corners.push_back(map.project(p, height_mm)); };
        if (catalogue.board) {
            const double w = catalogue.board->width_mm / 2, h = catalogue.board->height_mm / 2;
            for (Point p : {Point{-w, -h}, {0, -h}, {w, -h}, {w, 0}, {w, h}, {0, h}, {-w, h}, {-w, 0}}) add(place(board, p));
        } else {
            const double w = catalogue.table.width_mm, h = catalogue.table.height_mm;
            for (Point p : {Point{0, 0}, {w / 2, 0}, {w, 0}, {w, h / 2}, {w, h}, {w / 2, h}, {0, h}, {0, h / 2}}) add(p);
        }
        return corners;
    }

    void lay_grid() {
        const int s = limits.stride_px;
        columns = size.width / s;
        rows = size.height / s;
        first.assign(rows, 0);
        count.assign(rows, 0);
        grid.assign(std::size_t(columns) * rows + 64, 0);
        label.assign(std::size_t(columns) * rows + 64, 0);
        const auto corners = outline();
        for (int j = 0; j < rows; ++j) {
            const double y = j * s + s / 2;
            double low = 1e9, high = -1e9;
            for (std::size_t i = 0; i < corners.size(); ++i) {
                const cv::Point2d a = corners[i], b = corners[(i + 1) % corners.size()];
                if ((a.y <= y) == (b.y <= y)) continue;
                const double x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
                low = std::min(low, x);
                high = std::max(high, x);
            }
            const int from = std::max(1, int(std::ceil((low - s / 2) / s))), to = std::min(columns - 2, int((high - s / 2) / s));
            if (low < high && to > from) first[j] = from, count[j] = to - from + 1;
        }
    }

    // --- colours
    static Direction along(const cv::Vec3f& way, const cv::Vec3f& difference) {
        const float sum = std::abs(way[0]) + std::abs(way[1]) + std::abs(way[2]), k = sum > 1 ? 256 / sum : 0;
        Direction d{int(way[0] * k), int(way[1] * k), int(way[2] * k), 20};
        d.contrast = std::max(8.0f, (difference[0] * d.wb + difference[1] * d.wg + difference[2] * d.wr) / 256);
        return d;
    }

    void set_direction(Type& t) const {
        const cv::Vec3f difference = t.bgr - surface, shade = surface * float(1 / std::max(1.0, cv::norm(surface)));
        const cv::Vec3f tint = difference - shade * difference.dot(shade);
        t.plain = along(difference, difference);
        t.shadowless = cv::norm(tint) > 0.35 * cv::norm(difference) ? along(tint, difference) : t.plain;
    }

    void build_classes() {
        classes.assign(kSide * kSide * kSide, 0);
        const cv::Vec3f board_colour = catalogue.board ? bgr_of(catalogue.board->surface) : surface;
        const auto in_this_light = [&](const Rgb& c) {
            cv::Vec3f v = bgr_of(c);
            for (int i = 0; i < 3; ++i) v[i] = std::min(255.0f, v[i] * surface[i] / std::max(8.0f, board_colour[i]));
            return v;
        };
        std::vector<cv::Vec3f> negatives = {lab_of(surface), lab_of(surface * 0.75f)};
        if (catalogue.board) {
            negatives.push_back(lab_of(in_this_light(catalogue.board->frame)));
            for (const PrintedCircle& p : catalogue.board->circles) {
                const bool like_a_disc = std::any_of(types.begin(), types.end(), [&](const Type& t) {
                    return cv::norm(lab_of(t.bgr) - lab_of(in_this_light(p.colour))) < 14;
                });
                if (!like_a_disc) negatives.push_back(lab_of(in_this_light(p.colour)));
            }
        }
        for (Type& t : types) set_direction(t);
        for (int r = 0; r < kSide; ++r)
            for (int g = 0; g < kSide; ++g)
                for (int b = 0; b < kSide; ++b)
                    classes[b | g << 5 | r << 10] = class_of(lab_of({b * 8.0f + 4, g * 8.0f + 4, r * 8.0f + 4}), negatives);
    }

    // The nearest type, unless something that is no disc is nearer. Hue counts more than lightness: discs have
    // grooves and gloss.
    std::uint8_t class_of(const cv::Vec3f& lab, const std::vector<cv::Vec3f>& negatives) const {
        const auto apart = [&](const cv::Vec3f& other) {
            const cv::Vec3f d = lab - other;
            return 0.5f * d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        };
        float best = 40 * 40;
        int type = -1;
        for (std::size_t i = 0; i < types.size(); ++i) {
            const float d = apart(lab_of(types[i].bgr));
            if (d < best) best = d, type = int(i);
        }
        for (const cv::Vec3f& n : negatives)
            if (apart(n) < best) return 0;
        return std::uint8_t(type + 1);
    }

    void learn(const cv::Mat& bgr, const std::vector<Piece>& known) {
        learn_surface(bgr);
        for (Type& t : types) {
            cv::Vec3f sum{};
            int n = 0;
            for (const Piece& p : known)
                if (p.kind == PieceKind::disc && p.type == t.name) n += add_colour(bgr, {p.x, p.y}, t.r_mm, sum);
            if (n) t.bgr = sum * (1.0f / n);
            else t.bgr = unseen_colour(t);
        }
        build_classes();
    }

    cv::Vec3f unseen_colour(const Type& t) const {
        for (const DiscKind& d : catalogue.discs)
            if (d.type == t.name) {
                cv::Vec3f v = bgr_of(d.colour);
                const cv::Vec3f board_colour = catalogue.board ? bgr_of(catalogue.board->surface) : surface;
                for (int i = 0; i < 3; ++i) v[i] = std::min(255.0f, v[i] * surface[i] / std::max(8.0f, board_colour[i]));
                return v;
            }
        return t.bgr;
    }

    int add_colour(const cv::Mat& bgr, Point at, double r_mm, cv::Vec3f& sum) const {
        const cv::Matx22d J = map.jacobian(at, height_mm);
        const cv::Point2d c = map.project(at, height_mm);
        int n = 0;
        for (int i = 0; i < kRays; ++i)
            for (const double share : {0.35, 0.6, 0.85}) {
                const cv::Vec2d d = J * cv::Vec2d(ray[i][0], ray[i][1]) * (r_mm * share);
                const int x = cvRound(c.x + d[0]), y = cvRound(c.y + d[1]);
                if (x < 0 || y < 0 || x >= bgr.cols || y >= bgr.rows) continue;
                sum += cv::Vec3f(bgr.at<cv::Vec3b>(y, x));
                ++n;
            }
        return n;
    }

    // The median of what is scanned: discs and print cover less than half of it.
    void learn_surface(const cv::Mat& bgr) {
        std::array<std::array<int, 256>, 3> histogram{};
        int n = 0;
        for (int j = 0; j < rows; j += 2)
            for (int i = first[j]; i < first[j] + count[j]; i += 2) {
                const cv::Vec3b v = bgr.at<cv::Vec3b>(j * limits.stride_px + limits.stride_px / 2, i * limits.stride_px + limits.stride_px / 2);
                for (int c = 0; c < 3; ++c) ++histogram[c][v[c]];
                ++n;
            }
        for (int c = 0; c < 3 && n; ++c) {
            int sum = 0, v = 0;
            while (v < 255 && (sum += histogram[c][v]) * 2 < n) ++v;
            surface[c] = float(v);
        }
    }

    // --- scan and blobs
    void scan(const cv::Mat& bgr) {
        const std::uint8_t* table = classes.data();
        const int s = limits.stride_px, step = 3 * s;
        for (int j = 0; j < rows; ++j) {
            const int n = count[j];
            if (!n) continue;
            const std::uint8_t* p = bgr.ptr(j * s + s / 2) + 3 * (first[j] * s + s / 2);
            std::uint8_t* out = &grid[std::size_t(j) * columns + first[j]];
            for (int i = 0; i < n; ++i, p += step) out[i] = table[colour_index(p)];
        }
    }

    int root(int a) {
        while (blobs[a].parent != a) a = blobs[a].parent = blobs[blobs[a].parent].parent;
        return a;
    }

    int join(int a, int b) {
        if (a == b) return a;
        Blob &A = blobs[a], &B = blobs[b];
        A.n += B.n, A.sx += B.sx, A.sy += B.sy;
        A.x0 = std::min(A.x0, B.x0), A.x1 = std::max(A.x1, B.x1), A.y0 = std::min(A.y0, B.y0), A.y1 = std::max(A.y1, B.y1);
        B.parent = a;
        B.n = 0;
        return a;
    }

    void add_run(int j, int from, int to, std::uint8_t cls) {
        int id = -1;
        if (j > 0 && count[j - 1] > 0) {
            const std::size_t above = std::size_t(j - 1) * columns;
            const int a = std::max(from - 1, first[j - 1]), e = std::min(to + 1, first[j - 1] + count[j - 1]);
            for (int k = a; k < e; ++k)
                if (grid[above + k] == cls) id = id < 0 ? root(label[above + k]) : join(id, root(label[above + k]));
        }
        if (id < 0) {
            id = int(blobs.size());
            blobs.push_back({0, 0, 0, from, from, j, j, cls - 1, id});
        }
        Blob& b = blobs[id];
        const int n = to - from;
        b.n += n, b.sx += (from + to - 1) * n / 2, b.sy += j * n;
        b.x0 = std::min(b.x0, from), b.x1 = std::max(b.x1, to - 1), b.y1 = std::max(b.y1, j);
        for (int k = from; k < to; ++k) label[std::size_t(j) * columns + k] = std::uint16_t(id);
    }

    void find_blobs() {
        blobs.clear();
        for (int j = 0; j < rows; ++j) {
            const std::uint8_t* g = &grid[std::size_t(j) * columns];
            const int end = first[j] + count[j];
            for (int i = first[j]; i < end;) {
                std::uint64_t eight;
                std::memcpy(&eight, g + i, 8);
                if (i + 8 <= end && !eight) {
                    i += 8;
                    continue;
                }
                const std::uint8_t cls = g[i];
                if (!cls) {
                    ++i;
                    continue;
                }
                const int from = i;
                while (i < end && g[i] == cls) ++i;
                if (blobs.size() < 60000) add_run(j, from, i, cls);
            }
        }
    }

    // --- rim fit
    static float scalar(const cv::Mat& bgr, float x, float y, const Direction& t) {
        const int ix = int(x), iy = int(y);
        const int fx = int((x - float(ix)) * 64), fy = int((y - float(iy)) * 64);
        const std::uint8_t* p = bgr.data + std::size_t(iy) * bgr.step + 3 * ix;
        const std::uint8_t* q = p + bgr.step;
        const auto at = [&](const std::uint8_t* v) { return v[0] * t.wb + v[1] * t.wg + v[2] * t.wr; };
        const int top = at(p) * (64 - fx) + at(p + 3) * fx, bottom = at(q) * (64 - fx) + at(q + 3) * fx;
        return float((top >> 6) * (64 - fy) + (bottom >> 6) * fy) * (1.0f / (64 * 256));
    }

    // Moves `at` to the centre of the rim found within half_mm; nothing when there is no rim.
    bool fit(const cv::Mat& bgr, const Type& t, const Direction& way, Point& at, double half_mm, int rounds, RimFit& result) const {
        double half = half_mm;
        for (int round = 0; round < rounds; ++round) {
            const cv::Matx22d J = map.jacobian(at, height_mm);
            const cv::Point2d c = map.project(at, height_mm);
            const double reach = (t.r_mm + half) * (std::abs(J(0, 0)) + std::abs(J(0, 1)) + std::abs(J(1, 0)) + std::abs(J(1, 1))) * 0.6 + 2;
            if (c.x < reach || c.y < reach || c.x > bgr.cols - 2 - reach || c.y > bgr.rows - 2 - reach) return false;
            std::array<float, kRays> rho;
            const int met = meet_rim(bgr, t.r_mm, way, J, c, half, round == 0 ? 15 : 11, rho);
            if (met < kRays / 4) return false;
            Point shift;
            solve(t, rho, half, shift, result);
            if (length(shift) > half * 1.2) return false;
            at = at + shift;
            half = std::max(0.13 * t.r_mm, half * 0.5);
        }
        return true;
    }

    int meet_rim(const cv::Mat& bgr, double r_mm, const Direction& way, const cv::Matx22d& J, cv::Point2d c, double half, int samples,
                 std::array<float, kRays>& rho) const {
        const float step = float(2 * half / (samples - 1)), from = float(r_mm - half);
        // Over a pixel or so a blurred rim shows only part of the contrast.
        const double scale = std::sqrt(std::abs(J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0)));
        const float weak = way.contrast * float(std::clamp(0.15 * 2 * step * scale, 0.05, 0.28));
        int met = 0;
        std::array<float, 16> value, edge;
        for (int i = 0; i < kRays; ++i) {
            const float dx = float(J(0, 0) * ray[i][0] + J(0, 1) * ray[i][1]), dy = float(J(1, 0) * ray[i][0] + J(1, 1) * ray[i][1]);
            float x = float(c.x) + dx * from, y = float(c.y) + dy * from;
            for (int k = 0; k < samples; ++k, x += dx * step, y += dy * step) value[k] = scalar(bgr, x, y, way);
            float best = 0;
            int at = -1;
            for (int k = 1; k < samples - 1; ++k) {
                edge[k] = value[k - 1] - value[k + 1];
                if (edge[k] > best) best = edge[k], at = k;
            }
            rho[i] = -1;
            if (at < 2 || at > samples - 3 || best < weak) continue;
            const float bend = edge[at - 1] - 2 * edge[at] + edge[at + 1];
            const float off = bend < 0 ? std::clamp(0.5f * (edge[at - 1] - edge[at + 1]) / bend, -1.0f, 1.0f) : 0;
            rho[i] = from + (float(at) + off) * step;
            ++met;
        }
        return met;
    }

    // rho = r + e + dx·cos + dy·sin, with the radius pulled to the known one.
    void solve(const Type& t, const std::array<float, kRays>& rho, double half, Point& shift, RimFit& result) const {
        double dx = 0, dy = 0, e = 0;
        for (int pass = 0; pass < 3; ++pass) {
            const double limit = pass == 0 ? 1e9 : pass == 1 ? std::max(0.04 * t.r_mm, half * 0.35) : std::max(0.02 * t.r_mm, half * 0.15);
            double a00 = 1e-9, a01 = 0, a02 = 0, a11 = 1e-9, a12 = 0, a22 = 4, b0 = 0, b1 = 0, b2 = 0;
            int agree = 0;
            for (int i = 0; i < kRays; ++i) {
                if (rho[i] < 0) continue;
                const double c = ray[i][0], s = ray[i][1], v = rho[i] - t.r_mm;
                const double q = (v - e - dx * c - dy * s) / limit;
                double w = 1 / (1 + q * q);
                w *= w;
                agree += std::abs(q) < 1.5;
                a00 += w * c * c, a01 += w * c * s, a02 += w * c, a11 += w * s * s, a12 += w * s, a22 += w;
                b0 += w * c * v, b1 += w * s * v, b2 += w * v;
            }
            const cv::Matx33d A(a00, a01, a02, a01, a11, a12, a02, a12, a22);
            const double det = cv::determinant(A);
            if (std::abs(det) < 1e-12) break;
            dx = cv::determinant(cv::Matx33d(b0, a01, a02, b1, a11, a12, b2, a12, a22)) / det;
            dy = cv::determinant(cv::Matx33d(a00, b0, a02, a01, b1, a12, a02, b2, a22)) / det;
            e = cv::determinant(cv::Matx33d(a00, a01, b0, a01, a11, b1, a02, a12, b2)) / det;
            result.share = double(agree) / kRays;
        }
        shift = {dx, dy};
        result.off_mm = e;
    }

    bool right_colour_inside(const cv::Mat& bgr, int type, Point at) const {
        const cv::Matx22d J = map.jacobian(at, height_mm);
        const cv::Point2d c = map.project(at, height_mm);
        int right = 0;
        for (int i = 0; i < kRays; i += 2) {
            const cv::Vec2d d = J * cv::Vec2d(ray[i][0], ray[i][1]) * (types[type].r_mm * 0.84);
            const int x = std::clamp(cvRound(c.x + d[0]), 0, bgr.cols - 1), y = std::clamp(cvRound(c.y + d[1]), 0, bgr.rows - 1);
            right += classes[colour_index(bgr.ptr(y) + 3 * x)] == type + 1;
        }
        return right >= 0.6 * kRays / 2;
    }

    // --- candidates
    void vote(const cv::Mat& bgr, const Blob& b, const Type& t, double px_per_mm) {
        const int s = limits.stride_px, margin = s;
        const double r = t.r_mm * px_per_mm;
        const int x0 = std::max(4, b.x0 * s - margin), x1 = std::min(bgr.cols - 6, (b.x1 + 1) * s + margin);
        const int y0 = std::max(4, b.y0 * s - margin), y1 = std::min(bgr.rows - 6, (b.y1 + 1) * s + margin);
        const int w = (x1 - x0) / 2 + 3, h = (y1 - y0) / 2 + 3;
        votes.assign(std::size_t(w) * h, 0);
        const int weak = int(0.2f * t.plain.contrast), weak2 = weak * weak;
        for (int y = y0; y < y1; y += 2) {
            const std::uint8_t* p = bgr.ptr(y);
            const auto at = [&](const std::uint8_t* v) { return (v[0] * t.plain.wb + v[1] * t.plain.wg + v[2] * t.plain.wr) >> 8; };
            for (int x = x0; x < x1; x += 2) {
                const std::uint8_t* q = p + 3 * x;
                const int gx = at(q + 3) - at(q - 3), gy = at(q + bgr.step) - at(q - bgr.step), g2 = gx * gx + gy * gy;
                if (g2 < weak2) continue;
                const float k = float(r) / std::sqrt(float(g2));  // the scalar rises towards the disc
                const int ax = int((float(x) + float(gx) * k - float(x0)) * 0.5f + 1), ay = int((float(y) + float(gy) * k - float(y0)) * 0.5f + 1);
                if (ax >= 1 && ay >= 1 && ax < w - 1 && ay < h - 1) ++votes[std::size_t(ay) * w + ax];
            }
        }
        pick_peaks(w, h, x0, y0, r);
    }

    void pick_peaks(int w, int h, int x0, int y0, double r) {
        smooth_rows.assign(std::size_t(w) * h, 0);
        smooth.assign(std::size_t(w) * h, 0);
        for (int j = 0; j < h; ++j)
            for (int i = 2; i < w - 2; ++i) {
                const std::uint16_t* a = &votes[std::size_t(j) * w + i];
                smooth_rows[std::size_t(j) * w + i] = a[-2] + 2 * a[-1] + 3 * a[0] + 2 * a[1] + a[2];
            }
        for (int j = 2; j < h - 2; ++j)
            for (int i = 2; i < w - 2; ++i) {
                const int* a = &smooth_rows[std::size_t(j) * w + i];
                smooth[std::size_t(j) * w + i] = a[-2 * w] + 2 * a[-w] + 3 * a[0] + 2 * a[w] + a[2 * w];
            }
        const int needed = int(2 * M_PI * r / 4 * 0.8);
        for (int j = 3; j < h - 3; ++j)
            for (int i = 3; i < w - 3; ++i) {
                const int v = smooth[std::size_t(j) * w + i];
                if (v < needed || !is_peak(w, i, j, v)) continue;
                starts.push_back({float(v), {float((i - 0.5) * 2 + x0), float((j - 0.5) * 2 + y0)}});
            }
        std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.votes > b.votes; });
        if (starts.size() > 80) starts.resize(80);
    }

    bool is_peak(int w, int i, int j, int v) const {
        for (int dy = -3; dy <= 3; ++dy)
            for (int dx = -3; dx <= 3; ++dx) {
                const int other = smooth[std::size_t(j + dy) * w + i + dx];
                if (other > v || (other == v && (dy < 0 || (dy == 0 && dx < 0)))) return false;
            }
        return true;
    }

    static bool is_hidden(const cv::Mat& hidden, cv::Point2d px) {
        if (hidden.empty()) return false;
        const int x = std::clamp(int(px.x) / 8, 0, hidden.cols - 1), y = std::clamp(int(px.y) / 8, 0, hidden.rows - 1);
        return hidden.at<std::uint8_t>(y, x) != 0;
    }

    bool near_known(Point at, double r_mm, double share) const {
        return std::any_of(found.begin(), found.end(), [&](const Piece& p) {
            return distance({p.x, p.y}, at) < share * (r_mm + radius_of(p.type));
        });
    }

    double radius_of(const std::string& type) const {
        for (const Type& t : types)
            if (t.name == type) return t.r_mm;
        return 10;
    }

    // A disc whose middle is over a hole is falling, or lies at the bottom of it.
    bool over_hole(Point at) const {
        if (!catalogue.board) return false;
        const Point local = local_to(board, at);
        return std::any_of(catalogue.board->holes.begin(), catalogue.board->holes.end(),
                           [&](const Hole& h) { return distance(h.centre, local) < 0.45 * h.diameter_mm; });
    }

    // The better of two discs that claim one place stays.
    void accept(int type, Point at, const RimFit& rim) {
        if (over_hole(at)) return;
        const double confidence = std::min(1.0, 0.55 + 0.45 * rim.share);
        for (Piece& p : found) {
            if (distance({p.x, p.y}, at) >= 0.8 * (types[type].r_mm + radius_of(p.type))) continue;
            if (confidence > p.confidence) p.type = types[type].name, p.x = at.x, p.y = at.y, p.confidence = confidence;
            return;
        }
        Piece p;
        p.kind = PieceKind::disc;
        p.type = types[type].name;
        p.x = at.x, p.y = at.y;
        p.confidence = confidence;
        found.push_back(std::move(p));
    }

    bool try_start(const cv::Mat& bgr, int type, Point at, double half_mm, bool touching) {
        const Type& t = types[type];
        return try_way(bgr, type, touching ? t.plain : t.shadowless, at, half_mm, touching) ||
               try_way(bgr, type, touching ? t.shadowless : t.plain, at, half_mm, touching);
    }

    bool try_way(const cv::Mat& bgr, int type, const Direction& way, Point at, double half_mm, bool touching) {
        RimFit rim;
        const Type& t = types[type];
        if (!fit(bgr, t, way, at, half_mm, 2, rim)) return false;
        if (rim.share < (touching ? limits.min_rim_cluster : limits.min_rim)) return false;
        if (std::abs(rim.off_mm) > limits.radius_slack * t.r_mm || !right_colour_inside(bgr, type, at)) return false;
        accept(type, at, rim);
        return true;
    }

    void look_at(const cv::Mat& bgr, const cv::Mat& hidden, const Blob& b) {
        if (b.n < 4) return;
        const Type& t = types[b.type];
        const int s = limits.stride_px;
        const cv::Point2d px(double(b.sx) / b.n * s + s / 2, double(b.sy) / b.n * s + s / 2);
        if (is_hidden(hidden, px)) return;
        const Point at = map.to_table(px, height_mm);
        const double scale = map.px_per_mm(at, height_mm), area = M_PI * t.r_mm * t.r_mm * scale * scale / (s * s);
        const double filled = b.n / area, across = 2 * t.r_mm * scale / s * 1.35 + 1;
        if (filled < 0.3) return;
        if (filled < 1.35 && b.x1 - b.x0 + 1 < across && b.y1 - b.y0 + 1 < across) {
            if (try_start(bgr, b.type, at, 0.32 * t.r_mm, false)) return;
            if (filled < 0.7) return;
        }
        starts.clear();
        vote(bgr, b, t, scale);
        bool any = false;
        for (const Start& start : starts) {
            if (is_hidden(hidden, start.px)) continue;
            const Point from = map.to_table(start.px, height_mm);
            if (near_known(from, t.r_mm, 0.65)) continue;
            any |= try_start(bgr, b.type, from, 0.22 * t.r_mm, true);
        }
        if (!any && filled < 3.2 && filled > 0.6) accept_streak(b, at);
        else if (any) accept_rest(int(&b - blobs.data()), area);
    }

    // What of a blob no disc explains: one that runs past others too fast to have a rim.
    void accept_rest(int id, double area) {
        const Blob b = blobs[std::size_t(id)];
        const int s = limits.stride_px;
        std::vector<std::pair<cv::Point2d, double>> known;
        for (const Piece& p : found)
            known.emplace_back(map.project({p.x, p.y}, height_mm), std::pow(1.15 * radius_of(p.type) * map.px_per_mm({p.x, p.y}, height_mm), 2));
        double sx = 0, sy = 0;
        int n = 0;
        for (int j = b.y0; j <= b.y1; ++j)
            for (int i = std::max(b.x0, first[j]); i <= std::min(b.x1, first[j] + count[j] - 1); ++i) {
                const std::size_t cell = std::size_t(j) * columns + i;
                if (grid[cell] != b.type + 1 || root(label[cell]) != id) continue;
                const double x = i * s + s / 2, y = j * s + s / 2;
                const bool explained = std::any_of(known.begin(), known.end(), [&](const auto& k) {
                    return (x - k.first.x) * (x - k.first.x) + (y - k.first.y) * (y - k.first.y) < k.second;
                });
                if (!explained) sx += x, sy += y, ++n;
            }
        if (n < 0.5 * area || n > 2.5 * area) return;
        const Point at = map.to_table({sx / n, sy / n}, height_mm);
        if (!near_known(at, types[b.type].r_mm, 0.6)) accept(b.type, at, {0.0, 0});
    }

    // No rim but the right colour and about the right area: a disc too fast for the shutter.
    void accept_streak(const Blob& b, Point at) {
        const double fill = double(b.n) / ((b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1));
        if (fill < 0.35 || near_known(at, types[b.type].r_mm, 0.7)) return;
        accept(b.type, at, {0.0, 0});
    }

    void fill_pixels() {
        for (Piece& p : found) {
            const cv::Point2d px = map.project({p.x, p.y}, height_mm);
            p.px = Point{px.x, px.y};
            p.size_px = 2 * radius_of(p.type) * map.px_per_mm({p.x, p.y}, height_mm);
        }
    }
};

LiveDiscs::LiveDiscs(const Catalogue& catalogue, const calibration::TableMap& map, const Pose& board, LiveLimits limits)
    : eye_{std::make_unique<Eye>(catalogue, map, board, limits)} {}
LiveDiscs::~LiveDiscs() = default;
LiveDiscs::LiveDiscs(LiveDiscs&&) noexcept = default;

void LiveDiscs::learn(const cv::Mat& bgr, const std::vector<Piece>& known) { eye_->learn(bgr, known); }

const std::vector<Piece>& LiveDiscs::detect(const cv::Mat& bgr, const cv::Mat& hidden) {
    eye_->found.clear();
    if (bgr.size() != eye_->size || bgr.type() != CV_8UC3) return eye_->found;
    eye_->scan(bgr);
    eye_->find_blobs();
    for (std::size_t i = 0; i < eye_->blobs.size(); ++i) eye_->look_at(bgr, hidden, eye_->blobs[i]);
    eye_->fill_pixels();
    return eye_->found;
}

bool LiveDiscs::follow(const cv::Mat& bgr, Piece& disc) const {
    for (std::size_t i = 0; i < eye_->types.size(); ++i) {
        const Type& t = eye_->types[i];
        if (t.name != disc.type) continue;
        Point at{disc.x, disc.y};
        RimFit rim;
        if (!eye_->fit(bgr, t, t.shadowless, at, 0.2 * t.r_mm, 1, rim) || rim.share < eye_->limits.min_rim_cluster) return false;
        disc.x = at.x, disc.y = at.y;
        const cv::Point2d px = eye_->map.project(at, eye_->height_mm);
        disc.px = Point{px.x, px.y};
        return true;
    }
    return false;
}

}  // namespace overboard::vision
