#include "vision/dice/detect_dice.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/dice/die_faces.hpp"
#include "vision/dice/die_places.hpp"
#include "vision/dice/dominoes.hpp"
#include "vision/dice/table_dice.hpp"

// Spots → faces → dice. Of the faces a die shows, the top one is seen the straightest: its pips are
// the roundest and the largest. The centre of a side face lies within 0.71 edges of the top face's
// centre whatever the view, the top face of another die never nearer than one. Seen from halfway to
// the side a top is no straighter than its sides: then it is the one farther up, for photographs
// are taken upright, unless other dice of the picture show that this one was not.

namespace overboard::vision {
namespace {

constexpr float kFlattest = 0.48f;  ///< Pips of a top face seen from 60 degrees off the vertical.
constexpr int kMostOnes = 5;        ///< With nothing else; by chance once in fifty thousand throws.
constexpr float kSure = 0.85f;      ///< Of all the doubt a face may leave: it vouches for others.
constexpr float kOblique = 0.88f;   ///< Straighter than this a top is not taken for a side.
constexpr float kOfOneLook = 0.62f;  ///< Flatter by more than this is a side for sure.
constexpr double kEdge_px = 60;      ///< Where the scale is known, larger dice are shrunk to this.
constexpr double kCocked = 0.76;     ///< Roundness lost by more than 25 degrees of tilt, with what
                                     ///< small pips leave unsure.
constexpr float kLeastEdge_px = 16;  ///< In print and weave smaller patterns are everywhere.
constexpr float kRoundPip = 0.065f;  ///< Roughness below which a spot is no die itself; a sharp
                                     ///< square's is 0.11.
constexpr float kWhole = 0.38f;  ///< Of the edge, between a face's centre and the picture's border:
                                 ///< its pips with their rims.
constexpr int kWorkingSide_px = 1280;  ///< Larger pictures are halved until they fit.

double contrast(const DieFace& face) {
    return cv::norm(face.body_colour - face.pip_colour);
}

/// How sure it is that these spots are a face at all.
double evidence(const DieFace& face) {
    return contrast(face) *
           std::sqrt(static_cast<double>(std::min<std::size_t>(face.pips.size(), 4))) *
           std::exp(-face.doubt);
}

/// Many pips in their places, and little to say against them.
bool is_sure(const DieFace& face) {
    return face.doubt < kSure && face.pips.size() >= 4;
}

double brightness(const DieFace& face) {
    return std::max(cv::norm(face.body_colour), cv::norm(face.pip_colour));
}

/// The pips of a die are equally long on every face, however foreshortened.
double pip_length(const DieFace& face) {
    return face.pip_radius / std::sqrt(std::max(face.aspect, 0.1f));
}

cv::Point2f column(const cv::Matx22f& m, int i) {
    return {m(0, i), m(1, i)};
}
double cross(cv::Point2f a, cv::Point2f b) {
    return std::abs(static_cast<double>(a.x) * b.y - static_cast<double>(a.y) * b.x);
}

/// The picture of the vertical edges of the die with this top, up to its sign: three edges of a
/// cube seen from afar fill a circle, so what the two of the top leave of it is the third.
cv::Point2f vertical(const cv::Matx22f& edges) {
    const cv::Matx22f seen = edges * edges.t();
    cv::Mat values, vectors;
    cv::eigen(cv::Mat(seen), values, vectors);
    const float length = std::sqrt(std::max(0.f, values.at<float>(0) - values.at<float>(1)));
    return cv::Point2f(vectors.at<float>(1, 0), vectors.at<float>(1, 1)) * length;
}

/// How exactly a side has to lie and look as the top foretells.
struct SideSlack {
    double where = 0.3;  ///< Of the edge.
    double flat = 0.25;  ///< Of the aspect.
};

/// Could `side` be a side of the die with this top, by where it lies and how flat it looks?
bool may_be_side(const DieFace& side, const DieFace& top, SideSlack slack = {}) {
    const cv::Matx22f edges = top.lattice * (top.edge_px / std::sqrt(static_cast<float>(std::abs(
                                                               cv::determinant(top.lattice)))));
    const cv::Point2f up = vertical(edges);
    const double long_px = std::max(cv::norm(column(edges, 0)), cv::norm(column(edges, 1)));
    for (int k = 0; k < 8; ++k) {
        const cv::Point2f out = column(edges, k % 2) * (k & 2 ? 0.5f : -0.5f),
                          down = up * (k & 4 ? 0.5f : -0.5f);
        if (out.dot(down) < 0 ||
            cv::norm(top.centre + out + down - side.centre) > slack.where * long_px)
            continue;
        const double flat = cross(column(edges, 1 - k % 2), up) / (long_px * long_px);
        if (side.aspect < flat + slack.flat) return true;
    }
    return false;
}

/// Two dice cannot stand in one place: by the edges of `b`, are the two tops nearer than half an
/// edge of each?
bool overlap(const DieFace& a, const DieFace& b) {
    const cv::Vec2f off = b.lattice.inv() *
                          cv::Vec2f(a.centre.x - b.centre.x, a.centre.y - b.centre.y);
    const double edges_apart = cv::norm(off) * std::sqrt(std::abs(cv::determinant(b.lattice))) /
                               b.edge_px;
    return edges_apart < 0.85 * 0.5 * (1 + a.edge_px / b.edge_px);
}

/// Can only one of the two be the top of a die? A lone pip does not tell how its face is turned:
/// there distance decides.
bool are_rivals(const DieFace& a, const DieFace& b) {
    if (a.value == 1 || b.value == 1)
        return cv::norm(a.centre - b.centre) <= 1.05 * std::max(a.edge_px, b.edge_px);
    return overlap(a, b) || overlap(b, a) || may_be_side(a, b) || may_be_side(b, a);
}

/// Which way up is in the picture, by faces that cannot but be sides; upright if they say little.
cv::Point2f upwards(const std::vector<DieFace>& faces) {
    constexpr float kUpright = 2;  // as many dice as have to say otherwise
    cv::Point2f up(0, -kUpright);
    for (const DieFace& side : faces)
        for (const DieFace& top : faces)
            if (side.value != 1 && top.value != 1 && side.aspect < 0.75f * top.aspect &&
                side.aspect < kFlattest && may_be_side(side, top))
                up += (top.centre - side.centre) *
                      (1 / std::max(1.f, static_cast<float>(cv::norm(top.centre - side.centre))));
    return up * (1 / std::max(1e-3f, static_cast<float>(cv::norm(up))));
}

constexpr SideSlack kForSure{0.24, 0.14};

/// Where neither of two faces of one die is clearly the straighter: by how much, of their distance,
/// does `b` lie above `a`? 0: their looks shall tell.
double above(const DieFace& a, const DieFace& b, cv::Point2f up) {
    if (std::max(a.aspect, b.aspect) > kOblique) return 0;
    if (std::min(a.aspect, b.aspect) < kOfOneLook * std::max(a.aspect, b.aspect)) return 0;
    const cv::Point2f way = b.centre - a.centre;
    const double by = way.dot(up) / std::max(1.0, cv::norm(way));
    if (std::abs(by) < 0.4) return 0;
    if (a.value == 1 || b.value == 1)
        return cv::norm(way) < 0.8 * std::max(a.edge_px, b.edge_px) ? by : 0;
    return may_be_side(by > 0 ? a : b, by > 0 ? b : a, kForSure) ? by : 0;
}

/// Is `a` a side of the die whose top is `b`, or chance inside or around its outline?
bool yields_to(const DieFace& a, const DieFace& b, cv::Point2f up) {
    const double apart = cv::norm(a.centre - b.centre), edge = std::max(a.edge_px, b.edge_px);
    if (!are_rivals(a, b)) return false;
    if (std::min(pip_length(a), pip_length(b)) < 0.6 * std::max(pip_length(a), pip_length(b))) {
        if (apart < 0.6 * edge) return evidence(a) < evidence(b);
        return pip_length(a) < pip_length(b) && contrast(a) < 0.6 * contrast(b);
    }
    if (const double by = above(a, b, up); by != 0 && apart > 0.4 * edge) return by > 0;
    // A lone spot near a face of several has to be clearly the straighter one.
    const double doubt = (a.value == 1 && b.value != 1 ? 0.87 : 1.0) *
                         (b.value == 1 && a.value != 1 ? 1.15 : 1.0);
    const double aspects = doubt * a.aspect / b.aspect;
    // On many dice the one is larger than other pips: its size says nothing.
    const bool sizes_tell = a.value != 1 && b.value != 1;
    const double areas = sizes_tell ? std::pow(a.pip_radius / b.pip_radius, 2) : aspects;
    if (apart < 0.72 * edge) return aspects * areas < 1;
    // Sides lie in shade.
    const bool darker = brightness(a) < 0.85 * brightness(b);
    return aspects < 0.8 || (aspects < 0.93 && areas < 0.8) ||
           (a.aspect < 0.95 * b.aspect && darker);
}

/// Drops every face that belongs to a die of which a straighter one is known.
std::vector<DieFace> top_faces(const std::vector<DieFace>& faces) {
    const cv::Point2f up = upwards(faces);
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (face.aspect > kFlattest &&
            std::none_of(faces.begin(), faces.end(), [&](const DieFace& other) {
                return &other != &face && yields_to(face, other, up);
            }))
            kept.push_back(face);
    return kept;
}

/// Two dice can pass for the pips of a larger one: a pip that shows a face of its own is none,
/// unless it is round: that is glare in it.
std::vector<DieFace> without_giants(const std::vector<DieFace>& faces,
                                    const std::vector<Pip>& pips) {
    const auto shows = [&](const DieFace& giant, const DieFace& face) {
        if (face.edge_px > giant.edge_px * 0.6) return false;
        if (cv::norm(face.body_colour - face.pip_colour) <
            0.4 * cv::norm(giant.body_colour - giant.pip_colour))
            return false;
        return std::any_of(giant.pips.begin(), giant.pips.end(), [&](int i) {
            return pips[i].roughness > kRoundPip &&
                   cv::norm(pips[i].centre - face.centre) < pips[i].radius &&
                   face.edge_px > 0.7 * pips[i].radius;
        });
    };
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (std::none_of(faces.begin(), faces.end(),
                         [&](const DieFace& other) { return shows(face, other); }))
            kept.push_back(face);
    return kept;
}

/// Dice of one photograph are lit and sized alike: what is far fainter, smaller or larger than the
/// surest face is grain, print or shadow.
std::vector<DieFace> without_strangers(const std::vector<DieFace>& faces) {
    if (faces.empty()) return {};
    const DieFace& sure = *std::max_element(
        faces.begin(), faces.end(),
        [](const DieFace& a, const DieFace& b) { return evidence(a) < evidence(b); });
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (face.edge_px > kLeastEdge_px &&
            (contrast(face) > 0.25 * contrast(sure) || is_sure(face)) &&
            face.edge_px > 0.22 * sure.edge_px && face.edge_px < 4.5 * sure.edge_px)
            kept.push_back(face);
    return kept;
}

/// Dice come in sets: a doubtful face is believed where a sure one of its look lies near by.
std::vector<DieFace> with_warrant(const std::vector<DieFace>& faces) {
    const auto vouches = [](const DieFace& sure, const DieFace& face) {
        const double slack = 0.25 * contrast(sure), sizes = sure.edge_px / face.edge_px;
        return is_sure(sure) && sizes < 1.5 && sizes > 1 / 1.5 &&
               cv::norm(sure.body_colour - face.body_colour) < slack &&
               cv::norm(sure.pip_colour - face.pip_colour) < slack;
    };
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (face.doubt <= 1 || std::any_of(faces.begin(), faces.end(), [&](const DieFace& other) {
                return vouches(other, face);
            }))
            kept.push_back(face);
    return kept;
}

/// Of many dice a sixth show a one: a picture full of ones is a print of dots.
std::vector<DieFace> without_dots(std::vector<DieFace> faces) {
    const auto is_one = [](const DieFace& f) { return f.value == 1; };
    const auto ones = std::count_if(faces.begin(), faces.end(), is_one);
    const auto others = static_cast<std::ptrdiff_t>(faces.size()) - ones;
    if (ones > kMostOnes && ones > 2 * others) std::erase_if(faces, is_one);
    return faces;
}

/// A die cut off by the picture's border shows neither its whole body nor, perhaps, all its pips.
std::vector<DieFace> without_cut_off(std::vector<DieFace> faces, cv::Size size) {
    std::erase_if(faces, [&](const DieFace& f) {
        const float inside = std::min({f.centre.x, f.centre.y,
                                       static_cast<float>(size.width) - f.centre.x,
                                       static_cast<float>(size.height) - f.centre.y});
        return inside < kWhole * f.edge_px;
    });
    return faces;
}

Piece piece_of(const DieFace& face, double scale) {
    Piece piece;
    piece.kind = PieceKind::die;
    piece.value = face.value;
    piece.px = Point{(face.centre.x + 0.5) * scale - 0.5, (face.centre.y + 0.5) * scale - 0.5};
    piece.size_px = face.edge_px * scale;
    piece.x = piece.px->x;
    piece.y = piece.px->y;
    piece.confidence = std::clamp(0.3 + 0.7 * face.fit, 0.0, 1.0);
    return piece;
}

/// The picture to search, and how its pixels relate to the view's.
struct Search {
    cv::Mat image, mask;
    double scale = 1;    ///< View pixels per pixel of `image`.
    cv::Point corner;    ///< Of the part searched, in the view.
    double edge_px = 0;  ///< A die's edge in `image`; 0: unknown.
};

/// The table's part of the picture; what lies beyond it is not on the table.
cv::Rect table_box(const View& view, const Table& table) {
    std::vector<cv::Point2f> corners;
    for (const Point p : {Point{0, 0}, Point{table.width_mm, 0},
                          Point{table.width_mm, table.height_mm}, Point{0, table.height_mm}})
        corners.emplace_back(view.map->project(p));
    return cv::boundingRect(corners) & cv::Rect({0, 0}, view.bgr.size());
}

/// The part of the box in which a die may be: round what the mask leaves of a fifth of an edge or
/// more, for of a die most of the face must be new.
cv::Rect unmasked_part(const cv::Mat& mask, const cv::Rect& box, double edge_px) {
    const int cell = std::max(1, static_cast<int>(edge_px / 5)), margin = cvRound(2 * edge_px);
    cv::Mat cells;
    cv::resize(mask(box), cells, {(box.width + cell - 1) / cell, (box.height + cell - 1) / cell}, 0,
               0, cv::INTER_AREA);
    const cv::Rect part = cv::boundingRect(cells > 127);
    if (part.empty()) return {};
    return cv::Rect(box.x + part.x * cell - margin, box.y + part.y * cell - margin,
                    part.width * cell + 2 * margin, part.height * cell + 2 * margin) &
           box;
}

Search search_of(const View& view, const Catalogue& catalogue) {
    Search search{view.bgr, view.mask, 1, {}, 0};
    if (view.map && !catalogue.dice.empty()) {
        cv::Rect box = table_box(view, catalogue.table);
        const double edge = catalogue.dice.front().edge_mm;
        const Point middle{catalogue.table.width_mm / 2, catalogue.table.height_mm / 2};
        search.edge_px = edge * view.map->px_per_mm(middle, edge);
        if (!view.mask.empty() && !box.empty()) box = unmasked_part(view.mask, box, search.edge_px);
        search.image = view.bgr(box);
        if (!view.mask.empty()) search.mask = view.mask(box);
        search.corner = box.tl();
        if (box.empty()) return search;
    }
    const int side = std::max(search.image.cols, search.image.rows);
    search.scale = search.edge_px > 0 ? std::max(1.0, search.edge_px / kEdge_px)
                                      : std::max(1.0, static_cast<double>(side) / kWorkingSide_px);
    if (search.scale > 1) {
        const cv::Mat large = search.image;
        cv::resize(large, search.image, {}, 1 / search.scale, 1 / search.scale, cv::INTER_AREA);
        if (!search.mask.empty())
            cv::resize(search.mask, search.mask, search.image.size(), 0, 0, cv::INTER_NEAREST);
        search.edge_px /= search.scale;
    }
    return search;
}

PipLimits pip_limits(const Search& search) {
    PipLimits limits;
    if (search.edge_px <= 0) return limits;
    limits.min_radius_px = std::max(1.2, 0.05 * search.edge_px);
    limits.max_radius_px = 0.24 * search.edge_px;
    limits.min_contrast = 40;
    limits.half_shaded = false;  // the reader looks at whole faces
    return limits;
}

/// Where the size is known a face is only a hint where to read: the reader doubts for itself.
FaceLimits face_limits(const Search& search) {
    FaceLimits limits;
    if (search.edge_px > 0) limits.max_doubt = 1e9;
    return limits;
}

/// Where a die of unknown size stands, and whether its top face lies level.
void place_on_table(const View& view, const DieFace& face, Piece& piece) {
    constexpr double kEdge_mm = 16;
    const Point at = view.map->to_table({piece.px->x, piece.px->y}, kEdge_mm);
    piece.x = at.x;
    piece.y = at.y;
    const auto eye = view.map->eye();
    if (!eye || face.pip_radius < 2) return;
    const double aside = distance(at, {(*eye)[0], (*eye)[1]}), above = (*eye)[2] - kEdge_mm;
    const double level = above /
                         std::hypot(aside, above);  // aspect of a level face seen from there
    if (face.aspect < kCocked * level) piece.value.reset();
}

/// What passes for a die where its size is known.
struct TableDieLimits {
    double lead = 0.06;  ///< Over the next best value. Lower: more wrong values.
    double sure = 0.88;  ///< Likeness and lead together. Lower: reads worse light, and print; 0.90
                         ///< is the least of 324 dice leaning by up to 15 degrees, 0.85 the most of
                         ///< question marks.
    double outline = 0.87;  ///< Lower: dice on a ground of their own colour, and print.
    double leaning = 0;  ///< Above: it leans against something. Of 84 dice on their face none does,
                         ///< of 17 that read at all at 34 degrees all but two.
    double changed = 0.6;  ///< Share of its face that must be new where the table was known before.
    double body_likeness = 0.45, body_outline = 0.75;  ///< Something new like this, but unread, is
                                                       ///< a die that cannot be read.
    std::size_t most_places = 400;                     ///< In one picture; a printed board has 350
                                                       ///< that stand out more than a die on it.
                                                       ///< Higher: slower, 0.8 ms each.
};
constexpr TableDieLimits kTableDie;

bool is_die(const DieReading& die) {
    const double lead = die.likeness - die.second;
    return lead > kTableDie.lead && die.likeness + lead > kTableDie.sure &&
           die.outline > kTableDie.outline;
}

/// At a die that stands there.
LocalCamera local_camera(const calibration::TableMap& map, Point at, double edge_mm) {
    const cv::Matx22d plane = map.jacobian(at, edge_mm);
    const cv::Point2d up = (map.project(at, edge_mm) - map.project(at, 0)) / edge_mm;
    return {static_cast<float>(plane(0, 0)), static_cast<float>(plane(0, 1)),
            static_cast<float>(up.x),        static_cast<float>(plane(1, 0)),
            static_cast<float>(plane(1, 1)), static_cast<float>(up.y)};
}

bool shows_as_before(const View& view, const Piece& die, double edge_mm) {
    constexpr double kRoom = 1.3;  // round the middle of the top, of the edge
    const Point at{die.x, die.y};
    const cv::Point2d top = view.map->project(at, edge_mm);
    const int half = cvCeil(kRoom * edge_mm * view.map->px_per_mm(at, edge_mm));
    const cv::Rect part = cv::Rect(cvRound(top.x) - half, cvRound(top.y) - half, 2 * half + 1,
                                   2 * half + 1) &
                          cv::Rect({}, view.bgr.size());
    if (part.empty()) return false;
    const DieReading now = DieReader(view.bgr(part))
                               .read_again(cv::Point2f(top - cv::Point2d(part.tl())),
                                           static_cast<float>(die.angle),
                                           local_camera(*view.map, at, edge_mm),
                                           static_cast<float>(edge_mm));
    return is_die(now) && now.value == die.value;
}

class TableDice {
public:
    TableDice(const View& view, const Catalogue& catalogue, const Search& search)
        : view_{view},
          search_{search},
          table_{catalogue.table},
          edge_mm_{static_cast<float>(catalogue.dice.front().edge_mm)},
          reader_{search.image} {}

