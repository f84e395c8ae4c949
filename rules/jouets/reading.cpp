// Each tile seen lies in the market, in a shop or elsewhere (ignored). A shop's grid is fitted to
// the tiles known to lie in it, so that a shop laid a little askew or off its place reads as well.
// What is in a shop and not in the state is a placement, what is new in the market was opened from
// the pile; every order in which they could have happened is tried, and the first legal one is the
// reading. A tile that lies across a cell's border or turned is judged as it lies, so it waits as
// attention.
#include <algorithm>
#include <cmath>
#include <functional>

#include "rules/jouets/jouets.hpp"
#include "rules/jouets/layout.hpp"
#include "rules/wire.hpp"

namespace overboard::rules {
namespace jouets {
namespace {

constexpr double kClose = 0.5;  ///< A second reading this near to the best is asked about.

/// A new tile and where it lies.
struct Found {
    const Piece* piece = nullptr;
    int shop = -1;  ///< -1: in the market.
};

const Piece* seen_face(const Observation& seen, const std::string& face,
                       const std::function<bool(Point)>& where) {
    for (const Piece& piece : seen.pieces)
        if (piece.kind == PieceKind::tile && piece.face == face && where({piece.x, piece.y}))
            return &piece;
    return nullptr;
}

/// Least-squares rigid fit: where the shop's origin lies, from the tiles we know.
Pose fitted_origin(const State& state, const Shop& shop, const Observation& seen) {
    const Pose usual = layout().shop(shop.seat);
    std::vector<std::pair<Point, Point>> pairs;  // cell centre, seen
    double turn_x = 0, turn_y = 0;
    const auto add = [&](const std::string& face, Cell cell) {
        const Piece* piece = seen_face(seen, face,
                                       [&](Point p) { return layout().in_shop(shop.seat, p); });
        if (!piece) return;
        pairs.push_back(
            {{cell.col * layout().tile_mm, cell.row * layout().tile_mm}, {piece->x, piece->y}});
        turn_x += std::cos(piece->angle);
        turn_y += std::sin(piece->angle);
    };
    add(state.register_of(shop).id, {});
    for (const Laid& laid : shop.tiles) add(state.toy(laid.tile).id, laid.at);
    if (pairs.empty()) return usual;
    Point from, to;
    for (const auto& [a, b] : pairs)
        from = from + a * (1.0 / pairs.size()), to = to + b * (1.0 / pairs.size());
    double along = 0, across = 0;
    for (const auto& [a, b] : pairs)
        along += dot(a - from, b - to), across += cross(a - from, b - to);
    double angle = pairs.size() == 1 ? std::atan2(turn_y, turn_x) : std::atan2(across, along);
    if (std::abs(wrapped(angle - usual.angle)) > M_PI / 6)
        angle = usual.angle;  // one tile misread or turned
    const Point origin = to - rotated(from, angle);
    return {origin.x, origin.y, angle};
}

std::vector<std::pair<std::string, double>> faces_of(const Piece& piece) {
    std::vector<std::pair<std::string, double>> faces;
    if (piece.face && *piece.face != "back") faces.emplace_back(*piece.face, 1.0);
    for (const Alternative& other : piece.alternatives)
        faces.emplace_back(other.what, std::clamp(other.confidence, 0.01, 0.99));
    return faces;
}

/// Could this be that tile? A tile without any reading may be anything.
bool may_be(const Piece& piece, const std::string& face) {
    const auto faces = faces_of(piece);
    return faces.empty() || std::any_of(faces.begin(), faces.end(),
                                        [&](const auto& each) { return each.first == face; });
}

bool known_here(const State& state, const Shop& shop, const Piece& piece, Pose origin) {
    const Point local = local_to(origin, {piece.x, piece.y});
    const Cell cell{static_cast<int>(std::lround(local.x / layout().tile_mm)),
                    static_cast<int>(std::lround(local.y / layout().tile_mm))};
    if (cell == Cell{}) return may_be(piece, state.register_of(shop).id);
    return std::any_of(shop.tiles.begin(), shop.tiles.end(), [&](const Laid& laid) {
        return laid.at == cell && may_be(piece, state.toy(laid.tile).id);
    });
}

/// One of the open tiles; by a doubtful reading only while that tile is not plainly seen elsewhere.
bool known_in_market(const State& state, const Observation& seen, const Piece& piece) {
    const auto in_market = [](Point p) { return layout().in_market(p); };
    return std::any_of(state.market.begin(), state.market.end(), [&](const Open& open) {
        const std::string& face = state.toy(open.tile).id;
        return piece.face == face || (may_be(piece, face) && !seen_face(seen, face, in_market));
    });
}

/// An unreadable outline where a tile that can be read lies: print or a shadow, for tiles do not
/// overlap.
bool on_a_named_one(const Observation& seen, const Piece& piece) {
    return !piece.face &&
           std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& other) {
               return other.kind == PieceKind::tile && other.face &&
                      distance({piece.x, piece.y}, {other.x, other.y}) < 0.6 * layout().tile_mm;
           });
}

std::vector<Found> fresh_tiles(const State& state, const Observation& seen,
                               const std::vector<Pose>& origins) {
    std::vector<Found> fresh;
    for (const Piece& piece : seen.pieces) {
        if (piece.kind != PieceKind::tile || faces_of(piece).empty()) continue;
        if (on_a_named_one(seen, piece)) continue;
        const Point p{piece.x, piece.y};
        if (layout().in_market(p)) {
            if (!known_in_market(state, seen, piece)) fresh.push_back({&piece, -1});
            continue;
        }
        for (int i = 0; i < state.players(); ++i) {
            const Shop& shop = state.shop(i);
            if (!layout().in_shop(shop.seat, p)) continue;
            if (!known_here(state, shop, piece, origins[static_cast<std::size_t>(i)]))
                fresh.push_back({&piece, i});
            break;
        }
    }
    return fresh;
}

/// A gap in the market is filled before the next tile is taken from it.
void filled_first(const State& state, std::vector<Found>& fresh) {
    if (state.market.size() < kMarket)
        std::stable_partition(fresh.begin(), fresh.end(),
                              [](const Found& found) { return found.shop < 0; });
}

double rounded(double value, double step) {
    return std::round(value / step) * step + 0.0;
}

Move place_move(const std::string& face, const Piece& piece, Pose origin) {
    const double mm = layout().tile_mm;
    const Point local = local_to(origin, {piece.x, piece.y});
    const int col = static_cast<int>(std::lround(local.x / mm)),
              row = static_cast<int>(std::lround(local.y / mm));
    const double angle = rounded(wrapped(piece.angle - origin.angle), 1e-3);
    const double dx = rounded(local.x - col * mm, 0.01), dy = rounded(local.y - row * mm, 0.01);
    Move move = {{"type", "place"}, {"tile", face}, {"at", {col, row}}};
    if (angle != 0) move["angle"] = angle;
    if (dx != 0 || dy != 0) move["offset"] = {dx, dy};
    return move;
}

Move move_for(const Found& found, const std::string& face, const std::vector<Pose>& origins) {
    if (found.shop < 0) return {{"type", "reveal"}, {"tile", face}};
    return place_move(face, *found.piece, origins[static_cast<std::size_t>(found.shop)]);
}

/// Tries the new tiles in every order; the first legal order of a set of faces is one choice.
class Explainer {
public:
    Explainer(const Observation& seen, std::vector<Pose> origins)
        : seen_{seen}, origins_{std::move(origins)} {}

