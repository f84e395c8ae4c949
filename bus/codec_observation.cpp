// The observation path: up to 30 pieces, up to 240 times a second, so no DOM. Writing goes straight
// into the caller's buffer with fixed decimals (0.1 µm, 1 µrad, 1 µs: finer than anything measured);
// reading walks the text once with simdjson's on-demand parser and looks at every key, in any order.
#include <simdjson.h>

#include <cmath>
#include <cstring>

#include "bus/codec.hpp"
#include "bus/names.hpp"

namespace overboard {
namespace {

class Writer {
public:
    explicit Writer(std::string& out) : out_{out}, used_{out.size()} {}
    ~Writer() { out_.resize(used_); }

    void raw(std::string_view text) {
        std::memcpy(room(text.size()), text.data(), text.size());
        used_ += text.size();
    }

    void integer(std::int64_t value) {
        char* p = room(24);
        used_ += digits(p, value);
    }

    /// `Decimals` places, trailing zeros dropped. Not a number and infinity have no JSON: 0.
    template <int Decimals>
    void number(double value) {
        constexpr std::int64_t scale = power_of_ten(Decimals);
        const double scaled = value * double(scale);
        if (!(std::abs(scaled) < 9e17)) return raw(std::isfinite(value) ? fmt_huge(value) : "0");
        std::int64_t fixed = std::int64_t(scaled + (scaled < 0 ? -0.5 : 0.5));
        char* const start = room(48);
        char* p = start;
        if (fixed < 0) {
            *p++ = '-';
            fixed = -fixed;
        }
        p += digits(p, fixed / scale);
        if (std::int64_t rest = fixed % scale; rest != 0) {
            *p = '.';
            for (int i = Decimals; i > 0; --i, rest /= 10) p[i] = char('0' + rest % 10);
            p += Decimals + 1;
            while (p[-1] == '0') --p;
        }
        used_ += std::size_t(p - start);
    }

    void string(std::string_view text) {
        raw("\"");
        for (const char c : text) {
            if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) {
                *room(1) = c;
                ++used_;
            } else {
                escaped(c);
            }
        }
        raw("\"");
    }

private:
    static constexpr std::int64_t power_of_ten(int n) { return n == 0 ? 1 : 10 * power_of_ten(n - 1); }

    static std::size_t digits(char* p, std::int64_t value) {
        char reversed[24];
        std::size_t n = 0, length = 0;
        if (value < 0) p[length++] = '-';
        for (std::uint64_t v = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value); v || !n; v /= 10)
            reversed[n++] = char('0' + v % 10);
        while (n) p[length++] = reversed[--n];
        return length;
    }

    std::string_view fmt_huge(double value) {
        huge_ = Json(value).dump();
        return huge_;
    }

    void escaped(char c) {
        static constexpr char kHex[] = "0123456789abcdef";
        if (c == '"' || c == '\\') {
            const char pair[2] = {'\\', c};
            return raw({pair, 2});
        }
        const char code[6] = {'\\', 'u', '0', '0', kHex[(c >> 4) & 15], kHex[c & 15]};
        raw({code, 6});
    }

    char* room(std::size_t bytes) {
        if (used_ + bytes > out_.size()) out_.resize(std::max(used_ + bytes, out_.size() * 2 + 1024));
        return out_.data() + used_;
    }

    std::string& out_;
    std::size_t used_;
    std::string huge_;
};

void write_point(Writer& w, Point p) {
    w.raw("[");
    w.number<4>(p.x);
    w.raw(",");
    w.number<4>(p.y);
    w.raw("]");
}

template <class List, class Item>
void write_list(Writer& w, const List& list, Item item) {
    w.raw("[");
    bool first = true;
    for (const auto& each : list) {
        if (!first) w.raw(",");
        first = false;
        item(each);
    }
    w.raw("]");
}

void write_identity(Writer& w, const Piece& p) {
    const auto text = [&](std::string_view key, const std::string& value) {
        w.raw(key);
        w.string(value);
    };
    if (p.kind == PieceKind::disc || p.kind == PieceKind::polygon) text(",\"type\":", p.type);
    if (p.kind == PieceKind::polygon || p.kind == PieceKind::stone || p.kind == PieceKind::pawn ||
        !p.colour.empty())
        text(",\"colour\":", p.colour);
    if (p.kind == PieceKind::die) {
        w.raw(",\"value\":");
        p.value ? w.integer(*p.value) : w.raw("null");
    }
    if (p.kind == PieceKind::card || p.kind == PieceKind::tile) {
        w.raw(",\"face\":");
        p.face ? w.string(*p.face) : w.raw("null");
    }
}

