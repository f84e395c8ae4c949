#include "vision/discs/detect_discs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "calibration/table_map.hpp"
#include "vision/discs/circles.hpp"
#include "vision/discs/disc_choice.hpp"
#include "vision/discs/disc_types.hpp"
#include "vision/discs/find_board.hpp"
#include "vision/discs/plane.hpp"

// Two ways in, one way out. Where the scale is known (a map, or a board's surface found in the
// photograph) the plane of the discs' tops is drawn straight at a fixed size, so that discs are
// circles of known radius. On a bare photograph circles of all sizes are looked for and the scale
// is the radius that most good circles share. Then circles are chosen (disc_choice) and named
// (disc_types).
namespace overboard::vision {
namespace {

// Radius of the smallest discs in the straightened plane: as in the picture, within these.
constexpr double kLeastRadius_px = 16, kMostRadius_px = 22;
// pixels of that plane; a large table with tiny discs is drawn coarser
constexpr double kMost_px = 2.6e6;

// How far the board's print and its edges may be off, of its width.
struct Slack {
    double print = 0, edge = 0;
    double size = 1.06;  // as a factor: discs against the board
    double far = 1;      // likewise, on boards smaller than the set was made for
};
constexpr double kSmallBoard = 1.35;                     // men of full size on boards of 55 cm
constexpr Slack kTold{0.012, 0.016, 1.12, kSmallBoard};  // corners told by hand
constexpr Slack kByPrint{0.012, 0.03, 1.10,
                         kSmallBoard};  // its print was recognised: real boards' margins differ
constexpr Slack kByEdges{0.025, 0.04, 1.13, kSmallBoard};  // found by its edges and holes

struct Sizes {
    double small_mm = 1, large = 0, height_mm = 0;
};

Sizes sizes_in(const Catalogue& c) {
    Sizes s;
    if (c.discs.empty()) return s;
    s.small_mm = 1e9;
    double largest = 0;
    for (const DiscKind& d : c.discs) {
        s.small_mm = std::min(s.small_mm, d.diameter_mm);
        largest = std::max(largest, d.diameter_mm);
        s.height_mm = std::max(s.height_mm, d.height_mm);
    }
    if (largest > 1.1 * s.small_mm) s.large = largest / s.small_mm;
    return s;
}

std::vector<cv::Vec3f> disc_tints(const Catalogue& c) {
    std::vector<cv::Vec3f> tints;
    const cv::Vec3f surface = lab_of(c.board ? bgr_of(c.board->surface) : cv::Vec3f(200, 200, 200));
    for (const DiscKind& d : c.discs) tints.push_back(against(lab_of(bgr_of(d.colour)), surface));
    return tints;
}

struct Named {
    std::vector<ChosenDisc> discs;
    std::vector<DiscName> names;
};

// One queen on the board, nine red circles in the picture: red is print here. The odd one out may
// stay.
void drop_impossible_crowds(const Catalogue& catalogue, Named& n) {
    for (const DiscKind& kind : catalogue.discs) {
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < n.names.size(); ++i)
            if (n.names[i].type == kind.type) members.push_back(i);
        if (int(members.size()) <= kind.count + 2 || kind.count > 2) continue;
        for (std::size_t i : members) {
            const auto twins = std::count_if(members.begin(), members.end(), [&](std::size_t j) {
                return cv::norm(n.discs[i].lab - n.discs[j].lab) < 14;
            });
            if (twins > kind.count + 1) n.names[i].type.clear();
        }
    }
}

bool touches_another(const std::vector<ChosenDisc>& discs, std::size_t i) {
    for (std::size_t j = 0; j < discs.size(); ++j)
        if (j != i && cv::norm(discs[i].circle.centre - discs[j].circle.centre) <
                          1.15 * (discs[i].circle.r + discs[j].circle.r))
            return true;
    return false;
}

// The spot of the only disc of its kind is printed in the middle, often in its colour: when another
// one lies elsewhere, one that lies alone in the middle is the print.
void drop_printed_centre(const Catalogue& catalogue, const Plane& plane, double reach_mm,
                         Named& n) {
    for (const DiscKind& kind : catalogue.discs) {
        if (kind.count != 1) continue;
        std::vector<std::size_t> middle, elsewhere;
        for (std::size_t i = 0; i < n.names.size(); ++i)
            if (n.names[i].type == kind.type)
                (!touches_another(n.discs, i) &&
                         length(plane.local(n.discs[i].circle.centre)) < reach_mm
                     ? middle
                     : elsewhere)
                    .push_back(i);
        if (elsewhere.empty()) continue;
        for (std::size_t i : middle) n.names[i].type.clear();
    }
}

// Where no board was found, many more of a kind than its set has are something else: marks on
// cards.
void drop_more_than_a_set(const Catalogue& catalogue, Named& n) {
    constexpr int kSpare = 3;  // sets on photographs have been seen with two more
    for (const DiscKind& kind : catalogue.discs) {
        const auto is_kind = [&](const DiscName& name) { return name.type == kind.type; };
        if (std::count_if(n.names.begin(), n.names.end(), is_kind) <= kind.count + kSpare) continue;
        for (DiscName& name : n.names)
            if (is_kind(name)) name.type.clear();
    }
}

Named name_all(std::vector<ChosenDisc> discs, const Catalogue& catalogue, double small_r_px) {
    std::vector<SeenDisc> looks;
    for (const ChosenDisc& d : discs)
        looks.push_back({d.lab, d.surface, d.circle.r / small_r_px, d.circle.support});
    Named named{std::move(discs), name_discs(looks, catalogue)};
    drop_impossible_crowds(catalogue, named);
    return named;
}

double smaller_radius(const std::vector<ChosenDisc>& discs, double nominal, Slack slack) {
    std::vector<Circle> circles;
    for (const ChosenDisc& d : discs) circles.push_back(d.circle);
    return common_radius(circles, nominal, slack.size, slack.far);
}

Piece piece_of(const ChosenDisc& d, const DiscName& name) {
    Piece p;
    p.kind = PieceKind::disc;
    p.type = name.type;
    p.confidence = std::clamp(0.5 * d.circle.support + 0.5, 0.0, 1.0) * name.confidence;
    if (!name.other.empty()) p.alternatives.push_back({name.other, 1 - name.confidence});
    return p;
}

std::vector<Point> printed_at(const View& view, const Pose& frame,
                              const std::vector<cv::Point2d>& print_px) {
    std::vector<Point> at;
    for (const auto& px : print_px) at.push_back(local_to(frame, view.map->to_table(px)));
    return at;
}

// In the middle of the picture, half of it is darker than this: of the brightest channel, 0…1.
double usual_light(const cv::Mat& bgr) {
    std::vector<int> lights;
    for (int y = bgr.rows / 8; y < bgr.rows * 7 / 8; y += 7)
        for (int x = bgr.cols / 8; x < bgr.cols * 7 / 8; x += 7) {
            const auto& p = bgr.at<cv::Vec3b>(y, x);
            lights.push_back(std::max({p[0], p[1], p[2]}));
        }
    if (lights.empty()) return 1;
    const auto middle = lights.begin() + std::ptrdiff_t(lights.size() / 2);
    std::nth_element(lights.begin(), middle, lights.end());
    return *middle / 255.0;
}

// How much of an edge there is is judged in grey levels, and light scales them all: what is dark
// is brightened (v → (1 - exp(-kv)) / (1 - exp(-k)), which clips nothing) until its ground is well
// lit. A well lit picture stays as it is.
cv::Mat well_lit(const cv::Mat& bgr) {
    constexpr double kWellLit = 0.5, kDarkest = 0.08, kMostBrightened = 5;
    const double light = std::max(kDarkest, usual_light(bgr));
    if (light >= kWellLit) return bgr;
    double k = 0.05;
    while (k < kMostBrightened && std::expm1(-k * light) / std::expm1(-k) < kWellLit) k += 0.05;
    cv::Mat table(1, 256, CV_8U), lit;
    for (int i = 0; i < 256; ++i)
        table.at<uchar>(i) = cv::saturate_cast<uchar>(255 * std::expm1(-k * i / 255) /
                                                      std::expm1(-k));
    cv::LUT(bgr, table, lit);
    return lit;
}

Walls walls_on(const Plane& plane, const std::optional<cv::Vec3d>& eye, double high_mm) {
    if (!eye) return {};
    return {plane.pixel(local_to(plane.frame, {(*eye)[0], (*eye)[1]})),
            high_mm / ((*eye)[2] - plane.height_mm + high_mm)};
}

// `print_px`: where print was recognised in the photograph.
std::vector<Piece> on_plane(View view, const Catalogue& catalogue, const Pose& frame,
                            const BoardKind* board, Slack slack,
                            const std::vector<cv::Point2d>& print_px = {}) {
    const Sizes sizes = sizes_in(catalogue);
    const bool flat = !view.map->has_pose();  // then it is a map of the surface itself
    const calibration::TableMap map = with_heights(*view.map);
    view.map = &map;
    const double r_mm = sizes.small_mm / 2;
    const double around_mm = board ? 5 * r_mm + 2 * slack.edge * board->width_mm : 0;
    const Point size = board ? Point{board->width_mm + around_mm, board->height_mm + around_mm}
                             : Point{catalogue.table.width_mm, catalogue.table.height_mm};
    const Point corner = board ? size * -0.5 : Point{0, 0};
    const double height_mm = sizes.height_mm + (board && !flat ? board->elevation_mm : 0);
    const double own_px = r_mm * view.map->px_per_mm(place(frame, corner + size * 0.5), height_mm);
    const double scale = std::min(std::clamp(1.15 * own_px, kLeastRadius_px, kMostRadius_px) / r_mm,
                                  std::sqrt(kMost_px / (size.x * size.y)));
    const Plane plane = straighten(view, frame, corner, size, scale, height_mm);

    CircleSearch search;
    search.r_min_px = 0.74 * r_mm * scale;
    search.r_max_px = std::max(1.25, 1.15 * sizes.large) * std::sqrt(slack.far) * r_mm * scale;
    search.walls = walls_on(plane, view.map->eye(), sizes.height_mm);
    const cv::Mat lit = well_lit(plane.bgr);
    const auto circles = find_circles(lit, search);
    const Ground ground{r_mm * scale,
                        sizes.large,
                        board,
                        &plane,
                        disc_tints(catalogue),
                        board ? slack.print * board->width_mm : 0,
                        board ? slack.edge * board->width_mm : 0,
                        slack.size,
                        slack.far,
                        printed_at(view, frame, print_px),
                        search.walls};
    ChoiceLimits limits;
    if (slack.print > 0)  // a calibrated board's print is known better than that
        limits.turned_bonus = 0.18, limits.worn = 1;  // sets on photographs are
    auto chosen = choose_discs(lit, circles, ground, limits);
    if (lit.data != plane.bgr.data) take_colours(plane.bgr, ground.r_px, chosen);
    const double small_px = smaller_radius(chosen, ground.r_px, slack);
    Named named = name_all(std::move(chosen), catalogue, small_px);
    if (board && slack.print > 0)
        drop_printed_centre(catalogue, plane, 0.3 * r_mm + slack.print * board->width_mm, named);

    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < named.discs.size(); ++i) {
        if (named.names[i].type.empty()) continue;
        const Circle& c = named.discs[i].circle;
        Piece p = piece_of(named.discs[i], named.names[i]);
        const Point at = place(frame, plane.local(c.centre));
        const cv::Point2d px = view.map->project(at, height_mm);
        p.x = at.x, p.y = at.y;
        p.px = Point{px.x, px.y};
        p.size_px = 2 * c.r / scale * view.map->px_per_mm(at, height_mm);
        pieces.push_back(std::move(p));
    }
    return pieces;
}

