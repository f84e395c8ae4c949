#include "rules/fields.hpp"
#include "rules/gayplay/gayplay.hpp"

// The camera sees three things: the die, the figures and which places hold a card. A die that shows
// something new (or lies elsewhere) was rolled. A card that is gone may just be looked at, so it
// counts as taken only when the next roll comes, because the rules want that roll at once; and a
// roll that comes while cards may be turned, with none missing, says that the player before was
// done.
namespace overboard::rules::gayplay {
namespace {

/// How far things may lie from where they belong.
struct Tolerances {
    double die_mm = 12;     ///< Lower: a die nudged by a sleeve counts as rolled.
    double card_mm = 18;    ///< Higher: a card between two places counts as lying on one.
    double square_mm = 16;  ///< About half a square.
    double sure = 0.5;      ///< Figures vision is less sure of may be print. Higher: strays are
                            ///< overlooked.
};
constexpr Tolerances kNear;

struct Missing {
    int shop = 0, place = 0;
};

Point at(const Piece& p) {
    return {p.x, p.y};
}

bool card_seen(const Observation& seen, Point place) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(), [&](const Piece& p) {
        return p.kind == PieceKind::card && distance(at(p), place) <= kNear.card_mm;
    });
}

/// A camera that sees no card at all looks at the street only: then cards are taken by touch.
bool watches_cards(const Observation& seen) {
    return std::any_of(seen.pieces.begin(), seen.pieces.end(),
                       [](const Piece& p) { return p.kind == PieceKind::card; });
}

std::vector<Missing> missing_cards(const State& s, const Observation& seen) {
    std::vector<Missing> gone;
    if (!watches_cards(seen)) return gone;
    for (const auto& [shop, square] : s.board->red)
        for (int place = 0; place < kPlaces; ++place)
            if (s.shelf[static_cast<std::size_t>(shop - 1)][static_cast<std::size_t>(place)] &&
                !card_seen(seen, s.board->places[static_cast<std::size_t>(shop - 1)]
                                                [static_cast<std::size_t>(place)]))
                gone.push_back({shop, place});
    return gone;
}

/// A card where none should be, e.g. one that was taken and put back.
std::optional<Point> surplus_card(const State& s, const Observation& seen) {
    for (const Piece& p : seen.pieces) {
        if (p.kind != PieceKind::card) continue;
        for (const auto& [shop, square] : s.board->red)
            for (int place = 0; place < kPlaces; ++place)
                if (!s.shelf[static_cast<std::size_t>(shop - 1)][static_cast<std::size_t>(place)] &&
                    distance(at(p), s.board->places[static_cast<std::size_t>(shop - 1)]
                                                   [static_cast<std::size_t>(place)]) <=
                        kNear.card_mm)
                    return at(p);
    }
    return {};
}

const Piece* rolled_die(const State& s, const Observation& seen) {
    for (const Piece& p : seen.pieces) {
        if (p.kind != PieceKind::die) continue;
        const bool lies_there = !s.die_at || distance(at(p), *s.die_at) <= kNear.die_mm;
        if (!(s.die && p.value == s.die && lies_there)) return &p;
    }
    return nullptr;
}

/// A figure that is seen neither where it should stand nor where it came from, but elsewhere. Print
/// in its colour is no second figure.
std::optional<Ruling> stray_figure(const State& s, const Observation& seen) {
    for (const Figure& f : s.figures) {
        const Piece* stray = nullptr;
        bool in_place = false;
        for (const Piece& p : seen.pieces) {
            if (p.kind != PieceKind::pawn || p.colour != f.colour || p.confidence <= kNear.sure)
                continue;
            const auto stands = [&](int square) {
                return distance(at(p), s.board->squares[static_cast<std::size_t>(square)].at) <=
                       kNear.square_mm;
            };
            if (stands(f.square) || stands(f.was))
                in_place = true;
            else
                stray = &p;
        }
        if (stray && !in_place)
            return refused("GAYPLAY-2", "gayplay.figure_astray",
                           {{"player", f.name},
                            {"square", s.board->squares[static_cast<std::size_t>(f.square)].id}},
                           at(*stray));
    }
    return {};
}

/// Several figures may share a square: each keeps to a part of it, in two rows of as many as it
/// takes.
Point own_corner(std::size_t figure, std::size_t figures) {
    constexpr double kApart_mm = 14;  // a figure's width
    const std::size_t columns = (figures + 1) / 2;
    return {kApart_mm * (static_cast<double>(figure / 2) - static_cast<double>(columns - 1) / 2),
            kApart_mm * (static_cast<double>(figure % 2) - 0.5)};
}

