// What a message costs us beside the least it could cost, in one run:
//   round trip of a 30-piece observation through Client/Server with decode, handler and encode,
//   beside a raw ZeroMQ REQ/REP echo of the same bytes over the same transport (goal: ≤ 1.25 ×, p99
//   ≤ 2 ×); encode + decode beside a plain simdjson on-demand read of the same bytes (goal: ≤ 1.3
//   ×).
// Cases alternate round by round, so that a busy machine hurts both alike.
#include <benchmark/benchmark.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "bus/codec.hpp"
#include "bus/socket.hpp"
#include "tests/bench/raw_echo.hpp"

namespace {
using namespace overboard;
using Clock = std::chrono::steady_clock;

Observation thirty_pieces() {
    Observation o;
    o.source = "camera-0";
    o.frame = 123456;
    o.time = 512.533333;
    o.still = true;
    for (int i = 0; i < 30; ++i) {
        Piece p;
        p.id = i + 1;
        p.kind = PieceKind::disc;
        p.type = i % 13 == 0 ? "queen" : "blue";
        p.x = 100 + 31.137 * i;
        p.y = 600 - 17.71 * i;
        p.confidence = 0.98;
        p.seen = o.time;
        o.pieces.push_back(p);
    }
    return o;
}

double percentile(std::vector<double> v, double p) {
    const auto at = v.begin() + std::ptrdiff_t(p * double(v.size() - 1));
    std::nth_element(v.begin(), at, v.end());
    return *at;
}

template <class F>
double microseconds(F&& f) {
    const auto begin = Clock::now();
    f();
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

void round_trip(const std::string& bytes) {
    const std::string base = "ipc:///tmp/overboard-bench-" + std::to_string(getpid());
    bench::RawEcho raw(base + "-raw");
    Server server(base);
    std::jthread serving([&](const std::stop_token& stop) {
        std::string out;
        const auto handle = [&](std::string_view request) {
            auto o = decode_observation(request);
            if (o) o->frame += 1;
            out.clear();
            encode(*o, out);
            return out;
        };
        while (!stop.stop_requested()) server.serve(handle, std::chrono::milliseconds(50));
    });
    Client client(base);
    std::vector<double> raws, ours, ratios;
    for (int round = 0; round < 21; ++round) {
        std::vector<double> a, b;
        for (int i = 0; i < 300; ++i) a.push_back(microseconds([&] { raw.ask(bytes); }));
        for (int i = 0; i < 300; ++i)
            b.push_back(microseconds([&] { benchmark::DoNotOptimize(client.request(bytes)); }));
        ratios.push_back(percentile(b, 0.5) / percentile(a, 0.5));
        raws.insert(raws.end(), a.begin(), a.end());
        ours.insert(ours.end(), b.begin(), b.end());
    }
    std::printf(
        "round trip over ipc, %zu bytes: ours %.1f us, raw %.1f us, ratio of medians %.2f (goal "
        "1.25)\n",
        bytes.size(), percentile(ours, 0.5), percentile(raws, 0.5), percentile(ratios, 0.5));
    std::printf("  p99: ours %.1f us, raw %.1f us, ratio %.2f (goal 2)\n", percentile(ours, 0.99),
                percentile(raws, 0.99), percentile(ours, 0.99) / percentile(raws, 0.99));
}

/// The floor: every field of every piece read once, in the order it was written.
double plain_simdjson(simdjson::ondemand::parser& parser, const simdjson::padded_string& text) {
    double sum = 0;
    auto doc = parser.iterate(text);
    for (auto field : doc.get_object()) {
        if (field.unescaped_key().value() != "pieces") continue;
        for (simdjson::ondemand::object piece : field.value().get_array()) {
            sum += double(piece["id"].get_int64());
            sum += double(piece["kind"].get_string().value().size() +
                          piece["type"].get_string().value().size());
            for (const char* key : {"x", "y", "angle", "vx", "vy", "confidence", "seen"})
                sum += piece[key].get_double();
        }
    }
    return sum;
}

void serialisation(const Observation& o, const std::string& bytes) {
    simdjson::ondemand::parser parser;
    const simdjson::padded_string padded(bytes);
    std::string out;
    constexpr int kReps = 2000;
    std::vector<double> floor, both, dom;
    for (int round = 0; round < 21; ++round) {
        floor.push_back(microseconds([&] {
                            for (int i = 0; i < kReps; ++i)
                                benchmark::DoNotOptimize(plain_simdjson(parser, padded));
                        }) /
                        kReps);
        both.push_back(microseconds([&] {
                           for (int i = 0; i < kReps; ++i) {
                               out.clear();
                               encode(o, out);
                               benchmark::DoNotOptimize(decode_observation(out));
                           }
                       }) /
                       kReps);
        dom.push_back(microseconds([&] {
                          for (int i = 0; i < 100; ++i)
                              benchmark::DoNotOptimize(Json::parse(bytes).dump());
                      }) /
                      100);
    }
    std::vector<double> ratio, against_dom;
    for (std::size_t i = 0; i < floor.size(); ++i) {
        ratio.push_back(both[i] / floor[i]);
        against_dom.push_back(dom[i] / both[i]);
    }
    std::printf(
        "encode + decode: %.2f us, simdjson on-demand alone %.2f us, ratio %.2f (goal 1.3); "
        "nlohmann both ways %.1f x ours\n",
        percentile(both, 0.5), percentile(floor, 0.5), percentile(ratio, 0.5),
        percentile(against_dom, 0.5));
}

}  // namespace

int main() {
    const Observation o = thirty_pieces();
    const std::string bytes = encode(o);
    serialisation(o, bytes);
    round_trip(bytes);
}
