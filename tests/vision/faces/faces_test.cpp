#include "vision/faces/faces.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "tests/vision/flats/flat_scene.hpp"

namespace overboard::vision {
namespace {

using test::enrolled;

/// A face laid into a picture of cloth, slanted, dimmed, tinted, blurred and noisy.
struct Shown {
    cv::Mat bgr;
    Corners corners;  // from the face's own top-left
};

Shown show(const cv::Mat& face, int seed, float corner_error_px = 1.5F) {
    cv::RNG r(static_cast<std::uint64_t>(seed) * 7919 + 3);
    Shown s;
    s.bgr = cv::Mat(480, 640, CV_8UC3, cv::Scalar(70, 90, 60));
    const float scale = 130.0F / static_cast<float>(face.cols), turn = r.uniform(-3.1F, 3.1F);
    const float w = static_cast<float>(face.cols), h = static_cast<float>(face.rows);
    const cv::Point2f from[4] = {
        {-0.5F, -0.5F}, {w - 0.5F, -0.5F}, {w - 0.5F, h - 0.5F}, {-0.5F, h - 0.5F}};
    for (int i = 0; i < 4; ++i) {
        const cv::Point2f d = (from[i] - cv::Point2f(w, h) * 0.5F) * scale;
        s.corners[i] = cv::Point2f(320 + d.x * std::cos(turn) - d.y * std::sin(turn),
                                   240 + d.x * std::sin(turn) + d.y * std::cos(turn)) +
                       cv::Point2f(r.uniform(-6.F, 6.F), r.uniform(-6.F, 6.F));
    }
    cv::Mat warped, mask(face.size(), CV_8U, cv::Scalar(255)), warped_mask;
    const cv::Mat m = cv::getPerspectiveTransform(from, s.corners.data());
    cv::warpPerspective(face, warped, m, s.bgr.size(), cv::INTER_AREA);
    cv::warpPerspective(mask, warped_mask, m, s.bgr.size(), cv::INTER_NEAREST);
    warped.copyTo(s.bgr, warped_mask);
    cv::GaussianBlur(s.bgr, s.bgr, {}, 0.9);
    cv::Mat f, noise(s.bgr.size(), CV_32FC3);
    s.bgr.convertTo(f, CV_32F);
    r.fill(noise, cv::RNG::NORMAL, 0, 4);
    f = f.mul(cv::Scalar(0.75, 0.7, 0.8)) + noise;
    f.convertTo(s.bgr, CV_8U);
    for (auto& c : s.corners)
        c += cv::Point2f(r.uniform(-1.F, 1.F), r.uniform(-1.F, 1.F)) * corner_error_px;
    return s;
}

std::vector<cv::Point2f> listed(const Corners& c, int first) {
    std::vector<cv::Point2f> out(c.begin(), c.end());
    std::rotate(out.begin(), out.begin() + first, out.end());
    return out;
}

TEST(Faces, KnowsEveryCardInBadLightFromAnyCorner) {
    for (const std::string set : {"gotown", "gayplay"}) {
        const Faces faces = enrolled(set);
        ASSERT_GT(faces.size(), 10u);
        int seed = 0;
        for (const std::string& name : faces.names()) {
            const Shown s = show(simulator::draw_face(set, name, 6), ++seed);
            const FaceMatch m = faces.recognise(s.bgr, listed(s.corners, seed % 4));
            EXPECT_EQ(m.face, name)
                << set << ": best " << m.best << ", score " << m.score << ", margin " << m.margin;
            EXPECT_GT(m.confidence, 0.5);
        }
    }
}

TEST(Faces, SaysWhichWayATileLies) {
    const Faces faces = enrolled("jouets");
    int seed = 50, checked = 0;
    for (const std::string& name : faces.names()) {
        if (name == "back" || checked == 20) continue;
        const Shown s = show(simulator::draw_face("jouets", name, 6), ++seed);
        const int first = seed % 4;
        const FaceMatch m = faces.recognise(s.bgr, listed(s.corners, first));
        if (m.face != name) continue;
        ++checked;
        EXPECT_EQ(m.quarter_turns, first)
            << name;  // the crop began `first` corners after the face's own
        EXPECT_LT(cv::norm(m.corners[0] - s.corners[0]), 12) << name;
    }
    EXPECT_EQ(checked, 20);
}

TEST(Faces, SaysNothingRatherThanGuess) {
    const Faces faces = enrolled("gotown");
    int seed = 100;
    for (const std::string& stranger : simulator::face_names("gayplay")) {
        const Shown s = show(simulator::draw_face("gayplay", stranger, 6), ++seed);
        const FaceMatch m = faces.recognise(s.bgr, listed(s.corners, 0));
        EXPECT_EQ(m.face, std::nullopt)
            << stranger << " taken for " << m.best << " with " << m.score;
        EXPECT_FALSE(m.alternatives.empty());
    }
    cv::Mat noise(480, 640, CV_8UC3);
    cv::RNG r(5);
    for (int k = 0; k < 50; ++k) {
        r.fill(noise, cv::RNG::UNIFORM, 0, 256);
        EXPECT_EQ(faces.recognise(noise, {{100, 100}, {226, 100}, {226, 276}, {100, 276}}).face,
                  std::nullopt);
    }
}

/// A card in the style of playing cards: an index in two corners and this many pips.
cv::Mat pip_card(int pips) {
    cv::Mat card(420, 300, CV_8UC3, cv::Scalar(235, 238, 240));
    const cv::Scalar ink(40, 30, 180);
    static const std::vector<cv::Point> kPlaces[3] = {
        {{150, 210}}, {{150, 80}, {150, 340}}, {{90, 80}, {210, 80}, {90, 340}, {210, 340}}};
    std::vector<cv::Point> places = kPlaces[pips >= 4 ? 2 : pips >= 2 ? 1 : 0];
    if (pips == 3 || pips == 5) places.push_back({150, 210});
    if (pips >= 6) places.insert(places.end(), {{90, 210}, {210, 210}});
    if (pips == 7) places.push_back({150, 145});
    for (const cv::Point p : places) cv::circle(card, p, 26, ink, -1, cv::LINE_AA);
    cv::putText(card, std::to_string(pips), {8, 40}, cv::FONT_HERSHEY_DUPLEX, 1.2, ink, 3,
                cv::LINE_AA);
    cv::putText(card, std::to_string(pips), {268, 412}, cv::FONT_HERSHEY_DUPLEX, 1.2, ink, 3,
                cv::LINE_AA);
    return card;
}

// A six lies over a four and has two pips more: nearly all of its print is explained.
TEST(Faces, StrangersOfTheSameStyleStayNameless) {
    Faces faces;
    for (const int pips : {1, 2, 4, 7}) faces.enrol(std::to_string(pips), pip_card(pips));
    for (int pips = 1; pips <= 7; ++pips)
        for (int seed = 0; seed < 6; ++seed) {
            const Shown s = show(pip_card(pips), 300 + 10 * pips + seed, 1);
            const FaceMatch m = faces.recognise(s.bgr, listed(s.corners, seed % 4));
            const bool known = pips == 1 || pips == 2 || pips == 4 || pips == 7;
            EXPECT_EQ(m.face, known ? std::optional(std::to_string(pips)) : std::nullopt)
                << pips << " is nearest to " << m.best << ", score " << m.score << ", worst place "
                << m.worst;
        }
}

TEST(Faces, ConfirmsAKnownFaceAndNoOther) {
    const Faces faces = enrolled("gayplay");
    const std::vector<std::string> names = faces.names();
    int confirmed = 0, mistaken = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Shown s = show(simulator::draw_face("gayplay", names[i], 6), static_cast<int>(i), 1);
        const auto same = faces.confirm(s.bgr, s.corners, names[i]);
        confirmed += same && same->face == names[i];
        mistaken += faces.confirm(s.bgr, s.corners, names[(i + 1) % names.size()]).has_value();
    }
    EXPECT_GT(confirmed, 0);
    EXPECT_EQ(mistaken, 0);
    EXPECT_FALSE(faces.confirm(cv::Mat(480, 640, CV_8UC3, cv::Scalar(70, 90, 60)),
                               {{{100, 100}, {226, 100}, {226, 276}, {100, 276}}}, names[0]));
    EXPECT_FALSE(faces.confirm(cv::Mat(480, 640, CV_8UC3),
                               {{{100, 100}, {226, 100}, {226, 276}, {100, 276}}}, "no such face"));
}

TEST(Faces, ConfirmingPullsTheCornersOntoTheFace) {
    const Faces faces = enrolled("gotown");
    double before = 0, after = 0;
    int confirmed = 0;
    for (int seed = 1; seed <= 12; ++seed) {
        const std::string name = faces.names()[static_cast<std::size_t>(seed)];
        const cv::Mat face = simulator::draw_face("gotown", name, 6);
        const Shown s = show(face, seed, 0);
        Corners nudged = s.corners;
        for (cv::Point2f& c : nudged) c += cv::Point2f(2, -2);
        const auto m = faces.confirm(s.bgr, nudged, name, 3);
        if (!m) continue;
        ++confirmed;
        for (int i = 0; i < 4; ++i)
            before += cv::norm(nudged[i] - s.corners[i]),
                after += cv::norm(m->corners[i] - s.corners[i]);
    }
    EXPECT_GE(confirmed, 6);
    EXPECT_LT(after, 0.5 * before);
}

TEST(Faces, ATwinIsNeverConfirmed) {
    Faces faces;
    for (int pips = 1; pips <= 7; ++pips) faces.enrol(std::to_string(pips), pip_card(pips));
    for (int pips = 1; pips <= 7; ++pips) {
        const Shown s = show(pip_card(pips), 400 + pips, 1);
        for (int other = pips + 1; other <= pips + 6; ++other) {
            const std::string name = std::to_string(1 + (other - 1) % 7);
            EXPECT_FALSE(faces.confirm(s.bgr, s.corners, name, 3)) << pips << " taken for " << name;
        }
    }
}

TEST(Faces, AFaceWithTwinsIsConfirmedWhereItsOwnPlacesShow) {
    const Faces faces = enrolled("jouets");
    int confirmed = 0;
    for (const Faces::Pair& pair : faces.most_alike(8)) {
        const Shown s = show(simulator::draw_face("jouets", pair.a, 6), 500, 0);
        confirmed += faces.confirm(s.bgr, s.corners, pair.a).has_value();
        EXPECT_FALSE(faces.confirm(s.bgr, s.corners, pair.b)) << pair.a << " taken for " << pair.b;
    }
    EXPECT_GE(confirmed, 6);
}

/// One frame and one figure for all; only two small numbers differ.
cv::Mat twin(int number) {
    cv::Mat face(440, 320, CV_8UC3, cv::Scalar(110, 50, 70));
    cv::rectangle(face, {12, 12}, {307, 427}, {90, 190, 225}, 5);
    cv::circle(face, {160, 210}, 120, {235, 215, 205}, -1, cv::LINE_AA);
    cv::circle(face, {160, 210}, 90, {50, 60, 160}, -1, cv::LINE_AA);
    cv::circle(face, {160, 210}, 40, {160, 90, 60}, -1, cv::LINE_AA);
    for (const cv::Point p : {cv::Point(32, 80), cv::Point(250, 405)})
        cv::putText(face, std::to_string(number), p, cv::FONT_HERSHEY_SIMPLEX, 1.7, {235, 240, 245},
                    7, cv::LINE_AA);
    return face;
}

TEST(Faces, TellsTwinsByTheNumberThatDiffers) {
    Faces faces;
    for (int n = 1; n <= 8; ++n) faces.enrol(std::to_string(n), twin(n));
    RecogniseOptions options;
    options.rounds = 5, options.slack = 0.05F, options.careful = true;
    int right = 0;
    cv::RNG random(3);
    for (int n = 1; n <= 8; ++n)
        for (int time = 0; time < 3; ++time) {
            cv::Mat card, picture(220, 220, CV_8UC3, cv::Scalar(40, 60, 50));
            cv::resize(twin(n), card, {100, 138}, 0, 0, cv::INTER_AREA);
            cv::GaussianBlur(card, card, {}, 0.8);
            card.copyTo(picture(cv::Rect(60, 40, 100, 138)));
            picture(cv::Rect(0, 0, 220, 70 + 40 * time)) *= 0.6;  // somebody's shadow
            cv::Mat noise(picture.size(), CV_16SC3);
            random.fill(noise, cv::RNG::NORMAL, 0, 5);
            cv::add(picture, noise, picture, cv::noArray(), CV_8UC3);
            Corners corners{cv::Point2f(60, 40), {159, 40}, {159, 177}, {60, 177}};
            for (auto& p : corners)
                p += cv::Point2f(random.uniform(-2.F, 2.F), random.uniform(-2.F, 2.F));
            const FaceMatch match = faces.recognise(picture, corners, options);
            if (!match.face) continue;
            EXPECT_EQ(*match.face, std::to_string(n)) << "margin " << match.margin;
            right += *match.face == std::to_string(n);
        }
    EXPECT_GE(right, 16) << "of 24";
}

TEST(Faces, NamesPrintThatIsAsBrightAsItsGround) {
    const cv::Scalar grounds[] = {{160, 120, 90}, {90, 150, 120}},
                     inks[] = {{185, 185, 50}, {50, 150, 175}};
    Faces faces;
    std::vector<cv::Mat> pictures;
    for (int i = 0; i < 8; ++i) {
        cv::Mat face(300, 300, CV_8UC3, grounds[i % 2]);
        for (int k = 0; k <= i / 2; ++k)
            cv::circle(face, {80 + 140 * (k % 2), 80 + 140 * (k / 2)}, 50, inks[i % 2], -1,
                       cv::LINE_AA);
        faces.enrol(std::to_string(i), face);
        pictures.push_back(face);
    }
    RecogniseOptions options;
    options.rounds = 5, options.slack = 0.05F, options.careful = true;
    int right = 0;
    for (int i = 0; i < 8; ++i) {
        Shown s = show(pictures[i], i + 40);
        s.bgr = s.bgr * 0.45 + cv::Scalar::all(14);  // a dark room, and haze
        const FaceMatch match = faces.recognise(s.bgr, s.corners, options);
        if (match.face) {
            EXPECT_EQ(*match.face, std::to_string(i));
        }
        right += match.face == std::to_string(i);
    }
    EXPECT_GE(right, 7) << "of 8";
}

TEST(Faces, SurvivesImpossibleCorners) {
    const Faces faces = enrolled("gotown");
    const cv::Mat bgr(100, 100, CV_8UC3, cv::Scalar(9, 90, 200));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::vector<cv::Point2f>> bad = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}},
        {{-1e9F, 0}, {1e9F, 0}, {1e9F, 1e9F}, {0, 1e9F}},
        {{nan, 0}, {50, nan}, {50, 50}, {0, 50}},
        {{0, 0}, {50, 50}, {50, 0}, {0, 50}},
        {{0, 0}, {50, 0}}};
    for (const auto& corners : bad) EXPECT_EQ(faces.recognise(bgr, corners).face, std::nullopt);
    const std::vector<cv::Point2f> good = {{0, 0}, {50, 0}, {50, 70}, {0, 70}};
    EXPECT_EQ(faces.recognise(cv::Mat(), good).face, std::nullopt);
    EXPECT_EQ(Faces().recognise(bgr, good).face, std::nullopt);
}