Reading attention(Ruling ruling) {
    Reading r;
    r.attention = std::move(ruling);
    return r;
}

/// The moves, if each is legal after the one before.
Reading if_legal(const State& s, std::vector<Move> moves, double confidence) {
    State now = s;
    Reading::Choice choice;
    for (Move& m : moves) {
        const int player = now.turn;
        if (const Ruling ruling = Gayplay::judge(now, player, m); !ruling.legal())
            return attention(ruling);
        now = Gayplay::apply(now, player, m).state;
        choice.moves.push_back({player, std::move(m)});
    }
    choice.confidence = confidence;
    Reading r;
    r.choices = {choice};
    return r;
}

}  // namespace

Reading Gayplay::read(const State& s, const Observation& seen) {
    if (s.winner >= 0) return {};
    const Piece* die = rolled_die(s, seen);
    if (die && !die->value)
        return attention(refused("DIE", "rules.cocked_die", Json::object(), at(*die)));
    const auto gone = missing_cards(s, seen);
    if (const auto extra = surplus_card(s, seen))
        return attention(refused("GAYPLAY-15", "gayplay.card_too_many", Json::object(), *extra));
    const Figure& f = s.figures[static_cast<std::size_t>(s.turn)];
    const bool may_take = s.searching || takes_the_last(s);
    const bool explained = gone.empty() ||
                           (gone.size() == 1 && may_take && gone[0].shop == needed_shop(s, f));
    if (!explained) {
        const Missing& m = gone.front();
        return attention(refused(
            "GAYPLAY-10", "gayplay.card_missing", {{"shop", m.shop}, {"slot", m.place + 1}},
            s.board
                ->places[static_cast<std::size_t>(m.shop - 1)][static_cast<std::size_t>(m.place)]));
    }
    std::vector<Move> moves;
    if (!gone.empty() && (die || takes_the_last(s)))
        moves.push_back({{"type", "take"}, {"slot", gone[0].place + 1}});
    if (die && gone.empty() && s.searching && watches_cards(seen))
        moves.push_back({{"type", "done"}});
    if (die)
        moves.push_back({{"type", "roll"}, {"value", *die->value}, {"at", point_json(at(*die))}});
    if (!moves.empty()) return if_legal(s, moves, die ? die->confidence : 1.0);
    if (auto stray = stray_figure(s, seen)) return attention(*stray);
    return {};
}

bool Gayplay::visible(const State& s, const PlayerMove& m) {
    const std::string type = text_field(m.move, "type").value_or("");
    if (type == "take") return takes_the_last(s);
    if (type != "roll") return false;
    return s.die != int_field(m.move, "value");
}

Observation Gayplay::scene_of(const State& s) {
    Observation scene;
    scene.source = "scene";
    scene.still = true;
    int id = 0;
    const auto add = [&](PieceKind kind, Point where) -> Piece& {
        Piece p;
        p.id = ++id;
        p.kind = kind;
        p.x = where.x;
        p.y = where.y;
        scene.pieces.push_back(p);
        return scene.pieces.back();
    };
    if (s.die) {
        Piece& die = add(PieceKind::die,
                         s.die_at.value_or(s.board->tray + Point{40.0 * (s.rolls % 3), 0}));
        die.value = s.die;
    }
    for (const auto& [shop, square] : s.board->red)
        for (int place = 0; place < kPlaces; ++place)
            if (s.shelf[static_cast<std::size_t>(shop - 1)][static_cast<std::size_t>(place)])
                add(PieceKind::card, s.board->places[static_cast<std::size_t>(shop - 1)]
                                                    [static_cast<std::size_t>(place)])
                    .face = "back";
    for (std::size_t i = 0; i < s.figures.size(); ++i)
        add(PieceKind::pawn, s.board->squares[static_cast<std::size_t>(s.figures[i].square)].at +
                                 own_corner(i, s.figures.size()))
            .colour = s.figures[i].colour;
    return scene;
}

void Gayplay::hide(Observation& seen) {
    for (Piece& p : seen.pieces)
        if (p.kind == PieceKind::card) {
            p.face.reset();
            p.alternatives.clear();
        }
}

}  // namespace overboard::rules::gayplay
