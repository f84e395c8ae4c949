#pragma once

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <vector>

/// Photographs of decks nobody photographed for us, made of their references: a table of wood,
/// cloth or paint seen at a slant, rounded cards thrown on it, shadow, lamp, glare, cast, blur,
/// noise and JPEG. Harsher than most rooms, but no room: figures on them say which deck or which
/// light is hard, not how good we are.
namespace overboard::bench {

struct MadeCard {
    std::string face;
    std::vector<cv::Point2f> corners;  ///< Pixels, from the face's own top-left.
};

struct MadePhotograph {
    cv::Mat bgr;
    std::vector<MadeCard> cards;
    std::string how;  ///< What makes it hard, for listings.
};

struct Reference {
    std::string face;
    cv::Mat bgr;
};

class PhotographMaker {
public:
    PhotographMaker(const std::vector<Reference>& deck, unsigned seed)
        : deck_{deck}, random_{seed} {}

    MadePhotograph make(cv::Size size = {1400, 1050}) {
        MadePhotograph out;
        out.bgr = background(size, out.how);
        const double side = 60 + 140 * std::pow(part(), 1.5);  // the shorter side, px
        const cv::Matx33d camera = slant(size);
        const bool tidy = part() < 0.3, sleeves = part() < 0.2;
        out.how += cv::format(" side %.0f%s%s", side, tidy ? " tidy" : "",
                              sleeves ? " sleeved" : "");
        const double lie = part() * 6.283;
        const cv::Size2d card = size_of(deck_[0].bgr, side);
        const double step = std::hypot(card.width, card.height) * (tidy ? 1.0 : 0.95);
        for (double y = step / 2; y < size.height; y += step)
            for (double x = step / 2; x < size.width; x += step) {
                if (part() < 0.35 || out.cards.size() >= 24) continue;
                const double turn = tidy ? lie + M_PI / 2 * static_cast<double>(random_() % 4)
                                         : part() * 6.283;
                const cv::Point2d at(x + any() * step * 0.12, y + any() * step * 0.12);
                lay(out, deck_[random_() % deck_.size()], camera, at, turn, side, sleeves);
            }
        light(out);
        develop(out);
        return out;
    }

private:
    double part() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    double any() { return 2 * part() - 1; }

    static cv::Size2d size_of(const cv::Mat& face, double shorter) {
        const double scale = shorter / std::min(face.cols, face.rows);
        return {face.cols * scale, face.rows * scale};
    }

    cv::Mat noise(cv::Size size, cv::Size cells, double deviation) {
        cv::Mat n(cells, CV_32F), out;
        cv::theRNG().state = random_();
        cv::randn(n, 0, deviation);
        cv::resize(n, out, size, 0, 0, cv::INTER_CUBIC);
        return out;
    }

    cv::Mat background(cv::Size size, std::string& how) {
        static const cv::Scalar colours[] = {{60, 95, 140}, {90, 130, 175}, {200, 205, 210},
                                             {35, 35, 38},  {70, 90, 40},   {150, 170, 190},
                                             {90, 40, 40}};
        static const char* const names[] = {"brown", "pine", "white", "black",
                                            "green", "sand", "blue"};
        const std::size_t which = random_() % 7;
        const int kind = static_cast<int>(random_() % 3);
        how = std::string(names[which]) + (kind == 0 ? " wood" : kind == 1 ? " cloth" : " paint");
        cv::Mat grain(size, CV_32F, cv::Scalar(0));
        if (kind == 0)
            grain = noise(size, {4, size.height / 3}, 10) + noise(size, {12, size.height / 12}, 8);
        if (kind == 1) grain = noise(size, {size.width / 2, size.height / 2}, 12);
        if (kind == 2) grain = noise(size, {6, 6}, 5);
        cv::Mat three, out;
        cv::merge(std::vector<cv::Mat>{grain, grain, grain}, three);
        cv::Mat base(size, CV_32FC3, colours[which]);
        out = base + three;
        if (kind == 0)
            for (int k = 1; k < 5; ++k)
                cv::line(out, {0, k * size.height / 5}, {size.width, k * size.height / 5 + 4},
                         colours[which] * 0.5, 2, cv::LINE_AA);
        clutter(out);
        out.convertTo(out, CV_8UC3);
        return out;
    }

    /// Cups, pens and papers.
    void clutter(cv::Mat& m) {
        for (int k = 0; k < 5; ++k) {
            const cv::Point p(static_cast<int>(part() * m.cols), static_cast<int>(part() * m.rows));
            const cv::Scalar c(part() * 255, part() * 255, part() * 255);
            if (k % 3 == 0)
                cv::circle(m, p, static_cast<int>(20 + 60 * part()), c, -1, cv::LINE_AA);
            if (k % 3 == 1)
                cv::line(
                    m, p,
                    p + cv::Point(static_cast<int>(any() * 300), static_cast<int>(any() * 300)), c,
                    9, cv::LINE_AA);
            if (k % 3 == 2) cv::ellipse(m, p, {70, 40}, part() * 180, 0, 360, c, 5, cv::LINE_AA);
        }
    }

