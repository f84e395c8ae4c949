#include "vision/dice/table_dice.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// The colours of a face lie between its body's and its pips': their principal axis makes one signal
// of them, whichever two colours they are. The signal is sampled on a grid over the face, turned
// and shifted, until a pattern fits best; correlation does not ask which of body and pips is the
// lighter. A one looks alike at any turn: there only the outline tells.
namespace overboard::vision {
namespace {

constexpr int kGrid = 12;         // samples across a face
constexpr float kInside = 0.90f;  // share of the edge they span: rounded edges are left out
constexpr float kPlace = 0.25f;   // corner pips from the centre, of the edge
constexpr float kStep = 13;       // grey levels by which an outline shows
constexpr float kBeside = 0.11f;  // an outline is looked for so far to either side, of the edge
constexpr int kAlongEdge = 10;    // places looked at along one edge
constexpr float kBodySlack = 45;  // grey levels within which a body's colour may vary: light, gloss
// weight of the whole cube's outline beside the likeness, to judge its tilt
constexpr double kSilhouette = 0.5;
constexpr double kShown = 0.8;           // of an outline that shows
constexpr double kRival = 0.25;          // a reading whose likeness is so much less is no rival
constexpr std::size_t kRivals = 3;       // readings looked at more closely while no outline shows
constexpr int kShifts = 4;               // samples to every side within which a face is looked for
constexpr int kParts = 3;                // of that way: the best reading of each is kept
constexpr double kOutlineWeight = 0.25;  // of the outline beside the likeness, to settle the pose

constexpr int kPatch = kGrid * kGrid;
constexpr float kApart = kInside / (kGrid - 1);  // samples, of the edge
constexpr int kLanes = 8;                        // numbers the processor adds at once
static_assert(kPatch % kLanes == 0);
using Patch = std::array<float, kPatch>;

/// Where the samples lie, in shares of the edge.
struct Shares {
    Patch x{}, y{};
    Shares() {
        for (int k = 0; k < kPatch; ++k) {
            x[k] = kApart * static_cast<float>(k % kGrid) - kInside / 2;
            y[k] = kApart * static_cast<float>(k / kGrid) - kInside / 2;
        }
    }
};
const Shares kShares;

cv::Point2f place_of(int k) {
    return {kShares.x[k], kShares.y[k]};
}

float dot(const Patch& a, const Patch& b) {
    std::array<float, kLanes> sums{};
    for (int k = 0; k < kPatch; k += kLanes)
        for (int i = 0; i < kLanes; ++i) sums[i] += a[k + i] * b[k + i];
    float sum = 0;
    for (float s : sums) sum += s;
    return sum;
}

/// Takes away the mean and any slope of light, and makes the length one. False: nothing to read.
bool normalise(Patch& p) {
    static const Patch ones = [] {
        Patch all;
        all.fill(1);
        return all;
    }();
    static const float norm = dot(kShares.x, kShares.x);
    const float mean = dot(p, ones) / kPatch;
    const float slope_x = dot(p, kShares.x) / norm, slope_y = dot(p, kShares.y) / norm;
    for (int k = 0; k < kPatch; ++k) p[k] -= mean + slope_x * kShares.x[k] + slope_y * kShares.y[k];
    const float length = std::sqrt(dot(p, p)), scale = 1 / std::max(length, 1e-6f);
    for (float& v : p) v *= scale;
    return length > 3 * kGrid;
}

struct Face {
    int value;
    Patch patch;
};

Face face_of(int value, float pip_radius, const std::vector<cv::Point2f>& pips) {
    Face face{value, {}};
    for (int k = 0; k < kPatch; ++k) {
        float ink = 0;
        for (const cv::Point2f& pip : pips) {
            const float d = static_cast<float>(cv::norm(place_of(k) - pip * kPlace)) / pip_radius;
            ink = std::max(ink, 1 / (1 + std::exp(5 * (d - 1))));
        }
        face.patch[k] = -100 * ink;
    }
    normalise(face.patch);
    return face;
}

// Two, three and six look different when turned by a quarter. Pips are larger on some dice, and the
// one of many is the largest.
std::vector<Face> make_faces() {
    std::vector<Face> all;
    for (const float r : {0.095f, 0.125f}) {
        all.push_back(face_of(1, r, {{0, 0}}));
        all.push_back(face_of(2, r, {{-1, -1}, {1, 1}}));
        all.push_back(face_of(2, r, {{-1, 1}, {1, -1}}));
        all.push_back(face_of(3, r, {{-1, -1}, {0, 0}, {1, 1}}));
        all.push_back(face_of(3, r, {{-1, 1}, {0, 0}, {1, -1}}));
        all.push_back(face_of(4, r, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}}));
        all.push_back(face_of(5, r, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, 0}}));
        all.push_back(face_of(6, r, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, 0}, {1, 0}}));
        all.push_back(face_of(6, r, {{-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {0, -1}, {0, 1}}));
    }
    all.push_back(face_of(1, 0.17f, {{0, 0}}));
    return all;
}

