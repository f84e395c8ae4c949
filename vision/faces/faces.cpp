// One crop against every reference, in four narrowing steps:
//   1. sample and describe the crop once (face_thumb); references are kept in every turn they may
//   lie in (face_table);
//   2. shortlist by block means, after the direction all faces share has been taken out,
//   3. and re-rank deformably; the best few are sampled anew through corrected corners
//   (face_reader);
//   4. rivals that remain close are compared only on the pixels where their references differ
//   (face_choice).
// What is accepted is decided by the score of step 3, against a threshold each deck sets itself by
// how alike its own faces are; and where strangers could look as much alike, no symbol may be too
// many or missing.
#include "vision/faces/faces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "vision/faces/face_choice.hpp"
#include "vision/faces/face_reader.hpp"
#include "vision/faces/face_table.hpp"
#include "vision/flats/quads.hpp"

namespace overboard::vision {
namespace {

/// Chosen with tests/bench/faces_bench; run it again when you change them.
struct FacesLimits {
    float unsure_aspect = 1.22F;  ///< A crop less oblong than this may show its long side as the
                                  ///< short one.
    float confirmed = 0.75F;  ///< What a face has to score to be confirmed cheaply. Lower: faster
                              ///< in bad light, less sure.
    float nearer = 0.6F;  ///< And how clearly it is not another that looks like it: 1: as clearly
                          ///< as its reference, 0: half-way between the two. Lower: less sure.
    float apart = 0.03F;  ///< Two faces more alike than this are not told apart so cheaply.
    std::size_t rivals = 12;  ///< With more than these all faces may as well be searched.
};
constexpr FacesLimits kFaces;

double confidence_of(double score, double margin, double threshold) {
    const double by_score = std::clamp((score - threshold) / (0.9 - threshold), 0.0, 1.0);
    const double by_margin = std::clamp(margin / 0.3, 0.0, 1.0);
    return 0.5 + 0.5 * std::sqrt(by_score * by_margin);
}

/// Whole pairs of cells that lie inside the part.
cv::Rect cells_in(const cv::Rect2f& part) {
    const int x0 = static_cast<int>(std::ceil(part.x * kW / 2)) * 2,
              y0 = static_cast<int>(std::ceil(part.y * kH / 2)) * 2;
    const int x1 = static_cast<int>((part.x + part.width) * kW / 2 + 0.01F) * 2,
              y1 = static_cast<int>((part.y + part.height) * kH / 2 + 0.01F) * 2;
    return cv::Rect(cv::Point(x0, y0), cv::Point(std::max(x0, x1), std::max(y0, y1))) &
           cv::Rect(0, 0, kW, kH);
}

}  // namespace

void unname(FaceMatch& match) {
    if (!match.face) return;
    match.confidence = std::min(match.confidence, 0.49);
    match.alternatives.insert(match.alternatives.begin(), {*match.face, match.confidence});
    match.face.reset();
}

Faces::Faces() : table_{std::make_shared<Table>()} {}
Faces::~Faces() = default;
Faces::Faces(const Faces&) = default;
Faces& Faces::operator=(const Faces&) = default;

void Faces::enrol(const std::string& face, const cv::Mat& bgr) {
    auto table = std::make_shared<Table>();
    table->references = table_->references;
    std::erase_if(table->references, [&](const auto& r) { return r->face == face; });
    table->references.push_back(make_reference(face, bgr));
    table_ = std::move(table);
}

Faces Faces::from_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
        std::string ext = entry.path().extension().string();
        std::transform(ext.begin(), ext.end(), ext.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        if (ext == ".png" || ext == ".jpg" || ext == ".jpeg") files.push_back(entry.path());
    }
    if (files.empty())
        throw std::runtime_error("there are no reference faces (PNG or JPEG files) in " +
                                 folder.string());
    std::sort(files.begin(), files.end());
    auto table = std::make_shared<Table>();
    for (const auto& file : files) {
        const cv::Mat bgr = cv::imread(file.string(), cv::IMREAD_COLOR);
        if (bgr.empty())
            throw std::runtime_error("the reference face " + file.string() + " cannot be read");
        table->references.push_back(make_reference(file.stem().string(), bgr));
    }
    Faces faces;
    faces.table_ = std::move(table);
    return faces;
}

