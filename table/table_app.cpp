#include "table/table_app.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <SFML/Window/Event.hpp>

#include "bus/codec.hpp"
#include "table/controller.hpp"
#include "table/drawing.hpp"
#include "table/tuio_out.hpp"

namespace overboard::table {
namespace {

Scene first_scene(const TableOptions& options) {
    Scene scene;
    scene.table = options.table;
    scene.language = options.language;
    scene.seat_language = options.seat_language;
    return scene;
}

std::pair<std::string, int> host_and_port(const std::string& address) {
    const auto colon = address.rfind(':');
    const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (port.empty() || port.size() > 5 ||
        port.find_first_not_of("0123456789") != std::string::npos)
        throw std::runtime_error("'" + address + "' is not HOST:PORT");
    return {address.substr(0, colon), std::stoi(port)};
}

std::string overlay_json(const OverlayChange& change) {
    Json boxes = Json::array();
    for (const Rect& b : change.boxes_mm) boxes.push_back({b.x0, b.y0, b.x1, b.y1});
    return Json{{"time", change.time}, {"picture", change.picture}, {"boxes", boxes}}.dump();
}

}  // namespace

struct TableApp::Impl {
    TableOptions options;
    Canvas canvas;
    TextAtlas atlas;
    DisplayList list;
    Controller mind;
    Taps taps;
    std::vector<Touch> waiting;
    std::vector<Target> targets;
    std::set<std::string> untranslated;
    std::unique_ptr<TuioIn> tuio_in;
    std::unique_ptr<TuioOut> tuio_out;
    std::unique_ptr<EvdevTouch> evdev;
    std::optional<Publisher> overlay;
    Mapping touch_map;
    Picture picture;
    std::uint64_t pictures = 0, pictures_read = 0;
    double drawn_s = -1e9, output_s = 0;
    bool output_here = true, pending = true;

    explicit Impl(TableOptions wanted)
        : options{std::move(wanted)},
          canvas{options.canvas},
          mind{options.addresses, first_scene(options), options.voice} {
        if (options.tuio_in) tuio_in = std::make_unique<TuioIn>(*options.tuio_in);
        if (!options.tuio_out.empty()) {
            const auto [host, port] = host_and_port(options.tuio_out);
            tuio_out = std::make_unique<TuioOut>(host, port);
        }
        if (options.evdev) evdev = std::make_unique<EvdevTouch>(*options.evdev);
        if (!options.overlay.empty()) overlay.emplace(options.overlay);
        touch_map = Mapping{options.touch.value_or(
            Matrix3{options.table.width_mm, 0, 0, 0, options.table.height_mm, 0, 0, 0, 1})};
        mind.set_what_if(options.what_if);
        fit();
    }

    void fit() {
        canvas.set_mapping(options.projector ? Mapping::from_centres(*options.projector)
                                             : Mapping::fit(options.table, canvas.size()));
    }

    [[nodiscard]] double px_per_mm() const {
        return canvas.mapping().px_per_mm(
            {options.table.width_mm / 2, options.table.height_mm / 2});
    }

    void window_events() {
        for (sf::Event event; canvas.poll(event);) {
            if (event.type == sf::Event::Closed) canvas.close();
            if (event.type == sf::Event::Resized) fit(), pending = true;
            if (event.type == sf::Event::GainedFocus) pending = true;
            if (event.type == sf::Event::MouseButtonPressed)
                mouse(Touch::Phase::down, event.mouseButton.x, event.mouseButton.y);
            if (event.type == sf::Event::MouseButtonReleased)
                mouse(Touch::Phase::up, event.mouseButton.x, event.mouseButton.y);
            if (event.type == sf::Event::MouseMoved)
                mouse(Touch::Phase::move, event.mouseMove.x, event.mouseMove.y);
        }
    }

    void mouse(Touch::Phase phase, int x, int y) {
        waiting.push_back({-1, phase, canvas.mapping().mm({x + 0.5, y + 0.5})});
    }

