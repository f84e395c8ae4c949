#include <random>

#include "app/bench_vision.hpp"
#include "app/rig.hpp"
#include "physics/board.hpp"
#include "rules/games.hpp"
#include "simulator/camera.hpp"

// Rendered tables: every game after a few random moves, dice thrown anywhere, tournament discs.
namespace overboard::app {
namespace {

using Chance = std::mt19937_64;

const std::vector<std::string> kLights = {"easy", "cafe", "harsh"};

double between(Chance& chance, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(chance);
}

double reach_mm(PieceKind kind) {
    return kind == PieceKind::card || kind == PieceKind::tile || kind == PieceKind::polygon ? 10
                                                                                            : 5;
}

void show(const std::string& set, const std::shared_ptr<const Sought>& sought,
          const Observation& scene, const std::string& light, std::uint64_t seed,
          const PictureSink& sink) {
    simulator::CameraSetup setup;
    setup.table = sought->catalogue.table;
    simulator::Camera camera(setup, light, seed);
    LabelledPicture picture;
    picture.set = "simulated " + light + ", " + set;
    picture.name = set + "-" + std::to_string(seed);
    picture.bgr = camera.render(simulator::world_from(sought->catalogue, scene), 0.1).clone();
    picture.sought = sought;
    picture.millimetres = true;
    for (const Piece& p : scene.pieces)
        picture.truths.push_back({p.kind, {p.x, p.y}, reach_mm(p.kind), 0, name_of(p)});
    picture.lens = camera.map().intrinsics();
    sink(picture);
    picture.lens.reset();
    picture.set += ", lens unknown";
    sink(std::move(picture));
}

// A match stopped after some moves: the table as its players left it.
Observation table_of(const rules::Game& game, const rules::Setup& setup, int moves,
                     Chance& chance) {
    auto first = game.start(setup);
    if (!first) return {};
    rules::State state = *first;
    for (int i = 0; i < moves; ++i) {
        const auto legal = game.legal_moves(state);
        if (legal.empty()) break;
        const rules::PlayerMove& move = legal[chance() % legal.size()];
        if (!game.judge(state, move.player, move.move).legal()) continue;
        state = game.apply(state, move.player, move.move).state;
    }
    return game.scene_of(state);
}

rules::Setup setup_of(const rules::Game& game) {
    rules::Setup setup;
    for (int i = 0; i < std::max(2, game.info.min_players); ++i)
        setup.players.push_back({"player " + std::to_string(i + 1), "", {}});
    while (!game.start(setup) && int(setup.players.size()) > game.info.min_players)
        setup.players.pop_back();
    return setup;
}

void game_tables(const rules::Game& game, const BenchOptions& options, Chance& chance,
                 const PictureSink& sink) {
    const rules::Setup setup = setup_of(game);
    auto sought = std::make_shared<Sought>();
    sought->catalogue = game.catalogue(setup);
    sought->kinds = vision::kinds_of(sought->catalogue);
    sought->faces = {drawn_faces(sought->catalogue.cards), drawn_faces(sought->catalogue.tiles)};
    for (const std::string& light : kLights)
        for (int i = 0; i < options.tables; ++i)
            show(game.info.id, sought, table_of(game, setup, 4 + int(chance() % 24), chance), light,
                 chance(), sink);
}

// Pieces anywhere, none nearer to another than `apart_mm`.
void scatter(Observation& scene, std::vector<Piece> pieces, Point low, Point high, double apart_mm,
             Chance& chance) {
    for (Piece& p : pieces)
        for (int attempt = 0; attempt < 1000; ++attempt) {
            p.x = between(chance, low.x, high.x), p.y = between(chance, low.y, high.y);
            const bool free = std::none_of(scene.pieces.begin(), scene.pieces.end(),
                                           [&](const Piece& q) {
                                               return distance({p.x, p.y}, {q.x, q.y}) < apart_mm;
                                           });
            if (!free) continue;
            scene.pieces.push_back(p);
            break;
        }
}

void dice_tables(const BenchOptions& options, Chance& chance, const PictureSink& sink) {
    auto sought = std::make_shared<Sought>();
    sought->catalogue.dice = {{16, 12}};
    sought->kinds.dice = true;
    for (const std::string& light : kLights)
        for (int i = 0; i < 2 * options.tables; ++i) {
            std::vector<Piece> dice(12);
            for (Piece& die : dice) {
                die.kind = PieceKind::die;
                die.value = 1 + int(chance() % 6);
                die.angle = between(chance, -M_PI, M_PI);
            }
            Observation scene;
            scatter(scene, dice, {120, 90}, {1080, 585}, 23, chance);
            show("dice", sought, scene, light, chance(), sink);
        }
}

void disc_tables(const char* name, const BenchOptions& options, Chance& chance,
                 const PictureSink& sink) {
    const physics::Board& board = physics::load_board(name);
    auto sought = std::make_shared<Sought>();
    Catalogue& c = sought->catalogue;
    c.board = physics::kind_of(board);
    c.discs = board.discs;
    if (board.height_mm > 600) {
        c.table.height_mm = 900;
        for (TableMarker& m : c.table.markers) m.centre.y = m.centre.y > 300 ? 860 : 40;
        c.board->at = {600, 450, 0};
    }
    sought->kinds.discs = true;
    const double half = board.width_mm / 2 - board.striker_diameter_mm / 2 - 1,
                 pocket = board.pockets.empty() ? 0 : board.pockets[0].diameter_mm;
    for (const std::string& light : kLights)
        for (int i = 0; i < options.tables; ++i) {
            std::vector<Piece> discs;
            for (const DiscKind& kind : c.discs)
                for (int n = 0; n < kind.count; ++n) {
                    Piece& p = discs.emplace_back();
                    p.kind = PieceKind::disc;
                    p.type = kind.type;
                }
            const Pose at = c.board->at;
            Observation scene;
            scene.board = at;
            scatter(scene, discs, {at.x - half, at.y - half}, {at.x + half, at.y + half},
                    (board.disc_diameter_mm + board.striker_diameter_mm) / 2 + 1, chance);
            std::erase_if(scene.pieces, [&](const Piece& p) {
                return half - std::abs(p.x - at.x) < pocket && half - std::abs(p.y - at.y) < pocket;
            });
            show(std::string("discs ") + name, sought, scene, light, chance(), sink);
        }
}

}  // namespace

void simulated_tables(const BenchOptions& options, const PictureSink& sink) {
    Chance chance(options.seed);
    const auto wanted = [&](const std::string& name) {
        return name.rfind(options.only, 0) == 0 || options.only.rfind(name, 0) == 0;
    };
    for (const rules::Game& game : rules::games())
        if (wanted(game.info.id)) game_tables(game, options, chance, sink);
    if (wanted("dice")) dice_tables(options, chance, sink);
    for (const char* board : {"to-go", "tournament"})
        if (wanted(std::string("discs ") + board)) disc_tables(board, options, chance, sink);
}

}  // namespace overboard::app