/// All faces beside each other, sample by sample: one pass over a patch compares it with all of
/// them.
struct AllFaces {
    static constexpr int kCount = 24;  // 19 and spare ones: whole vectors
    std::array<std::array<float, kCount>, kPatch> by_sample{};
    std::array<int, kCount> value{};
    AllFaces() {
        int i = 0;
        for (const Face& face : make_faces()) {
            for (int k = 0; k < kPatch; ++k) by_sample[k][i] = face.patch[k];
            value[i++] = face.value;
        }
    }
    [[nodiscard]] std::array<float, kCount> compare(const Patch& patch) const {
        std::array<float, kCount> likeness{};
        for (int k = 0; k < kPatch; ++k)
            for (int i = 0; i < kCount; ++i) likeness[i] += patch[k] * by_sample[k][i];
        return likeness;
    }
};

const AllFaces& all_faces() {
    static const AllFaces all;
    return all;
}

inline cv::Point2f apply(const LocalCamera& m, const cv::Vec3f& v) {
    return {m(0, 0) * v[0] + m(0, 1) * v[1] + m(0, 2) * v[2],
            m(1, 0) * v[0] + m(1, 1) * v[1] + m(1, 2) * v[2]};
}

cv::Matx33f turn_about_z(float a) {
    return {std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1};
}
cv::Matx33f turn_about_x(float a) {
    return {1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a)};
}

/// Interpolated; beyond the edges what lies at them. Shares are steps of a line apart: many at
/// once.
void sample_at(const cv::Mat& image, int count, const float* x, const float* y, float* out) {
    const float right = static_cast<float>(image.cols) - 1.001f,
                low = static_cast<float>(image.rows) - 1.001f;
    const auto* data = image.ptr<float>();
    const int row = static_cast<int>(image.step1());
    for (int k = 0; k < count; ++k) {
        const float u = std::min(std::max(x[k], 0.f), right),
                    v = std::min(std::max(y[k], 0.f), low);
        const int iu = static_cast<int>(u), iv = static_cast<int>(v), o = iv * row + iu;
        const float fu = u - static_cast<float>(iu), fv = v - static_cast<float>(iv);
        const float above = data[o] + (data[o + 1] - data[o]) * fu,
                    below = data[o + row] + (data[o + row + 1] - data[o + row]) * fu;
        out[k] = above + (below - above) * fv;
    }
}

/// Largest difference of a colour channel between two places.
float step_between(const cv::Mat& bgr, cv::Point2f a, cv::Point2f b) {
    const cv::Rect all({0, 0}, bgr.size());
    const cv::Point p(cvRound(a.x), cvRound(a.y)), q(cvRound(b.x), cvRound(b.y));
    if (!all.contains(p) || !all.contains(q)) return 0;
    const cv::Vec3b u = bgr.at<cv::Vec3b>(p), v = bgr.at<cv::Vec3b>(q);
    return static_cast<float>(
        std::max({std::abs(u[0] - v[0]), std::abs(u[1] - v[1]), std::abs(u[2] - v[2])}));
}

struct Match {
    int value = 0;
    double likeness = 0;
};

double sureness(const DieReading& die) {
    return die.likeness + kOutlineWeight * die.outline;
}

bool less_like(const DieReading& a, const DieReading& b) {
    return a.likeness < b.likeness;
}