Faces Faces::covered(const std::vector<std::uint8_t>& hidden) const {
    Faces faces;
    auto table = std::make_shared<Table>();
    for (const auto& r : table_->references)
        table->references.push_back(covered_reference(*r, hidden));
    faces.table_ = std::move(table);
    return faces;
}

std::size_t Faces::size() const {
    return table_->references.size();
}

double Faces::aspect() const {
    table_->make();
    return table_->aspect;
}

const FaceDetails& Faces::details() const {
    return table_->details();
}

double Faces::threshold() const {
    table_->make();
    return table_->threshold;
}

std::vector<std::string> Faces::names() const {
    std::vector<std::string> names;
    for (const auto& r : table_->references) names.push_back(r->face);
    return names;
}

const Thumb& Faces::reference(std::size_t index, int turn) const {
    return table_->references[index]->turned[turn];
}

std::vector<Faces::Pair> Faces::most_alike(std::size_t count) const {
    table_->make();
    const Table& t = *table_;
    std::map<std::pair<int, int>, float> best;
    for (std::size_t a = 0; a < t.templates.size(); ++a)
        for (std::size_t b = 0; b < t.templates.size(); ++b) {
            if (t.templates[a].face >= t.templates[b].face) continue;
            float& s = best[{t.templates[a].face, t.templates[b].face}];
            s = std::max(s, dot(t.full[a].data(), t.full[b].data(), kDim));
        }
    std::vector<Pair> pairs;
    for (const auto& [who, likeness] : best)
        pairs.push_back({t.references[who.first]->face, t.references[who.second]->face, likeness});
    count = std::min(count, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count),
                      pairs.end(),
                      [](const Pair& a, const Pair& b) { return a.likeness > b.likeness; });
    pairs.resize(count);
    return pairs;
}

FaceMatch Faces::recognise(const cv::Mat& bgr, const std::vector<cv::Point2f>& corners_px) const {
    if (corners_px.size() != 4) return {};
    return recognise(bgr, Corners{corners_px[0], corners_px[1], corners_px[2], corners_px[3]}, {});
}

std::optional<FaceMatch> Faces::confirm(const cv::Mat& bgr, const Corners& corners,
                                        const std::string& face, int rounds) const {
    if (empty() || bgr.empty() || area_of(corners) < 16) return {};
    table_->make();
    const Table& t = *table_;
    const Table::Upright& upright = t.upright(face);
    if (upright.index < 0 || upright.rivals.size() > kFaces.rivals) return {};
    RecogniseOptions options;
    options.rounds = rounds;
    const Recogniser recogniser{t, bgr, options};
    const auto r = recogniser.read_as(upright.index, corners);
    if (r->score < std::max(kFaces.confirmed, t.threshold + 0.05F)) return {};
    FaceMatch match;
    match.margin = r->score;
    const std::vector<float> others = recogniser.scores_as(upright.rivals, *r);
    for (std::size_t i = 0; i < others.size(); ++i) {
        const float lead = r->score - others[i], apart = 1 - upright.rivals[i].likeness;
        match.margin = std::min(match.margin, double{lead});
        if (apart < kFaces.apart || lead < kFaces.nearer * apart * r->score) return {};
    }
    if (strange(t, options, *r, match.worst)) return {};
    match.face = match.best = face;
    match.score = r->score, match.likeness = r->likeness;
    match.confidence = confidence_of(r->score, match.margin, t.threshold);
    match.corners = turned(r->corners, (4 - r->first) % 4);
    return match;
}

