#include "app/bench_vision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "calibration/table_frame.hpp"
#include "vision/debug_view.hpp"

// Every picture goes the way of `overboard detect`: registered by corners, by the
// table's markers (with or without a calibrated lens) or not at all,
// then seen cold. What is seen is compared with what is there, and one line of figures is printed
// for each set.
namespace overboard::app {

std::string name_of(const Piece& p) {
    switch (p.kind) {
        case PieceKind::die: return p.value ? std::to_string(*p.value) : "";
        case PieceKind::card:
        case PieceKind::tile: return p.face.value_or("");
        case PieceKind::stone:
        case PieceKind::pawn: return p.colour;
        case PieceKind::disc: return p.type;
        case PieceKind::polygon: return p.colour.empty() ? p.type : p.colour + " " + p.type;
    }
    return {};
}

namespace {

struct Tally {
    int pictures = 0, found = 0, missed = 0, extra = 0, right = 0, wrong = 0, unnamed = 0;
    std::vector<double> errors;
    bool shares = true;  // errors are shares of the size
    double slowest_ms = 0;
};

double quantile(std::vector<double> v, double q) {
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v[std::size_t(q * double(v.size() - 1))];
}

double share(int part, int rest) {
    return part + rest ? 100.0 * part / (part + rest) : 100;
}

Point place_of(const LabelledPicture& picture, const Piece& p) {
    return picture.millimetres ? Point{p.x, p.y} : *p.px;
}

std::string corners_text(const std::vector<cv::Point2d>& corners) {
    std::string text;
    for (const auto& c : corners) text += fmt::format("{},{} ", c.x, c.y);
    return text;
}

Observation look(const LabelledPicture& picture, const std::string& drawing, double& ms) {
    SeeingOptions options;
    options.corners = corners_text(picture.corners);
    const auto start = std::chrono::steady_clock::now();
    Registration tied;
    if (picture.lens)
        tied.map = calibration::find_table(picture.bgr, picture.sought->catalogue.table,
                                           &*picture.lens);
    else
        tied = register_view(options, picture.sought->catalogue, picture.bgr);
    const vision::View view{picture.bgr, tied.map ? &*tied.map : nullptr, {}};
    Observation seen = vision::detect_cold(view, picture.sought->catalogue, picture.sought->kinds,
                                           picture.sought->faces, tied.board);
    ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
             .count();
    if (!drawing.empty()) cv::imwrite(drawing, vision::draw(view, picture.sought->catalogue, seen));
    return seen;
}

// For each truth the piece that was seen there; -1: none. Each piece once, the nearest pairs first.
std::vector<int> pair_up(const LabelledPicture& picture, const std::vector<Piece>& seen) {
    struct Pair {
        double away;
        std::size_t truth, piece;
    };
    std::vector<Pair> pairs;
    for (std::size_t t = 0; t < picture.truths.size(); ++t)
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const double away = distance(picture.truths[t].at, place_of(picture, seen[i]));
            if (seen[i].kind == picture.truths[t].kind && away < picture.truths[t].reach)
                pairs.push_back({away, t, i});
        }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.away < b.away; });
    std::vector<int> of(picture.truths.size(), -1);
    std::vector<char> used(seen.size(), 0);
    for (const Pair& p : pairs)
        if (of[p.truth] < 0 && !used[p.piece]) of[p.truth] = int(p.piece), used[p.piece] = 1;
    return of;
}

// What each name that was given stands for: itself, or the side it was given to most often.
std::map<std::string, std::string> meanings(const LabelledPicture& picture,
                                            const std::vector<Piece>& seen,
                                            const std::vector<int>& of) {
    std::map<std::string, std::map<std::string, int>> given;
    for (std::size_t t = 0; t < of.size(); ++t)
        if (of[t] >= 0) ++given[name_of(seen[std::size_t(of[t])])][picture.truths[t].name];
    std::map<std::string, std::string> meaning;
    for (const auto& [name, sides] : given)
        meaning[name] = !picture.sides_only ? name
                                            : std::max_element(sides.begin(), sides.end(),
                                                               [](const auto& a, const auto& b) {
                                                                   return a.second < b.second;
                                                               })
                                                  ->first;
    return meaning;
}

bool is_ignored(const LabelledPicture& picture, Point at) {
    return std::any_of(picture.ignored.begin(), picture.ignored.end(), [&](const auto& ring) {
        return cv::pointPolygonTest(ring, cv::Point2f(float(at.x), float(at.y)), false) >= 0;
    });
}

// `tally_of`: one for each kind of piece.
void compare(const LabelledPicture& picture, const std::vector<Piece>& seen,
             const std::function<Tally&(PieceKind)>& tally_of, std::string& story) {
    const std::vector<int> of = pair_up(picture, seen);
    const auto meaning = meanings(picture, seen, of);
    std::vector<char> used(seen.size(), 0);
    for (std::size_t t = 0; t < of.size(); ++t) {
        const Truth& truth = picture.truths[t];
        if (of[t] >= 0) used[std::size_t(of[t])] = 1;
        if (!truth.counts) continue;
        Tally& tally = tally_of(truth.kind);
        if (of[t] < 0) {
            ++tally.missed;
            story += fmt::format(" miss {} ({:.0f},{:.0f});", truth.name, truth.at.x, truth.at.y);
            continue;
        }
        const Piece& piece = seen[std::size_t(of[t])];
        ++tally.found;
        tally.shares = truth.size > 0;
        tally.errors.push_back(distance(truth.at, place_of(picture, piece)) /
                               (truth.size > 0 ? truth.size : 1));
        const std::string name = meaning.at(name_of(piece));
        if (!truth.has_name) continue;
        ++(name == truth.name ? tally.right : name.empty() ? tally.unnamed : tally.wrong);
        if (name != truth.name)
            story += fmt::format(" {} taken for {} ({:.0f},{:.0f});", truth.name,
                                 name.empty() ? "?" : name, truth.at.x, truth.at.y);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (used[i] || is_ignored(picture, place_of(picture, seen[i]))) continue;
        ++tally_of(seen[i].kind).extra;
        story += fmt::format(" extra {} ({:.0f},{:.0f}) size {:.0f} sure {:.2f};", name_of(seen[i]),
                             place_of(picture, seen[i]).x, place_of(picture, seen[i]).y,
                             seen[i].size_px.value_or(0), seen[i].confidence);
    }
}

