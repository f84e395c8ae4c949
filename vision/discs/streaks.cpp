#include "vision/discs/streaks.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

// pixel = (1 − a) · bare board + a · disc, where a is the share of the exposure the disc was over
// the pixel. The change of each cell gives a for each kind, and how badly that explains it; the
// kind that explains it best gets the cell. Over a whole streak the a's add up to the disc's area,
// however fast it ran.
namespace overboard::vision {
namespace {

constexpr double kConfidence = 0.5;
constexpr float kLeastContrast = 40;  // a disc of nearly the board's colour leaves no streak

double height_of(const Catalogue& c) {
    double height = 0;
    for (const DiscKind& d : c.discs) height = std::max(height, d.height_mm);
    return height + c.board->elevation_mm;
}

}  // namespace

Streaks::Streaks(const Catalogue& catalogue, const calibration::TableMap& map, const Pose& board,
                 StreakLimits limits)
    : map_{map},
      board_{board},
      kind_{*catalogue.board},
      limits_{limits},
      height_mm_{height_of(catalogue)} {
    for (const DiscKind& d : catalogue.discs)
        kinds_.push_back({d.type, d.diameter_mm / 2, {}, false});
    const double w = kind_.width_mm / 2, h = kind_.height_mm / 2,
                 px_per_mm = map.px_per_mm({board.x, board.y}, height_mm_);
    double smallest_mm = 1e9;
    for (const Kind& k : kinds_) smallest_mm = std::min(smallest_mm, k.r_mm);
    stride_ = std::clamp(int(smallest_mm * px_per_mm / 4), 2, 8);
    cell_mm_ = stride_ / px_per_mm;
    std::vector<cv::Point> corners;
    for (const Point p : {Point{-w, -h}, {w, -h}, {w, h}, {-w, h}})
        corners.push_back(map.project(place(board, p), height_mm_));
    place_ = cv::boundingRect(corners) & cv::Rect({0, 0}, map.size());
    place_.width -= place_.width % stride_, place_.height -= place_.height % stride_;
    for (cv::Point& p : corners) p = (p - place_.tl()) / stride_;
    surface_ = cv::Mat::zeros(place_.size() / stride_, CV_8U);
    if (!place_.empty()) cv::fillConvexPoly(surface_, corners, 255);
    seen_bare_ = cv::Mat::zeros(surface_.size(), CV_8U);
    bare_ = cv::Mat::zeros(surface_.size(), CV_8UC3);
    cover_.assign(kinds_.size(), {});
}

cv::Point2d Streaks::cell_of(Point at) const {
    const cv::Point2d px = map_.project(at, height_mm_);
    return {(px.x - place_.x) / stride_ - 0.5, (px.y - place_.y) / stride_ - 0.5};
}

double Streaks::radius_of(const std::string& type) const {
    for (const Kind& k : kinds_)
        if (k.name == type) return k.r_mm;
    return 10;
}

bool Streaks::over_hole(Point at) const {
    const Point local = local_to(board_, at);
    return std::any_of(kind_.holes.begin(), kind_.holes.end(), [&](const Hole& h) {
        return distance(h.centre, local) < 0.45 * h.diameter_mm;
    });
}

void Streaks::shrink(const cv::Mat& bgr) {
    cv::resize(bgr(place_), now_, surface_.size(), 0, 0, cv::INTER_AREA);
}

void Streaks::draw(cv::Mat& mask, const Piece& disc, double radii) const {
    if (disc.kind != PieceKind::disc) return;
    const cv::Point2d at = cell_of({disc.x, disc.y});
    cv::circle(mask, {cvRound(at.x), cvRound(at.y)},
               int(std::ceil(radii * radius_of(disc.type) / cell_mm_)), 255, cv::FILLED);
}

void Streaks::note_colour(Kind& kind, const std::vector<Piece>& lying) const {
    cv::Vec3f sum{};
    int n = 0;
    for (const Piece& p : lying) {
        const cv::Point cell{cvRound(cell_of({p.x, p.y}).x), cvRound(cell_of({p.x, p.y}).y)};
        if (p.kind != PieceKind::disc || p.type != kind.name ||
            !cv::Rect({0, 0}, now_.size()).contains(cell))
            continue;
        sum += cv::Vec3f(now_.at<cv::Vec3b>(cell));
        ++n;
    }
    if (n > 0) kind.bgr = sum / n, kind.known = true;
}

void Streaks::learn(const cv::Mat& bgr, const std::vector<Piece>& lying) {
    if (place_.empty()) return;
    shrink(bgr);
    for (Kind& kind : kinds_) note_colour(kind, lying);
    cv::Mat taken = cv::Mat::zeros(surface_.size(), CV_8U);
    for (const Piece& p : lying) draw(taken, p, limits_.round_discs);
    const cv::Mat open = surface_ & ~taken;
    now_.copyTo(bare_, open);
    seen_bare_ |= open;
}

void Streaks::hide(const cv::Mat& hidden) {
    if (hidden.empty()) return;
    for (int y = 0; y < blind_.rows; ++y)
        for (int x = 0; x < blind_.cols; ++x) {
            const int hx = (place_.x + x * stride_) / 8, hy = (place_.y + y * stride_) / 8;
            if (hx < hidden.cols && hy < hidden.rows && hidden.at<std::uint8_t>(hy, hx))
                blind_.at<std::uint8_t>(y, x) = 255;
        }
}

void Streaks::cover() {
    for (cv::Mat& c : cover_) c = cv::Mat::zeros(surface_.size(), CV_32F);
    for (int y = 0; y < now_.rows; ++y)
        for (int x = 0; x < now_.cols; ++x) {
            if (blind_.at<std::uint8_t>(y, x)) continue;
            const cv::Vec3f bare = bare_.at<cv::Vec3b>(y, x),
                            change = cv::Vec3f(now_.at<cv::Vec3b>(y, x)) - bare;
            if (change.dot(change) < float(limits_.least_levels * limits_.least_levels)) continue;
            float least = 1e9f, share = 0;
            std::size_t best = kinds_.size();
            for (std::size_t k = 0; k < kinds_.size(); ++k) {
                const cv::Vec3f whole = kinds_[k].bgr - bare;
                const float contrast2 = whole.dot(whole),
                            a = change.dot(whole) / std::max(1.0f, contrast2);
                if (!kinds_[k].known || contrast2 < kLeastContrast * kLeastContrast ||
                    a < float(limits_.least_cover))
                    continue;
                const cv::Vec3f rest = change - whole * a;
                const float off = std::sqrt(rest.dot(rest));
                const float allowed = std::max(
                    float(limits_.least_levels),
                    float(limits_.off_colour) * a * std::sqrt(contrast2));
                if (off < allowed && off < least) least = off, share = std::min(a, 1.0f), best = k;
            }
            if (best < kinds_.size()) cover_[best].at<float>(y, x) = share;
        }
}

std::vector<Piece> Streaks::gather(std::size_t kind, const std::vector<Piece>& found) const {
    std::vector<Piece> discs;
    const Kind& k = kinds_[kind];
    cv::Mat labels, stats, centres;
    const int n = cv::connectedComponentsWithStats(cover_[kind] > 0, labels, stats, centres, 8,
                                                   CV_32S);
    const double disc_cells = M_PI * k.r_mm * k.r_mm / (cell_mm_ * cell_mm_);
    for (int i = 1; i < n; ++i) {
        const cv::Rect box(stats.at<int>(i, cv::CC_STAT_LEFT), stats.at<int>(i, cv::CC_STAT_TOP),
                           stats.at<int>(i, cv::CC_STAT_WIDTH),
                           stats.at<int>(i, cv::CC_STAT_HEIGHT));
        if (stats.at<int>(i, cv::CC_STAT_AREA) < limits_.least_area * disc_cells) continue;
        if (std::hypot(box.width, box.height) * cell_mm_ > 2.9 * k.r_mm + limits_.longest_mm)
            continue;
        cv::Mat part;
        cover_[kind](box).copyTo(part, labels(box) == i);
        const cv::Moments m = cv::moments(part);
        if (m.m00 < limits_.least_area * disc_cells || m.m00 > limits_.most_area * disc_cells)
            continue;
        const cv::Point2d px{place_.x + (box.x + m.m10 / m.m00 + 0.5) * stride_ - 0.5,
                             place_.y + (box.y + m.m01 / m.m00 + 0.5) * stride_ - 0.5};
        Piece p;
        p.kind = PieceKind::disc;
        p.type = k.name;
        const Point at = map_.to_table(px, height_mm_);
        p.x = at.x, p.y = at.y;
        p.confidence = kConfidence;
        p.px = Point{px.x, px.y};
        p.size_px = 2 * k.r_mm * map_.px_per_mm(at, height_mm_);
        const bool known = std::any_of(found.begin(), found.end(), [&](const Piece& f) {
            return f.kind == PieceKind::disc &&
                   distance({f.x, f.y}, at) < 0.8 * (k.r_mm + radius_of(f.type));
        });
        if (!known && !over_hole(at)) discs.push_back(std::move(p));
    }
    return discs;
}

std::vector<Piece> Streaks::find(const cv::Mat& bgr, const cv::Mat& hidden,
                                 const std::vector<Piece>& found) {
    std::vector<Piece> discs;
    if (place_.empty()) return discs;
    shrink(bgr);
    blind_ = ~(surface_ & seen_bare_);
    for (const Piece& p : found) draw(blind_, p, 1.25);
    hide(hidden);
    cover();
    for (std::size_t k = 0; k < kinds_.size(); ++k)
        for (Piece& p : gather(k, found)) discs.push_back(std::move(p));
    return discs;
}

}  // namespace overboard::vision
