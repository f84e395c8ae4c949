// Accuracy of cards, tiles and their faces, printed: (a) on labelled photographs, when they are at
// hand, per deck, as taken and as another evening might have taken them; (b) on rendered tables
// with fresh seeds, per light. Optional arguments: `real`, `varied`, `strangers` (every other face
// of a deck is not enrolled), `made` (photographs made of the references alone), `made-strangers`,
// `foreign` (photographs of other things, and decks that are not shown) or `simulated`, then for
// photographs a part of the file name, then `wrong` to list what was misread, or `each` to list
// every reading; for made ones how many a deck, and a seed. `outlines`: photographs read without
// their references. DRAW_MADE=folder draws them; PHOTOGRAPHS=folder takes other photographs,
// labelled alike; `shows` in a label is the part of a piece that others leave uncovered.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "bus/json.hpp"
#include "simulator/art.hpp"
#include "simulator/camera.hpp"
#include "tests/bench/made_photographs.hpp"
#include "vision/flats/detect_cards.hpp"
#include "vision/flats/flat_faces.hpp"

namespace {
using namespace overboard;
using namespace overboard::vision;
namespace fs = std::filesystem;

/// What `overboard detect cards` is told of cards without references.
constexpr double kCardShape = 88.0 / 63;

struct Tally {
    int pictures = 0, pieces = 0, found = 0, right = 0, wrong = 0, unnamed = 0, extra_named = 0,
        extra_unnamed = 0, strangers = 0, strangers_named = 0;
    double seconds = 0;
    std::vector<double> errors;  // of the centre