    /// `hints`: where pips make a face.
    std::vector<Piece> find(const std::vector<DieFace>& hints) {
        for (const DieFace& face : hints) look_at(face.centre);
        auto places = die_places(search_.image, search_.mask, search_.edge_px);
        std::erase_if(places, [&](cv::Point2f p) { return is_beside_table(on_table(p)); });
        if (places.size() > kTableDie.most_places) places.resize(kTableDie.most_places);
        for (const cv::Point2f& place : places) look_at(place);
        std::stable_sort(
            readings_.begin(), readings_.end(),
            [](const DieReading& a, const DieReading& b) { return sureness(a) > sureness(b); });
        std::vector<DieReading> kept;
        for (const DieReading& die : readings_) {
            const bool taken = std::any_of(kept.begin(), kept.end(), [&](const DieReading& k) {
                return cv::norm(k.centre - die.centre) < 0.7 * search_.edge_px;
            });
            if (!taken && (is_die(die) || is_unread(die))) kept.push_back(die);
        }
        std::vector<Piece> pieces;
        for (const DieReading& die : kept) pieces.push_back(piece_of(die));
        return pieces;
    }

private:
    static double sureness(const DieReading& die) { return die.likeness + die.outline; }

    /// Cocked, or seen too badly: worth saying only where something is new.
    [[nodiscard]] bool is_unread(const DieReading& die) const {
        return view_.before && !view_.before->unlike.empty() &&
               die.likeness > kTableDie.body_likeness && die.outline > kTableDie.body_outline;
    }