    void fingers(double now_s) {
        const auto take = [&](std::vector<Touch> touches, int offset) {
            for (Touch& t : touches)
                waiting.push_back({t.id + offset, t.phase, touch_map.pixel(t.at)});
        };
        if (tuio_in) take(tuio_in->poll(), 1000);
        if (evdev) take(evdev->poll(), 1 << 24);
        for (const Touch& touch : std::exchange(waiting, {})) {
            if (touch.phase == Touch::Phase::move)
                if (const auto from = taps.drag_start(touch.id))
                    mind.drag(*from, touch.at, targets);
            if (const auto at = taps.push(touch, now_s)) {
                mind.tap(*at, targets);
                redraw(now_s);  // the next tap of the same round must meet what this one opened
            }
        }
    }

    void watch_output(double now_s) {
        if (now_s - output_s < 2) return;
        output_s = now_s;
        const bool here = canvas.follow_output();
        if (here != output_here) {
            spdlog::warn("output {} {}", options.canvas.output,
                         here ? "is back" : "was unplugged; waiting for it");
            fit();
            pending = true;
        }
        output_here = here;
    }

    void announce(double now_s, const std::vector<Rect>& damage_mm) {
        const OverlayChange change{
            now_s, pictures,
            damage_mm.size() <= 64
                ? damage_mm
                : std::vector<Rect>{{0, 0, options.table.width_mm, options.table.height_mm}}};
        if (options.on_overlay) options.on_overlay(change);
        if (overlay) overlay->publish("overlay", overlay_json(change));
    }

    void redraw(double now_s) {
        pending = false;
        Drawn drawn = draw_scene(mind.scene(), list, atlas, px_per_mm());
        mind.remember(std::move(drawn.dialogues), std::move(drawn.words));
        targets = std::move(drawn.targets);
        untranslated.merge(drawn.untranslated);
        // A texture that filled up half-way through: build the picture again from the new one.
        if (atlas.generation() != generation) {
            generation = atlas.generation();
            drawn.damage_mm = draw_scene(mind.scene(), list, atlas, px_per_mm()).damage_mm;
            canvas.redraw();
        }
        if (canvas.draw(list, atlas.texture(), drawn.damage_mm).empty()) return;
        ++pictures;
        drawn_s = now_s;
        announce(now_s, drawn.damage_mm);
    }
    unsigned generation = 1;
};

TableApp::TableApp(TableOptions options) : impl_{std::make_unique<Impl>(std::move(options))} {}
TableApp::~TableApp() = default;

bool TableApp::step(double now_s) {
    Impl& i = *impl_;
    i.window_events();
    if (!i.canvas.open()) return false;
    i.watch_output(now_s);
    i.pending |= i.mind.listen(now_s);
    i.fingers(now_s);
    if (const auto seen = i.mind.take_fresh(); seen && i.tuio_out)
        i.tuio_out->send(*seen, i.options.table);
    if (i.overlay) i.overlay->pump();
    if (i.pending && now_s - i.drawn_s >= 0.98 / i.options.max_fps) i.redraw(now_s);
    return true;
}

const Picture& TableApp::picture() {
    Impl& i = *impl_;
    if (i.pictures_read != i.pictures || i.picture.rgba.empty()) {
        i.picture.size = i.canvas.size();
        i.picture.px_per_mm = i.px_per_mm();
        i.picture.rgba = i.canvas.read_pixels();
        i.pictures_read = i.pictures;
    }
    return i.picture;
}

std::uint64_t TableApp::draws() const {
    return impl_->canvas.draws();
}
std::uint64_t TableApp::displays() const {
    return impl_->canvas.displays();
}
const Scene& TableApp::scene() const {
    return impl_->mind.scene();
}
const std::vector<Target>& TableApp::targets() const {
    return impl_->targets;
}
const std::set<std::string>& TableApp::untranslated() const {
    return impl_->untranslated;
}
const Canvas& TableApp::canvas() const {
    return impl_->canvas;
}
int TableApp::tuio_port() const {
    return impl_->tuio_in ? impl_->tuio_in->port() : 0;
}
void TableApp::touch(const Touch& touch) {
    impl_->waiting.push_back(touch);
}

void TableApp::tap(Point at) {
    impl_->waiting.push_back({-2, Touch::Phase::down, at});
    impl_->waiting.push_back({-2, Touch::Phase::up, at});
}

void TableApp::see(const Observation& seen) {
    impl_->mind.see(seen);
}

void TableApp::show(Scene scene) {
    impl_->mind.show(std::move(scene));
}

}  // namespace overboard::table
