// What the overlay costs, against a naive SFML redraw and a memcpy of the picture in the same run.
// Needs a display; starts an Xvfb of its own when there is none. Run it alone on the machine:
//   LP_NUM_THREADS=1 build/bench/tests/bench/table_bench
#include <benchmark/benchmark.h>
#include <SFML/Graphics.hpp>

#include <cmath>
#include <cstring>

#include "table/drawing.hpp"
#include "table/outputs.hpp"
#include "table/table_app.hpp"
#include "table/virtual_display.hpp"

namespace overboard::table {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;

Scene full_scene() {
    Scene scene;
    MatchState match;
    match.match = "m";
    match.turn_player = "Anna";
    match.players = {Json{{"name", "Anna"}, {"seat", "s"}, {"score", 12}},
                     Json{{"name", "Ben"}, {"seat", "n"}, {"score", 7}}};
    scene.match = match;
    for (int i = 0; i < 550; ++i) {
        Mark m;
        m.kind = i < 500 ? MarkKind::circle : MarkKind::text;
        m.style = i % 2 ? MarkStyle::zone : MarkStyle::hint;
        m.at = {30 + (i * 37) % 1140 * 1.0, 90 + (i * 53) % 500 * 1.0};
        m.radius = 10;
        if (i >= 500) m.text = "Score " + std::to_string(i);
        scene.marks.push_back(m);
    }
    return scene;
}

Observation moved(int step) {
    Observation seen;
    seen.pieces.resize(14);
    for (int i = 0; i < 14; ++i) {
        Piece& p = seen.pieces[std::size_t(i)];
        p.id = i + 1;
        p.x = 600 + 300 * std::cos(i * 0.45 + step * 0.02);
        p.y = 337 + 180 * std::sin(i * 0.45 + step * 0.02);
    }
    return seen;
}

TableOptions window() {
    TableOptions o;
    o.canvas.size = {kWidth, kHeight};
    o.max_fps = 1e9;
    return o;
}

void memcpy_rgba(benchmark::State& state) {
    std::vector<char> from(kWidth * kHeight * 4, 1), to(from.size());
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::DoNotOptimize(to.data());
        benchmark::ClobberMemory();
    }
}

void naive_redraw(benchmark::State& state) {
    sf::RenderWindow window({kWidth, kHeight}, "naive");
    sf::Font font;
    const bool text = font.loadFromFile("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
    std::vector<sf::CircleShape> circles(500, sf::CircleShape(16));
    std::vector<sf::Text> texts(text ? 50 : 0, sf::Text("Score 123", font, 24));
    for (int i = 0; i < 500; ++i)
        circles[std::size_t(i)].setPosition(float((i * 59) % kWidth), float((i * 83) % kHeight));
    for (std::size_t i = 0; i < texts.size(); ++i)
        texts[i].setPosition(float((i * 97) % kWidth), float((i * 41) % kHeight));
    for (auto _ : state) {
        window.clear();
        for (auto& c : circles) window.draw(c);
        for (auto& t : texts) window.draw(t);
        window.display();
    }
    if (!text) state.SkipWithError("no DejaVu font: the naive redraw would lack its texts");
}

void nothing_changed(benchmark::State& state) {
    TableApp app{window()};
    app.show(full_scene());
    double now = 1;
    for (int i = 0; i < 5; ++i) app.step(now += 0.1);
    const auto before = app.draws() + app.displays();
    for (auto _ : state) app.step(now += 0.001);
    state.counters["draws_and_displays"] = double(app.draws() + app.displays() - before);
}

void moving(benchmark::State& state, bool marks) {
    TableApp app{window()};
    Scene scene = full_scene();
    if (!marks) scene.marks.clear();
    app.show(scene);
    double now = 1;
    int step = 0;
    for (int i = 0; i < 5; ++i) app.see(moved(step++)), app.step(now += 0.1);
    for (auto _ : state) {
        app.see(moved(step++));
        app.step(now += 0.02);
    }
}
// Among 500 shapes and 50 texts that stay, and alone on the table.
void fourteen_moving_among_550(benchmark::State& state) {
    moving(state, true);
}
void fourteen_moving_alone(benchmark::State& state) {
    moving(state, false);
}

void full_redraw(benchmark::State& state) {
    Canvas canvas{window().canvas};
    TextAtlas atlas;
    DisplayList list;
    const Scene scene = full_scene();
    canvas.set_mapping(Mapping::fit(scene.table, canvas.size()));
    const double px = canvas.mapping().px_per_mm({600, 337});
    draw_scene(scene, list, atlas, px);
    for (auto _ : state) {
        draw_scene(scene, list, atlas, px);
        canvas.draw(list, atlas.texture(), {}, true);
    }
    state.counters["pictures_per_s"] = benchmark::Counter(double(state.iterations()),
                                                          benchmark::Counter::kIsRate);
}

void built_from_nothing(benchmark::State& state) {
    Canvas canvas{window().canvas};
    TextAtlas atlas;
    const Scene scene = full_scene();
    canvas.set_mapping(Mapping::fit(scene.table, canvas.size()));
    const double px = canvas.mapping().px_per_mm({600, 337});
    for (auto _ : state) {
        DisplayList list;
        draw_scene(scene, list, atlas, px);
        canvas.draw(list, atlas.texture(), {}, true);
    }
}

void read_back(benchmark::State& state) {
    TableOptions options = window();
    options.canvas.offscreen = true;
    Canvas canvas{options.canvas};
    TextAtlas atlas;
    DisplayList list;
    canvas.set_mapping(Mapping::fit(Table{}, canvas.size()));
    for (auto _ : state) {
        state.PauseTiming();
        canvas.draw(list, atlas.texture(), {}, true);
        state.ResumeTiming();
        benchmark::DoNotOptimize(canvas.read_pixels().data());
    }
}

BENCHMARK(memcpy_rgba)->Unit(benchmark::kMillisecond);
BENCHMARK(naive_redraw)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(nothing_changed)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(fourteen_moving_among_550)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(fourteen_moving_alone)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(full_redraw)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
BENCHMARK(built_from_nothing)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();
BENCHMARK(read_back)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace overboard::table

int main(int argc, char** argv) {
    std::unique_ptr<overboard::table::VirtualDisplay> display;
    if (!overboard::table::display_present())
        display = std::make_unique<overboard::table::VirtualDisplay>(1920, 1080);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
