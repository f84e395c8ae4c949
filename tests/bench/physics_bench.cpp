// Shots a CPU second: the event-driven solver against Box2D 2.4.1 in the same run. Every round runs
// every case once, warmed up, in rotated order; ratios are medians over rounds of process CPU time.
#include <box2d/box2d.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

#include "physics/carrom_world.hpp"
#include "physics/exact.hpp"
#include "physics/search.hpp"
#include "tests/physics/positions.hpp"

namespace {

using namespace overboard;
using namespace overboard::physics;
using testing::Stroke;

double cpu_s() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}
long page_faults() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
}
double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
}

struct Case {
    std::string name;
    std::function<void()> run;
    int shots;  // of one run
    std::vector<double> cpu_per_shot, faults;
};

volatile double sink;

void run_exact(const std::vector<Stroke>& strokes, const Board& board) {
    for (const Stroke& s : strokes) {
        auto world = testing::exact_of(s, board);
        world.run();
        sink = world.position(0).x;
    }
}

void run_box(const std::vector<Stroke>& strokes, const Board& board, StepSettings settings) {
    for (const Stroke& s : strokes) {
        CarromWorld world(board, {}, settings);
        for (const Disc& d : s.position.discs) world.add(d);
        world.add({99, "striker", s.strike.from, 0}, s.strike.velocity_mm_s);
        world.run();
        sink = world.position(0).x;
    }
}

/// Box2D with nothing of ours around it: no listener work, no pockets' bookkeeping beyond the
/// capture rule, unit 0.1 m, step 1/240. The fairest peer: it may not pay for our care.
void run_bare_box(const std::vector<Stroke>& strokes, const Board& board, bool bullets) {
    const Parameters p;
    const float unit = 100, dt = 1.f / 240;
    for (const Stroke& s : strokes) {
        b2World world(b2Vec2_zero);
        b2BodyDef ground_def;
        b2Body* ground = world.CreateBody(&ground_def);
        const float x = float(board.width_mm / 2) / unit, y = float(board.height_mm / 2) / unit;
        const b2Vec2 corner[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
        for (int k = 0; k < 4; ++k) {
            b2EdgeShape edge;
            edge.SetTwoSided(corner[k], corner[(k + 1) % 4]);
            b2FixtureDef def;
            def.shape = &edge;
            def.restitution = float(p.wall_restitution);
            def.friction = 0;
            def.restitutionThreshold = 0;
            ground->CreateFixture(&def);
        }
        std::vector<b2Body*> bodies;
        const auto add = [&](Point at, double diameter, double mass) {
            b2BodyDef def;
            def.type = b2_dynamicBody;
            def.position.Set(float(at.x) / unit, float(at.y) / unit);
            def.bullet = bullets;
            b2Body* body = world.CreateBody(&def);
            b2CircleShape circle;
            circle.m_radius = float(diameter) / 2 / unit;
            b2FixtureDef fixture;
            fixture.shape = &circle;
            fixture.density = float(mass) / (b2_pi * circle.m_radius * circle.m_radius);
            fixture.restitution = float(p.restitution);
            fixture.friction = 0;
            fixture.restitutionThreshold = 0;
            body->CreateFixture(&fixture);
            bodies.push_back(body);
            return body;
        };
        for (const Disc& d : s.position.discs) add(d.at, board.disc_diameter_mm, board.disc_mass_g);
        b2Body* striker = add(s.strike.from, board.striker_diameter_mm, board.striker_mass_g);
        striker->SetLinearVelocity(
            {float(s.strike.velocity_mm_s.x) / unit, float(s.strike.velocity_mm_s.y) / unit});
        const float bite = float(p.deceleration_mm_s2()) / unit * dt;
        for (int step = 0; step < 240 * 30; ++step) {
            world.Step(dt, 8, 3);
            bool moving = false;
            for (b2Body* b : bodies) {
                if (!b->IsEnabled()) continue;
                const b2Vec2 v = b->GetLinearVelocity();
                const float speed = v.Length();
                if (speed <= bite) {
                    b->SetLinearVelocity(b2Vec2_zero);
                } else {
                    b->SetLinearVelocity((1 - bite / speed) * v);
                    moving = true;
                }
                if (speed * unit > p.capture_speed_mm_s) continue;
                for (const Hole& hole : board.pockets) {
                    const b2Vec2 d = b->GetPosition() - b2Vec2{float(hole.centre.x) / unit,
                                                               float(hole.centre.y) / unit};
                    const float r = float(hole.diameter_mm) / 2 / unit;
                    if (d.LengthSquared() < r * r) b->SetEnabled(false);
                }
            }
            if (!moving) break;
        }
        sink = bodies[0]->GetPosition().x;
    }
}

const Case& find(const std::vector<Case>& cases, const std::string& name) {
    return *std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.name == name; });
}

