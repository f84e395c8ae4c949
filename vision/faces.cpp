// One crop against every reference, in four narrowing steps:
//   1. sample and describe the crop once (face_thumb); references are kept in every turn they may lie in;
//   2. shortlist by block means, after the direction all faces share has been taken out;
//   3. re-rank by full correlation plus a deformable comparison: sixteen blocks that may each shift by
//      two cells. The shifts also say how the corners were wrong, so the best few are sampled anew
//      through corrected corners and scored again;
//   4. rivals that remain close are compared only on the pixels where their references differ.
// What is accepted is decided by the score of step 3, against a threshold each deck sets itself by how
// alike its own faces are; and where strangers could look as much alike, no symbol may be too many or missing.
#include "vision/faces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "vision/face_compare.hpp"
#include "vision/face_misfit.hpp"
#include "vision/face_thumb.hpp"
#include "vision/quads.hpp"

namespace overboard::vision {
namespace {

/// Chosen with tests/bench/faces_bench; run it again when you change them.
struct Limits {
    std::size_t shortlist = 24;         ///< More: slower, safer on decks of near twins.
    std::size_t reranked = 12;          ///< How many of them are compared deformably.
    std::size_t realigned = 4;       ///< How many of those are sampled anew,
    std::size_t realigned_cold = 6;  ///< and how many when there is time.
    float behind = 0.3F;        ///< Faces this much worse than the best are not looked at again. Higher: slower.
    float square_within = 0.1F; ///< Aspect ratios this near 1 may lie in four turns.
    float unsure_aspect = 1.22F;///< A crop less oblong than this may show its long side as the short one.
    float close = 0.30F;        ///< Rivals within this score are compared pixel by pixel. Higher: slower.
    float twin = 0.55F;         ///< A face that another looks like this much is never confirmed cheaply,
    float confirmed = 0.75F;    ///< and what it has to score. Lower: faster in bad light, less sure.
    double by_misfit = 0.6;     ///< What is left unexplained, as a part of how rivals are told apart: in all and in the worst place,
    double by_place = 1;        ///< and where the two differ.
    double glare = 2.5;         ///< How strange a face may be that no stranger could look like. Higher: fewer unread.
    double by_score = 40;        ///< How much stranger it may be the better all of it fits.
    double lamp_within = 0.2;   ///< What the lamp over a card may differ from that over the others, and references from each other.
    double by_lamp = 3;         ///< How much more counts against a face. Higher: faces of one shape are told by colour, whatever their references were lit by.
    float min_margin = 0.02F;   ///< Lower: more guesses between twins,
    float careful_margin = 0.06F;  ///< and when they are told with care.
    float unexplained = 0.95F;  ///< Of the print in any one place; the better the rest fits, the less. Higher: strangers with a symbol more; lower: faces in glare unread.
    float odd = 0.3F;           ///< How much such a place counts against the score,
    float stranger = 0.45F;     ///< and what has to be left of it. Likewise.
};
constexpr Limits kLimits;

struct Reference {
    std::string face;
    double aspect = 1;
    std::array<Thumb, 4> turned;  // [r]: corner 0 of the grid is the reference's corner r
};

struct Template {
    int face = 0;
    int turn = 0;
};

Corners picture_corners(const cv::Mat& m, int first) {
    const float w = static_cast<float>(m.cols) - 0.5F, h = static_cast<float>(m.rows) - 0.5F;
    Corners c{cv::Point2f{-0.5F, -0.5F}, {w, -0.5F}, {w, h}, {-0.5F, h}};
    std::rotate(c.begin(), c.begin() + first, c.end());
    return c;
}

std::shared_ptr<const Reference> make_reference(const std::string& face, const cv::Mat& bgr) {
    if (bgr.empty() || bgr.type() != CV_8UC3) throw std::runtime_error("the reference of face " + face + " is not a colour picture");
    cv::Mat small = bgr;
    const double shrink = 500.0 / std::max(bgr.cols, bgr.rows);
    if (shrink < 1) cv::resize(bgr, small, {}, shrink, shrink, cv::INTER_AREA);
    auto reference = std::make_shared<Reference>();
    reference->face = face;
    reference->aspect = static_cast<double>(bgr.cols) / bgr.rows;
    for (int r = 0; r < 4; ++r) sample(small, picture_corners(small, r), reference->turned[r]);
    return reference;
}

void remove_direction(Feature& f, const Feature& direction) {
    const float d = dot(f.data(), direction.data(), kDim);
    for (int i = 0; i < kDim; ++i) f[i] -= d * direction[i];
    const float n = 1 / std::sqrt(dot(f.data(), f.data(), kDim) + 1e-12F);
    for (float& v : f) v *= n;
}

struct Scored {
    float score = 0;
    int index = 0;
};
bool better(const Scored& a, const Scored& b) { return a.score > b.score; }

}  // namespace

struct Faces::Table {
    std::vector<std::shared_ptr<const Reference>> references;