std::vector<Piece> in_pixels(std::vector<Piece> pieces) {
    for (Piece& p : pieces) p.x = p.px->x, p.y = p.px->y;
    return pieces;
}

// Grooves of a turned disc are circles, too: what counts is the outermost one that shows.
bool is_inner_ring(const Circle& c, const std::vector<Circle>& circles) {
    return std::any_of(circles.begin(), circles.end(), [&](const Circle& other) {
        return other.r > 1.15 * c.r && other.r < 3 * c.r && other.support > 0.68 &&
               other.step > 0.55 && cv::norm(other.centre - c.centre) < 0.12 * other.r;
    });
}

std::vector<Circle> outermost(const std::vector<Circle>& circles) {
    std::vector<Circle> kept;
    std::copy_if(circles.begin(), circles.end(), std::back_inserter(kept),
                 [&](const Circle& c) { return !is_inner_ring(c, circles); });
    return kept;
}

// The radius most good circles share, anywhere in the range searched.
double radius_of_the_many(const std::vector<Circle>& circles) {
    double best = 0, at = 0;
    for (const Circle& centre : circles) {
        if (centre.support < 0.8 || centre.step < 0.7) continue;
        double sum = 0;
        for (const Circle& c : circles) {
            const double q = std::log(c.r / centre.r) / 0.06;
            if (c.support > 0.75 && c.step > 0.65)
                sum += (c.support - 0.5) * std::min(1.0, c.contrast / 30) * std::exp(-0.5 * q * q);
        }
        sum *= std::sqrt(centre.r);  // chance finds small circles more easily
        if (sum > best) best = sum, at = centre.r;
    }
    return at;
}

