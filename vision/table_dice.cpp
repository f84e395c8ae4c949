#include "vision/table_dice.hpp"

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
constexpr float kStandsOut = 20;  // grey levels between body and surroundings
constexpr float kStep = 13;       // grey levels by which an outline shows
constexpr float kBeside = 0.11f;  // an outline is looked for so far to either side, of the edge
constexpr int kAlongEdge = 10;    // places looked at along one edge
constexpr float kBodySlack = 45;  // grey levels within which a body's colour may vary: light, gloss
// weight of the whole cube's outline beside the likeness, to judge its tilt
constexpr double kSilhouette = 0.5;
constexpr double kOutlineWeight = 0.25;  // of the outline beside the likeness, to settle the pose

using Patch = std::array<float, kGrid * kGrid>;

cv::Point2f place_of(int k) {  // grid index → share of the edge
    const auto along = [](int i) { return kInside * (static_cast<float>(i) / (kGrid - 1) - 0.5f); };
    return {along(k % kGrid), along(k / kGrid)};
}

/// Takes away the mean and any slope of light, and makes the length one. False: nothing to read.
bool normalise(Patch& p) {
    float mean = 0, sx = 0, sy = 0, norm = 0;
    for (float v : p) mean += v;
    mean /= static_cast<float>(p.size());
    for (int k = 0; k < kGrid * kGrid; ++k) {
        const cv::Point2f at = place_of(k);
        p[k] -= mean;
        sx += p[k] * at.x, sy += p[k] * at.y, norm += at.x * at.x;
    }
    float length = 0;
    for (int k = 0; k < kGrid * kGrid; ++k) {
        const cv::Point2f at = place_of(k);
        p[k] -= (sx * at.x + sy * at.y) / norm;
        length += p[k] * p[k];
    }
    length = std::sqrt(length);
    for (float& v : p) v /= std::max(length, 1e-6f);
    return length > 3 * kGrid;
}

struct Face {
    int value;
    Patch patch;
};

Face face_of(int value, float pip_radius, const std::vector<cv::Point2f>& pips) {
    Face face{value, {}};
    for (int k = 0; k < kGrid * kGrid; ++k) {
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
    static constexpr int kCount = 20;  // 19 and a spare one: whole vectors
    std::array<std::array<float, kCount>, kGrid * kGrid> by_sample{};
    std::array<int, kCount> value{};
    AllFaces() {
        int i = 0;
        for (const Face& face : make_faces()) {
            for (int k = 0; k < kGrid * kGrid; ++k) by_sample[k][i] = face.patch[k];
            value[i++] = face.value;
        }
    }
    void compare(const Patch& patch, std::array<float, kCount>& likeness) const {
        likeness.fill(0);
        for (int k = 0; k < kGrid * kGrid; ++k)
            for (int i = 0; i < kCount; ++i) likeness[i] += patch[k] * by_sample[k][i];
    }
};

const AllFaces& all_faces() {
    static const AllFaces all;
    return all;
}

cv::Point2f apply(const LocalCamera& camera, const cv::Vec3f& mm) {
    const cv::Vec2f p = camera * mm;
    return {p[0], p[1]};
}

cv::Matx33f turn_about_z(float a) {
    return {std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1};
}
cv::Matx33f turn_about_x(float a) {
    return {1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a)};
}