    [[nodiscard]] double error(double part) {
        std::sort(errors.begin(), errors.end());
        return errors.empty() ? 0
                              : errors[static_cast<std::size_t>(
                                    part * static_cast<double>(errors.size() - 1))];
    }
};

void print(const std::string& name, Tally t, const char* unit) {
    const double n = std::max(1, t.pieces),
                 all = std::max<double>(1, t.found + t.extra_named + t.extra_unnamed);
    std::printf(
        "| %s | %d | %d | %.1f | %.1f | %.1f | %d | %d | %d of %d | %d + %d | %.3f / %.3f %s | "
        "%.2f |\n",
        name.c_str(), t.pictures, t.pieces, 100 * t.found / n, 100 * t.found / all,
        100 * t.right / n, t.wrong, t.unnamed, t.strangers_named, t.strangers, t.extra_named,
        t.extra_unnamed, t.error(0.5), t.error(0.95), unit, t.seconds / std::max(1, t.pictures));
    std::fflush(stdout);
}

void print_head() {
    std::printf(
        "\n| set | pictures | pieces | recall %% | precision %% | face right %% | wrong | null | "
        "strangers named | extra named + unnamed | centre error p50 / p95 | s a picture |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
}

double cpu_s() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void draw(cv::Mat bgr, const std::vector<FlatFace>& seen, const fs::path& file) {
    bgr = bgr.clone();
    for (const FlatFace& f : seen) {
        const cv::Scalar colour = f.named() ? cv::Scalar(0, 255, 0) : cv::Scalar(0, 0, 255);
        for (int i = 0; i < 4; ++i)
            cv::line(bgr, f.quad.corners[i], f.quad.corners[(i + 1) % 4], colour, 2, cv::LINE_AA);
        cv::putText(bgr, f.named() ? *f.match.face : "",
                    centre_of(f.quad.corners) - cv::Point2f(30, 0), cv::FONT_HERSHEY_SIMPLEX, 0.5,
                    colour, 1, cv::LINE_AA);
    }
    cv::imwrite(file.string(), bgr);
}

struct Label {
    cv::Point2f centre;
    float side = 0;
    std::string identity;
    bool counts = true, enrolled = true;
    double shows = 1;
};

Label label_from(const Json& j) {
    Label l;
    if (j.contains("corners")) {
        Corners c;
        for (int i = 0; i < 4; ++i)
            c[i] = {j["corners"][i][0].get<float>(), j["corners"][i][1].get<float>()};
        l.centre = centre_of(c);
        l.side = std::min(mean_side(c, 0), mean_side(c, 1));
    } else {
        const auto b = j["bbox"].get<std::vector<float>>();
        l.centre = {(b[0] + b[2]) / 2, (b[1] + b[3]) / 2};
        l.side = std::min(b[2] - b[0], b[3] - b[1]);
    }
    l.identity = j["identity"];
    std::replace(l.identity.begin(), l.identity.end(), ' ', '_');
    l.counts = !j.value("is_ref", false);
    l.enrolled = j.value("in_refs", false);
    l.shows = j.value("shows", 1.0);
    return l;
}

/// The piece of every label within a third of its side, the nearest pairs first; -1: none.
std::vector<int> nearest_of(const std::vector<FlatFace>& seen, const std::vector<Label>& labels) {
    struct Pair {
        double distance;
        std::size_t label, piece;
    };
    std::vector<Pair> pairs;
    for (std::size_t l = 0; l < labels.size(); ++l)
        for (std::size_t p = 0; p < seen.size(); ++p) {
            const double d = cv::norm(centre_of(seen[p].quad.corners) - labels[l].centre);
            if (d < labels[l].side / 3) pairs.push_back({d, l, p});
        }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
    std::vector<int> out(labels.size(), -1);
    for (const Pair& p : pairs)
        if (out[p.label] < 0 &&
            std::find(out.begin(), out.end(), static_cast<int>(p.piece)) == out.end())
            out[p.label] = static_cast<int>(p.piece);
    return out;
}

/// Pieces that others cover, by how much of them shows.
struct Under {
    std::map<double, Tally> by_least;
    Tally& of(double shows) { return by_least[shows < 0.3 ? 0.1 : shows < 0.6 ? 0.3 : 0.6]; }
};

/// Counts one picture: every label takes the nearest piece within a third of its side; of what
/// shows less than a tenth nothing is asked.
void count(const std::vector<FlatFace>& seen, const std::vector<Label>& labels,
           const std::vector<cv::Rect2f>& ignored, const std::string& list_as, bool each,
           Tally& whole, Under* under = nullptr) {
    std::vector<bool> used(seen.size());
    const std::vector<int> found = nearest_of(seen, labels);
    for (std::size_t which = 0; which < labels.size(); ++which) {
        const Label& l = labels[which];
        const int best = found[which];
        if (best >= 0) used[best] = true;
        if (!l.counts) continue;
        if (l.shows < 0.1) continue;
        Tally& t = under && l.shows < 0.99 ? under->of(l.shows) : whole;
        ++t.pieces;
        if (best < 0) {
            if (!list_as.empty())
                std::printf("%s: %s not found, at %.0f,%.0f\n", list_as.c_str(), l.identity.c_str(),
                            l.centre.x, l.centre.y);
            continue;
        }
        ++t.found;
        t.errors.push_back(cv::norm(centre_of(seen[best].quad.corners) - l.centre) / l.side);
        const auto& face = seen[best].match.face;
        t.strangers += !l.enrolled, t.strangers_named += !l.enrolled && face;
        if (!face)
            ++t.unnamed;
        else
            (*face == l.identity ? t.right : t.wrong)++;
        if (!list_as.empty() && (each || !face || *face != l.identity))
            std::printf(
                "%s: %s%s read as %s, nearest %s, score %.2f of %.2f, margin %.2f, worst %.2f, at "
                "%.0f,%.0f\n",
                list_as.c_str(), l.identity.c_str(), l.enrolled ? "" : " (not enrolled)",
                face ? face->c_str() : "nothing", seen[best].match.best.c_str(),
                seen[best].match.score, seen[best].match.likeness, seen[best].match.margin,
                seen[best].match.worst, l.centre.x, l.centre.y);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const cv::Point2f c = centre_of(seen[i].quad.corners);
        const bool ignore = std::any_of(ignored.begin(), ignored.end(),
                                        [&](const cv::Rect2f& r) { return r.contains(c); });
        if (used[i] || ignore) continue;
        (seen[i].named() ? whole.extra_named : whole.extra_unnamed)++;
        if (!list_as.empty())
            std::printf(
                "%s: extra %s, nearest %s, score %.2f, margin %.2f, light %.2f %.2f %.2f, at "
                "%.0f,%.0f\n",
                list_as.c_str(), seen[i].named() ? "named" : "unnamed", seen[i].match.best.c_str(),
                seen[i].match.score, seen[i].match.margin, seen[i].match.light[0],
                seen[i].match.light[1], seen[i].match.light[2], c.x, c.y);
    }
}

std::vector<cv::Rect2f> ignored_of(const Json& image) {
    std::vector<cv::Rect2f> out;
    const Json boxes = image.value("ignore", Json::array());
    for (const Json& box : boxes)
        if (box.is_array() && box.size() == 4 && box[0].is_number()) {
            const auto b = box.get<std::vector<float>>();
            out.emplace_back(cv::Point2f(b[0], b[1]), cv::Point2f(b[2], b[3]));
        }
    return out;
}

/// Another camera, another lamp: turned, scaled, gamma, cast, blur, noise, JPEG.
void vary(cv::Mat& bgr, std::vector<Label>& labels, std::vector<cv::Rect2f>& ignored,
          std::mt19937& random) {
    std::uniform_real_distribution<double> any(-1, 1);
    const double scale = 0.85 + 0.15 * any(random), angle = 12 * any(random);
    cv::Mat turn = cv::getRotationMatrix2D({bgr.cols / 2.0F, bgr.rows / 2.0F}, angle, scale);
    cv::Mat out;
    cv::warpAffine(bgr, out, turn, bgr.size(), cv::INTER_AREA, cv::BORDER_REPLICATE);
    const auto moved = [&](cv::Point2f p) {
        const cv::Mat q = turn * (cv::Mat_<double>(3, 1) << p.x, p.y, 1);
        return cv::Point2f(static_cast<float>(q.at<double>(0)),
                           static_cast<float>(q.at<double>(1)));
    };
    for (Label& l : labels) l.centre = moved(l.centre), l.side *= static_cast<float>(scale);
    for (cv::Rect2f& r : ignored) {
        const cv::Point2f c = moved((r.tl() + r.br()) * 0.5F), half(r.width / 2, r.height / 2);
        r = cv::Rect2f(c - half, c + half);
    }
    const double gamma = std::exp(0.35 * any(random));
    cv::Mat table(1, 256, CV_8UC3);
    for (int c = 0; c < 3; ++c) {
        const double gain = 1 + 0.12 * any(random);
        for (int v = 0; v < 256; ++v)
            table.at<cv::Vec3b>(v)[c] = cv::saturate_cast<std::uint8_t>(255 * gain *
                                                                        std::pow(v / 255.0, gamma));
    }
    cv::LUT(out, table, out);
    cv::GaussianBlur(out, out, {},
                     0.4 + 0.4 * (1 + any(random)) * std::max(out.cols, out.rows) / 2000.0);
    cv::Mat noise(out.size(), CV_16SC3), sum;
    cv::theRNG().state = random();
    cv::randn(noise, 0, 3 + 2 * any(random));
    cv::add(out, noise, sum, cv::noArray(), CV_8UC3);
    std::vector<std::uint8_t> file;
    cv::imencode(".jpg", sum, file,
                 {cv::IMWRITE_JPEG_QUALITY, 60 + static_cast<int>(random() % 35)});
    bgr = cv::imdecode(file, cv::IMREAD_COLOR);
}

/// All references of a deck, or only the even or odd ones.
Faces deck_in(const fs::path& folder, int half) {
    if (!fs::is_directory(folder)) return {};
    if (half == 0) return Faces::from_folder(folder);
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{folder}) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    Faces faces;
    for (std::size_t i = 0; i < files.size(); ++i)
        if (static_cast<int>(i % 2) == half - 1)
            faces.enrol(files[i].stem().string(), cv::imread(files[i].string()));
    return faces;
}

/// `half`: 1 or 2 leaves every other face of the deck out; those are strangers, and right only when
/// unnamed.
void real(const std::string& part, bool varied, const std::string& list, int half = 0,
          bool read = true) {
    std::mt19937 random(20);
    const char* other = std::getenv("PHOTOGRAPHS");
    const fs::path root = other ? fs::path(other) : fs::path(OVERBOARD_SHARED) / "real/cards";
    std::ifstream file(root / "labels.json");
    if (!file) return void(std::printf("no photographs at hand\n"));
    std::map<std::string, Tally> tallies;
    Under under;
    std::map<std::string, Faces> decks;
    const Json labelled = Json::parse(file);
    for (const Json& image : labelled["images"]) {
        const std::string name = image["file"], deck = image["deck"];
        if (name.find(part) == std::string::npos) continue;
        if (!decks.contains(deck)) {
            decks[deck] = read ? deck_in(root / "refs" / deck, half) : Faces{};
            (void)decks[deck].threshold();
        }
        if (half > 0 && decks[deck].empty()) continue;
        const std::vector<std::string> names = decks[deck].names();
        std::vector<Label> labels;
        for (const Json& l : image["labels"]) {
            labels.push_back(label_from(l));
            labels.back().enrolled = std::find(names.begin(), names.end(),
                                               labels.back().identity) != names.end();
        }
        cv::Mat bgr = cv::imread((root / name).string());
        std::vector<cv::Rect2f> ignored = ignored_of(image);
        if (varied) vary(bgr, labels, ignored, random);
        Tally& t = tallies[deck + (decks[deck].empty() ? " (outlines only)" : "")];
        const double start = cpu_s();
        const double shape = deck == "mathable" ? 1 : kCardShape;
        const auto seen = find_flat_faces(bgr, {}, {decks[deck]}, nullptr, shape);
        t.seconds += cpu_s() - start;
        if (const char* out = std::getenv("DRAW_MADE"))
            draw(bgr, seen, fs::path(out) / (fs::path(name).stem().string() + ".png"));
        ++t.pictures;
        count(seen, labels, ignored, list.empty() ? "" : name, list == "each", t, &under);
    }
    print_head();
    for (const auto& [name, t] : tallies) print(name, t, "side");
    for (const auto& [least, t] : under.by_least)
        print(cv::format("under others, at least %.0f %% shows", 100 * least), t, "side");
}

std::vector<fs::path> every(const fs::path& folder, std::size_t step) {
    std::vector<fs::path> files, out;
    if (fs::is_directory(folder))
        for (const auto& entry : fs::recursive_directory_iterator{folder})
            if (entry.path().extension() == ".jpg" || entry.path().extension() == ".png")
                files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (std::size_t i = 0; i < files.size(); i += step) out.push_back(files[i]);
    return out;
}

/// Nothing here is in the deck that is asked for: photographs of other games without any deck, then
/// photographs of cards with the decks they do not show. Everything named is wrong.
void foreign() {
    const fs::path root = fs::path(OVERBOARD_SHARED) / "real";
    std::printf(
        "\n| photographs | deck | pictures | outlines | named |\n|---|---|---:|---:|---:|\n");
    const auto line = [](const std::string& what, const std::string& deck, const Faces& faces,
                         const std::vector<fs::path>& files) {
        std::size_t outlines = 0, named = 0;
        for (const fs::path& file : files)
            for (const FlatFace& f :
                 find_flat_faces(cv::imread(file.string()), {}, {faces}, nullptr, kCardShape)) {
                f.named() ? ++named : ++outlines;
                if (f.named())
                    std::printf("%s: %s, score %.2f, margin %.2f, worst %.2f\n",
                                file.filename().c_str(), f.match.face->c_str(), f.match.score,
                                f.match.margin, f.match.worst);
            }
        std::printf("| %s | %s | %zu | %zu | %zu |\n", what.c_str(), deck.c_str(), files.size(),
                    outlines, named);
        std::fflush(stdout);
    };
    for (const char* other : {"carrom", "dice", "polygons"})
        line(other, "none", {}, every(root / other, 4));
    for (const char* other : {"carrom", "dice"})
        line(other, "qwirkle", deck_in(root / "cards/refs/qwirkle", 0), every(root / other, 8));
    for (const char* deck : {"beacon_patrol", "mtg_hj3yoo", "qwirkle", "set"})
        for (const char* shown : {"pawelas", "tmikonen", "nicolashahn"}) {
            std::vector<fs::path> files = every(root / "cards/images", 1);
            std::erase_if(
                files, [&](const fs::path& f) { return f.filename().string().find(shown) != 0; });
            if (std::string(deck) == "set" && std::string(shown) == "nicolashahn") continue;
            if (files.size() > 5) files.resize(5);
            line(shown, deck, deck_in(root / "cards/refs" / deck, 0), files);
        }
}

std::vector<bench::Reference> references_in(const fs::path& folder) {
    std::vector<bench::Reference> out;
    for (const auto& entry : fs::directory_iterator{folder})
        out.push_back({entry.path().stem().string(), cv::imread(entry.path().string())});
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.face < b.face; });
    return out;
}