    std::vector<Reading::Choice> choices;
    std::optional<Ruling> refusal;  ///< Why the first attempt failed.

    void explain(const State& state, std::vector<Found> left, std::vector<PlayerMove> done,
                 double confidence) {
        if (left.empty()) return finish(std::move(done), confidence);
        for (std::size_t i = 0; i < left.size() && choices.size() < 16; ++i) {
            auto rest = left;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            for (const auto& [face, weight] : faces_of(*left[i].piece))
                try_one(state, left[i], face, rest, done, confidence * weight);
        }
    }

private:
    void try_one(const State& state, const Found& found, const std::string& face,
                 const std::vector<Found>& rest, std::vector<PlayerMove> done, double confidence) {
        const int player = found.shop < 0 ? state.turn : found.shop;
        const Move move = move_for(found, face, origins_);
        Ruling ruling = Jouets::judge(state, player, move);
        if (!ruling.legal()) {
            ruling.at = Point{found.piece->x, found.piece->y};
            if (!refusal) refusal = std::move(ruling);
            return;
        }
        done.push_back({player, move});
        explain(Jouets::apply(state, player, move).state, rest, std::move(done), confidence);
    }

    /// What was taken from the market must be gone from it.
    void finish(std::vector<PlayerMove> done, double confidence) {
        for (const PlayerMove& each : done) {
            if (each.move.at("type") != "place") continue;
            const auto still = seen_face(seen_, each.move.at("tile"),
                                         [](Point p) { return layout().in_market(p); });
            if (!still) continue;
            if (!refusal)
                refusal = refused("JOUETS-COUNT", "jouets.tile_already_open",
                                  {{"tile", each.move.at("tile")}}, Point{still->x, still->y});
            return;
        }
        const bool known = std::any_of(choices.begin(), choices.end(),
                                       [&](const auto& c) { return same(c.moves, done); });
        if (!known) choices.push_back({std::move(done), confidence});
    }

