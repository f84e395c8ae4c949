#include <fmt/format.h>
#include <SFML/Graphics/Image.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "app/commands.hpp"
#include "app/keys.hpp"
#include "app/shot_what_if.hpp"
#include "app/stop.hpp"
#include "bus/messages.hpp"
#include "table/outputs.hpp"
#include "table/table_app.hpp"
#include "table/virtual_display.hpp"

namespace overboard::app {
namespace {

struct Wanted {
    table::TableOptions options;
    std::string window = "1280x720", table_file, projector, touch_map, picture, taps, evdev;
    double after_s = 1.5, rest_s = 0;
    int tuio_in = -1;
    bool touch_screen = false;
    KeyOptions keys;
};

table::Size size_of(const std::string& text) {
    table::Size size;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &rest) != 2 ||
        size.width < 64 || size.height < 64 || size.width > 16384 || size.height > 16384)
        throw CLI::ValidationError("--window", "'" + text + "' is not WIDTHxHEIGHT");
    return size;
}

table::Matrix3 matrix_of(const std::string& text, const char* option = "--projector") {
    table::Matrix3 m{};
    std::istringstream in{text};
    in.imbue(std::locale::classic());
    for (double& v : m)
        if (!(in >> v))
            throw CLI::ValidationError(option, "nine numbers are needed: a 3x3 matrix by rows");
    return m;
}

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void run_for(table::TableApp& shown, double seconds) {
    for (const double until = now_s() + seconds; now_s() < until;) {
        shown.step(now_s());
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

// A place "x,y" in millimetres, or what a button does, e.g. "undo" or "menu.page=games".
std::optional<Point> place_of(const table::TableApp& shown, const std::string& what) {
    Point at;
    std::istringstream in{what};
    in.imbue(std::locale::classic());
    if (in >> at.x && in.ignore(1) && in >> at.y) return at;
    const auto equals = what.find('=');
    const std::string verb = what.substr(0, equals),
                      value = equals == std::string::npos ? "" : what.substr(equals + 1);
    for (const table::Target& target : shown.targets()) {
        bool fits = target.action.verb == verb && value.empty();
        for (const auto& [key, data] : target.action.data.items())
            fits |= target.action.verb == verb && data.is_string() &&
                    data.get<std::string>() == value;
        if (fits) return target.centre();
    }
    return {};
}

void tap_all(table::TableApp& shown, const std::string& taps) {
    std::istringstream in{taps};
    for (std::string what; in >> what;) {
        if (what == "wait") {
            run_for(shown, 2);
            continue;
        }
        auto at = place_of(shown, what);
        for (int i = 0; !at && i < 50; ++i)
            run_for(shown, 0.2),
                at = place_of(shown, what);  // what it answers to may still be on its way
        if (!at) throw std::runtime_error("nothing to tap for '" + what + "'");
        shown.tap(*at);
        run_for(shown, 0.7);
    }
}

void save(table::TableApp& shown, const std::string& file) {
    const table::Picture& p = shown.picture();
    sf::Image image;
    image.create(static_cast<unsigned>(p.size.width), static_cast<unsigned>(p.size.height),
                 p.rgba.data());
    if (!image.saveToFile(file)) throw std::runtime_error("cannot write " + file);
}

void run(Wanted& w) {
    require_language(w.options.language);
    for (const auto& [seat, language] : w.options.seat_language)
        require_language(language, "--seat-lang");
    w.keys.introduce();
    w.options.canvas.size = size_of(w.window);
    if (!w.projector.empty()) w.options.projector = matrix_of(w.projector);
    if (!w.touch_map.empty()) w.options.touch = matrix_of(w.touch_map, "--touch-map");
    if (!w.table_file.empty()) w.options.table = load_table(w.table_file);
    if (w.tuio_in >= 0) w.options.tuio_in = w.tuio_in;
    if (w.touch_screen || !w.evdev.empty()) w.options.evdev = w.evdev;
    if (!w.picture.empty()) w.options.canvas.offscreen = true;
    w.options.what_if = fitted_what_if();
    std::optional<table::VirtualDisplay> display;
    if (w.options.canvas.offscreen && !table::display_present()) display.emplace();
    table::TableApp shown{w.options};
    stop_on_signals();
    const double end = w.picture.empty() ? 1e300 : now_s() + w.after_s;
    while (!stop_asked && now_s() < end && shown.step(now_s()))
        std::this_thread::sleep_for(std::chrono::milliseconds{4});
    if (w.picture.empty()) return;
    tap_all(shown, w.taps);
    run_for(shown, w.rest_s);
    save(shown, w.picture);
}

}  // namespace

void require_language(const std::string& language, const std::string& option) {
    const auto there = Messages::shared().languages();
    if (std::find(there.begin(), there.end(), language) != there.end()) return;
    throw CLI::ValidationError(
        option, fmt::format("no language '{}'; there are {}", language, fmt::join(there, ", ")));
}

void add_table(CLI::App& app) {
    auto* command = app.add_subcommand("table",
                                       "The projector overlay and touch as their own process");
    auto w = std::make_shared<Wanted>();
    auto& to = w->options;
    to.addresses = {"tcp://127.0.0.1:7400", "tcp://127.0.0.1:7401", "tcp://127.0.0.1:7402"};
    command->add_option("--requests", to.addresses.requests, "Rules: where requests go")
        ->capture_default_str();
    command->add_option("--events", to.addresses.events, "Rules: where events come from")
        ->capture_default_str();
    command
        ->add_option("--observations", to.addresses.observations,
                     "Vision: where observations come from")
        ->capture_default_str();
    w->keys.add_to_connecting(*command);
    command->add_option("--overlay", to.overlay, "Address to announce overlay changes on");
    auto* output = command->add_option("--output", to.canvas.output,
                                       "Projector output by its connector name, e.g. HDMI-1");
    command->add_option("--window", w->window, "A desk window of this size, WIDTHxHEIGHT")
        ->capture_default_str()
        ->excludes(output);
    command->add_flag("--offscreen", to.canvas.offscreen, "Draw without a window")
        ->excludes(output);
    command->add_option("--table", w->table_file, "Table file; default the 1200 x 675 mm table");
    command->add_option("--projector", w->projector,
                        "Table mm to projector pixels: nine numbers, a 3x3 matrix by rows");
    command->add_option("--touch-map", w->touch_map,
                        "Touch surface (0 to 1) to table mm: nine numbers, a 3x3 matrix by rows");
    command->add_option("--lang", to.language, "Language of the table: en, fr")
        ->capture_default_str();
    command->add_option("--seat-lang", to.seat_language, "Language of one seat, e.g. n fr");
    command
        ->add_option("--tuio-in", w->tuio_in,
                     "Listen for TUIO cursors on this UDP port (usually 3333)")
        ->check(CLI::Range(0, 65535));
    command->add_option("--tuio-out", to.tuio_out, "Send the pieces as TUIO objects to HOST:PORT");
    command->add_option("--touch-device", w->evdev, "Multi-touch device, e.g. /dev/input/event5");
    command->add_flag("--touch-screen", w->touch_screen, "Use the first multi-touch device found");
    command->add_flag("--voice", to.voice, "Say score and turn aloud (espeak-ng)");
    command->add_option("--picture", w->picture, "Write what is shown to this PNG and leave");
    command->add_option("--after", w->after_s, "Seconds before the picture is taken")
        ->capture_default_str();
    command->add_option("--tap", w->taps,
                        "Before the picture: tap these in turn, places \"x,y\" in mm or what "
                        "buttons do, e.g. \"menu.open undo wait\"");
    command->add_option("--rest", w->rest_s, "Seconds between the last tap and the picture");
    command->callback([w] { run(*w); });
}

}  // namespace overboard::app