    // Made of the references when the first crop is asked about.
    mutable std::once_flag once;
    mutable double aspect = 0;
    mutable bool square = false;
    mutable std::vector<Template> templates;
    mutable std::vector<Feature> full, own;  // as described; without the deck's common direction
    mutable std::vector<Coarse> coarse;
    mutable Feature common{};
    mutable float threshold = 0;
    mutable float stranger = 1;  // what a stranger in the style of the deck may score, twins included

    void make() const {
        std::call_once(once, [this] { make_now(); });
    }
    void make_now() const;
    void make_common() const;
    void make_threshold() const;
    /// Features of all templates on a part of the face; kept, since the same few parts come again.
    const std::vector<Feature>& part(const cv::Rect& cells) const;
    mutable std::mutex part_mutex;
    mutable std::map<std::array<int, 4>, std::vector<Feature>> parts;

    /// The template of a face that lies upright, and how much another face looks like it; found when first asked for.
    struct Upright {
        int index = -1;
        float twin = -1;
    };
    Upright upright(const std::string& face) const;
    mutable std::mutex upright_mutex;
    mutable std::map<std::string, Upright> uprights;

    const Thumb& thumb(int t) const { return references[templates[t].face]->turned[templates[t].turn]; }
    const std::string& name(int t) const { return references[templates[t].face]->face; }
};

void Faces::Table::make_now() const {
    std::vector<double> aspects;
    for (const auto& r : references) aspects.push_back(r->aspect);
    if (aspects.empty()) return;
    std::nth_element(aspects.begin(), aspects.begin() + aspects.size() / 2, aspects.end());
    aspect = aspects[aspects.size() / 2];
    square = std::fabs(std::log(aspect)) < kLimits.square_within;
    for (int face = 0; face < static_cast<int>(references.size()); ++face)
        for (int turn = 0; turn < 4; ++turn)
            if (square || turn % 2 == (aspect > 1 ? 1 : 0)) templates.push_back({face, turn});
    full.resize(templates.size());
    for (std::size_t t = 0; t < templates.size(); ++t) describe(thumb(static_cast<int>(t)), full[t]);
    make_common();
    own = full;
    coarse.reserve(own.size());
    for (Feature& f : own) {
        remove_direction(f, common);
        coarse.push_back(coarse_of(f));
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

/// A stranger in the style of the deck resembles it about as much as one of its own faces would, were
/// it not enrolled; twins in the deck do not count. The more faces, the better the best chance match.
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
    stranger = references.size() >= kFew ? any[any.size() * 97 / 100] + kAbove : any.empty() ? 1 : any.back() + kAboveFew;
    const float usual = best.empty() ? 0 : best[best.size() * 97 / 100];
    threshold = std::clamp(usual + kAbove, least, most);
}

Faces::Table::Upright Faces::Table::upright(const std::string& face) const {
    const std::lock_guard lock{upright_mutex};
    const auto [place, fresh] = uprights.try_emplace(face);
    Upright& u = place->second;
    if (!fresh) return u;
    const int turn = square ? 0 : templates[0].turn;
    for (int t = 0; t < static_cast<int>(templates.size()); ++t)
        if (templates[t].turn == turn && name(t) == face) u.index = t;
    for (std::size_t t = 0; t < templates.size() && u.index >= 0; ++t)
        if (templates[t].face != templates[u.index].face) u.twin = std::max(u.twin, dot(own[u.index].data(), own[t].data(), kDim));
    return u;
}

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
        std::transform(ext.begin(), ext.end(), ext.begin(), [](unsigned char c) { return std::tolower(c); });
        if (ext == ".png" || ext == ".jpg" || ext == ".jpeg") files.push_back(entry.path());
    }
    if (files.empty()) throw std::runtime_error("there are no reference faces (PNG or JPEG files) in " + folder.string());
    std::sort(files.begin(), files.end());
    auto table = std::make_shared<Table>();
    for (const auto& file : files) {
        const cv::Mat bgr = cv::imread(file.string(), cv::IMREAD_COLOR);
        if (bgr.empty()) throw std::runtime_error("the reference face " + file.string() + " cannot be read");
        table->references.push_back(make_reference(file.stem().string(), bgr));
    }
    Faces faces;
    faces.table_ = std::move(table);
    return faces;
}