    [[nodiscard]] Point on_table(cv::Point2f centre) const {
        return view_.map->to_table(in_view(centre), edge_mm_);
    }

    [[nodiscard]] bool is_beside_table(Point at) const {
        return at.x < 0 || at.y < 0 || at.x > table_.width_mm || at.y > table_.height_mm;
    }

    /// The squares of the table's markers are like dice that show a one.
    [[nodiscard]] bool is_marker(const DieReading& die) const {
        const Point at = on_table(die.centre);
        return die.value == 1 &&
               std::any_of(table_.markers.begin(), table_.markers.end(), [&](const TableMarker& m) {
                   return std::max(std::abs(at.x - m.centre.x), std::abs(at.y - m.centre.y)) <
                          table_.marker_mm / 2;
               });
    }

    void look_at(cv::Point2f centre) {
        const DieReading die = reader_.read(centre, camera_at(centre), edge_mm_);
        if (die.value && !is_marker(die) && new_share(die) > kTableDie.changed)
            readings_.push_back(die);
    }

    [[nodiscard]] cv::Point2d in_view(cv::Point2f p) const {
        return (cv::Point2d(p) + cv::Point2d(0.5, 0.5)) * search_.scale - cv::Point2d(0.5, 0.5) +
               cv::Point2d(search_.corner);
    }