Match best_match(Patch& patch, std::array<double, 7>& by_value) {
    Match best;
    if (!normalise(patch)) return best;
    const auto likeness = all_faces().compare(patch);
    for (int i = 0; i < AllFaces::kCount; ++i) {
        const double like = std::abs(likeness[i]);
        by_value[all_faces().value[i]] = std::max(by_value[all_faces().value[i]], like);
        if (like > best.likeness) best = {all_faces().value[i], like};
    }
    return best;
}

}  // namespace

/// One number a pixel, of the surroundings of one die.
struct DieReader::Signal {
    cv::Mat grey;        // float
    cv::Point2f corner;  // of the part, in the picture
};

/// A cube somewhere: the middle of its top face, and how it is turned.
struct DieReader::Pose {
    cv::Point2f centre;
    cv::Matx33f turn = cv::Matx33f::eye();
    float edge_mm = 0;

    /// Shares of the edge, from the middle of the top face, to pixels from its centre.
    [[nodiscard]] cv::Matx23f shown(const LocalCamera& camera) const {
        return camera * turn * edge_mm;
    }
    /// The pattern that fits best; `by_value` keeps the best of each.
    [[nodiscard]] Match match(const Signal& signal, const LocalCamera& camera,
                              std::array<double, 7>& by_value) const {
        const cv::Matx23f m = shown(camera);
        const cv::Point2f from = centre - signal.corner;
        Patch x, y, patch;
        for (int k = 0; k < kPatch; ++k) {
            x[k] = from.x + m(0, 0) * kShares.x[k] + m(0, 1) * kShares.y[k];
            y[k] = from.y + m(1, 0) * kShares.x[k] + m(1, 1) * kShares.y[k];
        }
        sample_at(signal.grey, kPatch, x.data(), y.data(), patch.data());
        return best_match(patch, by_value);
    }
};

DieReader::DieReader(const cv::Mat& bgr) : bgr_{bgr} {
    cv::blur(bgr_, soft_, {3, 3});
}

DieReader::Signal DieReader::signal_of(cv::Point2f centre, const LocalCamera& camera,
                                       float reach_mm) const {
    const float px = std::sqrt(std::abs(camera(0, 0) * camera(1, 1) - camera(0, 1) * camera(1, 0)));
    const auto box = [&](float half) {
        const int h = std::max(2, cvCeil(half * px));
        return cv::Rect(cvRound(centre.x) - h, cvRound(centre.y) - h, 2 * h + 1, 2 * h + 1) &
               cv::Rect({0, 0}, bgr_.size());
    };
    const cv::Rect face = box(reach_mm), all = box(4 * reach_mm);
    Signal out;
    if (face.area() < 16 || std::min(all.width, all.height) < 2) return out;
    cv::Mat samples, exact;
    bgr_(face).clone().reshape(1, face.area()).convertTo(samples, CV_32F);
    const cv::PCA axis(samples, cv::noArray(), cv::PCA::DATA_AS_ROW, 1);
    bgr_(all).convertTo(exact, CV_32F);
    cv::transform(exact, out.grey, axis.eigenvectors);
    out.corner = all.tl();
    return out;
}

/// Along the top face's edges: body within, and something else beyond it; or, where a side shows,
/// beyond that side.
double DieReader::outline_of(const Pose& pose, const LocalCamera& camera, cv::Vec3f body) const {
    int shown = 0;
    const cv::Rect all({0, 0}, soft_.size());
    for (int edge = 0; edge < 4; ++edge) {
        const cv::Matx23f m = pose.shown(camera) *
                              turn_about_z(static_cast<float>(edge * M_PI / 2));
        const auto px = [&](float out, float along, float up) {
            return pose.centre + apply(m, {0.5f + out, along, up});
        };
        const cv::Point2f outwards = px(kBeside, 0, 0) - px(0, 0, 0);
        const bool side_shows = (px(0, 0, -1) - px(0, 0, 0)).dot(outwards) >
                                0.5f * outwards.dot(outwards);
        for (int i = 0; i < kAlongEdge; ++i) {
            const float along = 0.86f * ((static_cast<float>(i) + 0.5f) / kAlongEdge - 0.5f);
            const cv::Point2f within = px(-kBeside, along, 0);
            const cv::Point c(cvRound(within.x), cvRound(within.y));
            if (!all.contains(c) ||
                cv::norm(cv::Vec3f(soft_.at<cv::Vec3b>(c)) - body, cv::NORM_INF) > kBodySlack)
                continue;
            shown += step_between(soft_, within, px(kBeside, along, 0)) > kStep ||
                     (side_shows &&
                      step_between(soft_, px(-kBeside, along, -1), px(kBeside, along, -1)) > kStep);
        }
    }
    return static_cast<double>(shown) / (4 * kAlongEdge);
}