/// Photographs made of the references of every deck, `count` a deck. `half` as above.
void made(const std::string& part, const std::string& list, int count_each, unsigned seed,
          int half) {
    const fs::path root = fs::path(OVERBOARD_SHARED) / "real/cards/refs";
    if (!fs::is_directory(root)) return void(std::printf("no references at hand\n"));
    print_head();
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator{root}) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    for (const fs::path& folder : folders) {
        const std::string name = folder.filename().string();
        if (name.find(part) == std::string::npos) continue;
        const std::vector<bench::Reference> references = references_in(folder);
        const Faces deck = deck_in(folder, half);
        const std::vector<std::string> names = deck.names();
        bench::PhotographMaker maker(references, seed);
        Tally t;
        for (int k = 0; k < count_each; ++k) {
            const bench::MadePhotograph photo = maker.make();
            std::vector<Label> labels;
            for (const bench::MadeCard& c : photo.cards) {
                const Corners corners{c.corners[0], c.corners[1], c.corners[2], c.corners[3]};
                labels.push_back(
                    {centre_of(corners), std::min(mean_side(corners, 0), mean_side(corners, 1)),
                     c.face, true, std::find(names.begin(), names.end(), c.face) != names.end()});
            }
            const double start = cpu_s();
            const auto seen = find_flat_faces(photo.bgr, {}, {deck});
            t.seconds += cpu_s() - start, ++t.pictures;
            const std::string title = cv::format("%s %d", name.c_str(), k);
            if (!list.empty())
                std::printf("%s: %zu cards, %s\n", title.c_str(), labels.size(), photo.how.c_str());
            if (const char* out = std::getenv("DRAW_MADE"))
                draw(photo.bgr, seen, fs::path(out) / cv::format("%s_%d.png", name.c_str(), k));
            count(seen, labels, {}, list.empty() ? "" : title, list == "each", t);
        }
        print(name + (half > 0 ? ", half enrolled" : "") + ", made", t, "side");
    }
}

