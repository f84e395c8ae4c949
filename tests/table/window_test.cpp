#include <gmock/gmock.h>

#include "table/drawing.hpp"
#include "tests/table/support.hpp"

// After SFML: X11 defines None and other common words as macros.
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/Xrandr.h>

// A real window, and what the X server says is in it.
namespace overboard::table::testing {
namespace {

constexpr std::array<Point, 4> kTable = {Point{0, 0}, {1200, 0}, {1200, 675}, {0, 675}};
constexpr std::array<Point, 4> kKeystone = {Point{70, 40}, {900, 15}, {930, 520}, {25, 500}};

Picture screenshot(unsigned long window) {
    Display* display = XOpenDisplay(nullptr);
    XWindowAttributes size;
    XGetWindowAttributes(display, window, &size);
    XImage* image = XGetImage(display, window, 0, 0, unsigned(size.width), unsigned(size.height),
                              AllPlanes, ZPixmap);
    Picture p{{size.width, size.height}, 1, {}};
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            const unsigned long c = XGetPixel(image, x, y);
            for (const int shift : {16, 8, 0}) p.rgba.push_back(std::uint8_t(c >> shift));
            p.rgba.push_back(255);
        }
    XDestroyImage(image);
    XCloseDisplay(display);
    return p;
}

// The middle of all light near a pixel, weighted by brightness; pixel centres are at a half.
Point lit_middle(const Picture& p, Point near, int reach) {
    double sum = 0;
    Point middle;
    for (int y = int(near.y) - reach; y <= int(near.y) + reach; ++y)
        for (int x = int(near.x) - reach; x <= int(near.x) + reach; ++x) {
            const double w = light(p, x, y);
            sum += w;
            middle = middle + Point{x + 0.5, y + 0.5} * w;
        }
    return sum > 0 ? middle * (1 / sum) : Point{-1e9, -1e9};
}

TableOptions window(bool keystone) {
    TableOptions o;
    o.canvas.size = {960, 540};
    if (keystone) {
        o.projector = homography(kTable, kKeystone);
    }
    return o;
}

void steps(TableApp& app, double& now, int n = 3) {
    for (int i = 0; i < n; ++i) app.step(now += 0.05);
}

Scene circles(const std::vector<Point>& centres) {
    Scene scene;
    scene.table.markers.clear();
    scene.match = MatchState{};  // nobody plays: no panels
    for (const Point c : centres) {
        Mark m = mark(MarkKind::circle, MarkStyle::hint, c);
        m.radius = 14;
        scene.marks.push_back(m);
    }
    return scene;
}

TEST(Window, CirclesStandWithinAMillimetreOfWhereTheyBelongThroughAKeystone) {
    NEEDS_DISPLAY();
    TableApp app{window(true)};
    double now = 0;
    const std::vector<Point> centres = {{150, 150}, {600, 150}, {1050, 150}, {300, 337},
                                        {900, 337}, {150, 500}, {600, 500},  {1050, 500}};
    app.show(circles(centres));
    steps(app, now);
    const Picture p = screenshot(app.canvas().handle());
    const Mapping map = Mapping::from_centres(*window(true).projector);
    double worst = 0;
    for (const Point c : centres) {
        const Point found = map.mm(lit_middle(p, map.pixel(c), 20));
        worst = std::max(worst, distance(found, c));
        EXPECT_LE(distance(found, c), 1.0) << "at " << c.x << ", " << c.y;
    }
    RecordProperty("worst_mm", std::to_string(worst));
    std::printf("worst error of a drawn circle: %.3f mm\n", worst);
}

TEST(Window, NothingChangedMeansNoDrawAndNoDisplay) {
    NEEDS_DISPLAY();
    TableApp app{window(false)};
    double now = 0;
    Scene scene = circles({{300, 300}});
    scene.match = two_players();
    app.show(scene);
    steps(app, now);
    const auto draws = app.draws(), displays = app.displays();
    EXPECT_GT(draws, 0u);
    steps(app, now, 50);
    app.show(scene);  // told the same again
    steps(app, now, 5);
    EXPECT_EQ(app.draws(), draws);
    EXPECT_EQ(app.displays(), displays);
    scene.marks[0].at.x += 5;
    app.show(scene);
    steps(app, now, 5);
    EXPECT_EQ(app.displays(), displays + 1) << "one change, one picture";
}

void resize(const TableApp& app, unsigned width, unsigned height) {
    Display* display = XOpenDisplay(nullptr);
    XResizeWindow(display, app.canvas().handle(), width, height);
    XSync(display, False);
    XCloseDisplay(display);
}

// Marks that change, pieces that move over many marks and over few: all the ways to redraw a part.
void play_about(TableApp& app, Scene& scene, double& now) {
    for (int i = 0; i < 12; ++i) {
        if (i % 6 < 3) scene.marks[0].at.x += 7;
        scene.pieces = {piece(1, PieceKind::disc, "blue", 340.0 + 9 * i, 320),
                        piece(2, PieceKind::disc, "blue", 850.0 - 4 * i, 390)};
        app.show(scene);
        steps(app, now, 1);
    }
}

int differing(const Picture& a, const Picture& b) {
    if (a.size != b.size) return 1 << 30;
    int different = 0;
    for (std::size_t i = 0; i < a.rgba.size(); ++i)
        different += std::abs(a.rgba[i] - b.rgba[i]) > 8;
    return different;
}

TEST(Window, WhatIsRedrawnInPartsLooksLikeWhatIsDrawnWhole) {
    NEEDS_DISPLAY();
    TableApp app{window(false)};
    double now = 0;
    Scene scene = circles({{300, 300},
                           {330, 310},
                           {350, 320},
                           {370, 330},
                           {380, 315},
                           {420, 325},
                           {440, 310},
                           {800, 400}});
    scene.match = two_players();
    for (const Size size : {Size{960, 540}, Size{700, 600}, Size{1100, 640}}) {
        resize(app, unsigned(size.width), unsigned(size.height));
        steps(app, now, 10);
        play_about(app, scene, now);
        const Picture parts = screenshot(app.canvas().handle());
        TableOptions same = window(false);
        same.canvas.size = size;
        TableApp fresh{same};
        fresh.show(scene);
        steps(fresh, now);
        EXPECT_EQ(differing(parts, screenshot(fresh.canvas().handle())), 0) << size.width;
    }
}

TEST(Window, AResizedWindowShowsTheWholeTable) {
    NEEDS_DISPLAY();
    TableApp app{window(false)};
    double now = 0;
    app.show(circles({{600, 337}}));
    steps(app, now);
    resize(app, 700, 600);
    steps(app, now, 10);
    ASSERT_EQ(app.canvas().size(), (Size{700, 600}));
    const Mapping map = Mapping::fit(Table{}, {700, 600});
    const Picture p = screenshot(app.canvas().handle());
    EXPECT_LE(distance(map.mm(lit_middle(p, map.pixel({600, 337}), 16)), {600, 337}), 1.0);
}

TEST(Window, StandsOnTheNamedOutputAndSaysWhichOnesThereAre) {
    NEEDS_DISPLAY();
    const auto all = outputs();
    if (all.empty()) GTEST_SKIP() << "this X server has no RandR outputs";
    CanvasOptions options;
    options.output = all[0].name;
    Canvas canvas{options};
    EXPECT_EQ(canvas.size(), (Size{all[0].width, all[0].height}));
    EXPECT_TRUE(canvas.follow_output());
    options.output = "HDMI-77";
    try {
        Canvas lost{options};
        FAIL() << "there is no such output";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), ::testing::HasSubstr(all[0].name));
    }
}

