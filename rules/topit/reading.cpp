// Every piece exists once, so what is seen is matched to what we know by colour and shape. A rigid
// motion fitted to all known pieces takes out a bumped table; what then lies off its place was
// moved. What is left over near the mosaic is new: pieces and stones are tried in every order, and
// the first legal one is the reading. Pieces far from the mosaic are somebody's supply.
#include <algorithm>
#include <cmath>

#include "rules/topit/topit.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace topit {
namespace {

/// What counts as what on the table. Distances of people and tables, not of detectors.
struct Reach {
    double bump_mm = 60;  ///< A known piece is looked for this far from its place. Higher: survives
                          ///< harder bumps.
    double moved_mm = 6;  ///< Farther off the others than this, a piece was moved. Lower: more
                          ///< false alarms.
    double near_mm = 25;  ///< New pieces this near to the mosaic are meant to belong to it. Higher:
                          ///< supplies must lie farther off.
    /// Where the first piece is looked for, round the middle of the table.
    double middle_mm = 200;
    double close = 0.5;  ///< A second reading this near to the best is asked about.
};
constexpr Reach kReach;
constexpr std::size_t kMostAtOnce = 3;

struct New {
    const Piece* piece = nullptr;
    int on = -1;  ///< Stones: the laid piece it lies on.
};

struct TableSeen {
    std::vector<New> fresh;
    Pose motion;  ///< Known table → seen table.
    std::optional<Ruling> wrong;
};

Point at(const Piece& piece) {
    return {piece.x, piece.y};
}

bool looks_like(const State& state, const Piece& piece, const Laid& laid) {
    return piece.type == state.mosaic.shape(laid.shape).name &&
           piece.colour == kColours[static_cast<std::size_t>(laid.colour)];
}

/// The seen pose, turned by whatever the shape's symmetry allows to come near to `expected`.
Pose nearest_turn(const Shape& shape, const Piece& piece, double expected) {
    return {piece.x, piece.y, expected + std::remainder(piece.angle - expected, shape.turn)};
}

/// The piece seen of its looks, the nearest to where it is expected.
const Piece* seen_alike(const State& state, const Laid& laid,
                        const std::vector<const Piece*>& pieces) {
    const Pose expected = state.mosaic.to_table(laid.at);
    const Piece* best = nullptr;
    double nearest = kReach.bump_mm;
    for (const Piece* piece : pieces) {
        const double off = distance(at(*piece), {expected.x, expected.y});
        if (off > nearest || !looks_like(state, *piece, laid)) continue;
        best = piece;
        nearest = off;
    }
    return best;
}

/// Whatever lies on its place: a piece misread.
const Piece* seen_there(Point home, const std::vector<const Piece*>& pieces) {
    const auto there = std::find_if(pieces.begin(), pieces.end(), [&](const Piece* piece) {
        return distance(at(*piece), home) <= kReach.moved_mm;
    });
    return there == pieces.end() ? nullptr : *there;
}

using Pairs = std::vector<std::pair<Point, Point>>;

void add_pairs(const State& state, const Laid& laid, const Piece& piece, Pairs& pairs) {
    const Shape& shape = state.mosaic.shape(laid.shape);
    const Pose expected = state.mosaic.to_table(laid.at);
    const Polygon known = outline_at(shape.outline, expected),
                  seen = outline_at(shape.outline, nearest_turn(shape, piece, expected.angle));
    for (std::size_t i = 0; i < known.size(); ++i) pairs.push_back({known[i], seen[i]});
}

double off_place(const State& state, const Laid& laid, const Piece& piece, Pose motion) {
    const Pose expected = state.mosaic.to_table(laid.at);
    return distance(at(piece), place(motion, {expected.x, expected.y}));
}

/// Fitted twice: the second time without the pieces that the first fit finds moved.
Pose fitted_motion(const State& state, const std::vector<const Piece*>& matched) {
    Pose motion;
    for (int pass = 0; pass < 2; ++pass) {
        Pairs pairs;
        for (std::size_t i = 0; i < matched.size(); ++i) {
            const Laid& laid = state.mosaic.pieces()[i];
            if (!matched[i] ||
                (pass > 0 && off_place(state, laid, *matched[i], motion) > kReach.moved_mm / 2))
                continue;
            add_pairs(state, laid, *matched[i], pairs);
        }
        if (!pairs.empty()) motion = best_motion(pairs);
    }
    return motion;
}

std::string id_of(const State& state, const Laid& laid) {
    return piece_id(state, laid.shape, laid.colour);
}

void match_pieces(const State& state, const Observation& seen, TableSeen& table) {
    std::vector<const Piece*> left, matched;
    for (const Piece& piece : seen.pieces)
        if (piece.kind == PieceKind::polygon) left.push_back(&piece);
    for (const Laid& laid : state.mosaic.pieces()) {
        matched.push_back(seen_alike(state, laid, left));
        if (matched.back()) std::erase(left, matched.back());
    }
    table.motion = fitted_motion(state, matched);
    for (std::size_t i = 0; i < matched.size(); ++i) {
        const Laid& laid = state.mosaic.pieces()[i];
        const Pose expected = state.mosaic.to_table(laid.at);
        const Point home = place(table.motion, {expected.x, expected.y});
        if (!matched[i] && (matched[i] = seen_there(home, left))) std::erase(left, matched[i]);
        if (!matched[i])
            table.wrong = refused("TABLE", "topit.piece_missing", {{"piece", id_of(state, laid)}},
                                  home);
        else if (off_place(state, laid, *matched[i], table.motion) > kReach.moved_mm)
            table.wrong = refused("TABLE", "topit.piece_moved", {{"piece", id_of(state, laid)}},
                                  at(*matched[i]));
    }
    for (const Piece* piece : left) table.fresh.push_back({piece, -1});
}

/// In the table frame we know, not the bumped one.
Pose known_pose(const TableSeen& table, const Piece& piece) {
    return after(inverse(table.motion), {piece.x, piece.y, piece.angle});
}

bool belongs(const State& state, const TableSeen& table, const Piece& piece) {
    if (state.mosaic.pieces().empty()) return distance(at(piece), kMiddle) < kReach.middle_mm;
    const auto shape = state.mosaic.set().shape_named(piece.type);
    const Pose pose = state.mosaic.to_mosaic(known_pose(table, piece));
    const Polygon outline = shape ? outline_at(state.mosaic.shape(*shape).outline, pose)
                                  : Polygon{{pose.x, pose.y}};
    return std::any_of(
        state.mosaic.pieces().begin(), state.mosaic.pieces().end(),
        [&](const Laid& laid) { return overlap_depth(laid.outline, outline) > -kReach.near_mm; });
}

int piece_under(const State& state, const TableSeen& table, const Piece& stone) {
    const Pose pose = state.mosaic.to_mosaic(known_pose(table, stone));
    for (int i = 0; i < static_cast<int>(state.mosaic.pieces().size()); ++i)
        if (contains(state.mosaic.pieces()[static_cast<std::size_t>(i)].outline, {pose.x, pose.y}))
            return i;
    return -1;
}

void match_stones(const State& state, const Observation& seen, TableSeen& table) {
    std::vector<bool> found(state.mosaic.pieces().size());
    for (const Piece& stone : seen.pieces) {
        if (stone.kind != PieceKind::stone) continue;
        const int on = piece_under(state, table, stone);
        if (on < 0) continue;  // not laid yet
        const auto i = static_cast<std::size_t>(on);
        const bool known = state.mosaic.pieces()[i].stone >= 0 && !found[i];
        if (known)
            found[i] = true;
        else
            table.fresh.push_back({&stone, on});
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Laid& laid = state.mosaic.pieces()[i];
        const Pose home = state.mosaic.to_table(laid.at);
        if (laid.stone >= 0 && !found[i])
            table.wrong = refused("TABLE", "topit.stone_missing", {{"piece", id_of(state, laid)}},
                                  place(table.motion, {home.x, home.y}));
    }
}

TableSeen sorted(const State& state, const Observation& seen) {
    TableSeen table;
    match_pieces(state, seen, table);
    std::erase_if(table.fresh, [&](const New& n) { return !belongs(state, table, *n.piece); });
    match_stones(state, seen, table);
    return table;
}

struct Guess {
    std::string shape;
    int colour = 0;
    double confidence = 1;
};

/// All a piece may be: what was reported and its alternatives, whether they name a shape or a
/// colour.
std::vector<Guess> guesses(const State& state, const Piece& piece) {
    std::vector<std::pair<std::string, double>> shapes = {{piece.type, 1}},
                                                colours = {{piece.colour, 1}};
    for (const Alternative& other : piece.alternatives) {
        const double weight = std::clamp(other.confidence, 0.01, 0.99);
        if (state.mosaic.set().shape_named(other.what)) shapes.emplace_back(other.what, weight);
        if (colour_named(other.what)) colours.emplace_back(other.what, weight);
    }
    std::vector<Guess> all;
    for (const auto& [shape, p] : shapes)
        for (const auto& [colour, q] : colours)
            if (const auto c = colour_named(colour)) all.push_back({shape, *c, p * q});
    return all;
}

int owner_of(const State& state, int colour) {
    for (int i = 0; i < state.count(); ++i) {
        const auto own = colours_of(state, i);
        if (std::find(own.begin(), own.end(), colour) != own.end()) return i;
    }
    return state.turn;
}

class Explainer {
public:
    explicit Explainer(const TableSeen& table) : table_{table} {}
    std::vector<Reading::Choice> choices;
    std::optional<Ruling> refusal;  ///< Why the likeliest attempt failed.

