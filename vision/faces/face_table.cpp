// References are kept in every turn a crop may lie in. The direction all faces share is taken out
// of what they are compared by; how alike they are without it says what a stranger in their style
// may score.
#include "vision/faces/face_table.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

namespace overboard::vision {
namespace {

constexpr double kGreyPx = 120;        // longer side: what details are told by, no grain
constexpr float kRival = 0.5F;         // a face that looks less like another can never pass for it
constexpr double kSquareWithin = 0.1;  // aspect ratios this near 1 may lie in four turns

Corners picture_corners(const cv::Mat& m, int first) {
    const float w = static_cast<float>(m.cols) - 0.5F, h = static_cast<float>(m.rows) - 0.5F;
    Corners c{cv::Point2f{-0.5F, -0.5F}, {w, -0.5F}, {w, h}, {-0.5F, h}};
    std::rotate(c.begin(), c.begin() + first, c.end());
    return c;
}

}  // namespace

std::shared_ptr<const Reference> make_reference(const std::string& face, const cv::Mat& bgr) {
    if (bgr.empty() || bgr.type() != CV_8UC3)
        throw std::runtime_error("the reference of face " + face + " is not a colour picture");
    cv::Mat small = bgr;
    const double shrink = 500.0 / std::max(bgr.cols, bgr.rows);
    if (shrink < 1) cv::resize(bgr, small, {}, shrink, shrink, cv::INTER_AREA);
    auto reference = std::make_shared<Reference>();
    reference->face = face;
    reference->aspect = static_cast<double>(bgr.cols) / bgr.rows;
    const double scale = kGreyPx / std::max(small.cols, small.rows);
    cv::cvtColor(small, reference->grey, cv::COLOR_BGR2GRAY);
    cv::resize(reference->grey, reference->grey, {}, scale, scale, cv::INTER_AREA);
    for (int r = 0; r < 4; ++r) sample(small, picture_corners(small, r), reference->turned[r]);
    return reference;
}

std::shared_ptr<const Reference> covered_reference(const Reference& whole,
                                                   const std::vector<std::uint8_t>& hidden) {
    auto reference = std::make_shared<Reference>(whole);
    for (Thumb& thumb : reference->turned) cover(hidden, thumb);
    return reference;
}

void remove_direction(Feature& f, const Feature& direction) {
    const float d = dot(f.data(), direction.data(), kDim);
    for (int i = 0; i < kDim; ++i) f[i] -= d * direction[i];
    const float n = 1 / std::sqrt(dot(f.data(), f.data(), kDim) + 1e-12F);
    for (float& v : f) v *= n;
}

std::vector<float> mask_of(const cv::Rect& cells) {
    std::vector<float> mask(kGray, 0);
    for (int y = cells.y; y < cells.y + cells.height; ++y)
        for (int x = cells.x; x < cells.x + cells.width; ++x) mask[y * kW + x] = 1;
    return mask;
}

const FaceDetails& Faces::Table::details() const {
    std::call_once(details_once, [this] { found_details = details_of(references); });
    return found_details;
}

void Faces::Table::make_now() const {
    std::vector<double> aspects;
    for (const auto& r : references) aspects.push_back(r->aspect);
    if (aspects.empty()) return;
    std::nth_element(aspects.begin(), aspects.begin() + aspects.size() / 2, aspects.end());
    aspect = aspects[aspects.size() / 2];
    square = std::fabs(std::log(aspect)) < kSquareWithin;
    for (int face = 0; face < static_cast<int>(references.size()); ++face)
        for (int turn = 0; turn < 4; ++turn)
            if (square || turn % 2 == (aspect > 1 ? 1 : 0)) templates.push_back({face, turn});
    full.resize(templates.size());
    for (std::size_t t = 0; t < templates.size(); ++t)
        describe(thumb(static_cast<int>(t)), full[t]);
    make_common();
    own = full;
    coarse.reserve(own.size());
    brief.reserve(own.size());
    commonness.reserve(own.size());
    for (Feature& f : own) {
        commonness.push_back(dot(f.data(), common.data(), kDim));
        remove_direction(f, common);
        coarse.push_back(coarse_of(f));
        brief.push_back(short_of(f));
    }
    make_threshold();
}

/// The mean look of the deck. Of very few faces the mean is mostly the faces themselves: left in.
void Faces::Table::make_common() const {
    common.fill(0);
    if (references.size() < 5) return;
    for (const Feature& f : full)
        for (int i = 0; i < kDim; ++i) common[i] += f[i];
    const float n = 1 / std::sqrt(dot(common.data(), common.data(), kDim) + 1e-12F);
    for (float& v : common) v *= n;
}

/// A stranger in the style of the deck resembles it about as much as one of its own faces would,
/// were it not enrolled; twins in the deck do not count. The more faces, the better the best chance
/// match.
void Faces::Table::make_threshold() const {
    constexpr float kTwins = 0.8F, kAbove = 0.04F, kAboveFew = 0.25F;
    constexpr std::size_t kFew = 20;  // fewer do not tell how alike strangers may be
    const float faces = static_cast<float>(references.size());
    const float least = std::clamp(0.42F + 0.15F * std::log10(faces / 50), 0.42F, 0.62F);
    const float most = std::clamp(0.60F + 0.10F * std::log10(faces / 50), 0.55F, 0.73F);
    std::vector<float> best, any;
    const std::size_t step = 1 + own.size() / 64;
    for (std::size_t a = 0; a < own.size(); a += step) {
        float highest = -1, twin = -1;
        for (std::size_t b = 0; b < own.size(); ++b) {
            if (templates[a].face == templates[b].face) continue;
            const float s = dot(own[a].data(), own[b].data(), kDim);
            twin = std::max(twin, s);
            if (s < kTwins) highest = std::max(highest, s);
        }
        best.push_back(highest);
        any.push_back(twin);
    }
    std::sort(best.begin(), best.end());
    std::sort(any.begin(), any.end());
    stranger = references.size() >= kFew ? any[any.size() * 97 / 100] + kAbove
               : any.empty()             ? 1
                                         : any.back() + kAboveFew;
    const float usual = best.empty() ? 0 : best[best.size() * 97 / 100];
    threshold = std::clamp(usual + kAbove, least, most);
}

const Faces::Table::Upright& Faces::Table::upright(const std::string& face) const {
    const std::lock_guard lock{upright_mutex};
    const auto [place, fresh] = uprights.try_emplace(face);
    Upright& u = place->second;
    if (!fresh) return u;
    const int turn = square ? 0 : templates[0].turn;
    for (int t = 0; t < static_cast<int>(templates.size()); ++t)
        if (templates[t].turn == turn && name(t) == face) u.index = t;
    for (int t = 0; t < static_cast<int>(templates.size()) && u.index >= 0; ++t)
        if (const float likeness = dot(brief[u.index], brief[t]);
            templates[t].face != templates[u.index].face && likeness > kRival)
            u.rivals.push_back({t, likeness});
    return u;
}

const std::vector<Feature>& Faces::Table::part(const cv::Rect& cells) const {
    const std::lock_guard lock{part_mutex};
    auto& features = parts[{cells.x, cells.y, cells.width, cells.height}];
    if (features.empty()) {
        features.resize(templates.size());
        const std::vector<float> mask = mask_of(cells);
        for (std::size_t t = 0; t < templates.size(); ++t)
            describe_part(thumb(static_cast<int>(t)), mask, features[t]);
    }
    return features;
}

}  // namespace overboard::vision
