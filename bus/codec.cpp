#include "bus/codec.hpp"

#include <fmt/format.h>

#include "bus/names.hpp"

// Everything but observations is rare and small: a DOM is good enough. Reading goes through Field,
// which knows the key it looks at, so that every complaint can name it.
namespace overboard {
namespace {

struct Wrong {
    std::string key;
    std::string reason;
};

class Field {
public:
    Field(const Json& object, std::string_view key) : key_{key} {
        if (!object.is_object()) throw Wrong{key_, "stands in something that is not an object"};
        if (const auto found = object.find(key); found != object.end() && !found->is_null())
            value_ = &*found;
    }

    explicit operator bool() const { return value_ != nullptr; }
    [[nodiscard]] const Json& json() const { return *value_; }

    void read(std::string& out) const {
        if (!value_) return;
        if (!value_->is_string()) throw Wrong{key_, "must be a string"};
        out = value_->get<std::string>();
    }
    void read(double& out) const {
        if (!value_) return;
        if (!value_->is_number()) throw Wrong{key_, "must be a number"};
        out = value_->get<double>();
    }
    void read(int& out) const {
        if (!value_) return;
        if (!value_->is_number_integer()) throw Wrong{key_, "must be a whole number"};
        const auto wide = value_->get<std::int64_t>();
        if (wide < INT32_MIN || wide > INT32_MAX) throw Wrong{key_, "is too large"};
        out = int(wide);
    }
    void read(bool& out) const {
        if (!value_) return;
        if (!value_->is_boolean()) throw Wrong{key_, "must be true or false"};
        out = value_->get<bool>();
    }
    void read(Point& out) const {
        if (value_) out = point(*value_);
    }
    template <class T>
    void read(std::optional<T>& out) const {
        if (value_) read(out.emplace());
    }
    void read(std::vector<std::string>& out) const {
        each([&](const Json& item) {
            if (!item.is_string()) throw Wrong{key_, "must be a list of strings"};
            out.push_back(item.get<std::string>());
        });
    }
    void read(Polygon& out) const {
        each([&](const Json& item) { out.push_back(point(item)); });
    }
    template <class E, std::size_t N>
    void read(E& out, const std::array<std::string_view, N>& words) const {
        std::string word;
        read(word);
        const auto value = named<E>(word, words);
        if (!value) throw Wrong{key_, fmt::format("cannot be '{}'", word)};
        out = *value;
    }
    template <class F>
    void each(F&& item) const {
        if (!value_) return;
        if (!value_->is_array()) throw Wrong{key_, "must be a list"};
        for (const Json& one : *value_) item(one);
    }
    [[nodiscard]] Point point(const Json& pair) const {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number())
            throw Wrong{key_, "must be a pair of numbers"};
        return {pair[0].get<double>(), pair[1].get<double>()};
    }

private:
    std::string key_;
    const Json* value_ = nullptr;
};

template <class T, class Read>
Decoded<T> guarded(const Json& json, Read&& read) {
    try {
        if (!json.is_object())
            return tl::unexpected(DecodeError{"", "the message must be a JSON object"});
        return read(json);
    } catch (const Wrong& wrong) {
        return tl::unexpected(
            DecodeError{wrong.key, fmt::format("'{}' {}", wrong.key, wrong.reason)});
    }
}

Json pair(Point p) {
    return Json::array({p.x, p.y});
}

Json pairs(const Polygon& points) {
    Json list = Json::array();
    for (const Point& p : points) list.push_back(pair(p));
    return list;
}

Json message_json(const Message& message) {
    return {{"key", message.key}, {"args", message.args}};
}

Json fallen_json(const Fallen& f) {
    Json json = {{"id", f.id}, {"type", f.type}, {"time", f.time}};
    if (!f.pocket.empty()) json["pocket"] = f.pocket;
    return json;
}

std::vector<Fallen> read_fallen(const Json& json, std::string_view key) {
    std::vector<Fallen> list;
    Field(json, key).each([&](const Json& item) {
        Fallen f;
        Field(item, "id").read(f.id);
        Field(item, "type").read(f.type);
        Field(item, "pocket").read(f.pocket);
        Field(item, "time").read(f.time);
        list.push_back(std::move(f));
    });
    return list;
}

Track read_track(const Json& json) {
    Track track;
    Field(json, "id").read(track.id);
    Field(json, "type").read(track.type);
    Field(json, "points").each([&](const Json& p) {
        const bool numbers = p.is_array() && p.size() == 3 && p[0].is_number() &&
                             p[1].is_number() && p[2].is_number();
        if (!numbers) throw Wrong{"points", "must be a list of [t,x,y]"};
        track.points.push_back({p[0].get<double>(), p[1].get<double>(), p[2].get<double>()});
    });
    return track;
}

Mark read_mark(const Json& json) {
    Mark mark;
    Field(json, "kind").read(mark.kind, kMarkKinds);
    if (const Field style(json, "style"); style) style.read(mark.style, kMarkStyles);
    Field(json, "at").read(mark.at);
    Field(json, "points").read(mark.points);
    Field(json, "radius").read(mark.radius);
    Field(json, "text").read(mark.text);
    Field(json, "key").read(mark.key);
    if (const Field args(json, "args"); args) mark.args = args.json();
    Field(json, "seat").read(mark.seat);
    Field(json, "size").read(mark.size);
    Field(json, "ttl").read(mark.ttl);
    Field(json, "done").read(mark.done);
    return mark;
}

Json mark_json(const Mark& mark) {
    Json json = {
        {"kind", name_of(mark.kind)}, {"style", name_of(mark.style)}, {"at", pair(mark.at)}};
    if (!mark.points.empty()) json["points"] = pairs(mark.points);
    if (mark.radius > 0) json["radius"] = mark.radius;
    if (!mark.text.empty()) json["text"] = mark.text;
    if (!mark.key.empty()) {
        json["key"] = mark.key;
        json["args"] = mark.args;
    }
    if (!mark.seat.empty()) json["seat"] = mark.seat;
    if (mark.size > 0) json["size"] = mark.size;
    if (mark.ttl) json["ttl"] = *mark.ttl;
    if (mark.done) json["done"] = true;
    return json;
}

int deepest(std::string_view text) {
    int depth = 0, most = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            most = std::max(most, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return most;
}

template <class T>
Decoded<T> from_text(std::string_view text, Decoded<T> (*from)(const Json&)) {
    const Decoded<Json> json = parse_json(text);
    if (!json) return tl::unexpected(json.error());
    return from(*json);
}

Decoded<CameraState> camera_state_from(const Json& json) {
    return guarded<CameraState>(json, [](const Json& j) {
        CameraState s;
        Field(j, "source").read(s.source);
        Field(j, "time").read(s.time);
        Field(j, "state").read(s.state);
        if (!is_sight(s.state)) throw Wrong{"state", "is not a state of a camera"};
        Field(j, "figure").read(s.figure);
        Field(j, "unit").read(s.unit);
        Field(j, "fps").read(s.fps);
        return s;
    });
}

Decoded<Marks> marks_from(const Json& json) {
    return guarded<Marks>(json, [](const Json& j) {
        Marks m;
        Field(j, "match").read(m.match);
        Field(j, "seq").read(m.seq);
        Field(j, "items").each([&](const Json& item) { m.items.push_back(read_mark(item)); });
        return m;
    });
}

void read_turn(const Json& json, MatchState& s) {
    const Field turn(json, "turn");
    if (!turn) return;
    Field(turn.json(), "player").read(s.turn_player);
    Field(turn.json(), "actions").read(s.actions);
}

Decoded<MatchState> match_state_from(const Json& json) {
    return guarded<MatchState>(json, [](const Json& j) {
        MatchState s;
        Field(j, "match").read(s.match);
        Field(j, "game").read(s.game);
        Field(j, "variant").read(s.variant);
        Field(j, "seq").read(s.seq);
        std::string phase = "playing";
        Field(j, "phase").read(phase);
        if (phase != "playing" && phase != "finished")
            throw Wrong{"phase", "must be playing or finished"};
        s.finished = phase == "finished";
        Field(j, "paused").read(s.paused);
        read_turn(j, s);
        Field(j, "players").each([&](const Json& p) { s.players.push_back(p); });
        Field(j, "winners").read(s.winners);
        if (const Field board(j, "board"); board) s.board = board.json();
        if (const Field message(j, "message"); message) {
            s.message.emplace();
            Field(message.json(), "key").read(s.message->key);
            if (const Field args(message.json(), "args"); args) s.message->args = args.json();
        }
        return s;
    });
}

}  // namespace

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Decoded<Json> parse_json(std::string_view text) {
    if (text.size() > kMaxMessageBytes)
        return tl::unexpected(DecodeError{"", "the message is larger than 1 MiB"});
    if (deepest(text) > kMaxDepth)
        return tl::unexpected(
            DecodeError{"", fmt::format("the message is nested deeper than {}", kMaxDepth)});
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return tl::unexpected(DecodeError{"", "the message is not valid JSON in UTF-8"});
    return json;
}

Json to_json(const Observation& observation) {
    return Json::parse(encode(observation));
}

Json to_json(const Shot& shot) {
    Json tracks = Json::array(), pocketed = Json::array(), ejected = Json::array();
    for (const Track& track : shot.tracks) {
        Json points = Json::array();
        for (const TrackPoint& p : track.points) points.push_back(Json::array({p.t, p.x, p.y}));
        tracks.push_back({{"id", track.id}, {"type", track.type}, {"points", std::move(points)}});
    }
    for (const Fallen& f : shot.pocketed) pocketed.push_back(fallen_json(f));
    for (const Fallen& f : shot.ejected) ejected.push_back(fallen_json(f));
    Json json = {{"shot_id", shot.shot_id},
                 {"start", shot.start},
                 {"end", shot.end},
                 {"fps", shot.fps},
                 {"board", shot.board},
                 {"tracks", std::move(tracks)},
                 {"pocketed", std::move(pocketed)},
                 {"ejected", std::move(ejected)}};
    if (shot.striker_from) json["striker_from"] = pair(*shot.striker_from);
    if (shot.confidence) json["confidence"] = *shot.confidence;
    return json;
}

Json to_json(const Marks& marks) {
    Json items = Json::array();
    for (const Mark& mark : marks.items) items.push_back(mark_json(mark));
    return {{"match", marks.match}, {"seq", marks.seq}, {"items", std::move(items)}};
}

Json to_json(const MatchState& s) {
    Json turn = nullptr;
    if (!s.turn_player.empty()) turn = {{"player", s.turn_player}, {"actions", s.actions}};
    Json json = {{"match", s.match},
                 {"game", s.game},
                 {"variant", s.variant},
                 {"seq", s.seq},
                 {"phase", s.finished ? "finished" : "playing"},
                 {"paused", s.paused},
                 {"turn", std::move(turn)},
                 {"players", s.players},
                 {"winners", s.winners},
                 {"board", s.board}};
    if (s.message) json["message"] = message_json(*s.message);
    return json;
}

std::string encode(const CameraState& s) {
    return dumped({{"source", s.source},
                   {"time", s.time},
                   {"state", s.state},
                   {"figure", s.figure},
                   {"unit", s.unit},
                   {"fps", s.fps}});
}
std::string encode(const Shot& shot) {
    return dumped(to_json(shot));
}
std::string encode(const Marks& marks) {
    return dumped(to_json(marks));
}
std::string encode(const MatchState& state) {
    return dumped(to_json(state));
}

Decoded<Observation> observation_from(const Json& json) {
    return decode_observation(dumped(json));
}

Decoded<Shot> shot_from(const Json& json) {
    return guarded<Shot>(json, [](const Json& j) {
        Shot shot;
        Field(j, "shot_id").read(shot.shot_id);
        Field(j, "start").read(shot.start);
        Field(j, "end").read(shot.end);
        Field(j, "fps").read(shot.fps);
        Field(j, "board").read(shot.board);
        Field(j, "tracks").each([&](const Json& t) { shot.tracks.push_back(read_track(t)); });
        shot.pocketed = read_fallen(j, "pocketed");
        shot.ejected = read_fallen(j, "ejected");
        Field(j, "striker_from").read(shot.striker_from);
        Field(j, "confidence").read(shot.confidence);
        return shot;
    });
}

Decoded<CameraState> decode_camera_state(std::string_view json) {
    return from_text(json, camera_state_from);
}
Decoded<Shot> decode_shot(std::string_view json) {
    return from_text(json, shot_from);
}
Decoded<Marks> decode_marks(std::string_view json) {
    return from_text(json, marks_from);
}
Decoded<MatchState> decode_match_state(std::string_view json) {
    return from_text(json, match_state_from);
}

}  // namespace overboard