    [[nodiscard]] LocalCamera camera_at(cv::Point2f centre) const {
        return local_camera(*view_.map, on_table(centre), edge_mm_) *
               static_cast<float>(1 / search_.scale);
    }

    [[nodiscard]] double new_share(const DieReading& die) const {
        if (search_.mask.empty()) return 1;
        const int half = std::max(1, cvRound(0.35 * search_.edge_px));
        const cv::Rect box = cv::Rect(cvRound(die.centre.x) - half, cvRound(die.centre.y) - half,
                                      2 * half + 1, 2 * half + 1) &
                             cv::Rect({0, 0}, search_.mask.size());
        return box.empty() ? 0
                           : static_cast<double>(cv::countNonZero(search_.mask(box))) / box.area();
    }

    [[nodiscard]] Piece piece_of(const DieReading& die) const {
        Piece piece;
        piece.kind = PieceKind::die;
        if (is_die(die) && die.leaning < kTableDie.leaning) piece.value = die.value;
        const cv::Point2d px = in_view(die.centre);
        piece.px = Point{px.x, px.y};
        piece.size_px = search_.edge_px * search_.scale;
        const Point at = view_.map->to_table(px, edge_mm_);
        piece.x = at.x, piece.y = at.y;
        piece.angle = die.angle;
        piece.confidence = std::clamp(0.5 * (die.likeness + die.outline), 0.0, 1.0);
        return piece;
    }

