#include "physics/board.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include "bus/data.hpp"

namespace overboard::physics {
namespace {

Rgb rgb_from(const Json& json) {
    return {json.at(0).get<std::uint8_t>(), json.at(1).get<std::uint8_t>(),
            json.at(2).get<std::uint8_t>()};
}

Point point_from(const Json& json) {
    return {json.at(0).get<double>(), json.at(1).get<double>()};
}

Point outward_of(const std::string& seat) {
    if (seat == "s") return {0, 1};
    if (seat == "w") return {-1, 0};
    if (seat == "n") return {0, -1};
    if (seat == "e") return {1, 0};
    throw std::runtime_error("\"" + seat + "\" is no seat");
}

ShootingLine line_from(const Json& json, const std::string& seat, const Board& board) {
    ShootingLine line{.seat = seat,
                      .outward = outward_of(seat),
                      .along = {},
                      .near = {},
                      .far = {},
                      .circles = {}};
    line.along = {line.outward.y, -line.outward.x};
    line.circle_diameter_mm = json.at("circle_diameter_mm");
    line.line_mm = json.at("line_mm");
    const double edge = (line.outward.x != 0 ? board.width_mm : board.height_mm) / 2;
    const double near = edge - json.at("near_mm").get<double>();
    const double far = edge - json.at("far_mm").get<double>();
    const double half = json.at("half_length_mm");
    for (int end : {0, 1}) {
        const Point side = line.along * (end ? half : -half);
        line.near[end] = line.outward * near + side;
        line.far[end] = line.outward * far + side;
        line.circles[end] = line.outward * ((near + far) / 2) + side;
    }
    return line;
}

void read_sizes(const Json& json, Board& board) {
    board.width_mm = json.at("surface_mm").at(0);
    board.height_mm = json.at("surface_mm").at(1);
    board.elevation_mm = json.at("elevation_mm");
    board.frame_mm = json.at("frame_mm");
    board.frame_height_mm = json.at("frame_height_mm");
    const Json& disc = json.at("disc");
    board.disc_diameter_mm = disc.at("diameter_mm");
    board.disc_height_mm = disc.at("height_mm");
    board.disc_mass_g = disc.at("mass_g");
    const Json& striker = json.at("striker");
    board.striker_diameter_mm = striker.at("diameter_mm");
    board.striker_height_mm = striker.at("height_mm");
    board.striker_mass_g = striker.at("mass_g");
}

void read_discs(const Json& json, Board& board) {
    for (const Json& entry : json.at("discs")) {
        const std::string type = entry.at("type");
        const bool striker = type == "striker";
        board.discs.push_back({type, striker ? board.striker_diameter_mm : board.disc_diameter_mm,
                               striker ? board.striker_height_mm : board.disc_height_mm,
                               rgb_from(entry.at("colour")), entry.at("count")});
    }
}

void read_prints(const Json& json, Board& board) {
    const Json& colours = json.at("colours");
    board.surface = rgb_from(colours.at("surface"));
    board.frame = rgb_from(colours.at("frame"));
    board.line = rgb_from(colours.at("line"));
    board.circle = rgb_from(colours.at("circle"));
    for (const auto& [type, colour] : json.at("spot_colours").items())
        board.spot_colours[type] = rgb_from(colour);
    for (const Json& print : json.value("prints", Json::array()))
        board.prints.push_back(
            {point_from(print.at("at")), print.at("diameter_mm"), print.at("line_mm"), board.line});
}

}  // namespace

Board board_from(const Json& json) {
    Board board;
    board.name = json.at("name");
    read_sizes(json, board);
    read_discs(json, board);
    read_prints(json, board);
    const Json& pockets = json.at("pockets");
    for (const char* name : {"ne", "se", "sw", "nw"})
        board.pockets.push_back(
            {name, point_from(pockets.at("at").at(name)), pockets.at("diameter_mm")});
    for (const Json& seat : json.at("lines").at("seats"))
        board.lines.push_back(line_from(json.at("lines"), seat, board));
    for (const Json& spot : json.at("spots"))
        board.spots.push_back({spot.at("type"), point_from(spot.at("at"))});
    for (const Json& row : json.value("rows", Json::array())) {
        auto& points = board.rows.emplace_back();
        for (const Json& at : row) points.push_back(point_from(at));
    }
    return board;
}

namespace {

/// Distance from `p` to the segment between `ends`.
double distance_to(const std::array<Point, 2>& ends, Point p) {
    const Point along = ends[1] - ends[0];
    const double k = std::clamp(dot(p - ends[0], along) / dot(along, along), 0.0, 1.0);
    return distance(p, ends[0] + along * k);
}

}  // namespace

bool Board::knows(std::string_view type) const {
    return std::any_of(discs.begin(), discs.end(),
                       [&](const DiscKind& d) { return d.type == type; });
}
double Board::diameter_of(std::string_view type) const {
    return type == "striker" ? striker_diameter_mm : disc_diameter_mm;
}
double Board::mass_of(std::string_view type) const {
    return type == "striker" ? striker_mass_g : disc_mass_g;
}
const ShootingLine* Board::line_of(std::string_view seat) const {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& l) { return l.seat == seat; });
    return found == lines.end() ? nullptr : &*found;
}

