#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/bench_vision.hpp"
#include "bus/json.hpp"
#include "physics/board.hpp"

// From label files to pictures with their truth. What each field means is told by the label files'
// own "about".
namespace overboard::app {
namespace {

Json labels_in(const BenchOptions& options, const char* set) {
    return Json::parse(std::ifstream(options.real / set / "labels.json"));
}

std::string stem(const Json& image) {
    return std::filesystem::path(image["file"].get<std::string>()).stem().string();
}

// "kamil__img_3" belongs to kamil.
std::string source_of(const std::string& name) {
    return name.substr(0, name.find("__"));
}

std::vector<cv::Point2f> ring_of(const Json& points) {
    std::vector<cv::Point2f> ring;
    for (const Json& p : points) ring.emplace_back(p[0].get<float>(), p[1].get<float>());
    return ring;
}

// Boxes (x0, y0, x1, y1), or objects with a centre and a size.
std::vector<std::vector<cv::Point2f>> ignored_in(const Json& image) {
    std::vector<std::vector<cv::Point2f>> rings;
    const auto add = [&](float x0, float y0, float x1, float y1) {
        rings.push_back({{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}});
    };
    const Json entries = image.value("ignore", Json::array());
    for (const Json& entry : entries) {
        if (entry.is_array() && entry.size() == 4 && entry[0].is_number())
            add(entry[0], entry[1], entry[2], entry[3]);
        else if (entry.is_object() && entry.contains("x")) {
            const float x = entry["x"], y = entry["y"], reach = entry.value("size", 60.f);
            add(x - reach, y - reach, x + reach, y + reach);
        }
    }
    return rings;
}

LabelledPicture picture_of(const BenchOptions& options, const char* set, const Json& image) {
    LabelledPicture picture;
    picture.name = stem(image);
    picture.bgr = cv::imread((options.real / set / image["file"].get<std::string>()).string());
    picture.ignored = ignored_in(image);
    return picture;
}

std::shared_ptr<const Sought> sought(const char* game, const std::string& faces = "") {
    SeeingOptions options;
    options.game = game;
    options.faces = faces;
    return std::make_shared<Sought>(look_for(options));
}

// The board and its discs without the game around them.
std::shared_ptr<const Sought> tournament_set() {
    const physics::Board& board = physics::load_board("tournament");
    Sought s;
    s.catalogue.board = physics::kind_of(board);
    s.catalogue.discs = board.discs;
    s.kinds.discs = true;
    return std::make_shared<Sought>(std::move(s));
}

}  // namespace

// Boards with labelled corners are seen twice: told the corners, and bare.
void carrom_photographs(const BenchOptions& options, const PictureSink& sink) {
    const auto carrom = tournament_set(), any = sought("discs");
    const Json labels = labels_in(options, "carrom");
    for (const Json& image : labels["images"]) {
        LabelledPicture picture = picture_of(options, "carrom", image);
        const bool is_carrom = image["game"] == "carrom";
        picture.sought = is_carrom ? carrom : any;
        picture.sides_only = !is_carrom;
        for (const Json& d : image["discs"]) {
            const double r = d["r"];
            const std::string colour = d["colour"];
            picture.truths.push_back({PieceKind::disc,
                                      {d["x"], d["y"]},
                                      0.5 * r,
                                      2 * r,
                                      is_carrom && colour == "red" ? "queen" : colour});
        }
        const std::string source = picture.name.substr(0,
                                                       picture.name.find_first_of("_0123456789"));
        picture.set = "discs: " + source + " bare";
        sink(picture);
        if (image["board_corners"].is_null()) continue;
        picture.set = "discs: " + source + " corners";
        for (const cv::Point2f& c : ring_of(image["board_corners"]))
            picture.corners.emplace_back(c);
        sink(picture);
    }
}

void dice_photographs(const BenchOptions& options, const PictureSink& sink) {
    const auto dice = sought("dice");
    const Json labels = labels_in(options, "dice");
    for (const Json& image : labels["images"]) {
        LabelledPicture picture = picture_of(options, "dice", image);
        picture.set = "dice: " + source_of(picture.name);
        picture.sought = dice;
        for (const Json& die : image["labels"]) {
            const double size = die["size"];
            picture.truths.push_back({PieceKind::die,
                                      {die["x"], die["y"]},
                                      0.5 * size,
                                      size,
                                      std::to_string(die["value"].get<int>())});
        }
        sink(std::move(picture));
    }
}

void card_photographs(const BenchOptions& options, const PictureSink& sink) {
    std::map<std::string, std::shared_ptr<const Sought>> decks;
    const Json labels = labels_in(options, "cards");
    for (const Json& image : labels["images"]) {
        LabelledPicture picture = picture_of(options, "cards", image);
        const std::string deck = image["deck"];
        const bool square = deck == "mathable";  // number tiles
        if (!decks.contains(deck)) {
            const auto folder = options.real / "cards/refs" / deck;
            decks[deck] = sought(square ? "tiles" : "cards",
                                 std::filesystem::is_directory(folder) ? folder.string() : "");
        }
        picture.sought = decks[deck];
        picture.set = (square ? "tiles: " : "cards: ") + deck;
        picture.may_mirror = false;
        for (const Json& label : image["labels"]) {
            std::vector<cv::Point2f> ring;
            if (label.contains("corners"))
                ring = ring_of(label["corners"]);
            else {
                const auto b = label["bbox"].get<std::vector<float>>();
                ring = {{b[0], b[1]}, {b[2], b[1]}, {b[2], b[3]}, {b[0], b[3]}};
            }
            const cv::Point2f centre = (ring[0] + ring[1] + ring[2] + ring[3]) * 0.25f;
            const double side = std::sqrt(cv::contourArea(ring));
            std::string identity = label["identity"];
            std::replace(identity.begin(), identity.end(), ' ', '_');
            picture.truths.push_back({square ? PieceKind::tile : PieceKind::card,
                                      {centre.x, centre.y},
                                      side / 3,
                                      side,
                                      identity,
                                      !label.value("is_ref", false),
                                      label.value("in_refs", false)});
        }
        sink(std::move(picture));
    }
}

void polygon_photographs(const BenchOptions& options, const PictureSink& sink) {
    const auto polygons = sought("polygons");
    const Json labels = labels_in(options, "polygons");
    for (const Json& image : labels["images"]) {
        LabelledPicture picture = picture_of(options, "polygons", image);
        picture.set = "polygons: " + source_of(picture.name);
        picture.sought = polygons;
        for (const Json& label : image["labels"]) {
            const auto ring = ring_of(label["vertices"]);
            const cv::Moments m = cv::moments(ring);
            const double side = std::sqrt(m.m00);
            picture.truths.push_back(
                {PieceKind::polygon,
                 {m.m10 / m.m00, m.m01 / m.m00},
                 side / 3,
                 side,
                 label["colour"].get<std::string>() + " " + label["shape"].get<std::string>()});
        }
        sink(std::move(picture));
    }
}

}  // namespace overboard::app