/// Reading alone: where the cards lie is told, off by up to 3 % of a side. A line a deck: all
/// enrolled, then half.
void crops(const std::string& part, const std::string& list, int times) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> any(-1, 1);
    const fs::path root = fs::path(OVERBOARD_SHARED) / "real/cards";
    std::ifstream file(root / "labels.json");
    if (!file) return void(std::printf("no photographs at hand\n"));
    const Json labelled = Json::parse(file);
    std::map<std::string, Tally> tallies;
    RecogniseOptions options;
    options.rounds = 5, options.slack = 0.05F, options.careful = true;
    std::map<std::string, std::array<Faces, 3>> decks;
    for (const Json& image : labelled["images"]) {
        const std::string name = image["file"], deck = image["deck"];
        if (name.find(part) == std::string::npos || !fs::is_directory(root / "refs" / deck))
            continue;
        if (!decks.contains(deck))
            for (int half : {0, 1, 2}) decks[deck][half] = deck_in(root / "refs" / deck, half);
        const cv::Mat original = cv::imread((root / name).string());
        for (int time = 0; time < times; ++time)
            for (const Json& j : image["labels"]) {
                if (j.value("is_ref", false) || !j.contains("corners")) continue;
                std::vector<Label> labels{label_from(j)};
                Corners corners;
                for (int i = 0; i < 4; ++i)
                    corners[i] = cv::Point2f(j["corners"][i][0].get<float>(),
                                             j["corners"][i][1].get<float>()) +
                                 cv::Point2f(any(random), any(random)) * 0.03F * labels[0].side;
                cv::Mat bgr = original;
                if (time > 0) {  // smaller, softer, noisier
                    const cv::Rect box = (cv::boundingRect(std::vector<cv::Point2f>(
                                              corners.begin(), corners.end())) +
                                          cv::Size(40, 40) - cv::Point(20, 20)) &
                                         cv::Rect({}, original.size());
                    const double scale = std::clamp(
                        (60 + 60 * (1 + any(random))) / double{labels[0].side}, 0.2, 1.0);
                    cv::resize(original(box), bgr, {}, scale, scale, cv::INTER_AREA);
                    for (auto& p : corners)
                        p = (p - cv::Point2f(box.tl())) * static_cast<float>(scale);
                    cv::Mat noise(bgr.size(), CV_16SC3);
                    cv::theRNG().state = random();
                    cv::randn(noise, 0, 3);
                    cv::add(bgr, noise, bgr, cv::noArray(), CV_8UC3);
                }
                for (int half : {0, 1, 2}) {
                    const std::vector<std::string> names = decks[deck][half].names();
                    labels[0].enrolled = std::find(names.begin(), names.end(),
                                                   labels[0].identity) != names.end();
                    FlatFace f;
                    f.quad.corners = corners;
                    f.match = decks[deck][half].recognise(bgr, corners, options);
                    labels[0].centre = centre_of(corners);
                    Tally& t = tallies[deck + (half > 0 ? ", half enrolled" : "") +
                                       (time > 0 ? ", smaller" : "")];
                    count({f}, labels, {}, list.empty() ? "" : name + cv::format(" half %d", half),
                          list == "each", t);
                }
            }
    }
    print_head();
    for (const auto& [name, t] : tallies) print(name + ", crops", t, "side");
}