    const View& view_;
    const Search& search_;
    const Table& table_;
    float edge_mm_;
    DieReader reader_;
    std::vector<DieReading> readings_;
};

}  // namespace

std::vector<Piece> dice_told_again(const View& view, const Catalogue& catalogue) {
    std::vector<Piece> told;
    if (!view.before || !view.map || catalogue.dice.empty()) return told;
    for (const Piece& piece : view.before->pieces)
        if (piece.kind == PieceKind::die && piece.value &&
            shows_as_before(view, piece, catalogue.dice.front().edge_mm))
            told.push_back(piece);
    return told;
}

std::vector<Piece> detect_dice(const View& view, const Catalogue& catalogue) {
    if (view.bgr.empty()) return {};
    const Search search = search_of(view, catalogue);
    if (search.image.empty()) return {};
    const Pyramid pyramid{search.image};
    const auto pips = find_pips(pyramid, search.mask, pip_limits(search));
    auto faces = find_die_faces(pyramid, pips, face_limits(search));
    if (search.edge_px > 0) {
        std::erase_if(faces, [&](const DieFace& f) {
            return f.edge_px > 1.6 * search.edge_px || f.edge_px < 0.45 * search.edge_px;
        });
        return TableDice(view, catalogue, search).find(faces);
    }
    std::vector<Piece> pieces;
    faces = without_giants(without_cut_off(faces, search.image.size()), pips);
    faces = with_warrant(without_strangers(without_dominoes(pyramid, faces)));
    for (const DieFace& face : without_dots(top_faces(faces))) {
        pieces.push_back(piece_of(face, search.scale));
        if (view.map) place_on_table(view, face, pieces.back());
    }
    return pieces;
}

}  // namespace overboard::vision