void write_piece(Writer& w, const Piece& p) {
    w.raw("{\"id\":");
    w.integer(p.id);
    w.raw(",\"kind\":\"");
    w.raw(name_of(p.kind));
    w.raw("\"");
    write_identity(w, p);
    w.raw(",\"x\":");
    w.number<4>(p.x);
    w.raw(",\"y\":");
    w.number<4>(p.y);
    w.raw(",\"angle\":");
    w.number<6>(p.angle);
    w.raw(",\"vx\":");
    w.number<3>(p.vx);
    w.raw(",\"vy\":");
    w.number<3>(p.vy);
    w.raw(",\"confidence\":");
    w.number<4>(p.confidence);
    w.raw(",\"seen\":");
    w.number<6>(p.seen);
    if (!p.alternatives.empty()) {
        w.raw(",\"alternatives\":");
        write_list(w, p.alternatives, [&](const Alternative& a) {
            w.raw("{\"what\":");
            w.string(a.what);
            w.raw(",\"confidence\":");
            w.number<4>(a.confidence);
            w.raw("}");
        });
    }
    if (p.px) {
        w.raw(",\"px\":");
        write_point(w, *p.px);
    }
    if (p.size_px) {
        w.raw(",\"size_px\":");
        w.number<3>(*p.size_px);
    }
    if (!p.corners_px.empty()) {
        w.raw(",\"corners\":");
        write_list(w, p.corners_px, [&](Point c) { write_point(w, c); });
    }
    w.raw("}");
}

// Reading. A wrong value throws Wrong with its key; broken text throws simdjson_error.
namespace od = simdjson::ondemand;

struct Wrong {
    std::string_view key;
    const char* reason;
};

double number(od::value value, std::string_view key) {
    double d;
    if (value.get(d) != simdjson::SUCCESS) throw Wrong{key, "must be a number"};
    return d;
}

std::int64_t integer(od::value value, std::string_view key) {
    std::int64_t i;
    if (value.get(i) != simdjson::SUCCESS) throw Wrong{key, "must be a whole number"};
    return i;
}

std::string_view text(od::value value, std::string_view key) {
    std::string_view s;
    if (value.get(s) != simdjson::SUCCESS) throw Wrong{key, "must be a string"};
    return s;
}

od::array array(od::value value, std::string_view key) {
    od::array a;
    if (value.get(a) != simdjson::SUCCESS) throw Wrong{key, "must be an array"};
    return a;
}

od::object object(od::value value, std::string_view key) {
    od::object o;
    if (value.get(o) != simdjson::SUCCESS) throw Wrong{key, "must be an object"};
    return o;
}

/// Walks a value nobody asked for, so that broken text inside it is still found.
void skip(od::value value, int depth) {
    if (depth > kMaxDepth) throw Wrong{"", "is nested too deeply"};
    switch (value.type().value()) {
        case od::json_type::array:
            for (od::value item : value.get_array()) skip(item, depth + 1);
            break;
        case od::json_type::object:
            for (auto field : value.get_object()) {
                static_cast<void>(field.unescaped_key().value());
                skip(field.value(), depth + 1);
            }
            break;
        case od::json_type::string: static_cast<void>(value.get_string().value()); break;
        case od::json_type::number: static_cast<void>(value.get_double().value()); break;
        case od::json_type::boolean: static_cast<void>(value.get_bool().value()); break;
        case od::json_type::null:
            if (!value.is_null()) throw Wrong{"", "is neither a value nor null"};
            break;
    }
}

Point read_point(od::value value, std::string_view key) {
    Point p;
    int n = 0;
    for (od::value c : array(value, key)) {
        (n == 0 ? p.x : p.y) = number(c, key);
        if (++n > 2) break;
    }
    if (n != 2) throw Wrong{key, "must be a pair of numbers"};
    return p;
}

Alternative read_alternative(od::value value) {
    Alternative a;
    for (auto field : object(value, "alternatives")) {
        const std::string_view key = field.unescaped_key();
        if (key == "what") a.what = text(field.value(), key);
        else if (key == "confidence") a.confidence = number(field.value(), key);
        else skip(field.value(), 3);
    }
    return a;
}

PieceKind read_kind(od::value value) {
    const auto kind = named<PieceKind>(text(value, "kind"), kPieceKinds);
    if (!kind) throw Wrong{"kind", "is not a kind of piece"};
    return *kind;
}

