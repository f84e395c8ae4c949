// Every detail of the picture that looks like one of a face says where that face would lie. With
// the table known, so is how large the detail should be seen; single ones err, many do not err
// alike. Details are those of Lowe's scale invariant features, compared by their square roots
// (Arandjelović and Zisserman), which stand being seen aslant as far as 45 degrees.
#include "vision/faces/face_details.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "vision/faces/face_table.hpp"
#include "vision/flats/known_size.hpp"

namespace overboard::vision {
namespace {

/// Chosen on rendered photographs of towers, fans and heaps.
struct DetailLimits {
    double contrast = 0.02;  ///< Of a detail, of 1. Lower: paler print, more grain.
    int most = 4000;         ///< In one picture, strongest first. Bounds the time on clutter.
    int seen_px = 140;       ///< The longer side of a piece; larger ones are shrunk. Lower: faster.
    int alike = 4;           ///< How many faces one detail may speak for.
    float distance = 0.6F;   ///< Between descriptors of one detail, 0 … 1.4.
    double size_within = 1.5;  ///< How much larger or smaller than it should be.
    double centre = 0.06;      ///< How far details of one piece may disagree on where it lies, of
                               ///< its longer side,
    double angle = 0.2;        ///< and on how it is turned, radians.
    int least = 3;             ///< So many must agree.
    std::size_t most_places = 80;  ///< Bounds the time on clutter.
};
constexpr DetailLimits kDetails;

using Key = cv::KeyPoint;

struct Seen {
    std::vector<Key> keys;
    cv::Mat descriptors;
};

Seen details_in(const cv::Mat& grey, const cv::Mat& mask, int most) {
    constexpr int kOctave = 3;    // steps of size between doublings, Lowe's
    constexpr double kEdge = 15;  // how much of an edge a detail may be
    Seen seen;
    cv::SIFT::create(most, kOctave, kDetails.contrast, kEdge)
        ->detectAndCompute(grey, mask, seen.keys, seen.descriptors);
    for (int y = 0; y < seen.descriptors.rows; ++y) {
        cv::Mat row = seen.descriptors.row(y);
        row /= cv::norm(row, cv::NORM_L1) + 1e-6;
    }
    cv::sqrt(seen.descriptors, seen.descriptors);
    return seen;
}

float radians(float degrees) {
    return degrees * static_cast<float>(CV_PI / 180);
}

/// What one detail says of one face.
struct Vote {
    int detail = 0, key = 0;
    Pose pose;
};

/// A detail of the picture, on the table.
struct OnTable {
    Point at;
    double angle = 0, size = 0;
};

OnTable key_on_table(const calibration::TableMap& map, const Key& key, double scale,
                     double height) {
    const cv::Point2f from = (key.pt + cv::Point2f(0.5F, 0.5F)) / scale - cv::Point2f(0.5F, 0.5F);
    const float angle = radians(key.angle), length = key.size / static_cast<float>(scale);
    const cv::Point2f along(length * std::cos(angle), length * std::sin(angle));
    OnTable out;
    out.at = map.to_table(from, height);
    const Point a = map.to_table(from + along, height) - out.at,
                b = map.to_table(from + cv::Point2f(-along.y, along.x), height) - out.at;
    out.angle = std::atan2(a.y, a.x), out.size = std::sqrt(std::fabs(cross(a, b)));
    return out;
}

/// Everything but what lies under pieces that are known already.
cv::Mat outside(cv::Size size, const std::vector<Corners>& known, double scale) {
    cv::Mat mask(size, CV_8U, cv::Scalar(255));
    for (const Corners& c : known) {
        std::vector<cv::Point> ring;
        for (const cv::Point2f& p : c) ring.emplace_back(p * scale);
        cv::fillConvexPoly(mask, ring, cv::Scalar(0));
    }
    return mask;
}

bool agree(const Vote& a, const Vote& b, double longer) {
    const double reach = kDetails.centre * longer;
    return std::fabs(a.pose.x - b.pose.x) < reach && std::fabs(a.pose.y - b.pose.y) < reach &&
           std::fabs(wrapped(a.pose.angle - b.pose.angle)) < kDetails.angle;
}

/// How many details of picture and face speak for it; one of either says it once only.
int count_of(const std::vector<Vote>& votes) {
    const auto different = [&](int Vote::*which) {
        std::vector<int> all;
        for (const Vote& v : votes) all.push_back(v.*which);
        std::sort(all.begin(), all.end());
        return std::unique(all.begin(), all.end()) - all.begin();
    };
    return static_cast<int>(std::min(different(&Vote::detail), different(&Vote::key)));
}

/// Where the face lies when its details lie where they are seen.
Pose fitted_pose(const std::vector<Vote>& votes, const FaceDetails& details,
                 const std::vector<OnTable>& seen, double longer) {
    const double n = static_cast<double>(votes.size());
    Point here, there;
    const auto of_face = [&](const Vote& v) {
        const cv::Point2f at = details.list[v.detail].at;
        return Point{at.x * longer, at.y * longer};
    };
    for (const Vote& v : votes)
        here = here + seen[v.key].at * (1 / n), there = there + of_face(v) * (1 / n);
    double along = 0, across = 0;
    for (const Vote& v : votes) {
        const Point p = of_face(v) - there, q = seen[v.key].at - here;
        along += dot(p, q), across += cross(p, q);
    }
    const double angle = std::atan2(across, along);
    const Point centre = here - rotated(there, angle);
    return {centre.x, centre.y, angle};
}

/// Takes the votes that agree best, again and again.
void add_places(std::vector<Vote> votes, int face, const FaceDetails& details,
                const std::vector<OnTable>& seen, double longer, std::vector<DetailedPlace>& out) {
    while (static_cast<int>(votes.size()) >= kDetails.least) {
        std::vector<Vote> best;
        for (const Vote& v : votes) {
            std::vector<Vote> with;
            std::copy_if(votes.begin(), votes.end(), std::back_inserter(with),
                         [&](const Vote& o) { return agree(v, o, longer); });
            if (with.size() > best.size()) best = std::move(with);
        }
        if (static_cast<int>(best.size()) < kDetails.least) return;
        const int count = count_of(best);
        if (count >= kDetails.least)
            out.push_back({face, fitted_pose(best, details, seen, longer), count});
        const Vote& first = best.front();
        std::erase_if(votes, [&](const Vote& v) {
            return std::any_of(
                       best.begin(), best.end(),
                       [&](const Vote& b) { return b.key == v.key && b.detail == v.detail; }) ||
                   agree(first, v, longer);
        });
    }
}

/// So much smaller the picture is looked through.
double scale_for(const std::vector<Corners>& known) {
    float largest = 1;
    for (const Corners& c : known) largest = std::max({largest, mean_side(c, 0), mean_side(c, 1)});
    return std::min(1.0F, static_cast<float>(kDetails.seen_px) / largest);
}

/// What the details that are seen say of every face.
std::map<int, std::vector<Vote>> votes_for(const Seen& seen, const std::vector<OnTable>& on,
                                           const FaceDetails& details, double longer) {
    std::vector<std::vector<cv::DMatch>> matches;
    cv::BFMatcher(cv::NORM_L2)
        .knnMatch(seen.descriptors, details.descriptors, matches, kDetails.alike);
    std::map<int, std::vector<Vote>> votes;
    for (const auto& alike : matches)
        for (const cv::DMatch& m : alike) {
            const FaceDetails::Detail& d = details.list[m.trainIdx];
            const OnTable& p = on[m.queryIdx];
            const double ratio = p.size / (d.size * longer);
            if (m.distance > kDetails.distance || std::max(ratio, 1 / ratio) > kDetails.size_within)
                continue;
            const double angle = wrapped(p.angle - d.angle);
            const Point centre = p.at - rotated({d.at.x * longer, d.at.y * longer}, angle);
            votes[d.face].push_back({m.trainIdx, m.queryIdx, {centre.x, centre.y, angle}});
        }
    return votes;
}

}  // namespace

FaceDetails details_of(const std::vector<std::shared_ptr<const Reference>>& references) {
    constexpr int kRim = 8;  // pixels of more of the same, or nothing would be found there
    FaceDetails out;
    for (std::size_t face = 0; face < references.size(); ++face) {
        const cv::Mat& grey = references[face]->grey;
        cv::Mat wide;
        cv::copyMakeBorder(grey, wide, kRim, kRim, kRim, kRim, cv::BORDER_REPLICATE);
        const Seen seen = details_in(wide, {}, 0);
        const float longer = static_cast<float>(std::max(grey.cols, grey.rows));
        const cv::Point2f middle(static_cast<float>(wide.cols - 1) / 2,
                                 static_cast<float>(wide.rows - 1) / 2);
        for (const Key& key : seen.keys)
            out.list.push_back({static_cast<int>(face), (key.pt - middle) / longer,
                                key.size / longer, radians(key.angle)});
        out.descriptors.push_back(seen.descriptors);
    }
    return out;
}

std::vector<DetailedPlace> places_by_details(const cv::Mat& bgr, const Faces& deck,
                                             const KnownSizes& sizes, int kind,
                                             const std::vector<Corners>& known) {
    const FaceDetails& details = deck.details();
    if (details.list.empty() || known.empty()) return {};
    const FaceKind& size = (*sizes.kinds)[kind];
    const double longer = std::max(size.width_mm, size.height_mm), scale = scale_for(known);
    cv::Mat grey;
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    if (scale < 1) cv::resize(grey, grey, {}, scale, scale, cv::INTER_AREA);
    const Seen seen = details_in(grey, outside(grey.size(), known, scale), kDetails.most);
    if (seen.keys.empty()) return {};
    std::vector<OnTable> on;
    for (const Key& key : seen.keys)
        on.push_back(key_on_table(*sizes.map, key, scale, size.thickness_mm));
    std::vector<DetailedPlace> out;
    for (const auto& [face, votes] : votes_for(seen, on, details, longer))
        add_places(votes, face, details, on, longer, out);
    std::stable_sort(out.begin(), out.end(), [](const DetailedPlace& a, const DetailedPlace& b) {
        return a.details > b.details;
    });
    if (out.size() > kDetails.most_places) out.resize(kDetails.most_places);
    return out;
}

}  // namespace overboard::vision