/// Share of the whole cube's outline along which something ends.
double DieReader::silhouette_of(const Pose& pose, const LocalCamera& camera) const {
    // From afar a cube shows a hexagon: its three edges one after the other, by their direction.
    const cv::Matx23f m = pose.shown(camera);
    std::array<cv::Point2f, 3> edges;
    for (int i = 0; i < 3; ++i) {
        edges[i] = {m(0, i), m(1, i)};
        if (edges[i].y < 0) edges[i] = -edges[i];
    }
    std::sort(edges.begin(), edges.end(),
              [](cv::Point2f a, cv::Point2f b) { return a.cross(b) > 0; });
    std::array<cv::Point2f, 6> hull;
    hull[0] = pose.centre + apply(m, {0, 0, -0.5f}) - (edges[0] + edges[1] + edges[2]) * 0.5f;
    for (int i = 1; i < 6; ++i) hull[i] = hull[i - 1] + (i < 4 ? edges[i - 1] : -edges[i - 4]);
    double sum = 0, all = 0;
    const float beside = 0.07f * pose.edge_mm *
                         static_cast<float>(cv::norm(apply(camera, {1, 0, 0})));
    for (std::size_t i = 0; i < hull.size(); ++i) {
        const cv::Point2f a = hull[i], way = hull[(i + 1) % hull.size()] - a;
        const auto long_px = static_cast<float>(cv::norm(way));
        if (long_px < 1) continue;
        const cv::Point2f normal = cv::Point2f(way.y, -way.x) * (beside / long_px);
        for (float t = 0.15f; t < 0.9f; t += 1.5f / long_px) {
            const cv::Point2f p = a + way * t;
            sum += std::min(1.f, step_between(soft_, p - normal, p + normal) / (3 * kStep));
            all += 1;
        }
    }
    return all > 0 ? sum / all : 0;
}

/// Leaning dice show the same pattern aslant, and more of a side. Every tilt is tried roughly, the
/// best of the upright and of the leaning ones more exactly.
double DieReader::leaning(const LocalCamera& camera, const DieReading& die) const {
    const Signal signal = signal_of(die.centre, camera, 0.42f * die.edge_mm);
    struct Lean {
        float tilt = 0, axis = 0;
        double fit = 0;
    };
    const auto fit = [&](const Lean& lean, float yaw, float x, float y) {
        std::array<double, 7> by_value{};
        const Pose pose{die.centre + apply(camera, cv::Vec3f(x, y, 0) * die.edge_mm),
                        turn_about_z(lean.axis) * turn_about_x(lean.tilt) *
                            turn_about_z(die.angle + yaw - lean.axis),
                        die.edge_mm};
        (void)pose.match(signal, camera, by_value);
        return by_value[die.value] + kSilhouette * silhouette_of(pose, camera);
    };
    const auto best_of = [&](std::initializer_list<float> tilts) {
        std::vector<Lean> leans;
        for (const float tilt : tilts)
            for (int k = 0; k < (tilt > 0 ? 12 : 1); ++k) {
                Lean lean{tilt, static_cast<float>(k * M_PI / 6), 0};
                lean.fit = fit(lean, 0, 0, 0);
                leans.push_back(lean);
            }
        std::sort(leans.begin(), leans.end(),
                  [](const Lean& a, const Lean& b) { return a.fit > b.fit; });
        double most = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(4, leans.size()); ++i)
            for (const float yaw : {-0.08f, 0.f, 0.08f})
                for (const float y : {-0.05f, 0.f, 0.05f})
                    for (const float x : {-0.05f, 0.f, 0.05f})
                        most = std::max(most, fit(leans[i], yaw, x, y));
        return most;
    };
    return best_of({0.45f, 0.6f, 0.75f}) - best_of({0, 0.15f, 0.26f});
}