std::size_t Faces::size() const { return table_->references.size(); }

double Faces::aspect() const {
    table_->make();
    return table_->aspect;
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

const Thumb& Faces::reference(std::size_t index, int turn) const { return table_->references[index]->turned[turn]; }

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
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count), pairs.end(),
                      [](const Pair& a, const Pair& b) { return a.likeness > b.likeness; });
    pairs.resize(count);
    return pairs;
}

namespace {

/// One way of reading a crop: which template, with which corners, how well.
struct Reading {
    int index = -1;
    int first = 0;       // the corner that was the grid's first
    float score = -1;    // without the deck's common look
    float likeness = -1; // with it
    Corners corners{};
    Thumb thumb;
    Feature feature;     // of the thumb
};

void keep_best(std::vector<Scored>& list, std::size_t count) {
    count = std::min(count, list.size());
    std::partial_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count), list.end(), better);
    list.resize(count);
}

Corners turned(const Corners& c, int first) {
    Corners out = c;
    std::rotate(out.begin(), out.begin() + first, out.end());
    return out;
}

}  // namespace

/// Works on one crop; lives for one call.
class Recogniser {
public:
    Recogniser(const Faces::Table& table, const cv::Mat& bgr, const RecogniseOptions& options)
        : t_{table}, bgr_{bgr}, options_{options} {}

    /// Readings with this corner first, best first.
    void read(const Corners& corners, int first, std::vector<Reading>& out) const;

    /// Against the reading's template, as sampled.
    void score(Reading& reading) const;

private:
    bool allowed(int index, int first) const {
        return !options_.upright_only || (first - t_.templates[index].turn) % 4 == 0;
    }
    std::vector<Scored> shortlist(const Feature& own, int first) const;
    void realign(Deformation deformation, Reading& reading) const;
    std::vector<Corners> variants(const Corners& corners) const;
    void look(Reading& reading) const;

    const Faces::Table& t_;
    const cv::Mat& bgr_;
    const RecogniseOptions options_;
};

std::vector<Scored> Recogniser::shortlist(const Feature& own, int first) const {
    const Coarse query = coarse_of(own);
    std::vector<Scored> list;
    list.reserve(t_.coarse.size());
    for (std::size_t i = 0; i < t_.coarse.size(); ++i)
        if (allowed(static_cast<int>(i), first)) list.push_back({static_cast<float>(dot(query, t_.coarse[i])), static_cast<int>(i)});
    keep_best(list, kLimits.shortlist);
    for (Scored& s : list) s.score = dot(own.data(), t_.own[s.index].data(), kDim);
    keep_best(list, kLimits.reranked);
    std::erase_if(list, [best = list.empty() ? 0 : list[0].score](const Scored& s) { return s.score < best - kLimits.behind; });
    return list;
}

/// Samples through the reading's corners and scores against its template.
void Recogniser::look(Reading& r) const {
    sample(bgr_, r.corners, r.thumb);
    describe(r.thumb, r.feature);
    score(r);
}

void Recogniser::score(Reading& r) const {
    const float common = dot(r.feature.data(), t_.common.data(), kDim);
    r.likeness = dot(r.feature.data(), t_.full[r.index].data(), kDim);
    // The feature without the common direction, against a template that has none of it either.
    r.score = dot(r.feature.data(), t_.own[r.index].data(), kDim) / std::sqrt(std::max(1 - common * common, 1e-6F));
}

/// Pulls the corners onto the reference as long as it helps.
void Recogniser::realign(Deformation deformation, Reading& reading) const {
    score(reading);
    for (int round = 0; round < options_.rounds; ++round) {
        if (round > 0) deformation = deform(reading.feature, t_.full[reading.index]);
        Reading next;
        next.index = reading.index, next.first = reading.first;
        next.corners = corrected(reading.corners, deformation);
        look(next);
        const float gained = next.score - reading.score;
        if (gained <= 0) return;
        reading = next;
        if (gained < 0.004F) return;
    }
}