const char* plural(PieceKind kind) {
    static const char* const names[] = {"discs",    "dice",   "cards", "tiles",
                                        "polygons", "stones", "pawns"};
    return names[int(kind)];
}

class Bench {
public:
    explicit Bench(const BenchOptions& options) : options_{options} {}

    void run(LabelledPicture picture) {
        if (picture.name.rfind(options_.only, 0) != 0) return;
        const bool photograph = !picture.millimetres;
        if (photograph && counts_[picture.set]++ % options_.every) return;
        const std::string set = picture.set;
        if (!options_.augment || !photograph) return judge(picture, set);
        judge(picture, set + " | as it is");
        for (const Change& change : changes()) {
            if (change.mirrors && !picture.may_mirror) continue;
            LabelledPicture changed = picture;
            changed.bgr = picture.bgr.clone();
            cv::RNG rng(std::hash<std::string>{}(picture.name + change.name));
            change.apply(changed, rng);
            judge(changed, set + " | " + change.name);
        }
    }

    void print() const {
        std::printf(
            "| set%s | pictures | pieces | recall %% | precision %% | name right %% | wrong | null "
            "| extra | error median / p95 | slowest ms |\n"
            "|---|%s---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            options_.augment ? " | change" : "", options_.augment ? "---|" : "");
        for (const auto& [name, t] : tallies_)
            std::printf(
                "| %s | %d | %d | %.1f | %.1f | %.1f | %d | %d | %d | %.3f / %.3f %s | %.0f |\n",
                name.c_str(), t.pictures, t.found + t.missed, share(t.found, t.missed),
                share(t.found, t.extra), share(t.right, t.wrong + t.unnamed), t.wrong, t.unnamed,
                t.extra, quantile(t.errors, 0.5), quantile(t.errors, 0.95),
                t.shares ? "of size" : "mm", t.slowest_ms);
    }

private:
    void judge(const LabelledPicture& picture, const std::string& set) {
        std::string story, drawing;
        if (!options_.draw.empty()) {
            std::string file = set + "-" + picture.name;
            std::replace_if(
                file.begin(), file.end(),
                [](char c) { return c == ' ' || c == '|' || c == ',' || c == '/'; }, '_');
            drawing = options_.draw + "/" + file + ".png";
        }
        double ms = 0;
        const Observation seen = look(picture, drawing, ms);
        std::vector<Tally*> touched;
        const auto tally_of = [&](PieceKind kind) -> Tally& {
            Tally& tally = tallies_[picture.millimetres ? set + ": " + plural(kind) : set];
            if (std::find(touched.begin(), touched.end(), &tally) == touched.end())
                touched.push_back(&tally);
            return tally;
        };
        if (!picture.truths.empty())
            (void)tally_of(picture.truths.front().kind);
        else if (!picture.millimetres)
            (void)tally_of(PieceKind::disc);
        compare(picture, seen.pieces, tally_of, story);
        for (Tally* tally : touched)
            ++tally->pictures, tally->slowest_ms = std::max(tally->slowest_ms, ms);
        if (options_.verbose)
            std::printf("%s: %s %.0f ms:%s\n", set.c_str(), picture.name.c_str(), ms,
                        story.c_str()),
                std::fflush(stdout);
    }

    const BenchOptions& options_;
    std::map<std::string, Tally> tallies_;
    std::map<std::string, int> counts_;
};

struct Set {
    const char* name;
    void (*pictures)(const BenchOptions&, const PictureSink&);
    bool photographs;
};

// The visible list: one line a set of pictures.
const Set kSets[] = {
    {"carrom", carrom_photographs, true},   {"dice", dice_photographs, true},
    {"cards", card_photographs, true},      {"polygons", polygon_photographs, true},
    {"simulated", simulated_tables, false},
};

}  // namespace

void bench_vision(const BenchOptions& asked) {
    BenchOptions options = asked;
    if (options.seed == 0) options.seed = std::random_device{}();
    Bench bench(options);
    bool any = false;
    for (const Set& set : kSets) {
        if (!options.set.empty() && options.set != set.name) continue;
        any = true;
        const auto folder = options.real / set.name;
        if (set.photographs && !std::filesystem::exists(folder / "labels.json"))
            std::printf("%s: skipped, there are no photographs at '%s'\n", set.name,
                        folder.c_str());
        else
            set.pictures(options, [&](LabelledPicture picture) { bench.run(std::move(picture)); });
    }
    if (!any) throw CLI::ValidationError("--set", "there is no set '" + options.set + "'");
    if (options.set.empty() || options.set == "simulated")
        std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
    bench.print();
}

}  // namespace overboard::app