std::vector<std::string> board_names() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(data_file("physics/data")))
        if (file.path().extension() == ".json") names.push_back(file.path().stem());
    std::sort(names.begin(), names.end());
    return names;
}

const Board& load_board(std::string_view name) {
    static std::mutex mutex;
    static std::map<std::string, Board, std::less<>> loaded;
    const std::lock_guard lock(mutex);
    if (const auto found = loaded.find(name); found != loaded.end()) return found->second;
    const auto names = board_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw std::runtime_error("there is no board called \"" + std::string(name) + "\"");
    const std::string file = "physics/data/" + std::string(name) + ".json";
    try {
        return loaded.emplace(name, board_from(load_data(file))).first->second;
    } catch (const Json::exception& e) {
        throw std::runtime_error("the board file " + file + " is broken: " + e.what());
    }
}

BoardKind kind_of(const Board& board) {
    BoardKind kind;
    kind.name = board.name;
    kind.width_mm = board.width_mm;
    kind.height_mm = board.height_mm;
    kind.elevation_mm = board.elevation_mm;
    kind.frame_mm = board.frame_mm;
    kind.frame_height_mm = board.frame_height_mm;
    kind.surface = board.surface;
    kind.frame = board.frame;
    kind.holes = board.pockets;
    kind.circles = board.prints;
    for (const ShootingLine& line : board.lines) {
        kind.lines.push_back({line.near[0], line.near[1], line.line_mm, board.line});
        kind.lines.push_back({line.far[0], line.far[1], line.line_mm, board.line});
        for (Point at : line.circles)
            kind.circles.push_back({at, line.circle_diameter_mm, 0, board.circle});
    }
    const auto spot = [&](const std::string& type, Point at) {
        if (const auto colour = board.spot_colours.find(type); colour != board.spot_colours.end())
            kind.circles.push_back({at, board.disc_diameter_mm * 0.8, 0, colour->second});
    };
    for (const Spot& s : board.spots) spot(s.type, s.at);
    for (const auto& row : board.rows)
        for (Point at : row) spot("blue", at);
    return kind;
}

bool striker_may_stand(const Board& board, const ShootingLine& line, Point at, bool open_line,
                       double slack_mm) {
    const double r = board.striker_diameter_mm / 2, c = line.circle_diameter_mm / 2;
    const bool near = distance_to(line.near, at) <= r + slack_mm;
    const bool far = distance_to(line.far, at) <= r + slack_mm;
    bool covers = false, touches = false;
    for (Point circle : line.circles) {
        const double d = distance(circle, at);
        covers |= d <= r - c + slack_mm;
        touches |= d < r + c - slack_mm;
    }
    return open_line ? near || far : covers || (near && far && !touches);
}

}  // namespace overboard::physics
