// Exact: every remaining piece against every free side, in every position in which a side fits, and
// every stone on every piece that may take it. Nothing is sampled.
#include <algorithm>

#include "rules/topit/topit.hpp"

namespace overboard::rules {
namespace topit {
namespace {

struct Option {
    int points = 0;
    int colour = 0;
    int shape = -1;  ///< -1: the stone.
    Settled place;
    int on = -1;
};

void add_stones(const State& state, std::vector<Option>& options) {
    for (const int colour : colours_of(state, state.turn)) {
        for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i) {
            if (!Topit::judge(state, state.turn, top_move(state, colour, i)).legal()) continue;
            Option option;
            option.points = sum_of_stone(state, i).points;
            option.colour = colour;
            option.on = i;
            options.push_back(std::move(option));
        }
    }
}

int points_for(const State& state, int shape, const Settled& place) {
    int points = state.mosaic.shape(shape).value;
    for (const int n : place.neighbours)
        points += state.mosaic.shape(state.mosaic.pieces()[static_cast<std::size_t>(n)].shape)
                      .value;
    return points;
}

void add_places(const State& state, std::vector<Option>& options) {
    const bool second = state.count() == 2 && state.turn != state.first &&
                        state.mosaic.pieces().size() == 1;
    const auto colours = colours_of(state, state.turn);
    for (int shape = 0; shape < static_cast<int>(state.mosaic.set().shapes.size()); ++shape) {
        if (second && state.mosaic.pieces()[0].shape == shape) continue;  // TOPIT-22
        std::vector<int> open;
        for (const int colour : colours)
            if (!is_laid(state, shape, colour)) open.push_back(colour);
        if (open.empty()) continue;
        for (const Settled& place : state.mosaic.places_for(shape))
            for (const int colour : open)
                if (colours_allow(state, colour, place))
                    options.push_back({points_for(state, shape, place), colour, shape, place, -1});
    }
}

void add_first_pieces(const State& state, std::vector<Option>& options) {
    for (const int colour : colours_of(state, state.turn))
        for (const int shape : shapes_left(state, colour)) {
            Option option{2 * state.mosaic.shape(shape).value, colour, shape, {}, -1};
            option.place.at = {600, 337.5, 0};
            options.push_back(std::move(option));
        }
}

Mark badge(Point at, int points, const std::string& seat) {
    Mark mark;
    mark.kind = MarkKind::badge;
    mark.at = at;
    mark.text = "+" + std::to_string(points);
    mark.seat = seat;
    return mark;
}

/// The outline in which the piece would lie, or the circle of the stone, with the sum.
std::vector<Mark> ghost_of(const State& state, const Option& option) {
    const std::string& seat = state.player(state.turn).seat;
    const Pose local = option.shape < 0
                           ? state.mosaic.pieces()[static_cast<std::size_t>(option.on)].at
                           : option.place.at;
    const Pose pose = state.mosaic.to_table(local);
    Mark ghost;
    ghost.kind = MarkKind::ghost;
    ghost.at = {pose.x, pose.y};
    ghost.seat = seat;
    if (option.shape < 0)
        ghost.radius = 8;
    else
        ghost.points = outline_at(state.mosaic.shape(option.shape).outline, pose);
    return {ghost, badge(ghost.at, option.points, seat)};
}

Hint hint_for(const State& state, const Option& option) {
    Hint hint;
    hint.value = option.points;
    hint.marks = ghost_of(state, option);
    if (option.shape < 0) {
        hint.move = top_move(state, option.colour, option.on);
        hint.message = {"topit.hint_top", {{"piece", hint.move["on"]}, {"points", option.points}}};
        hint.detail = {{"terms", sum_of_stone(state, option.on).terms}};
    } else {
        hint.move = place_move(state, option.shape, option.colour,
                               state.mosaic.to_table(option.place.at));
        hint.message = {
            "topit.hint_place",
            {{"piece", piece_id(state, option.shape, option.colour)}, {"points", option.points}}};
        hint.detail = {
            {"terms",
             sum_of_placing(state, option.shape, option.colour, option.place.neighbours).terms}};
    }
    return hint;
}

/// Best first; the best stone move is always among them when there is room for two.
void keep_best(std::vector<Option>& options, std::size_t count) {
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& a, const Option& b) { return a.points > b.points; });
    const auto is_stone = [](const Option& o) { return o.shape < 0; };
    const auto stone = std::find_if(options.begin(), options.end(), is_stone);
    if (options.size() <= count) return;
    const bool late = stone != options.end() &&
                      static_cast<std::size_t>(stone - options.begin()) >= count;
    if (late && count >= 2) options[count - 1] = *stone;
    options.resize(count);
}

}  // namespace
}  // namespace topit

using namespace topit;

std::vector<Hint> Topit::hints(const State& state, int count) {
    std::vector<Hint> hints;
    if (state.finished || count <= 0) return hints;
    std::vector<Option> options;
    if (state.mosaic.pieces().empty())
        add_first_pieces(state, options);
    else
        add_places(state, options);
    add_stones(state, options);
    keep_best(options, static_cast<std::size_t>(count));
    for (const Option& option : options) hints.push_back(hint_for(state, option));
    return hints;
}

}  // namespace overboard::rules