    cv::Matx33d slant(cv::Size size) {
        const double tilt = 0.75 * part(), roll = part() * 6.283, focal = 1.1 * size.width;
        const double cx = size.width / 2.0, cy = size.height / 2.0;
        const cv::Matx33d turn(std::cos(roll), -std::sin(roll), 0, std::sin(roll), std::cos(roll),
                               0, 0, 0, 1);
        const cv::Matx33d lean(1, 0, 0, 0, std::cos(tilt), -std::sin(tilt), 0, std::sin(tilt),
                               std::cos(tilt));
        const cv::Matx33d r = turn * lean * turn.t();
        const cv::Matx33d plane(r(0, 0), r(0, 1), 0, r(1, 0), r(1, 1), 0, r(2, 0), r(2, 1), focal);
        const cv::Matx33d k(focal, 0, cx, 0, focal, cy, 0, 0, 1),
            centre(1, 0, -cx, 0, 1, -cy, 0, 0, 1);
        return k * plane * centre;
    }

    /// Opaque inside the rounded outline; everything is drawn larger and shrunk, for soft edges.
    static cv::Mat rounded(cv::Size size, double radius) {
        cv::Mat mask(size, CV_8U, cv::Scalar(0));
        const int r = static_cast<int>(radius);
        cv::rectangle(mask, {r, 0, size.width - 2 * r, size.height}, 255, -1);
        cv::rectangle(mask, {0, r, size.width, size.height - 2 * r}, 255, -1);
        for (const cv::Point c : {cv::Point(r, r),
                                  {size.width - 1 - r, r},
                                  {r, size.height - 1 - r},
                                  {size.width - 1 - r, size.height - 1 - r}})
            cv::circle(mask, c, r, 255, -1);
        return mask;
    }

    /// Printed and photographed otherwise than its reference was.
    cv::Mat printed(const cv::Mat& face) {
        cv::Mat out;
        cv::resize(face, out, {}, 400.0 / std::max(face.cols, face.rows),
                   400.0 / std::max(face.cols, face.rows), cv::INTER_AREA);
        out.convertTo(out, CV_8UC3, 0.85 + 0.15 * part(), 12 * any());
        cv::Mat grey;
        cv::cvtColor(out, grey, cv::COLOR_BGR2GRAY);
        cv::cvtColor(grey, grey, cv::COLOR_GRAY2BGR);
        cv::addWeighted(out, 0.8 + 0.2 * part(), grey, 0.1, 0, out);
        return out;
    }

    void lay(MadePhotograph& photo, const Reference& reference, const cv::Matx33d& camera,
             cv::Point2d at, double turn, double side, bool sleeved) {
        const cv::Size2d size = size_of(reference.bgr, side);
        std::vector<cv::Point2d> table;
        for (const auto& [sx, sy] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}) {
            const double x = sx * size.width, y = sy * size.height;
            table.emplace_back(at.x + x * std::cos(turn) - y * std::sin(turn),
                               at.y + x * std::sin(turn) + y * std::cos(turn));
        }
        std::vector<cv::Point2d> seen;
        cv::perspectiveTransform(table, seen, camera);
        MadeCard card{reference.face, {seen.begin(), seen.end()}};
        for (const auto& p : card.corners)
            if (p.x < 4 || p.y < 4 || p.x > static_cast<float>(photo.bgr.cols) - 4 ||
                p.y > static_cast<float>(photo.bgr.rows) - 4)
                return;
        for (const MadeCard& other : photo.cards) {
            std::vector<cv::Point2f> both;
            if (cv::intersectConvexConvex(other.corners, card.corners, both) >
                0.1 * cv::contourArea(other.corners))
                return;
        }
        const cv::Mat art = printed(reference.bgr);
        const cv::Mat mask = rounded(art.size(), 0.045 * std::min(art.cols, art.rows));
        const cv::Mat paint = sleeved ? in_sleeve(art) : art;
        const float lift = static_cast<float>(0.02 * side);
        cast(
            photo.bgr, card.corners, {lift, lift}, mask.size(),
            [&](cv::Mat region, const cv::Mat& alpha, const cv::Mat&) {
                blend(region, cv::Mat(region.size(), CV_8UC3, cv::Scalar::all(10)), alpha, 0.45, 3);
            },
            mask, paint);
        cast(
            photo.bgr, card.corners, {}, mask.size(),
            [&](cv::Mat region, const cv::Mat& alpha, const cv::Mat& warped) {
                blend(region, warped, alpha, 1, 0.7);
            },
            mask, paint);
        photo.cards.push_back(card);
    }

    cv::Mat in_sleeve(const cv::Mat& art) {
        cv::Mat hazy;
        art.convertTo(hazy, CV_8UC3, 0.85, 28);
        return hazy;
    }