/// A covered card: plain correlation of what shows. Nothing is shortlisted: it is the cold way.
FaceMatch Faces::recognise_part(const cv::Mat& bgr, const Corners& corners,
                                const RecogniseOptions& options) const {
    constexpr double kPartScore = 0.6, kPartMargin = 0.04;
    FaceMatch match;
    match.corners = corners;
    const cv::Rect cells = cells_in(options.visible);
    if (cells.area() < kGray / 12) return match;
    const Table& t = *table_;
    Thumb thumb;
    Feature query;
    sample(bgr, corners, thumb, true);
    describe_part(thumb, mask_of(cells), query);
    const std::vector<Feature>& features = t.part(cells);
    std::vector<Scored> best(size());
    for (std::size_t k = 0; k < best.size(); ++k) best[k] = {-2, 0};
    for (std::size_t i = 0; i < features.size(); ++i) {
        if (options.upright_only && t.templates[i].turn != 0) continue;
        const float s = dot(query.data(), features[i].data(), kDim);
        Scored& b = best[t.templates[i].face];
        if (s > b.score) b = {s, static_cast<int>(i)};
    }
    std::sort(best.begin(), best.end(), better);
    const int top_left = (4 - t.templates[best[0].index].turn) % 4;
    match.best = t.name(best[0].index);
    match.score = match.likeness = best[0].score;
    match.margin = best.size() > 1 ? best[0].score - best[1].score : 1;
    match.quarter_turns = (4 - top_left) % 4;
    match.corners = turned(corners, top_left);
    match.light = light_on(thumb, t.thumb(best[0].index), cells);
    if (match.score >= kPartScore && match.margin >= kPartMargin) match.face = match.best;
    match.confidence = match.face ? 0.5 + 0.4 * match.score * std::min(1.0, match.margin / 0.2)
                                  : 0.3;
    for (std::size_t k = match.face ? 1 : 0; k < std::min<std::size_t>(best.size(), 4); ++k)
        match.alternatives.push_back(
            {t.name(best[k].index), std::clamp(0.5 * best[k].score, 0.0, 0.5)});
    return match;
}

FaceMatch Faces::recognise(const cv::Mat& bgr, const Corners& corners,
                           const RecogniseOptions& options) const {
    FaceMatch match;
    match.corners = corners;
    const bool finite = std::all_of(corners.begin(), corners.end(), [](cv::Point2f p) {
        return std::fabs(p.x) < 1e6F && std::fabs(p.y) < 1e6F;
    });
    if (empty() || bgr.empty() || !finite || area_of(corners) < 16) return match;
    table_->make();
    if (options.visible.area() < 0.98F) return recognise_part(bgr, corners, options);
    const Table& t = *table_;
    const auto side = [&](int a) { return cv::norm(corners[a] - corners[(a + 1) % 4]); };
    const double wide = side(0) + side(2), high = side(1) + side(3);
    Readings readings;
    const Recogniser recogniser{t, bgr, options};
    const bool unsure = !options.upright_only && !options.part_only && !t.square &&
                        std::max(wide, high) < kFaces.unsure_aspect * std::min(wide, high);
    const int upright = t.square ? 0 : t.templates[0].turn;
    const int first = options.part_only                  ? 0
                      : options.upright_only || t.square ? upright
                                                         : (wide > high ? 1 : 0);
    recogniser.read(corners, first, readings);
    if (unsure) recogniser.read(corners, 1 - first, readings);
    one_a_face(t, readings);

    const auto [champion, margin] = choose(t, bgr, options, readings);
    const Reading& r = *readings[champion];
    const int top_left = (r.first - t.templates[r.index].turn + 4) % 4;
    match.best = t.name(r.index);
    match.score = r.score;
    match.likeness = r.likeness;
    match.margin = margin;
    match.light = light_on(r.thumb, t.thumb(r.index));
    match.quarter_turns = (4 - top_left) % 4;
    match.corners = turned(turned(r.corners, (4 - r.first) % 4), top_left);
    const bool sure = high_enough(t, options, r, margin) && clear_margin(options, margin) &&
                      !strange(t, options, r, match.worst);
    match.confidence = sure ? confidence_of(r.score, margin, t.threshold)
                            : std::clamp(double{r.score}, 0.0, 0.49);
    if (sure) match.face = match.best;
    for (std::size_t k = 0; k < readings.size(); ++k)
        if (k != champion || !sure)
            match.alternatives.push_back({t.name(readings[k]->index),
                                          std::clamp(double{readings[k]->score}, 0.0, 1.0) * 0.5});
    return match;
}

}  // namespace overboard::vision
