#include "app/seeing.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "app/rig.hpp"
#include "bus/messages.hpp"
#include "calibration/profile.hpp"
#include "calibration/table_frame.hpp"
#include "physics/board.hpp"
#include "rules/games.hpp"

namespace overboard::app {
namespace fs = std::filesystem;
namespace {

// Common colour names for pieces that no game describes.
const std::vector<NamedColour> kCommonColours = {
    {"red", {200, 40, 40}},    {"orange", {240, 140, 30}}, {"yellow", {240, 210, 40}},
    {"green", {40, 150, 60}},  {"blue", {40, 80, 190}},    {"purple", {130, 60, 160}},
    {"pink", {235, 130, 170}}, {"brown", {120, 75, 45}},   {"black", {30, 30, 30}},
    {"gray", {128, 128, 128}}, {"white", {240, 238, 230}}};

fs::path any_picture(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file() && cv::haveImageReader(entry.path().string()))
            return entry.path();
    throw std::runtime_error("there is no picture of a face in '" + folder.string() + "'");
}

// The aspect of the references tells cards from squares; the size is a guess only a map would need.
FaceKind any_faces(const std::string& folder, double width_mm, double height_mm) {
    FaceKind kind;
    kind.width_mm = width_mm;
    kind.height_mm = height_mm;
    if (folder.empty()) return kind;
    const cv::Mat sample = cv::imread(any_picture(folder).string());
    if (!sample.empty()) kind.height_mm = width_mm * sample.rows / sample.cols;
    return kind;
}

std::optional<Sought> bare_kind(const SeeingOptions& o) {
    Sought s;
    s.catalogue.palette = kCommonColours;
    if (o.game == "discs")
        s.kinds.discs = true;
    else if (o.game == "dice")
        s.kinds.dice = true;
    else if (o.game == "polygons")
        s.kinds.polygons = true;
    else if (o.game == "cards")
        s.kinds.cards = true, s.catalogue.cards = {any_faces(o.faces, 63, 88)};
    else if (o.game == "tiles")
        s.kinds.tiles = true, s.catalogue.tiles = {any_faces(o.faces, 40, 40)};
    else
        return {};
    return s;
}

// A board may belong to another variant than the default: the first one that plays on it is taken.
rules::Setup setup_for(const rules::Game& game, const SeeingOptions& o) {
    rules::Setup setup;
    setup.variant = o.variant;
    if (o.board.empty()) return setup;
    setup.options["board"] = o.board;
    for (int i = 0; i < std::max(1, game.info.min_players); ++i)
        setup.players.push_back({"player " + std::to_string(i + 1), "", {}});
    std::vector<std::string> variants = {o.variant};
    if (o.variant.empty())
        variants.insert(variants.end(), game.info.variants.begin(), game.info.variants.end());
    std::string reason;
    for (const std::string& variant : variants) {
        setup.variant = variant;
        const auto first = game.start(setup);
        if (first) return setup;
        if (reason.empty())
            reason = Messages::shared().text("en", first.error().message.key,
                                             first.error().message.args);
    }
    throw CLI::ValidationError("--board", reason);
}

std::vector<std::string> disc_types(const Catalogue& c) {
    std::vector<std::string> types;
    for (const DiscKind& d : c.discs) types.push_back(d.type);
    return types;
}

// Sets with other discs than the usual one's.
std::vector<Catalogue> other_sets(const rules::Game& game, const SeeingOptions& o,
                                  const Catalogue& usual) {
    std::vector<Catalogue> others;
    if (usual.discs.empty() || !o.board.empty() || !o.variant.empty()) return others;
    SeeingOptions other = o;
    for (const std::string& name : physics::board_names()) {
        other.board = name;
        Catalogue c = game.catalogue(setup_for(game, other));
        const auto same = [&](const Catalogue& known) {
            return disc_types(known) == disc_types(c);
        };
        if (!same(usual) && std::none_of(others.begin(), others.end(), same))
            others.push_back(std::move(c));
    }
    return others;
}

Sought game_pieces(const SeeingOptions& o) {
    const rules::Game* game = rules::find_game(o.game);
    if (!game)
        throw CLI::ValidationError(
            "GAME", "'" + o.game + "' is no game, nor dice, cards, tiles, polygons or discs");
    Sought s;
    s.catalogue = game->catalogue(setup_for(*game, o));
    s.others = other_sets(*game, o, s.catalogue);
    s.kinds = vision::kinds_of(s.catalogue);
    return s;
}

std::vector<vision::Faces> load_faces(const std::string& root, const std::vector<FaceKind>& kinds) {
    // Without a folder the faces are those we print ourselves.
    if (root.empty() && !kinds.empty() && !kinds[0].set.empty()) return drawn_faces(kinds);
    std::vector<vision::Faces> sets(kinds.size());
    if (root.empty()) return sets;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const fs::path own = fs::path(root) / kinds[i].set;
        if (fs::is_directory(own) && !kinds[i].set.empty())
            sets[i] = vision::Faces::from_folder(own);
        else if (kinds.size() == 1 || kinds[i].set.empty())
            sets[i] = vision::Faces::from_folder(root);
    }
    return sets;
}