/// A die with rounded edges reads best as a little smaller than it is; so does a leaning one, for
/// its foreshortened face then looks level. Where the one of the size it reads best at does not
/// tell, the one of its real size is asked, too.
double DieReader::leaning_of(const LocalCamera& camera, const DieReading& die,
                             float edge_mm) const {
    constexpr double kLies = -0.07;  // one of 24 dice leaning by 34 degrees lies below
    constexpr double kLeans = 0.02;  // two of 157 leaning by 15 degrees or less lie above
    const double as_read = leaning(camera, die);
    if (as_read < kLies || as_read > kLeans || die.edge_mm == edge_mm) return as_read;
    DieReading whole = die;
    whole.edge_mm = edge_mm;
    return 0.5 * (as_read + leaning(camera, whole));
}

/// Tries this pose moved by whole samples to every side: one sampling serves them all. The best of
/// each value is kept for each part of the ground covered: on a ground of the pips' colour the
/// likest at first glance may lie half beside the die.
void DieReader::shift(const Signal& signal, const LocalCamera& camera, const Pose& pose,
                      Rough& all) {
    constexpr int kWide = kGrid + 2 * kShifts;
    const cv::Matx23f m = pose.shown(camera) * kApart;
    const cv::Point2f from = pose.centre - signal.corner;
    std::array<float, kWide * kWide> x, y, samples;
    for (int k = 0; k < kWide * kWide; ++k) {
        const float along = static_cast<float>(k % kWide) - (kWide - 1) / 2.f,
                    down = static_cast<float>(k / kWide) - (kWide - 1) / 2.f;
        x[k] = from.x + m(0, 0) * along + m(0, 1) * down;
        y[k] = from.y + m(1, 0) * along + m(1, 1) * down;
    }
    sample_at(signal.grey, kWide * kWide, x.data(), y.data(), samples.data());
    std::array<double, 7> by_value{};
    Patch patch;
    for (int down = 0; down <= 2 * kShifts; ++down)
        for (int along = 0; along <= 2 * kShifts; ++along) {
            for (int row = 0; row < kGrid; ++row)
                std::copy_n(&samples[(down + row) * kWide + along], kGrid, &patch[row * kGrid]);
            const Match found = best_match(patch, by_value);
            const int part = down * kParts / (2 * kShifts + 1) * kParts +
                             along * kParts / (2 * kShifts + 1);
            DieReading& best = all[std::size_t(found.value * kParts * kParts + part)];
            if (found.likeness <= best.likeness) continue;
            const auto off = m * cv::Vec3f(static_cast<float>(along - kShifts),
                                           static_cast<float>(down - kShifts), 0);
            best.centre = pose.centre + cv::Point2f(off[0], off[1]);
            best.angle = std::atan2(pose.turn(1, 0), pose.turn(0, 0));
            best.value = found.value, best.likeness = found.likeness;
        }
}

DieReading DieReader::read(cv::Point2f centre, const LocalCamera& camera, float edge_mm) const {
    DieReading rough;
    rough.centre = centre, rough.edge_mm = edge_mm;
    const Signal signal = signal_of(centre, camera, 0.35f * edge_mm);
    if (signal.grey.empty()) return rough;
    Rough all(7 * kParts * kParts, rough);
    for (int turn = 0; turn < 10; ++turn)
        shift(signal, camera, {centre, turn_about_z(static_cast<float>(turn * M_PI / 20)), edge_mm},
              all);
    const double most = std::max_element(all.begin(), all.end(), less_like)->likeness;
    std::erase_if(all, [&](const DieReading& d) { return d.likeness < most - kRival; });
    for (DieReading& d : all)
        d.outline = outline_of({d.centre, turn_about_z(d.angle), edge_mm}, camera,
                               body_colour(d.centre, camera, edge_mm));
    std::sort(all.begin(), all.end(),
              [](const DieReading& a, const DieReading& b) { return sureness(a) > sureness(b); });
    // A lone pip is soon found by chance, half beside the die: where no outline shows, the next
    // surest readings are tried.
    DieReading die = settle(all[0], camera, {0.92f, 1.f, 1.08f});
    for (std::size_t i = 1; i < std::min(kRivals, all.size()) && die.outline < kShown; ++i) {
        const DieReading other = settle(all[i], camera, {0.92f, 1.f, 1.08f});
        if (sureness(other) > sureness(die)) die = other;
    }
    if (die.likeness > 0.6 && die.outline > 0.8 &&
        camera(0, 2) * camera(0, 2) + camera(1, 2) * camera(1, 2) > 0)
        die.leaning = leaning_of(camera, die, edge_mm);
    return die;
}