/// The same crop moved and scaled: `slack` is how far.
std::vector<Corners> Recogniser::variants(const Corners& corners) const {
    std::vector<Corners> out{corners};
    const float slack = options_.slack;
    if (slack <= 0) return out;
    const cv::Matx33f h = square_to(corners);
    for (const float scale : {1.0F, 1 - slack, 1 - 1.8F * slack, 1 + slack})
        for (int k = 0; k < 9; ++k) {
            const cv::Point2f middle(0.5F + static_cast<float>(k % 3 - 1) * slack * 0.6F, 0.5F + static_cast<float>(k / 3 - 1) * slack * 0.6F);
            Corners c;
            for (int i = 0; i < 4; ++i) {
                const cv::Point2f unit(i == 1 || i == 2 ? 0.5F : -0.5F, i >= 2 ? 0.5F : -0.5F);
                c[i] = through(h, middle + unit * scale);
            }
            if (scale != 1 || k != 4) out.push_back(c);
        }
    return out;
}

void Recogniser::read(const Corners& corners, int first, std::vector<Reading>& out) const {
    struct Candidate {
        Deformation deformation;
        int variant = 0;
    };
    std::vector<Reading> starts;
    std::vector<Scored> list;     // of all variants
    std::vector<int> variant_of;  // beside it
    for (const Corners& variant : variants(turned(corners, first))) {
        Reading& start = starts.emplace_back();
        start.first = first;
        start.corners = variant;
        sample(bgr_, start.corners, start.thumb, options_.slack > 0);
        describe(start.thumb, start.feature);
        Feature own = start.feature;
        remove_direction(own, t_.common);
        for (const Scored& s : shortlist(own, first)) list.push_back(s), variant_of.push_back(static_cast<int>(starts.size()) - 1);
    }
    std::vector<int> order(list.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return list[a].score > list[b].score; });
    // Of every template only its best variant goes on.
    std::vector<Candidate> candidates;
    for (const int k : order) {
        const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) { return c.deformation.index == list[k].index; });
        if (known || candidates.size() >= kLimits.reranked || list[k].score < list[order[0]].score - kLimits.behind) continue;
        Candidate c{deform(starts[variant_of[k]].feature, t_.full[list[k].index]), variant_of[k]};
        c.deformation.index = list[k].index;
        c.deformation.score += 0.3F * list[k].score;
        candidates.push_back(c);
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.deformation.score > b.deformation.score; });
    const std::size_t most = options_.rounds > 1 ? kLimits.realigned_cold : kLimits.realigned;
    for (std::size_t k = 0; k < candidates.size() && k < most; ++k) {
        if (candidates[k].deformation.score < candidates[0].deformation.score - kLimits.behind) break;
        out.push_back(starts[candidates[k].variant]);
        out.back().index = candidates[k].deformation.index;
        realign(candidates[k].deformation, out.back());
    }
}

namespace {

/// The best reading of every face, best first.
void one_a_face(const std::vector<Template>& templates, std::vector<Reading>& readings) {
    std::stable_sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) { return a.score > b.score; });
    std::vector<int> seen;
    std::erase_if(readings, [&](const Reading& r) {
        const int face = templates[r.index].face;
        if (std::find(seen.begin(), seen.end(), face) != seen.end()) return true;
        seen.push_back(face);
        return false;
    });
}

double confidence_of(double score, double margin, double threshold) {
    const double by_score = std::clamp((score - threshold) / (0.9 - threshold), 0.0, 1.0);
    const double by_margin = std::clamp(margin / 0.3, 0.0, 1.0);
    return 0.5 + 0.5 * std::sqrt(by_score * by_margin);
}

}  // namespace

FaceMatch Faces::recognise(const cv::Mat& bgr, const std::vector<cv::Point2f>& corners_px) const {
    if (corners_px.size() != 4) return {};
    return recognise(bgr, Corners{corners_px[0], corners_px[1], corners_px[2], corners_px[3]}, {});
}

