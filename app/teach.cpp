#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>

#include "app/commands.hpp"
#include "rules/games.hpp"
#include "simulator/art.hpp"
#include "vision/faces/faces.hpp"
#include "vision/flats/flat_faces.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

struct TeachOptions {
    std::string game, variant, from, camera, out = "faces";
};

/// One folder to be: pictures by face.
struct Enrolment {
    FaceKind kind;
    std::map<std::string, cv::Mat> pictures;
};

constexpr double kTooAlike = 0.97;  // of correlation: nobody could tell these apart under a lamp
constexpr double kPxPerMm = 6;

std::vector<std::string> wanted(const FaceKind& kind) {
    std::vector<std::string> faces = kind.faces;
    if (kind.has_back) faces.push_back("back");
    return faces;
}

std::vector<FaceKind> kinds_of(const TeachOptions& o) {
    const rules::Game* game = rules::find_game(o.game);
    if (!game) throw CLI::ValidationError("GAME", "'" + o.game + "' is no game");
    rules::Setup setup;
    setup.variant = o.variant;
    const Catalogue catalogue = game->catalogue(setup);
    std::vector<FaceKind> kinds = catalogue.cards;
    kinds.insert(kinds.end(), catalogue.tiles.begin(), catalogue.tiles.end());
    if (kinds.empty())
        throw std::runtime_error("'" + o.game +
                                 "' has no cards and no tiles: there is nothing to teach");
    return kinds;
}

/// DIR/<set>/<face>.png, or DIR/<face>.png when the game has one set only.
void read_folder(const fs::path& root, bool only_one, Enrolment& e) {
    fs::path folder = root / e.kind.set;
    if (!fs::is_directory(folder) && only_one) folder = root;
    if (!fs::is_directory(folder))
        throw std::runtime_error("there is no folder '" + folder.string() + "' with the faces of " +
                                 e.kind.set);
    for (const std::string& face : wanted(e.kind))
        for (const char* ext : {".png", ".jpg", ".jpeg"}) {
            const fs::path file = folder / (face + ext);
            if (!fs::exists(file)) continue;
            e.pictures[face] = cv::imread(file.string(), cv::IMREAD_COLOR);
            if (e.pictures[face].empty())
                throw std::runtime_error("'" + file.string() + "' cannot be read as a picture");
        }
}

void draw_own(Enrolment& e) {
    const auto drawn = simulator::face_names(e.kind.set);
    for (const std::string& face : wanted(e.kind))
        if (std::find(drawn.begin(), drawn.end(), face) != drawn.end())
            e.pictures[face] = simulator::draw_face(e.kind.set, face, kPxPerMm);
}

/// The one piece lying in the middle, upright as its top edge is seen, edge to edge.
cv::Mat cut_out(const cv::Mat& frame, const FaceKind& kind) {
    const auto seen = vision::find_flat_faces(frame, {}, {});
    const cv::Point2f middle(static_cast<float>(frame.cols) / 2,
                             static_cast<float>(frame.rows) / 2);
    const vision::FlatFace* best = nullptr;
    for (const auto& f : seen)
        if (!best || cv::norm(vision::centre_of(f.quad.corners) - middle) <
                         cv::norm(vision::centre_of(best->quad.corners) - middle))
            best = &f;
    if (!best) return {};
    vision::Corners c = best->quad.corners;
    const auto top = std::min_element(
        c.begin(), c.end(), [](cv::Point2f a, cv::Point2f b) { return a.x + a.y < b.x + b.y; });
    std::rotate(c.begin(), top, c.end());
    const float w = static_cast<float>(kind.width_mm * kPxPerMm),
                h = static_cast<float>(kind.height_mm * kPxPerMm);
    const std::vector<cv::Point2f> to = {{0, 0}, {w, 0}, {w, h}, {0, h}};
    cv::Mat out;
    cv::warpPerspective(
        frame, out, cv::getPerspectiveTransform(std::vector<cv::Point2f>(c.begin(), c.end()), to),
        cv::Size(static_cast<int>(w), static_cast<int>(h)), cv::INTER_AREA);
    return out;
}

cv::VideoCapture open_camera(const std::string& name) {
    const bool number = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isdigit(c);
    });
    cv::VideoCapture camera = number ? cv::VideoCapture(std::stoi(name)) : cv::VideoCapture(name);
    if (!camera.isOpened())
        throw std::runtime_error(
            "the camera '" + name +
            "' cannot be opened; give --camera, or --from with a folder of pictures");
    return camera;
}