    template <class Paint>
    static void cast(cv::Mat& bgr, const std::vector<cv::Point2f>& corners, cv::Point2f shift,
                     cv::Size art, Paint paint, const cv::Mat& mask, const cv::Mat& face) {
        std::vector<cv::Point2f> to;
        for (const auto& p : corners) to.push_back(p + shift);
        cv::Rect box = cv::boundingRect(to);
        box = cv::Rect(box.x - 8, box.y - 8, box.width + 16, box.height + 16) &
              cv::Rect({}, bgr.size());
        for (auto& p : to) p -= cv::Point2f(box.tl());
        const float w = static_cast<float>(art.width), h = static_cast<float>(art.height);
        const cv::Mat m = cv::getPerspectiveTransform(
            std::vector<cv::Point2f>{{0, 0}, {w, 0}, {w, h}, {0, h}}, to);
        // Shrunk twice as large as seen, then halved: warpPerspective alone would alias.
        cv::Mat twice = (cv::Mat_<double>(3, 3) << 2, 0, 0.5, 0, 2, 0.5, 0, 0, 1) * m, warped,
                alpha;
        cv::warpPerspective(face, warped, twice, box.size() * 2, cv::INTER_LINEAR,
                            cv::BORDER_REPLICATE);
        cv::warpPerspective(mask, alpha, twice, box.size() * 2, cv::INTER_LINEAR);
        cv::resize(warped, warped, box.size(), 0, 0, cv::INTER_AREA);
        cv::resize(alpha, alpha, box.size(), 0, 0, cv::INTER_AREA);
        paint(bgr(box), alpha, warped);
    }

    static void blend(cv::Mat region, const cv::Mat& over, cv::Mat alpha, double strength,
                      double blur) {
        cv::GaussianBlur(alpha, alpha, {}, blur);
        cv::Mat a, three, r, o;
        alpha.convertTo(a, CV_32F, strength / 255);
        cv::merge(std::vector<cv::Mat>{a, a, a}, three);
        region.convertTo(r, CV_32FC3);
        over.convertTo(o, CV_32FC3);
        r += (o - r).mul(three);
        r.convertTo(region, CV_8UC3);
    }

    /// A lamp from one side, a shadow's edge across the table, glare on some cards.
    void light(MadePhotograph& photo) {
        const cv::Size size = photo.bgr.size();
        cv::Mat lamp = noise(size, {3, 3}, 0.12) + 1;
        if (part() < 0.5) {
            cv::Mat shade(size, CV_32F, cv::Scalar(1));
            const cv::Point p(static_cast<int>(part() * size.width), 0),
                q(static_cast<int>(part() * size.width), size.height);
            cv::fillConvexPoly(shade, std::vector<cv::Point>{p, q, {0, size.height}, {0, 0}},
                               cv::Scalar(0.55));
            cv::GaussianBlur(shade, shade, {}, 4 + 30 * part());
            cv::multiply(lamp, shade, lamp);
            photo.how += " shadow";
        }
        cv::Mat three, f;
        cv::merge(std::vector<cv::Mat>{lamp, lamp, lamp}, three);
        photo.bgr.convertTo(f, CV_32FC3);
        cv::multiply(f, three, f);
        if (part() < 0.4) {
            cv::Mat glare(size, CV_32FC3, cv::Scalar::all(0));
            for (int k = 0; k < 4; ++k)
                cv::ellipse(
                    glare,
                    {static_cast<int>(part() * size.width), static_cast<int>(part() * size.height)},
                    {static_cast<int>(20 + 60 * part()), static_cast<int>(10 + 30 * part())},
                    180 * part(), 0, 360, cv::Scalar::all(60 + 100 * part()), -1);
            cv::GaussianBlur(glare, glare, {}, 10);
            f += glare;
            photo.how += " glare";
        }
        f.convertTo(photo.bgr, CV_8UC3);
    }

    void develop(MadePhotograph& photo) {
        const double gamma = std::exp(0.3 * any()), gain = 0.6 + 0.5 * part();
        cv::Mat table(1, 256, CV_8UC3);
        for (int c = 0; c < 3; ++c) {
            const double cast = gain * (1 + 0.15 * any());
            for (int v = 0; v < 256; ++v)
                table.at<cv::Vec3b>(v)[c] = cv::saturate_cast<std::uint8_t>(
                    255 * cast * std::pow(v / 255.0, gamma));
        }
        cv::LUT(photo.bgr, table, photo.bgr);
        const double blur = 0.4 + 1.0 * part(), grain = 2 + 5 * part();
        cv::GaussianBlur(photo.bgr, photo.bgr, {}, blur);
        cv::Mat n(photo.bgr.size(), CV_16SC3);
        cv::theRNG().state = random_();
        cv::randn(n, 0, grain);
        cv::add(photo.bgr, n, photo.bgr, cv::noArray(), CV_8UC3);
        const int quality = 55 + static_cast<int>(random_() % 40);
        std::vector<std::uint8_t> file;
        cv::imencode(".jpg", photo.bgr, file, {cv::IMWRITE_JPEG_QUALITY, quality});
        photo.bgr = cv::imdecode(file, cv::IMREAD_COLOR);
        photo.how += cv::format(" gain %.2f gamma %.2f blur %.1f noise %.1f jpeg %d", gain, gamma,
                                blur, grain, quality);
    }

    const std::vector<Reference>& deck_;
    std::mt19937 random_;
};

}  // namespace overboard::bench