// How many clear circles of one size there are, by their rims.
double shared_size(const BareSearch& bare) {
    const auto circles = outermost(bare.circles);
    const double r_px = radius_of_the_many(circles);
    std::vector<cv::Point2d> seen;
    double sum = 0;
    for (const Circle& c : circles) {
        const bool known = std::any_of(seen.begin(), seen.end(), [&](const cv::Point2d& p) {
            return cv::norm(p - c.centre) < r_px;
        });
        if (known || c.support < 0.8 || c.step < 0.7 || std::abs(c.r / r_px - 1) > 0.1) continue;
        seen.push_back(c.centre), sum += c.support;
    }
    return sum;
}

// A table seen aslant looks squeezed from top to bottom.
std::vector<BareSearch> stretched(const cv::Mat& bgr) {
    constexpr std::array<double, 2> kStretches = {1.2, 1.42};  // seen from 33 and 45 degrees aside
    std::vector<BareSearch> searches;
    for (const double stretch : kStretches) searches.push_back(search_bare(bgr, stretch));
    return searches;
}

// The photograph is stretched as far as that makes clearly more circles of one size.
const BareSearch& unsqueezed(const BareSearch& plain, const std::vector<BareSearch>& stretched) {
    constexpr double kMore = 1.3, kFew = 3.5;
    double best_sum = kMore * std::max(kFew, shared_size(plain));
    const BareSearch* best = &plain;
    for (const BareSearch& other : stretched) {
        const double sum = shared_size(other);
        if (sum > best_sum) best_sum = sum, best = &other;
    }
    return *best;
}