double parse_number(const char*& at, const char* end) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{})
        throw CLI::ValidationError("--corners", "needs four corners: \"x,y x,y x,y x,y\"");
    at = next;
    return value;
}

/// Every turn to the right, as it looks in a picture: no mirror, no bow-tie.
bool clockwise(const std::vector<cv::Point2d>& corners) {
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const cv::Point2d here = corners[(i + 1) % corners.size()];
        if ((here - corners[i]).cross(corners[(i + 2) % corners.size()] - here) <= 0) return false;
    }
    return true;
}

}  // namespace

std::vector<cv::Point2d> parse_corners(const std::string& text) {
    std::vector<cv::Point2d> corners;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto skip = [&](const char* marks) {
        while (at < end && std::string_view(marks).find(*at) != std::string_view::npos) ++at;
    };
    for (skip(" \t;"); at < end; skip(" \t;")) {
        const double x = parse_number(at, end);
        skip(", ");
        corners.emplace_back(x, parse_number(at, end));
    }
    if (corners.size() != 4) throw CLI::ValidationError("--corners", "needs exactly four corners");
    if (!clockwise(corners))
        throw CLI::ValidationError("--corners", "the four corners do not go round clockwise");
    return corners;
}

namespace {

Registration by_corners(const std::string& text, const Catalogue& catalogue, cv::Size size) {
    const auto pixels = parse_corners(text);
    Registration r;
    if (catalogue.board) {
        const double w = catalogue.board->width_mm / 2, h = catalogue.board->height_mm / 2;
        r.map = calibration::map_from_points({{-w, -h}, {w, -h}, {w, h}, {-w, h}}, pixels, size);
        r.board = Pose{0, 0, 0};
    } else {
        const double w = catalogue.table.width_mm, h = catalogue.table.height_mm;
        r.map = calibration::map_from_points({{0, 0}, {w, 0}, {w, h}, {0, h}}, pixels, size);
    }
    return r;
}

// The markers say where the table is now, the file what the lens does; without markers the table is
// where it was.
Registration by_calibration(const std::string& file, const Catalogue& catalogue,
                            const cv::Mat& bgr) {
    const calibration::Profile profile = calibration::load_profile(file);
    std::optional<calibration::Intrinsics> lens = profile.lens;
    if (lens && lens->size != bgr.size()) lens = lens->scaled_to(bgr.size());
    if (auto map = calibration::find_table(bgr, catalogue.table, lens ? &*lens : nullptr))
        return {std::move(map), {}};
    if (profile.table && profile.table->size() == bgr.size()) return {profile.table, {}};
    return {};
}

}  // namespace

void SeeingOptions::add_to(CLI::App& command) {
    command.add_option("GAME", game, "A game, or dice, cards, tiles, polygons, discs")->required();
    command.add_option("--board", board, "The board, for a game that has several");
    command.add_option("--variant", variant, "The game's variant");
    command.add_option("--calibration", calibration,
                       "Calibration file of the camera over its table");
    command.add_option(
        "--corners", corners,
        "Pixels of the corners of the board's surface, else of the table, clockwise from "
        "the top-left: \"x,y x,y x,y x,y\"");
    command.add_option("--faces", faces, "Folder of enrolled faces");
}

void SeeingOptions::check_files() const {
    for (const auto& [option, path] : {std::pair{"--calibration", calibration}, {"--faces", faces}})
        if (!path.empty() && !fs::exists(path))
            throw CLI::ValidationError(option, path + " is not there");
}

Sought look_for(const SeeingOptions& options) {
    if (!options.corners.empty())
        parse_corners(options.corners);  // wrong usage shows before any work
    options.check_files();
    auto bare = bare_kind(options);
    Sought sought = bare ? std::move(*bare) : game_pieces(options);
    sought.faces.cards = load_faces(options.faces, sought.catalogue.cards);
    sought.faces.tiles = load_faces(options.faces, sought.catalogue.tiles);
    return sought;
}

Registration register_view(const SeeingOptions& options, const Catalogue& catalogue,
                           const cv::Mat& bgr) {
    if (!options.calibration.empty()) return by_calibration(options.calibration, catalogue, bgr);
    if (!options.corners.empty()) return by_corners(options.corners, catalogue, bgr.size());
    return {calibration::find_table(bgr, catalogue.table), {}};
}

Registration register_film(const SeeingOptions& options, const Catalogue& catalogue,
                           const cv::Mat& bgr) {
    if (options.corners.empty() || !catalogue.board) return register_view(options, catalogue, bgr);
    const Pose at = catalogue.board->at;
    const double w = catalogue.board->width_mm / 2, h = catalogue.board->height_mm / 2;
    std::vector<Point> corners;
    for (Point p : {Point{-w, -h}, {w, -h}, {w, h}, {-w, h}}) corners.push_back(place(at, p));
    return {calibration::map_from_points(corners, parse_corners(options.corners), bgr.size()), at};
}

}  // namespace overboard::app