DieReading DieReader::read_again(cv::Point2f centre, float angle, const LocalCamera& camera,
                                 float edge_mm) const {
    DieReading known;
    known.centre = centre, known.angle = angle, known.edge_mm = edge_mm;
    return settle(known, camera, {1.f}, true);
}

/// Once more with the colours of the face alone, finer, and with the outline's word. `as_it_lies`:
/// clear as it is, it need not be finer.
DieReading DieReader::settle(const DieReading& rough, const LocalCamera& camera,
                             std::initializer_list<float> scales, bool as_it_lies) const {
    constexpr float kStep_edges = 0.035f;
    constexpr double kClear = 0.75, kClearOutline = 0.9;  // reads so: no other pose is tried
    DieReading best = rough;
    const Signal signal = signal_of(rough.centre, camera, 0.42f * rough.edge_mm);
    if (signal.grey.empty()) return best;
    const cv::Vec3f body = body_colour(rough.centre, camera, rough.edge_mm);
    std::array<double, 7> by_value{};
    double most = -1;
    const auto attempt = [&](const Pose& pose, float angle) {
        const Match m = pose.match(signal, camera, by_value);
        if (!m.value || m.likeness + kOutlineWeight <= most) return;
        const double outline = outline_of(pose, camera, body);
        if (m.likeness + kOutlineWeight * outline <= most) return;
        most = m.likeness + kOutlineWeight * outline;
        best = {pose.centre, angle, pose.edge_mm, m.value, m.likeness, 0, outline};
    };
    if (as_it_lies) attempt({rough.centre, turn_about_z(rough.angle), rough.edge_mm}, rough.angle);
    const bool clear = as_it_lies && best.likeness > kClear && best.outline >= kClearOutline;
    const int turns = rough.value == 1 ? 5 : 1;
    const float turn_by = turns > 1 ? 0.157f : 0.07f;
    for (const float scale : scales)
        for (int turn = -turns; turn <= turns && !clear; ++turn)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x) {
                    const float angle = rough.angle + turn_by * static_cast<float>(turn);
                    const cv::Vec3f off(static_cast<float>(x), static_cast<float>(y), 0);
                    attempt({rough.centre + apply(camera, off * (kStep_edges * rough.edge_mm)),
                             turn_about_z(angle), rough.edge_mm * scale},
                            angle);
                }
    for (int v = 1; v <= 6; ++v)
        if (v != best.value) best.second = std::max(best.second, by_value[v]);
    return best;
}

/// The middle colour of most of the face: pips cover less than half of it.
cv::Vec3f DieReader::body_colour(cv::Point2f centre, const LocalCamera& camera,
                                 float edge_mm) const {
    std::array<std::vector<float>, 3> seen;
    const cv::Rect all({0, 0}, soft_.size());
    for (int k = 0; k < kPatch; ++k) {
        const cv::Point2f p = centre + apply(camera, cv::Vec3f(place_of(k).x, place_of(k).y, 0) *
                                                         (0.8f * edge_mm));
        const cv::Point c(cvRound(p.x), cvRound(p.y));
        if (!all.contains(c)) continue;
        for (int i = 0; i < 3; ++i) seen[i].push_back(soft_.at<cv::Vec3b>(c)[i]);
    }
    cv::Vec3f middle;
    for (int i = 0; i < 3; ++i) {
        if (seen[i].empty()) return middle;
        const auto m = seen[i].begin() + static_cast<std::ptrdiff_t>(seen[i].size() / 2);
        std::nth_element(seen[i].begin(), m, seen[i].end());
        middle[i] = *m;
    }
    return middle;
}

}  // namespace overboard::vision