    /// A tile may be opened by anyone (JOUETS-7): by whom is no difference worth a question.
    static bool same(const PlayerMove& a, const PlayerMove& b) {
        return a.move == b.move && (a.player == b.player || a.move.at("type") == "reveal");
    }

    static bool same(const std::vector<PlayerMove>& a, const std::vector<PlayerMove>& b) {
        return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const PlayerMove& m) {
                   return std::any_of(b.begin(), b.end(),
                                      [&](const PlayerMove& o) { return same(o, m); });
               });
    }

    const Observation& seen_;
    std::vector<Pose> origins_;
};

/// A tile of a shop that is no longer where it was laid.
std::optional<Ruling> missing_tile(const State& state, const Observation& seen,
                                   const std::vector<Pose>& origins) {
    for (int i = 0; i < state.players(); ++i) {
        const Shop& shop = state.shop(i);
        for (const Laid& laid : shop.tiles) {
            const Point at = place(
                origins[static_cast<std::size_t>(i)],
                {laid.at.col * layout().tile_mm, laid.at.row * layout().tile_mm});
            const auto here = [&](const Piece& piece) {
                return piece.kind == PieceKind::tile &&
                       distance({piece.x, piece.y}, at) < layout().tile_mm / 2;
            };
            if (std::none_of(seen.pieces.begin(), seen.pieces.end(), here))
                return refused("TABLE", "jouets.tile_missing",
                               {{"tile", state.toy(laid.tile).id}, {"player", shop.name}}, at);
        }
    }
    return {};
}

void add_tile(Observation& scene, const std::string& face, Pose at) {
    Piece tile;
    tile.kind = PieceKind::tile;
    tile.id = static_cast<int>(scene.pieces.size()) + 1;
    tile.face = face;
    tile.x = at.x;
    tile.y = at.y;
    tile.angle = wrapped(at.angle);
    scene.pieces.push_back(std::move(tile));
}

}  // namespace
}  // namespace jouets

using namespace jouets;

Observation Jouets::scene_of(const State& state) {
    Observation scene;
    scene.source = "scene";
    scene.still = true;
    for (const Shop& shop : state.shops) {
        add_tile(scene, state.register_of(shop).id, layout().place(shop.seat, {}));
        for (const Laid& laid : shop.tiles)
            add_tile(scene, state.toy(laid.tile).id, layout().place(shop.seat, laid.at));
    }
    for (const Open& open : state.market)
        add_tile(scene, state.toy(open.tile).id,
                 {layout().market[open.slot].x, layout().market[open.slot].y, 0});
    if (pile_size(state) > 0) add_tile(scene, "back", {layout().pile.x, layout().pile.y, 0});
    return scene;
}

Reading Jouets::read(const State& state, const Observation& seen) {
    Reading reading;
    if (!seen.still || seen.sight != "ok" || state.finished) return reading;
    std::vector<Pose> origins;
    for (const Shop& shop : state.shops) origins.push_back(fitted_origin(state, shop, seen));
    if (auto missing = missing_tile(state, seen, origins)) {
        reading.attention = std::move(missing);
        return reading;
    }
    auto fresh = fresh_tiles(state, seen, origins);
    if (fresh.empty()) return reading;
    filled_first(state, fresh);
    if (fresh.size() > 6) {
        reading.attention = refused("TABLE", "rules.unexplained", Json::object(),
                                    Point{fresh[0].piece->x, fresh[0].piece->y});
        return reading;
    }
    Explainer explainer(seen, origins);
    explainer.explain(state, fresh, {}, 1);
    if (explainer.choices.empty()) {
        reading.attention = explainer.refusal.value_or(
            refused("TABLE", "rules.unexplained", Json::object(),
                    Point{fresh[0].piece->x, fresh[0].piece->y}));
        return reading;
    }
    std::stable_sort(explainer.choices.begin(), explainer.choices.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    const double best = explainer.choices.front().confidence;
    for (auto& choice : explainer.choices)
        if (choice.confidence >= kClose * best) reading.choices.push_back(std::move(choice));
    if (reading.choices.size() > 1)
        reading.question = Reading::Question{{"rules.which", Json::object()},
                                             state.turn,
                                             Point{fresh[0].piece->x, fresh[0].piece->y}};
    return reading;
}

bool Jouets::visible(const State&, const PlayerMove&) {
    return true;
}

}  // namespace overboard::rules
