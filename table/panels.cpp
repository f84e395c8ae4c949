#include "table/panels.hpp"

#include <algorithm>
#include <cmath>

namespace overboard::table {
std::string seat_of(const Scene& scene, const std::string& player) {
    if (!scene.match) return "s";
    static const std::map<std::size_t, std::vector<const char*>> defaults = {
        {1, {"s"}},
        {2, {"s", "n"}},
        {3, {"s", "w", "n"}},
        {4, {"s", "w", "n", "e"}},
        {5, {"s", "s", "w", "n", "e"}},
        {6, {"s", "s", "w", "n", "n", "e"}}};
    const auto& players = scene.match->players;
    for (std::size_t i = 0; i < players.size(); ++i) {
        if (players[i].value("name", "") != player) continue;
        const auto seat = players[i].find("seat");
        if (seat != players[i].end() && seat->is_string() && !seat->get<std::string>().empty())
            return seat->get<std::string>();
        const auto usual = defaults.find(players.size());
        return usual == defaults.end() ? kSeats[i % 4] : usual->second[i];
    }
    return "s";
}

std::vector<Json> players_at(const Scene& scene, const std::string& seat) {
    std::vector<Json> here;
    if (scene.match)
        for (const Json& player : scene.match->players)
            if (seat_of(scene, player.value("name", "")) == seat) here.push_back(player);
    return here;
}

std::vector<std::string> seats_taken(const Scene& scene) {
    std::vector<std::string> seats;
    for (const char* seat : kSeats)
        if (!players_at(scene, seat).empty()) seats.emplace_back(seat);
    if (seats.empty()) seats.emplace_back("s");
    return seats;
}

PanelPlace place_of(const Scene& scene, const std::string& seat) {
    const auto moved = scene.panels.find(seat);
    return moved == scene.panels.end() ? PanelPlace{} : moved->second;
}

std::string named_in(const Mark& mark) {
    const auto player = mark.args.is_object() ? mark.args.find("player") : mark.args.end();
    return mark.args.is_object() && player != mark.args.end() && player->is_string()
               ? player->get<std::string>()
               : "";
}

bool belongs_to_panel(const Scene& scene, const Mark& mark) {
    if ((mark.kind != MarkKind::text && mark.kind != MarkKind::badge) || mark.seat.empty())
        return false;
    if (mark.style != MarkStyle::score && mark.style != MarkStyle::hint) return false;
    if (!scene.match) return false;
    const std::string named = named_in(mark);
    return std::any_of(scene.match->players.begin(), scene.match->players.end(),
                       [&](const Json& player) {
                           const std::string name = player.value("name", "");
                           return !name.empty() && (named == name || mark.text.starts_with(name)) &&
                                  seat_of(scene, name) == mark.seat;
                       });
}

namespace {

Rect box_at(const Scene& scene, const std::string& seat, const PanelPlace& place,
            const Theme& theme) {
    const std::size_t people = std::max<std::size_t>(1, players_at(scene, seat).size());
    const PanelSize one = theme.size_of(place.form);
    const double wide = std::min(
        seat_width(seat, scene.table),
        people > 1 ? 30 + 0.5 * one.width_mm * double(people) : one.width_mm);
    const double near = -theme.edge_mm - place.inward_mm;
    return {place.along_mm - wide / 2, near - one.depth_mm, place.along_mm + wide / 2, near};
}

Rect on_table(const Scene& scene, const std::string& seat, const Rect& box) {
    const Pose frame = seat_pose(seat, scene.table);
    return box_of({place(frame, {box.x0, box.y0}), place(frame, {box.x1, box.y1})});
}

}  // namespace

std::vector<Rect> game_boxes(const Scene& scene) {
    std::vector<Rect> boxes;
    for (const Mark& mark : scene.marks) {
        if (mark.style != MarkStyle::zone && mark.kind != MarkKind::ghost) continue;
        if (mark.points.size() > 2)
            boxes.push_back(box_of(mark.points));
        else if (mark.radius > 0)
            boxes.push_back(Rect{mark.at.x, mark.at.y, mark.at.x, mark.at.y}.grown(mark.radius));
    }
    return boxes;
}

namespace {

// Forms from the most legible to the smallest, and what a smaller one costs in millimetres of way.
// Two people at one seat need the room of a long one.
std::vector<std::pair<PanelForm, double>> forms_at(const Scene& scene, const std::string& seat) {
    std::vector<std::pair<PanelForm, double>> forms = {{PanelForm::wide, 0},
                                                       {PanelForm::brief, 50}};
    if (players_at(scene, seat).size() < 2) forms.push_back({PanelForm::compact, 70});
    return forms;
}

// All the ways a panel can make way, those first that keep it nearest to its reader.
std::vector<PanelPlace> ways(const Scene& scene, const std::string& seat, const Theme& theme) {
    const bool side = seat == "w" || seat == "e";
    std::vector<std::pair<double, PanelPlace>> all;
    for (const auto& [form, smaller] : forms_at(scene, seat)) {
        const Rect box = box_at(scene, seat, {0, 0, form}, theme);
        const double room = (seat_width(seat, scene.table) - box.width()) / 2;
        const double deepest = (side ? scene.table.width_mm : scene.table.height_mm) / 2 -
                               box.height() - 2 * theme.edge_mm;
        for (double inward = 0; inward <= std::min(320.0, deepest); inward += 40)
            for (const double share : {0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75, -1.0, 1.0})
                all.push_back({2 * inward + smaller + 0.15 * std::abs(share * room),
                               {share * room, inward, form}});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<PanelPlace> places;
    for (const auto& [cost, place] : all) places.push_back(place);
    return places;
}

}  // namespace

Rect panel_box(const Scene& scene, const std::string& seat, const Theme& theme) {
    return box_at(scene, seat, place_of(scene, seat), theme);
}

Rect panel_on_table(const Scene& scene, const std::string& seat, const Theme& theme) {
    return on_table(scene, seat, panel_box(scene, seat, theme));
}

void settle_panels(Scene& scene, const Theme& theme) {
    if (!scene.match) return;
    const auto dark = dark_places(scene.pieces, scene.table);
    const std::vector<Rect> game = game_boxes(scene);
    const auto seats = seats_taken(scene);
    for (const std::string& seat : seats) {
        const auto hidden = [&](const PanelPlace& place) {
            const Rect box = on_table(scene, seat, box_at(scene, seat, place, theme));
            double count = Clearance{&dark, {}, {}}.covered(box);
            for (const Rect& zone : game) count += touch(zone, box);
            for (const std::string& other : seats)
                count += other != seat && touch(panel_on_table(scene, other, theme), box);
            return count;
        };
        double least = hidden(place_of(scene, seat));
        if (least == 0) continue;
        for (const PanelPlace& way : ways(scene, seat, theme)) {
            const double cost = hidden(way);
            if (cost >= least) continue;
            least = cost;
            scene.panels[seat] = way;
            if (cost == 0) break;
        }
    }
}

}  // namespace overboard::table