void read_field(Piece& p, std::string_view key, od::value value) {
    if (key == "x") p.x = number(value, key);
    else if (key == "y") p.y = number(value, key);
    else if (key == "id") p.id = int(integer(value, key));
    else if (key == "kind") p.kind = read_kind(value);
    else if (key == "angle") p.angle = number(value, key);
    else if (key == "vx") p.vx = number(value, key);
    else if (key == "vy") p.vy = number(value, key);
    else if (key == "confidence") p.confidence = number(value, key);
    else if (key == "seen") p.seen = number(value, key);
    else if (key == "type") p.type = text(value, key);
    else if (key == "colour") p.colour = text(value, key);
    else if (key == "value") {
        if (!value.is_null()) p.value = int(integer(value, key));
    } else if (key == "face") {
        if (!value.is_null()) p.face = std::string(text(value, key));
    } else if (key == "alternatives") {
        for (od::value a : array(value, key)) p.alternatives.push_back(read_alternative(a));
    } else if (key == "px") p.px = read_point(value, key);
    else if (key == "size_px") p.size_px = number(value, key);
    else if (key == "corners") {
        for (od::value c : array(value, key)) p.corners_px.push_back(read_point(c, key));
    } else skip(value, 3);
}

void read_piece(Piece& p, od::value value) {
    bool has_kind = false;
    for (auto field : object(value, "pieces")) {
        const std::string_view key = field.unescaped_key();
        has_kind |= key == "kind";
        read_field(p, key, field.value());
    }
    if (!has_kind) throw Wrong{"kind", "is missing"};
}

Polygon read_polygon(od::value value) {
    Polygon outline;
    for (od::value p : array(value, "hands")) outline.push_back(read_point(p, "hands"));
    return outline;
}

Pose read_pose(od::value value) {
    Pose pose;
    for (auto field : object(value, "board")) {
        const std::string_view key = field.unescaped_key();
        if (key == "x") pose.x = number(field.value(), "board.x");
        else if (key == "y") pose.y = number(field.value(), "board.y");
        else if (key == "angle") pose.angle = number(field.value(), "board.angle");
        else skip(field.value(), 3);
    }
    return pose;
}

void read_field(Observation& o, std::string_view key, od::value value) {
    if (key == "source") o.source = text(value, key);
    else if (key == "frame") o.frame = integer(value, key);
    else if (key == "time") o.time = number(value, key);
    else if (key == "still") {
        if (value.get(o.still) != simdjson::SUCCESS) throw Wrong{key, "must be true or false"};
    } else if (key == "pieces") {
        for (od::value p : array(value, key)) read_piece(o.pieces.emplace_back(), p);
    } else if (key == "hands") {
        for (od::value h : array(value, key)) o.hands.push_back(read_polygon(h));
    } else if (key == "board") {
        if (!value.is_null()) o.board = read_pose(value);
    } else if (key == "sight") o.sight = text(value, key);
    else skip(value, 1);
}

}  // namespace

void encode(const Observation& o, std::string& out) {
    Writer w(out);
    w.raw("{\"source\":");
    w.string(o.source);
    w.raw(",\"frame\":");
    w.integer(o.frame);
    w.raw(",\"time\":");
    w.number<6>(o.time);
    w.raw(o.still ? ",\"still\":true" : ",\"still\":false");
    w.raw(",\"pieces\":");
    write_list(w, o.pieces, [&](const Piece& p) { write_piece(w, p); });
    w.raw(",\"hands\":");
    write_list(w, o.hands, [&](const Polygon& hand) {
        write_list(w, hand, [&](Point p) { write_point(w, p); });
    });
    if (o.board) {
        w.raw(",\"board\":{\"x\":");
        w.number<4>(o.board->x);
        w.raw(",\"y\":");
        w.number<4>(o.board->y);
        w.raw(",\"angle\":");
        w.number<6>(o.board->angle);
        w.raw("}");
    }
    if (o.sight != "ok") {
        w.raw(",\"sight\":");
        w.string(o.sight);
    }
    w.raw("}");
}

std::string encode(const Observation& o) {
    std::string out;
    encode(o, out);
    return out;
}

Decoded<Observation> decode_observation(std::string_view json) {
    if (json.size() > kMaxMessageBytes)
        return tl::unexpected(DecodeError{"", "the message is larger than 1 MiB"});
    thread_local od::parser parser;
    thread_local std::string padded;
    padded.assign(json);
    padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    try {
        od::document doc = parser.iterate(padded.data(), padded.size(), padded.capacity());
        Observation o;
        od::object fields;
        if (doc.get_object().get(fields) != simdjson::SUCCESS)
            return tl::unexpected(DecodeError{"", "an observation must be a JSON object"});
        for (auto field : fields) read_field(o, std::string_view(field.unescaped_key()), field.value());
        if (doc.current_location().error() == simdjson::SUCCESS)
            return tl::unexpected(DecodeError{"", "there is more text after the JSON object"});
        return o;
    } catch (const Wrong& wrong) {
        return tl::unexpected(DecodeError{std::string(wrong.key), "'" + std::string(wrong.key) + "' " + wrong.reason});
    } catch (const simdjson::simdjson_error& e) {
        return tl::unexpected(DecodeError{"", std::string("not JSON: ") + e.what()});
    }
}

}  // namespace overboard
