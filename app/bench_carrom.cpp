#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/bench.hpp"
#include "app/seeing.hpp"
#include "bus/json.hpp"
#include "physics/board.hpp"
#include "vision/debug_view.hpp"
#include "vision/detect_board.hpp"

// Discs and boards on real photographs. A disc is found when it lies within half its radius; its
// colour counts apart. Boards with labelled corners are seen twice: told the corners, and bare.
namespace overboard::app {
namespace {

struct Tally {
    int pictures = 0, found = 0, missed = 0, extra = 0, right_colour = 0;
    std::vector<double> errors_px, errors_r;
    double slowest_ms = 0;
};

double quantile(std::vector<double> v, double q) {
    if (v.empty()) return NAN;
    std::sort(v.begin(), v.end());
    return v[std::size_t(q * (v.size() - 1))];
}

std::string label_type(const std::string& colour) { return colour == "red" ? "queen" : colour; }

void compare(const Json& labels, const Observation& seen, bool colours, Tally& tally, std::string& story) {
    std::vector<char> used(seen.pieces.size(), 0);
    for (const Json& d : labels) {
        const double x = d["x"], y = d["y"], r = d["r"];
        int best = -1;
        double nearest = 0.5 * r;
        for (std::size_t i = 0; i < seen.pieces.size(); ++i) {
            const double away = std::hypot(seen.pieces[i].px->x - x, seen.pieces[i].px->y - y);
            if (!used[i] && away < nearest) nearest = away, best = int(i);
        }
        const std::string type = label_type(d["colour"]);
        if (best < 0) {
            ++tally.missed;
            story += fmt::format(" miss {} ({:.0f},{:.0f});", type, x, y);
            continue;
        }
        used[best] = 1;
        ++tally.found;
        tally.errors_px.push_back(nearest);
        tally.errors_r.push_back(nearest / r);
        if (seen.pieces[best].type == type) ++tally.right_colour;
        else if (colours) story += fmt::format(" {} taken for {} ({:.0f},{:.0f});", type, seen.pieces[best].type, x, y);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        ++tally.extra;
        story += fmt::format(" extra {} ({:.0f},{:.0f}) r {:.1f};", seen.pieces[i].type, seen.pieces[i].px->x,
                             seen.pieces[i].px->y, *seen.pieces[i].size_px / 2);
    }
}

std::string corners_text(const Json& corners) {
    std::string text;
    for (const Json& c : corners) text += fmt::format("{},{} ", c[0].get<double>(), c[1].get<double>());
    return text;
}

Observation look(const SeeingOptions& options, const Sought& sought, const cv::Mat& bgr, const std::string& drawing,
                 double& ms) {
    const auto start = std::chrono::steady_clock::now();
    Registration tied;
    if (!options.corners.empty()) tied = register_view(options, sought.catalogue, bgr);
    const vision::View view{bgr, tied.map ? &*tied.map : nullptr, {}};
    Observation seen = vision::detect_cold(view, sought.catalogue, sought.kinds, {}, tied.board);
    ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!drawing.empty()) cv::imwrite(drawing, vision::draw(view, sought.catalogue, seen));
    return seen;
}

void print(const std::string& name, const Tally& t) {
    const double precision = t.found + t.extra ? double(t.found) / (t.found + t.extra) : 1;
    const double recall = t.found + t.missed ? double(t.found) / (t.found + t.missed) : 1;
    std::printf("%-22s %3d pictures  discs %4d  recall %.4f  precision %.4f (%d extra)  type %.4f  centre median %.2f px p95 %.2f px (%.3f r)  slowest %.0f ms\n",
                name.c_str(), t.pictures, t.found + t.missed, recall, precision, t.extra,
                t.found ? double(t.right_colour) / t.found : 1, quantile(t.errors_px, 0.5), quantile(t.errors_px, 0.95),
                quantile(t.errors_r, 0.5), t.slowest_ms);
}

struct CornerTally {
    int found = 0, of = 0;
    std::vector<double> errors;  // share of the side
};

// The board and its discs without the game around them.
Sought tournament_set() {
    const physics::Board& board = physics::load_board("tournament");
    Sought sought;
    sought.catalogue.board = physics::kind_of(board);
    sought.catalogue.discs = board.discs;
    sought.kinds.discs = true;
    return sought;
}

void check_surface(const Json& corners, const cv::Mat& bgr, CornerTally& tally, std::string& story) {
    ++tally.of;
    const auto found = vision::find_surface(bgr);
    if (!found) return void(story += " no surface;");
    const double side = std::hypot(corners[0][0].get<double>() - corners[2][0].get<double>(),
                                   corners[0][1].get<double>() - corners[2][1].get<double>()) / std::sqrt(2.0);
    double worst = 0;
    for (int i = 0; i < 4; ++i)
        worst = std::max(worst, std::hypot((*found)[i].x - corners[i][0].get<double>(), (*found)[i].y - corners[i][1].get<double>()));
    if (worst < 0.05 * side) ++tally.found;
    else story += fmt::format(" surface off by {:.3f};", worst / side);
    tally.errors.push_back(worst / side);
}

}  // namespace

void bench_carrom(const BenchOptions& bench) {
    Json labels;
    std::ifstream(bench.real / "carrom/labels.json") >> labels;
    std::map<std::string, Tally> tallies;
    CornerTally surface;
    SeeingOptions carrom, discs;
    carrom.game = "carrom", carrom.board = "tournament";
    discs.game = "discs";
    const Sought with_game = tournament_set(), any_discs = look_for(discs);
    for (const Json& image : labels["images"]) {
        const std::string file = image["file"], name = std::filesystem::path(file).stem().string();
        if (name.rfind(bench.only, 0) != 0) continue;
        const cv::Mat bgr = cv::imread((bench.real / "carrom" / file).string());
        const bool is_carrom = image["game"] == "carrom", has_corners = !image["board_corners"].is_null();
        const auto run = [&](const char* way, const SeeingOptions& options, const Sought& sought) {
            const std::string set = name.substr(0, name.find_first_of("_0123456789"));
            Tally& tally = tallies[set + " " + way];
            std::string story;
            double ms = 0;
            const std::string drawing = bench.draw.empty() ? "" : bench.draw + "/" + name + "-" + way + ".png";
            compare(image["discs"], look(options, sought, bgr, drawing, ms), is_carrom, tally, story);
            ++tally.pictures;
            tally.slowest_ms = std::max(tally.slowest_ms, ms);
            if (has_corners && way == std::string("bare")) check_surface(image["board_corners"], bgr, surface, story);
            if (bench.verbose) std::printf("%s %s %.0f ms:%s\n", name.c_str(), way, ms, story.c_str());
        };
        if (!is_carrom) {
            run("bare", discs, any_discs);
            continue;
        }
        if (has_corners) {
            SeeingOptions told = carrom;
            told.corners = corners_text(image["board_corners"]);
            run("corners", told, with_game);
        }
        run("bare", carrom, with_game);
    }
    for (const auto& [name, tally] : tallies) print(name, tally);
    if (surface.of)
        std::printf("surface                %d of %d within 5 %% of the side, median %.3f, p95 %.3f\n", surface.found, surface.of,
                    quantile(surface.errors, 0.5), quantile(surface.errors, 0.95));
}

}  // namespace overboard::app
