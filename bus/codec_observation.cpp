// The observation path: up to 30 pieces, up to 240 times a second, so no DOM. Writing goes straight
// into the caller's buffer with fixed decimals (0.1 µm, 1 µrad, 1 µs: finer than anything
// measured); reading first guesses that we wrote the text ourselves (plain.cpp). What others wrote
// is walked once with simdjson's on-demand parser, every key looked at, in any order.
#include <simdjson.h>

#include <cstring>

#include "bus/codec.hpp"
#include "bus/names.hpp"
#include "bus/plain.hpp"
#include "bus/writer.hpp"

namespace overboard {
namespace {

void write_point(Writer& w, Point p) {
    w.need(128);
    w.raw("[");
    w.number<4>(p.x);
    w.raw(",");
    w.number<4>(p.y);
    w.raw("]");
}

template <class List, class Item>
void write_list(Writer& w, const List& list, Item item) {
    w.need(64);
    w.raw("[");
    bool first = true;
    for (const auto& each : list) {
        w.need(64);
        if (!first) w.raw(",");
        first = false;
        item(each);
    }
    w.need(64);
    w.raw("]");
}

void write_identity(Writer& w, const Piece& p) {
    const auto text = [&](const auto& key, const std::string& value) {
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
    w.need(512);
    w.raw("{\"id\":");
    w.integer(p.id);
    w.raw(",\"kind\":\"");
    w.raw(name_of(p.kind));
    w.raw("\"");
    write_identity(w, p);
    w.need(512);
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
    w.moment(p.seen);
    if (!p.alternatives.empty()) {
        w.raw(",\"alternatives\":");
        write_list(w, p.alternatives, [&](const Alternative& a) {
            w.raw("{\"what\":");
            w.string(a.what);
            w.need(64);
            w.raw(",\"confidence\":");
            w.number<4>(a.confidence);
            w.raw("}");
        });
    }
    w.need(256);
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

// Reading. A wrong value throws WrongValue with its key; broken text throws simdjson_error.
namespace od = simdjson::ondemand;

struct WrongValue {
    std::string_view key;
    const char* reason;
};

double number(od::value value, std::string_view key) {
    double d;
    if (plain::decimal(value.raw_json_token().data(), d)) return d;
    if (value.get(d) != simdjson::SUCCESS) throw WrongValue{key, "must be a number"};
    return d;
}

std::int64_t integer(od::value value, std::string_view key) {
    std::int64_t i;
    if (value.get(i) != simdjson::SUCCESS) throw WrongValue{key, "must be a whole number"};
    return i;
}

int small(std::int64_t value, std::string_view key) {
    if (value < INT32_MIN || value > INT32_MAX) throw WrongValue{key, "is too large"};
    return int(value);
}

std::string_view text(od::value value, std::string_view key) {
    std::string_view s;
    if (value.get(s) != simdjson::SUCCESS) throw WrongValue{key, "must be a string"};
    return s;
}

od::array array(od::value value, std::string_view key) {
    od::array a;
    if (value.get(a) != simdjson::SUCCESS) throw WrongValue{key, "must be an array"};
    return a;
}

od::object object(od::value value, std::string_view key) {
    od::object o;
    if (value.get(o) != simdjson::SUCCESS) throw WrongValue{key, "must be an object"};
    return o;
}

/// Walks a value nobody asked for, so that broken text inside it is still found.
void skip(od::value value, int depth) {
    if (depth > kMaxDepth) throw WrongValue{"", "is nested too deeply"};
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
            if (!value.is_null()) throw WrongValue{"", "is neither a value nor null"};
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
    if (n != 2) throw WrongValue{key, "must be a pair of numbers"};
    return p;
}

Alternative read_alternative(od::value value) {
    Alternative a;
    for (auto field : object(value, "alternatives")) {
        const std::string_view key = field.unescaped_key();
        if (key == "what")
            a.what = text(field.value(), key);
        else if (key == "confidence")
            a.confidence = number(field.value(), key);
        else
            skip(field.value(), 3);
    }
    return a;
}

PieceKind read_kind(od::value value) {
    const auto kind = named<PieceKind>(text(value, "kind"), kPieceKinds);
    if (!kind) throw WrongValue{"kind", "is not a kind of piece"};
    return *kind;
}

std::string_view read_sight(od::value value) {
    const std::string_view word = text(value, "sight");
    if (!is_sight(word)) throw WrongValue{"sight", "is not a state of a camera"};
    return word;
}

/// Is the raw key, which ends at its closing quote, this one? Compiles to one or two compares.
template <std::size_t N>
bool is(const char* key, const char (&name)[N]) {
    return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

/// Most fields begin with a letter of their own; the keys' order is that of how often they come.
void read_field(Piece& p, const char* key, od::value value) {
    switch (key[0]) {
        case 'x':
            if (is(key, "x")) return void(p.x = number(value, "x"));
            break;
        case 'y':
            if (is(key, "y")) return void(p.y = number(value, "y"));
            break;
        case 'v':
            if (is(key, "vx")) return void(p.vx = number(value, "vx"));
            if (is(key, "vy")) return void(p.vy = number(value, "vy"));
            if (is(key, "value")) {
                if (!value.is_null()) p.value = small(integer(value, "value"), "value");
                return;
            }
            break;
        case 'a':
            if (is(key, "angle")) return void(p.angle = number(value, "angle"));
            if (is(key, "alternatives")) {
                for (od::value a : array(value, "alternatives"))
                    p.alternatives.push_back(read_alternative(a));
                return;
            }
            break;
        case 'c':
            if (is(key, "confidence")) return void(p.confidence = number(value, "confidence"));
            if (is(key, "colour")) return void(p.colour = text(value, "colour"));
            if (is(key, "corners")) {
                for (od::value c : array(value, "corners"))
                    p.corners_px.push_back(read_point(c, "corners"));
                return;
            }
            break;
        case 's':
            if (is(key, "seen")) return void(p.seen = number(value, "seen"));
            if (is(key, "size_px")) return void(p.size_px = number(value, "size_px"));
            break;
        case 'i':
            if (is(key, "id")) return void(p.id = small(integer(value, "id"), "id"));
            break;
        case 't':
            if (is(key, "type")) return void(p.type = text(value, "type"));
            break;
        case 'f':
            if (is(key, "face")) {
                if (!value.is_null()) p.face = std::string(text(value, "face"));
                return;
            }
            break;
        case 'p':
            if (is(key, "px")) return void(p.px = read_point(value, "px"));
            break;
        default: break;
    }
    skip(value, 3);
}

/// Does the raw key, which ends at its closing quote, hold a backslash?
bool has_escape(const char* key) {
    while (*key != '"' && *key != '\\') ++key;
    return *key == '\\';
}

void read_piece(Piece& p, od::value value) {
    bool has_kind = false;
    for (auto field : object(value, "pieces")) {
        const char* key = field.key().value().raw();
        std::string unescaped;
        if (has_escape(key)) {
            unescaped.assign(std::string_view(field.unescaped_key())).push_back('"');
            key = unescaped.c_str();
        }
        if (is(key, "kind")) {
            p.kind = read_kind(field.value());
            has_kind = true;
        } else {
            read_field(p, key, field.value());
        }
    }
    if (!has_kind) throw WrongValue{"kind", "is missing"};
}

std::vector<Piece> read_pieces(od::value value) {
    std::vector<Piece> pieces;
    pieces.reserve(32);
    for (od::value p : array(value, "pieces")) read_piece(pieces.emplace_back(), p);
    return pieces;
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
        if (key == "x")
            pose.x = number(field.value(), "board.x");
        else if (key == "y")
            pose.y = number(field.value(), "board.y");
        else if (key == "angle")
            pose.angle = number(field.value(), "board.angle");
        else
            skip(field.value(), 3);
    }
    return pose;
}

void read_field(Observation& o, std::string_view key, od::value value) {
    if (key == "source")
        o.source = text(value, key);
    else if (key == "frame")
        o.frame = integer(value, key);
    else if (key == "time")
        o.time = number(value, key);
    else if (key == "still") {
        if (value.get(o.still) != simdjson::SUCCESS) throw WrongValue{key, "must be true or false"};
    } else if (key == "pieces") {
        o.pieces = read_pieces(value);
    } else if (key == "hands") {
        for (od::value h : array(value, key)) o.hands.push_back(read_polygon(h));
    } else if (key == "board") {
        if (!value.is_null()) o.board = read_pose(value);
    } else if (key == "sight")
        o.sight = read_sight(value);
    else
        skip(value, 1);
}

}  // namespace

void encode(const Observation& o, std::string& out) {
    Writer w(out);
    w.raw("{\"source\":");
    w.string(o.source);
    w.need(512);
    w.raw(",\"frame\":");
    w.integer(o.frame);
    w.raw(",\"time\":");
    w.moment(o.time);
    w.raw(o.still ? ",\"still\":true" : ",\"still\":false");
    w.raw(",\"pieces\":");
    write_list(w, o.pieces, [&](const Piece& p) { write_piece(w, p); });
    w.raw(",\"hands\":");
    write_list(w, o.hands, [&](const Polygon& hand) {
        write_list(w, hand, [&](Point p) { write_point(w, p); });
    });
    w.need(512);
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

namespace {

/// Whoever wrote it, however they wrote it.
Decoded<Observation> decode_any(const char* text, std::size_t size) {
    thread_local od::parser parser;
    try {
        od::document doc = parser.iterate(text, size, size + simdjson::SIMDJSON_PADDING);
        Observation o;
        od::object fields;
        if (doc.get_object().get(fields) != simdjson::SUCCESS)
            return tl::unexpected(DecodeError{"", "an observation must be a JSON object"});
        for (auto field : fields)
            read_field(o, std::string_view(field.unescaped_key()), field.value());
        if (doc.current_location().error() == simdjson::SUCCESS)
            return tl::unexpected(DecodeError{"", "there is more text after the JSON object"});
        return o;
    } catch (const WrongValue& wrong) {
        return tl::unexpected(DecodeError{std::string(wrong.key),
                                          "'" + std::string(wrong.key) + "' " + wrong.reason});
    } catch (const simdjson::simdjson_error& e) {
        return tl::unexpected(DecodeError{"", std::string("not JSON: ") + e.what()});
    }
}

}  // namespace

Decoded<Observation> decode_observation(std::string_view json) {
    static_assert(plain::kPadding >= simdjson::SIMDJSON_PADDING);
    if (json.size() > kMaxMessageBytes)
        return tl::unexpected(DecodeError{"", "the message is larger than 1 MiB"});
    thread_local std::vector<char> padded;
    padded.assign(json.begin(), json.end());
    padded.resize(json.size() + plain::kPadding);
    Decoded<Observation> o;
    if (plain::read(padded.data(), json.size(), *o)) return o;
    return decode_any(padded.data(), json.size());
}

}  // namespace overboard