std::optional<FaceMatch> Faces::confirm(const cv::Mat& bgr, const Corners& corners, const std::string& face) const {
    if (empty() || bgr.empty() || area_of(corners) < 16) return {};
    table_->make();
    const Table& t = *table_;
    const Table::Upright upright = t.upright(face);
    if (upright.index < 0 || upright.twin > kLimits.twin) return {};
    Reading r;
    r.index = upright.index;
    sample_sparsely(bgr, turned(corners, t.templates[r.index].turn), r.thumb);
    describe(r.thumb, r.feature);
    const Recogniser recogniser{t, bgr, {}};
    recogniser.score(r);
    if (r.score < std::max(kLimits.confirmed, t.threshold + 0.05F)) return {};
    FaceMatch match;
    match.face = match.best = face;
    match.score = r.score, match.likeness = r.likeness, match.margin = r.score - upright.twin;
    match.confidence = confidence_of(r.score, match.margin, t.threshold);
    match.corners = corners;
    return match;
}

namespace {

std::vector<float> mask_of(const cv::Rect& cells) {
    std::vector<float> mask(kGray, 0);
    for (int y = cells.y; y < cells.y + cells.height; ++y)
        for (int x = cells.x; x < cells.x + cells.width; ++x) mask[y * kW + x] = 1;
    return mask;
}

/// Whole pairs of cells that lie inside the part.
cv::Rect cells_in(const cv::Rect2f& part) {
    const int x0 = static_cast<int>(std::ceil(part.x * kW / 2)) * 2, y0 = static_cast<int>(std::ceil(part.y * kH / 2)) * 2;
    const int x1 = static_cast<int>((part.x + part.width) * kW / 2 + 0.01F) * 2, y1 = static_cast<int>((part.y + part.height) * kH / 2 + 0.01F) * 2;
    return cv::Rect(cv::Point(x0, y0), cv::Point(std::max(x0, x1), std::max(y0, y1))) & cv::Rect(0, 0, kW, kH);
}

}  // namespace

const std::vector<Feature>& Faces::Table::part(const cv::Rect& cells) const {
    const std::lock_guard lock{part_mutex};
    auto& features = parts[{cells.x, cells.y, cells.width, cells.height}];
    if (features.empty()) {
        features.resize(templates.size());
        const std::vector<float> mask = mask_of(cells);
        for (std::size_t t = 0; t < templates.size(); ++t) describe_part(thumb(static_cast<int>(t)), mask, features[t]);
    }
    return features;
}

/// A covered card: plain correlation of what shows. Nothing is shortlisted: it is the cold way.
FaceMatch Faces::recognise_part(const cv::Mat& bgr, const Corners& corners, const RecogniseOptions& options) const {
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
    match.confidence = match.face ? 0.5 + 0.4 * match.score * std::min(1.0, match.margin / 0.2) : 0.3;
    for (std::size_t k = match.face ? 1 : 0; k < std::min<std::size_t>(best.size(), 4); ++k)
        match.alternatives.push_back({t.name(best[k].index), std::clamp(0.5 * best[k].score, 0.0, 0.5)});
    return match;
}

struct Champion {
    std::size_t index = 0;
    double margin = 1;
};

/// How much rather `a` than `b`, the two being close: on the pixels where their references differ.
double told_apart(const Faces::Table& t, const Reading& a, const Reading& b) {
    return a.score - b.score + 0.5 * tell_apart(a.thumb, t.thumb(a.index), t.thumb(b.index)) -
           0.5 * tell_apart(b.thumb, t.thumb(b.index), t.thumb(a.index));
}

/// The same with what either of them leaves unexplained.
double told_with_care(double seen, const Misfit& a, const Misfit& b) {
    return seen + kLimits.by_misfit * std::log((b.mean + 0.3) / (a.mean + 0.3)) + kLimits.by_misfit * std::log((b.worst + 1) / (a.worst + 1)) +
           kLimits.by_place * better_explained(a, b);
}

/// How far the light a reading needs is from the lamp all others lie under, as log-ratios of colour; 0: not known.
double odd_light(const Faces::Table& t, const RecogniseOptions& options, const Reading& r) {
    if (!options.lamp) return 0;
    const cv::Vec3f light = light_on(r.thumb, t.thumb(r.index));
    const auto off = [&](int c) { return std::log(light[c] / light[1]) - std::log((*options.lamp)[c] / (*options.lamp)[1]); };
    return std::max(0.0, std::hypot(off(0), off(2)) - kLimits.lamp_within);
}