    void explain(const State& state, const std::vector<New>& left,
                 const std::vector<PlayerMove>& done, double confidence) {
        if (left.empty()) {
            choices.push_back({done, confidence});
            return;
        }
        for (std::size_t i = 0; i < left.size() && choices.empty(); ++i)
            try_all(state, left, i, done, confidence);
    }

private:
    void try_all(const State& state, const std::vector<New>& left, std::size_t i,
                 const std::vector<PlayerMove>& done, double confidence) {
        auto rest = left;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        for (const Guess& guess : guesses(state, *left[i].piece)) {
            const int player = owner_of(state, guess.colour);
            const Move move = move_for(state, left[i], guess);
            Ruling ruling = Topit::judge(state, player, move);
            if (!ruling.legal()) {
                if (!ruling.at) ruling.at = at(*left[i].piece);
                if (!refusal) refusal = std::move(ruling);
                continue;
            }
            auto made = done;
            made.push_back({player, move});
            explain(Topit::apply(state, player, move).state, rest, made,
                    confidence * guess.confidence);
        }
    }

    Move move_for(const State& state, const New& found, const Guess& guess) const {
        if (found.on >= 0) return top_move(state, guess.colour, found.on);
        return {{"type", "place"},
                {"shape", guess.shape},
                {"colour", kColours[static_cast<std::size_t>(guess.colour)]},
                {"pose", pose_json(known_pose(table_, *found.piece))}};
    }