/// Scattered pieces, and what the set is played like: towers for tall cards, a grid for squares.
Observation scene_of(const FaceKind& kind, std::mt19937& random) {
    Observation scene;
    std::uniform_real_distribution<double> any(-1, 1);
    const auto add = [&](double x, double y, double angle) {
        Piece p;
        p.kind = PieceKind::card;
        p.x = x, p.y = y, p.angle = angle;
        p.face = kind.has_back && random() % 8 == 0 ? "back"
                                                    : kind.faces[random() % kind.faces.size()];
        scene.pieces.push_back(p);
    };
    const double w = kind.width_mm, h = kind.height_mm;
    for (int i = 0; i < 8; ++i) add(150 + 130 * i, 540 + 10 * any(random), M_PI * any(random));
    if (w == h)
        for (int i = 0; i < 16; ++i)
            add(450 + 1.006 * w * (i % 4), 180 + 1.006 * w * (i / 4), 0.005 * any(random));
    else if (h > 60)
        for (int tower = 0; tower < 3; ++tower)
            for (int i = 0; i < 4; ++i)
                add(250 + 300 * tower + any(random), 180 + h / 4 * i, 0.02 * any(random));
    else
        for (int i = 0; i < 8; ++i) add(150 + 130 * i, 250 + 20 * any(random), M_PI * any(random));
    return scene;
}