TEST(Faces, ReadsTheStripThatShowsOfACoveredCard) {
    const Faces faces = enrolled("gotown");
    int seed = 200, right = 0, wrong = 0;
    for (const std::string& name : faces.names()) {
        const Shown s = show(simulator::draw_face("gotown", name, 6), ++seed, 0.5F);
        RecogniseOptions options;
        options.visible = {0, 0, 1, 0.25F};
        const FaceMatch m = faces.recognise(s.bgr, s.corners, options);
        right += m.face == name;
        wrong += m.face && *m.face != name;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(right, static_cast<int>(faces.size()) - 3);
}

TEST(Faces, EnrolsAFolderAndNamesWhatIsMissing) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "overboard_faces_test";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    try {
        (void)Faces::from_folder(folder);
        FAIL() << "an empty folder was taken";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find(folder.string()), std::string::npos);
    }
    for (const std::string face : {"1", "dog"})
        cv::imwrite((folder / (face + ".png")).string(), simulator::draw_face("gotown", face, 4));
    EXPECT_EQ(Faces::from_folder(folder).names(), (std::vector<std::string>{"1", "dog"}));
    std::filesystem::remove_all(folder);
}

TEST(Faces, NamesThePairsThatLookAlike) {
    Faces faces = enrolled("gotown");
    faces.enrol("twin", simulator::draw_face("gotown", "dog", 6));
    const auto pairs = faces.most_alike(1);
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ((std::set<std::string>{pairs[0].a, pairs[0].b}),
              (std::set<std::string>{"dog", "twin"}));
    EXPECT_GT(pairs[0].likeness, 0.99);
}

}  // namespace
}  // namespace overboard::vision