    const TableSeen& table_;
};

/// One piece too many, put down wrongly by the next player, say: the moves without it, if it is
/// plain which one it is. It is spoken about afterwards.
std::vector<Reading::Choice> all_but_one(const State& state, const TableSeen& table) {
    std::vector<Reading::Choice> found;
    for (std::size_t i = 0; table.fresh.size() > 1 && i < table.fresh.size(); ++i) {
        auto rest = table.fresh;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        Explainer explainer(table);
        explainer.explain(state, rest, {}, 1);
        if (explainer.choices.empty()) continue;
        if (!found.empty()) return {};
        found = std::move(explainer.choices);
    }
    return found;
}

void keep_close(std::vector<Reading::Choice>& choices, Reading& reading) {
    std::stable_sort(choices.begin(), choices.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    for (auto& choice : choices)
        if (choice.confidence >= kReach.close * choices.front().confidence)
            reading.choices.push_back(choice);
}

void add_piece(Observation& scene, PieceKind kind, const std::string& type, int colour, Pose pose) {
    Piece piece;
    piece.kind = kind;
    piece.id = static_cast<int>(scene.pieces.size()) + 1;
    piece.type = type;
    piece.colour = kColours[static_cast<std::size_t>(colour)];
    piece.x = pose.x;
    piece.y = pose.y;
    piece.angle = pose.angle;
    scene.pieces.push_back(std::move(piece));
}

}  // namespace
}  // namespace topit

using namespace topit;

Observation Topit::scene_of(const State& state) {
    Observation scene;
    scene.source = "scene";
    scene.still = true;
    for (const Laid& laid : state.mosaic.pieces())
        add_piece(scene, PieceKind::polygon, state.mosaic.shape(laid.shape).name, laid.colour,
                  state.mosaic.to_table(laid.at));
    for (const Laid& laid : state.mosaic.pieces())
        if (laid.stone >= 0)
            add_piece(scene, PieceKind::stone, "", laid.stone, state.mosaic.to_table(laid.at));
    return scene;
}

Reading Topit::read(const State& state, const Observation& seen) {
    Reading reading;
    if (!seen.still || seen.sight != "ok" || state.finished) return reading;
    const TableSeen table = sorted(state, seen);
    if (table.wrong) {
        reading.attention = table.wrong;
        return reading;
    }
    if (table.fresh.empty()) return reading;
    const Point odd = at(*table.fresh.front().piece);
    Explainer explainer(table);
    if (table.fresh.size() <= kMostAtOnce) explainer.explain(state, table.fresh, {}, 1);
    if (explainer.choices.empty() && table.fresh.size() <= kMostAtOnce)
        explainer.choices = all_but_one(state, table);
    if (explainer.choices.empty()) {
        reading.attention = explainer.refusal.value_or(
            refused("TABLE", "rules.unexplained", {}, odd));
        return reading;
    }
    keep_close(explainer.choices, reading);
    if (reading.choices.size() > 1)
        reading.question = Reading::Question{{"rules.which", Json::object()}, state.turn, odd};
    return reading;
}

bool Topit::visible(const State&, const PlayerMove& move) {
    return text_field(move.move, "type") != "pass";
}

}  // namespace overboard::rules