void simulated() {
    print_head();
    std::mt19937 random(std::random_device{}());
    for (const std::string set : {"gotown", "jouets", "gayplay"}) {
        Catalogue catalogue;
        FaceKind kind;
        const auto size = simulator::face_size(set);
        kind.set = set, kind.width_mm = size.width_mm, kind.height_mm = size.height_mm,
        kind.faces = simulator::face_names(set);
        Faces faces;
        for (const auto& f : kind.faces) faces.enrol(f, simulator::draw_face(set, f, 6));
        kind.has_back = std::erase(kind.faces, "back") > 0;
        catalogue.cards = {kind};
        for (const std::string light : {"easy", "cafe", "harsh"}) {
            Tally t;
            for (int k = 0; k < 3; ++k) {
                const Observation scene = scene_of(kind, random);
                simulator::Camera camera({}, light, random());
                const cv::Mat bgr = camera.render(simulator::world_from(catalogue, scene), 0.1);
                const double start = cpu_s();
                const auto seen = detect_cards({bgr, &camera.map(), {}}, catalogue, {faces});
                t.seconds += cpu_s() - start;
                ++t.pictures;
                std::vector<bool> used(seen.size());
                for (const Piece& truth : scene.pieces) {
                    int best = -1;
                    double reach = 10;
                    for (std::size_t i = 0; i < seen.size(); ++i) {
                        const double d = distance({seen[i].x, seen[i].y}, {truth.x, truth.y});
                        if (!used[i] && d < reach) reach = d, best = static_cast<int>(i);
                    }
                    ++t.pieces;
                    if (best < 0) continue;
                    used[best] = true, ++t.found;
                    t.errors.push_back(reach);
                    if (!seen[best].face)
                        ++t.unnamed;
                    else
                        (seen[best].face == truth.face ? t.right : t.wrong)++;
                }
                for (std::size_t i = 0; i < seen.size(); ++i)
                    if (!used[i]) (seen[i].face ? t.extra_named : t.extra_unnamed)++;
            }
            print(set + ", " + light, t, "mm");
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "all";
    const std::string part = argc > 2 ? argv[2] : "";
    const std::string list = argc > 3 ? argv[3] : "";
    if (what == "real" || what == "all") real(part, false, list);
    if (what == "varied" || what == "all") real(part, true, list);
    for (const int half : {1, 2})
        if (what == "strangers" || what == "all") real(part, false, list, half);
    const int count_each = argc > 4 ? std::atoi(argv[4]) : 8;
    const unsigned seed = argc > 5 ? static_cast<unsigned>(std::atoi(argv[5]))
                                   : std::random_device{}();
    if (what == "outlines") real(part, false, list, 0, false);
    if (what == "foreign") foreign();
    if (what == "crops") crops(part, list, argc > 4 ? std::atoi(argv[4]) : 2);
    if (what == "made" || what == "all") made(part, list, count_each, seed, 0);
    for (const int half : {1, 2})
        if (what == "made-strangers") made(part, list, count_each, seed, half);
    if (what == "simulated" || what == "all") simulated();
}