/// A champion defends itself against every close rival.
Champion choose(const Faces::Table& t, const cv::Mat& bgr, const RecogniseOptions& options, std::vector<Reading>& readings) {
    if (options.careful)
        for (Reading& r : readings) sample(bgr, r.corners, r.thumb);  // as finely as can be
    const auto misfit_of = [&](const Reading& r) { return misfit(r.thumb, t.thumb(r.index)); };
    Champion c;
    std::optional<Misfit> own;
    for (std::size_t k = 1; k < readings.size(); ++k) {
        const double gap = readings[c.index].score - readings[k].score;
        if (gap > kLimits.close) {
            c.margin = std::min(c.margin, gap);
            continue;
        }
        double seen = told_apart(t, readings[c.index], readings[k]);
        std::optional<Misfit> its;
        if (options.careful) {
            if (!own) own = misfit_of(readings[c.index]);
            its = misfit_of(readings[k]);
            seen = told_with_care(seen, *own, *its) + kLimits.by_lamp * (odd_light(t, options, readings[k]) - odd_light(t, options, readings[c.index]));
        }
        if (seen < 0) c = {k, -seen}, own = its;
        else c.margin = std::min(c.margin, seen);
    }
    return c;
}

/// Something else that merely looks like it? `how`: how strange it is.
bool strange(const Faces::Table& t, const RecogniseOptions& options, const Reading& r, double& how) {
    if (options.careful) {
        how = strangeness(misfit(r.thumb, t.thumb(r.index)), r.thumb, t.thumb(r.index)) + kLimits.by_lamp * std::max(0.0, odd_light(t, options, r) - kLimits.lamp_within);
        // Where no face of the deck looks as much like another, a lamp's glare is likelier than a stranger.
        return how >= (r.score > t.stranger ? kLimits.glare : 1 + kLimits.by_score * std::max(0.0, r.score - 0.88));
    }
    if (r.score < t.stranger) how = worst_block(r.feature, t.full[r.index]);
    return how >= kLimits.unexplained - std::max(0.0F, r.score - 0.75F) || r.score - kLimits.odd * how < kLimits.stranger;
}

FaceMatch Faces::recognise(const cv::Mat& bgr, const Corners& corners, const RecogniseOptions& options) const {
    FaceMatch match;
    match.corners = corners;
    const bool finite = std::all_of(corners.begin(), corners.end(), [](cv::Point2f p) { return std::fabs(p.x) < 1e6F && std::fabs(p.y) < 1e6F; });
    if (empty() || bgr.empty() || !finite || area_of(corners) < 16) return match;
    table_->make();
    if (options.visible.area() < 0.98F) return recognise_part(bgr, corners, options);
    const Table& t = *table_;
    const auto side = [&](int a) { return cv::norm(corners[a] - corners[(a + 1) % 4]); };
    const double wide = side(0) + side(2), high = side(1) + side(3);
    std::vector<Reading> readings;
    readings.reserve(8);
    const Recogniser recogniser{t, bgr, options};
    const bool unsure = !options.upright_only && !t.square && std::max(wide, high) < kLimits.unsure_aspect * std::min(wide, high);
    const int upright = t.square ? 0 : t.templates[0].turn;
    const int first = options.upright_only || t.square ? upright : (wide > high ? 1 : 0);
    recogniser.read(corners, first, readings);
    if (unsure) recogniser.read(corners, 1 - first, readings);
    one_a_face(t.templates, readings);

    const auto [champion, margin] = choose(t, bgr, options, readings);
    const Reading& r = readings[champion];
    const int top_left = (r.first - t.templates[r.index].turn + 4) % 4;
    match.best = t.name(r.index);
    match.score = r.score;
    match.likeness = r.likeness;
    match.margin = margin;
    match.light = light_on(r.thumb, t.thumb(r.index));
    match.quarter_turns = (4 - top_left) % 4;
    match.corners = turned(turned(r.corners, (4 - r.first) % 4), top_left);
    const bool sure = r.score >= t.threshold && margin >= (options.careful ? kLimits.careful_margin : kLimits.min_margin) && !strange(t, options, r, match.worst);
    match.confidence = sure ? confidence_of(r.score, margin, t.threshold) : std::clamp(double{r.score}, 0.0, 0.49);
    if (sure) match.face = match.best;
    for (std::size_t k = 0; k < readings.size(); ++k)
        if (k != champion || !sure)
            match.alternatives.push_back({t.name(readings[k].index), std::clamp(double{readings[k].score}, 0.0, 1.0) * 0.5});
    return match;
}

}  // namespace overboard::vision