float at(const cv::Mat& image, cv::Point2f p) {
    const float x = std::clamp(p.x, 0.f, static_cast<float>(image.cols) - 1.001f),
                y = std::clamp(p.y, 0.f, static_cast<float>(image.rows) - 1.001f);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float *top = image.ptr<float>(iy) + ix, *low = image.ptr<float>(iy + 1) + ix;
    const float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
    return (top[0] * (1 - fx) + top[1] * fx) * (1 - fy) + (low[0] * (1 - fx) + low[1] * fx) * fy;
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

    [[nodiscard]] cv::Point2f px(const LocalCamera& camera, cv::Vec3f share) const {
        return centre + apply(camera, turn * share * edge_mm);
    }
    [[nodiscard]] bool sampled(const Signal& signal, const LocalCamera& camera, Patch& out) const {
        for (int k = 0; k < kGrid * kGrid; ++k) {
            const cv::Point2f p = place_of(k);
            out[k] = at(signal.grey, px(camera, {p.x, p.y, 0}) - signal.corner);
        }
        return normalise(out);
    }
    /// The pattern that fits best; `by_value` keeps the best of each.
    [[nodiscard]] Match match(const Signal& signal, const LocalCamera& camera,
                              std::array<double, 7>& by_value) const {
        Patch patch;
        Match best;
        if (!sampled(signal, camera, patch)) return best;
        std::array<float, AllFaces::kCount> likeness;
        all_faces().compare(patch, likeness);
        for (int i = 0; i < AllFaces::kCount; ++i) {
            const double like = std::abs(likeness[i]);
            by_value[all_faces().value[i]] = std::max(by_value[all_faces().value[i]], like);
            if (like > best.likeness) best = {all_faces().value[i], like};
        }
        return best;
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
    if (face.area() < 16) return out;
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
        const cv::Matx33f quarter = turn_about_z(static_cast<float>(edge * M_PI / 2));
        const auto px = [&](float out, float along, float up) {
            return pose.px(camera, quarter * cv::Vec3f(0.5f + out, along, up));
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
    std::vector<cv::Point2f> corners, hull;
    for (int i = 0; i < 8; ++i)
        corners.push_back(
            pose.px(camera, {i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? -1.f : 0.f}));
    cv::convexHull(corners, hull);
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
double DieReader::leaning(const Signal& signal, const LocalCamera& camera,
                          const DieReading& die) const {
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

DieReading DieReader::read(cv::Point2f centre, const LocalCamera& camera, float edge_mm) const {
    DieReading best;
    best.centre = centre, best.edge_mm = edge_mm;
    const Signal first = signal_of(centre, camera, 0.35f * edge_mm);
    if (first.grey.empty()) return best;
    const auto shifted = [&](cv::Point2f from, int x, int y, float step) {
        return from + apply(camera, cv::Vec3f(static_cast<float>(x), static_cast<float>(y), 0) *
                                        (step * edge_mm));
    };
    std::array<double, 7> by_value{};
    for (int turn = 0; turn < 10; ++turn) {
        const auto angle = static_cast<float>(turn * M_PI / 20);
        for (int y = -4; y <= 4; ++y)
            for (int x = -4; x <= 4; ++x) {
                const cv::Point2f at = shifted(centre, x, y, 0.075f);
                const Match m = Pose{at, turn_about_z(angle), edge_mm}.match(first, camera,
                                                                             by_value);
                if (m.likeness > best.likeness)
                    best.centre = at, best.angle = angle, best.value = m.value,
                    best.likeness = m.likeness;
            }
    }
    // Once more with the colours of the face alone, finer, and with the outline's word.
    const Signal second = signal_of(best.centre, camera, 0.42f * edge_mm);
    if (second.grey.empty()) return best;
    const cv::Vec3f body = body_colour(best.centre, camera, edge_mm);
    const DieReading coarse = best;
    by_value = {};
    double most = -1;
    const int turns = coarse.value == 1 ? 5 : 1;
    for (const float scale : {0.92f, 1.f, 1.08f})
        for (int turn = -turns; turn <= turns; ++turn)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x) {
                    const float angle = coarse.angle +
                                        (turns > 1 ? 0.157f : 0.07f) * static_cast<float>(turn);
                    const Pose pose{shifted(coarse.centre, x, y, 0.035f), turn_about_z(angle),
                                    edge_mm * scale};
                    const Match m = pose.match(second, camera, by_value);
                    const double outline = outline_of(pose, camera, body);
                    if (!m.value || m.likeness + kOutlineWeight * outline <= most) continue;
                    most = m.likeness + kOutlineWeight * outline;
                    best = {pose.centre, angle, pose.edge_mm, m.value, m.likeness, 0, outline};
                }
    for (int v = 1; v <= 6; ++v)
        if (v != best.value) best.second = std::max(best.second, by_value[v]);
    if (best.likeness > 0.6 && best.outline > 0.8 &&
        camera(0, 2) * camera(0, 2) + camera(1, 2) * camera(1, 2) > 0)
        best.leaning = leaning(second, camera, best);
    return best;
}

/// The middle colour of most of the face: pips cover less than half of it.
cv::Vec3f DieReader::body_colour(cv::Point2f centre, const LocalCamera& camera,
                                 float edge_mm) const {
    std::array<std::vector<float>, 3> seen;
    const cv::Rect all({0, 0}, soft_.size());
    for (int k = 0; k < kGrid * kGrid; ++k) {
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

std::vector<cv::Point2f> DieReader::bodies(const cv::Mat& mask, double edge_px) const {
    const double scale = std::min(1.0,
                                  10 / edge_px);  // a die ten pixels wide is enough to be found
    cv::Mat small, inner, outer, difference;
    cv::resize(bgr_, small, {}, scale, scale, cv::INTER_AREA);
    const double e = edge_px * scale;
    const int in = std::max(3, cvRound(0.7 * e)) | 1, out = std::max(7, cvRound(2.2 * e)) | 1;
    cv::blur(small, inner, {in, in});
    cv::blur(small, outer, {out, out});
    cv::absdiff(inner, outer, difference);
    std::vector<cv::Mat> channels;
    cv::split(difference, channels);
    cv::Mat strength = cv::max(channels[0], cv::max(channels[1], channels[2])), highest;
    cv::dilate(
        strength, highest,
        cv::getStructuringElement(cv::MORPH_ELLIPSE, {cvRound(0.8 * e) | 1, cvRound(0.8 * e) | 1}));
    std::vector<std::pair<int, cv::Point2f>> found;
    for (int y = 0; y < strength.rows; ++y)
        for (int x = 0; x < strength.cols; ++x) {
            const int s = strength.at<uchar>(y, x);
            if (static_cast<float>(s) < kStandsOut || s < highest.at<uchar>(y, x)) continue;
            const cv::Point2f p((static_cast<float>(x) + 0.5f) / static_cast<float>(scale) - 0.5f,
                                (static_cast<float>(y) + 0.5f) / static_cast<float>(scale) - 0.5f);
            if (!mask.empty() && !mask.at<uchar>(std::clamp(cvRound(p.y), 0, mask.rows - 1),
                                                 std::clamp(cvRound(p.x), 0, mask.cols - 1)))
                continue;
            found.emplace_back(s, p);
        }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<cv::Point2f> places;
    for (const auto& f : found)
        if (std::none_of(places.begin(), places.end(), [&](const cv::Point2f& p) {
                return cv::norm(p - f.second) < 0.4 * edge_px;
            }))
            places.push_back(f.second);
    return places;
}

}  // namespace overboard::vision