/// Asks for one face after another; Enter takes it, s skips it.
void ask_camera(cv::VideoCapture& camera, Enrolment& e) {
    for (const std::string& face : wanted(e.kind))
        for (bool taken = false; !taken;) {
            std::cout << "Lay \"" << face << "\" of " << e.kind.set
                      << " upright under the camera, alone, and press Enter (s: skip) "
                      << std::flush;
            std::string answer;
            if (!std::getline(std::cin, answer))
                throw std::runtime_error(
                    "stopped before all faces were taught; nothing was written");
            if (answer == "s") break;
            cv::Mat frame;
            for (int stale = 0; stale < 4; ++stale) camera >> frame;
            if (frame.empty())
                throw std::runtime_error("the camera gives no picture; nothing was written");
            e.pictures[face] = cut_out(frame, e.kind);
            taken = !e.pictures[face].empty();
            std::cout
                << (taken ? "  taken\n"
                          : "  no card or tile to be seen: more contrast with the table, please\n");
        }
}

void check_complete(const Enrolment& e) {
    std::string missing;
    for (const std::string& face : wanted(e.kind))
        if (!e.pictures.contains(face)) missing += (missing.empty() ? "" : ", ") + face;
    if (!missing.empty())
        throw std::runtime_error("faces of " + e.kind.set + " are missing: " + missing +
                                 "; nothing was written");
}

void check_distinct(const Enrolment& e) {
    vision::Faces faces;
    for (const auto& [face, picture] : e.pictures) faces.enrol(face, picture);
    for (const auto& pair : faces.most_alike(3))
        std::printf("%s: %s and %s are %.0f %% alike%s\n", e.kind.set.c_str(), pair.a.c_str(),
                    pair.b.c_str(), 100 * pair.likeness,
                    pair.likeness > kTooAlike ? ": the camera will mix them up" : "");
    std::printf("%s: %zu faces\n", e.kind.set.c_str(), faces.size());
}

/// All or nothing: written beside its place, then moved into it.
void write(const fs::path& out, const Enrolment& e) {
    const fs::path place = out / e.kind.set,
                   fresh = out / (e.kind.set + ".new-" + std::to_string(::getpid())),
                   old = fresh.string() + ".old";
    fs::create_directories(fresh);
    for (const auto& [face, picture] : e.pictures)
        if (!cv::imwrite((fresh / (face + ".png")).string(), picture)) {
            fs::remove_all(fresh);
            throw std::runtime_error("cannot write to '" + out.string() + "'");
        }
    if (fs::exists(place)) fs::rename(place, old);
    fs::rename(fresh, place);
    fs::remove_all(old);
    std::printf("%s\n", place.string().c_str());
}

void teach(const TeachOptions& o) {
    std::vector<Enrolment> enrolments;
    for (const FaceKind& kind : kinds_of(o)) enrolments.push_back({kind, {}});
    std::unique_ptr<cv::VideoCapture> camera;
    if (!o.camera.empty()) camera = std::make_unique<cv::VideoCapture>(open_camera(o.camera));
    for (Enrolment& e : enrolments) {
        if (camera)
            ask_camera(*camera, e);
        else if (!o.from.empty())
            read_folder(o.from, enrolments.size() == 1, e);
        else
            draw_own(e);
        check_complete(e);
    }
    for (const Enrolment& e : enrolments) check_distinct(e);
    try {
        for (const Enrolment& e : enrolments) write(o.out, e);
    } catch (const fs::filesystem_error& error) {
        throw std::runtime_error("cannot write to '" + o.out + "': " + error.code().message());
    }
}

}  // namespace

void add_teach(CLI::App& app) {
    auto* command = app.add_subcommand("teach", "Enrol the faces of a game's cards and tiles");
    auto options = std::make_shared<TeachOptions>();
    command->add_option("GAME", options->game, "A game with cards or tiles")->required();
    command->add_option("--variant", options->variant, "The game's variant");
    auto* from = command
                     ->add_option("--from", options->from,
                                  "Reference pictures, <face>.png, upright and edge to edge; "
                                  "without it and --camera: our own drawings")
                     ->check(CLI::ExistingDirectory);
    command
        ->add_option("--camera", options->camera,
                     "Take them from a camera (number, device, URL or file), one after another")
        ->excludes(from);
    command
        ->add_option("--out", options->out,
                     "Folder to write, one folder a set inside; used with --faces")
        ->capture_default_str();
    command->callback([options] { teach(*options); });
}

}  // namespace overboard::app