/// Pulls the cable of the first output, and puts it back.
class Cable {
public:
    Cable() : display_{XOpenDisplay(nullptr)} {
        screen_ = XRRGetScreenResourcesCurrent(display_, DefaultRootWindow(display_));
        for (int i = 0; screen_ && i < screen_->ncrtc && !was_; ++i)
            if (XRRCrtcInfo* info = XRRGetCrtcInfo(display_, screen_, screen_->crtcs[i]);
                info && info->mode)
                was_ = info, crtc_ = screen_->crtcs[i];
    }
    bool pull() {
        return was_ &&
               XRRSetCrtcConfig(display_, screen_, crtc_, CurrentTime, 0, 0, 0L, RR_Rotate_0,
                                nullptr, 0) == RRSetConfigSuccess &&
               sync();
    }
    bool plug() {
        return XRRSetCrtcConfig(display_, screen_, crtc_, CurrentTime, was_->x, was_->y, was_->mode,
                                was_->rotation, was_->outputs,
                                was_->noutput) == RRSetConfigSuccess &&
               sync();
    }

private:
    bool sync() {
        XSync(display_, False);
        return true;
    }
    Display* display_;
    XRRScreenResources* screen_ = nullptr;
    XRRCrtcInfo* was_ = nullptr;
    RRCrtc crtc_ = 0;
};

TEST(Window, SurvivesItsOutputBeingUnpluggedAndShowsTheLatestWhenItIsBack) {
    NEEDS_DISPLAY();
    const auto all = outputs();
    if (all.empty()) GTEST_SKIP() << "this X server has no RandR outputs";
    TableOptions options;
    options.canvas.output = all[0].name;
    TableApp app{options};
    double now = 0;
    app.show(circles({{300, 300}}));
    steps(app, now);
    Cable cable;
    if (!cable.pull()) GTEST_SKIP() << "this X server does not let an output go";
    steps(app, now, 60);  // it looks every two seconds
    const auto displays = app.displays();
    Scene later = circles({{900, 400}});
    app.show(later);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(app.step(now += 0.05)) << "the program lives on";
    EXPECT_EQ(app.displays(), displays) << "nothing is drawn for nobody";
    EXPECT_EQ(app.scene().marks.size(), 1u);
    ASSERT_TRUE(cable.plug());
    steps(app, now, 60);
    const Mapping map = Mapping::fit(Table{}, app.canvas().size());
    const Picture p = screenshot(app.canvas().handle());
    EXPECT_LE(distance(map.mm(lit_middle(p, map.pixel({900, 400}), 36)), {900, 400}), 1.0)
        << "what came meanwhile is shown";
}

TEST(Window, AMouseClickIsATap) {
    NEEDS_DISPLAY();
    TableApp app{window(false)};
    double now = 0;
    app.show(Scene{});
    steps(app, now);
    Display* display = XOpenDisplay(nullptr);
    for (const int type : {ButtonPress, ButtonRelease}) {
        XEvent event{};
        event.xbutton = {type,
                         0,
                         True,
                         display,
                         app.canvas().handle(),
                         DefaultRootWindow(display),
                         None,
                         CurrentTime,
                         480,
                         500,
                         480,
                         500,
                         type == ButtonRelease ? Button1Mask : 0u,
                         Button1,
                         True};
        XSendEvent(display, app.canvas().handle(), True,
                   type == ButtonPress ? ButtonPressMask : ButtonReleaseMask, &event);
    }
    XSync(display, False);
    XCloseDisplay(display);
    steps(app, now, 10);
    EXPECT_EQ(app.scene().menu.page, "home");
    EXPECT_EQ(app.scene().menu.seat, "s");
}

}  // namespace
}  // namespace overboard::table::testing