std::vector<Piece> on_bare_photograph(const View& view, const Catalogue& catalogue,
                                      const BareSearch& bare) {
    const auto circles = outermost(bare.circles);
    const double r_px = radius_of_the_many(circles);
    if (r_px <= 0) return {};
    ChoiceLimits limits;
    limits.size_tolerance = 0.16;
    const Ground ground{r_px, sizes_in(catalogue).large, nullptr, nullptr, {}, 0, 0, 1.15, 1, {}};
    auto chosen = choose_discs(bare.picture, circles, ground, limits);
    Named named = name_all(std::move(chosen), catalogue, r_px);
    drop_more_than_a_set(catalogue, named);

    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < named.discs.size(); ++i) {
        if (named.names[i].type.empty()) continue;
        Piece p = piece_of(named.discs[i], named.names[i]);
        const Circle& c = named.discs[i].circle;
        const cv::Point2d px = bare.in_photograph(c.centre);
        p.px = Point{px.x, px.y};
        p.size_px = 2 * c.r / bare.shrink;
        const Point at = view.map ? view.map->to_table(px) : *p.px;
        p.x = at.x, p.y = at.y;
        pieces.push_back(std::move(p));
    }
    return pieces;
}

calibration::TableMap map_of(const BoardInPicture& found, const BoardKind& board, cv::Size size) {
    const double w = board.width_mm / 2, h = board.height_mm / 2;
    return calibration::map_from_points({{-w, -h}, {w, -h}, {w, h}, {-w, h}},
                                        {found.corners_px.begin(), found.corners_px.end()}, size);
}

// On a board that is found in the photograph.
std::optional<std::vector<Piece>> on_found_board(const View& view, const Catalogue& catalogue,
                                                 const BareSearch& bare) {
    const BoardKind& kind = *catalogue.board;
    const auto found = find_board(bare, kind);
    if (!found) return {};
    const auto map = map_of(*found, kind, view.bgr.size());
    return in_pixels(on_plane({view.bgr, &map, view.mask}, catalogue, Pose{}, &kind,
                              found->print_px.empty() ? kByEdges : kByPrint, found->print_px));
}

}  // namespace

std::vector<Piece> detect_discs(const View& view, const Catalogue& catalogue,
                                const std::optional<Pose>& board) {
    constexpr double kMany = 8;  // circles of one size: seen from above
    const BoardKind* kind = catalogue.board ? &*catalogue.board : nullptr;
    if (view.map && !catalogue.discs.empty())
        return on_plane(view, catalogue, board.value_or(Pose{}), board ? kind : nullptr,
                        view.map->has_pose() || !board ? Slack{} : kTold);
    const bool find_it = kind && !view.map;
    const BareSearch plain = search_bare(view.bgr);
    if (find_it)
        if (auto pieces = on_found_board(view, catalogue, plain)) return *pieces;
    if (shared_size(plain) > kMany) return on_bare_photograph(view, catalogue, plain);
    const std::vector<BareSearch> others = stretched(view.bgr);
    for (const BareSearch& other : others)
        if (find_it)
            if (auto pieces = on_found_board(view, catalogue, other)) return *pieces;
    return on_bare_photograph(view, catalogue, unsqueezed(plain, others));
}

}  // namespace overboard::vision