/// Median over rounds of a's cost against b's.
double ratio(const std::vector<Case>& cases, const std::string& a, const std::string& b) {
    const Case &x = find(cases, a), &y = find(cases, b);
    std::vector<double> r;
    for (std::size_t k = 0; k < x.cpu_per_shot.size(); ++k)
        r.push_back(x.cpu_per_shot[k] / y.cpu_per_shot[k]);
    return median(r);
}

void run_rounds(std::vector<Case>& cases, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < cases.size(); ++k) {
            Case& c = cases[(k + round) % cases.size()];
            c.run();  // warm-up, untimed, the same for all
            const long faults = page_faults();
            const double start = cpu_s();
            c.run();
            c.cpu_per_shot.push_back((cpu_s() - start) / c.shots);
            c.faults.push_back(double(page_faults() - faults) / c.shots);
        }
}

void verdict(const char* id, const char* what, double value, double goal, bool at_least) {
    const bool met = at_least ? value >= goal : value <= goal;
    fmt::print("{} {}: {:.1f} (goal {} {}) {}\n", id, what, value, at_least ? ">=" : "<=", goal,
               met ? "met" : "NOT MET");
}

/// Wall time of a search with the default budget, and what it promises.
void report_hints(const char* name, const Stroke& stroke, const Board& board) {
    std::vector<double> took;
    std::vector<Suggestion> found;
    for (int k = 0; k < 5; ++k) {
        const auto start = std::chrono::steady_clock::now();
        found = search(stroke.position, board, *board.line_of("s"),
                       [](const Falls& f) { return double(f.discs); });
        took.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    fmt::print("hints, {}: {:.2f} s wall (goal <= 1.0), best {:.2f} points at {:.0f} %\n", name,
               median(took), found.empty() ? 0 : found[0].expected,
               found.empty() ? 0 : found[0].success * 100);
}

}  // namespace

int main() {
    const Board& board = load_board("tournament");
    std::vector<Stroke> many, few, breaks, few_breaks;
    for (unsigned k = 0; k < 400; ++k) many.push_back(testing::scattered(k, board));
    few.assign(many.begin(), many.begin() + 40);
    Board rosette = board;  // the measured opening has 13 discs
    rosette.spots.resize(13);
    for (unsigned k = 0; k < 120; ++k) breaks.push_back(testing::opening(k, rosette));
    few_breaks.assign(breaks.begin(), breaks.begin() + 30);
    std::vector<Stroke> candidates(1000, many[7]);
    for (std::size_t k = 0; k < candidates.size(); ++k)
        candidates[k].strike.velocity_mm_s = rotated({1500.0 + 3500.0 * double(k % 10) / 9, 0},
                                                     -M_PI / 2 + (double(k) / 999 - 0.5) * 2);

    std::vector<Case> cases = {
        {"exact scattered", [&] { run_exact(few, board); }, 40, {}, {}},
        {"exact break", [&] { run_exact(few_breaks, board); }, 30, {}, {}},
        {"exact 1000 candidates", [&] { run_exact(candidates, board); }, 1, {}, {}},
        {"box2d 1/240 scattered", [&] { run_bare_box(few, board, false); }, 40, {}, {}},
        {"box2d 1/240 bullets scattered", [&] { run_bare_box(few, board, true); }, 40, {}, {}},
        {"box2d 1/240 break", [&] { run_bare_box(few_breaks, board, false); }, 30, {}, {}},
        {"carrom_world 1/1000 scattered",
         [&] {
             run_box({few.begin(), few.begin() + 8}, board, {});
         },
         8,
         {},
         {}},
        {"carrom_world 1/1000 break",
         [&] {
             run_box({few_breaks.begin(), few_breaks.begin() + 6}, board, {});
         },
         6,
         {},
         {}},
    };
    run_rounds(cases, 9);

    fmt::print("{:32} {:>12} {:>14} {:>8}\n", "case", "us/shot", "x exact", "faults");
    for (const Case& c : cases)
        fmt::print("{:32} {:12.2f} {:14.2f} {:8.1f}\n", c.name, median(c.cpu_per_shot) * 1e6,
                   ratio(cases, c.name, "exact scattered"), median(c.faults));
    verdict("P1", "exact is so many times Box2D 1/240, scattered",
            ratio(cases, "box2d 1/240 scattered", "exact scattered"), 100, true);
    verdict("P1", "exact is so many times Box2D 1/240, opening break",
            ratio(cases, "box2d 1/240 break", "exact break"), 18, true);
    verdict("P5", "1000 candidates in Box2D 1/240 shots",
            ratio(cases, "exact 1000 candidates", "box2d 1/240 scattered"), 10, false);
    const Board& small = load_board("to-go");
    report_hints("to-go, 13 scattered discs", testing::scattered(7, small), small);
    report_hints("to-go, opening", testing::opening(0, small), small);
    report_hints("tournament, opening", testing::opening(0, board), board);
}
