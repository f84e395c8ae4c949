#include "bus/plain.hpp"

#include <cstring>

#include "bus/names.hpp"

// Nearly every observation we read was written by our own encode(). So guess: compare with what
// encode() would write next, take the number that follows, and give up at the first surprise. That
// needs no index of the text and no look at the keys.
namespace overboard::plain {
namespace {

class Reader {
public:
    Reader(const char* text, std::size_t size) : at_{text}, end_{text + size} {}

    [[nodiscard]] bool finished() const { return at_ == end_; }

    template <std::size_t N>
    bool take(const char (&expected)[N]) {
        static_assert(N <= kPadding);
        if (std::memcmp(at_, expected, N - 1) != 0) return false;
        at_ += N - 1;
        return true;
    }

    bool number(double& out) {
        const char* const end = decimal(at_, out);
        if (end) at_ = end;
        return end != nullptr;
    }

    /// A number that is mostly the very one time() read.
    bool moment(double& out) {
        const char after = at_[time_length_];
        if ((after != ',' && after != '}') || std::memcmp(at_, time_, time_length_) != 0)
            return number(out);
        at_ += time_length_;
        out = time_s_;
        return true;
    }

    bool time(double& out) {
        time_ = at_;
        if (!number(out)) return false;
        time_s_ = out;
        time_length_ = std::size_t(at_ - time_);
        return true;
    }

    /// Up to nine digits, and a minus.
    bool integer(std::int64_t& out) {
        double value = 0;
        const char* const start = at_;
        if (!number(value)) return false;
        if (at_ - start > 9 || std::memchr(start, '.', std::size_t(at_ - start))) return false;
        out = std::int64_t(value);
        return true;
    }

    bool string(std::string& out) {
        if (*at_ != '"') return false;
        const char* p = at_ + 1;
        while (*p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\') ++p;
        if (*p != '"') return false;
        out.assign(at_ + 1, p);
        at_ = p + 1;
        return true;
    }

    /// `[`, items with commas between them, `]`.
    template <class Item>
    bool list(Item item) {
        if (!take("[")) return false;
        if (take("]")) return true;
        do
            if (!item()) return false;
        while (take(","));
        return take("]");
    }

private:
    const char* at_;
    const char* end_;
    const char* time_ = nullptr;
    std::size_t time_length_ = 0;
    double time_s_ = 0;
};

bool read_kind(Reader& r, PieceKind& kind) {
    const auto is = [&](PieceKind wanted, const auto& word) {
        return r.take(word) && (kind = wanted, true);
    };
    return is(PieceKind::disc, "disc\"") || is(PieceKind::die, "die\"") ||
           is(PieceKind::card, "card\"") || is(PieceKind::tile, "tile\"") ||
           is(PieceKind::polygon, "polygon\"") || is(PieceKind::stone, "stone\"") ||
           is(PieceKind::pawn, "pawn\"");
}

bool read_value(Reader& r, std::optional<int>& value) {
    std::int64_t number = 0;
    if (r.take("null")) return true;
    if (!r.integer(number)) return false;
    value = int(number);
    return true;
}

bool read_identity(Reader& r, Piece& p) {
    if (!r.take(",\"kind\":\"") || !read_kind(r, p.kind)) return false;
    if (r.take(",\"type\":") && !r.string(p.type)) return false;
    if (r.take(",\"colour\":") && !r.string(p.colour)) return false;
    if (r.take(",\"value\":") && !read_value(r, p.value)) return false;
    return !r.take(",\"face\":") || r.take("null") || r.string(p.face.emplace());
}

bool read_alternatives(Reader& r, std::vector<Alternative>& all) {
    return r.list([&] {
        Alternative& a = all.emplace_back();
        return r.take("{\"what\":") && r.string(a.what) && r.take(",\"confidence\":") &&
               r.number(a.confidence) && r.take("}");
    });
}

bool read_piece(Reader& r, Piece& p) {
    std::int64_t id = 0;
    if (!r.take("{\"id\":") || !r.integer(id) || !read_identity(r, p)) return false;
    p.id = int(id);
    return r.take(",\"x\":") && r.number(p.x) && r.take(",\"y\":") && r.number(p.y) &&
           r.take(",\"angle\":") && r.number(p.angle) && r.take(",\"vx\":") && r.number(p.vx) &&
           r.take(",\"vy\":") && r.number(p.vy) && r.take(",\"confidence\":") &&
           r.number(p.confidence) && r.take(",\"seen\":") && r.moment(p.seen) &&
           (!r.take(",\"alternatives\":") || read_alternatives(r, p.alternatives)) && r.take("}");
}

bool read_hand(Reader& r, Polygon& hand) {
    return r.list([&] {
        Point& p = hand.emplace_back();
        return r.take("[") && r.number(p.x) && r.take(",") && r.number(p.y) && r.take("]");
    });
}

bool read_board(Reader& r, Pose& board) {
    return r.number(board.x) && r.take(",\"y\":") && r.number(board.y) && r.take(",\"angle\":") &&
           r.number(board.angle) && r.take("}");
}

}  // namespace

bool read(const char* text, std::size_t size, Observation& out) {
    Reader r(text, size);
    if (!r.take("{\"source\":") || !r.string(out.source) || !r.take(",\"frame\":") ||
        !r.integer(out.frame) || !r.take(",\"time\":") || !r.time(out.time) ||
        !r.take(",\"still\":"))
        return false;
    out.still = r.take("true");
    if (!out.still && !r.take("false")) return false;
    out.pieces.reserve(32);
    if (!r.take(",\"pieces\":") ||
        !r.list([&] { return read_piece(r, out.pieces.emplace_back()); }))
        return false;
    if (!r.take(",\"hands\":") || !r.list([&] { return read_hand(r, out.hands.emplace_back()); }))
        return false;
    if (r.take(",\"board\":{\"x\":") && !read_board(r, out.board.emplace())) return false;
    if (r.take(",\"sight\":") && !(r.string(out.sight) && is_sight(out.sight))) return false;
    return r.take("}") && r.finished();
}

}  // namespace overboard::plain
