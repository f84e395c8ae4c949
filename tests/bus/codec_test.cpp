#include "bus/codec.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <random>

namespace overboard {
namespace {

Observation sample(int pieces, std::uint32_t seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> mm(-50, 1250), unit(0, 1);
    Observation o;
    o.source = "camera-0";
    o.frame = 1234;
    o.time = 51.233;
    o.still = true;
    for (int i = 0; i < pieces; ++i) {
        Piece p;
        p.id = i + 1;
        p.kind = PieceKind(i % 7);
        p.x = mm(random);
        p.y = mm(random);
        p.angle = unit(random);
        p.confidence = unit(random);
        p.seen = 51.233;
        if (p.kind == PieceKind::disc) p.type = "blue";
        if (p.kind == PieceKind::polygon) p.type = "hexagon", p.colour = "red";
        if (p.kind == PieceKind::stone || p.kind == PieceKind::pawn) p.colour = "green";
        if (p.kind == PieceKind::die && i % 2) p.value = 5;
        if (p.kind == PieceKind::card && i % 2 == 0)
            p.face = "wrecking_ball", p.alternatives = {{"hammer", 0.25}};
        o.pieces.push_back(p);
    }
    o.hands = {{{1, 2}, {3.5, 4}, {5, 6}}};
    o.board = Pose{600, 337, 0.02};
    return o;
}

void expect_equal(const Piece& p, const Piece& q) {
    EXPECT_EQ(p.id, q.id);
    EXPECT_EQ(p.kind, q.kind);
    EXPECT_EQ(p.type, q.type);
    EXPECT_EQ(p.colour, q.colour);
    EXPECT_EQ(p.value, q.value);
    EXPECT_EQ(p.face, q.face);
    EXPECT_NEAR(p.x, q.x, 1e-4);
    EXPECT_NEAR(p.y, q.y, 1e-4);
    EXPECT_NEAR(p.angle, q.angle, 1e-6);
    EXPECT_NEAR(p.confidence, q.confidence, 1e-4);
    EXPECT_EQ(p.alternatives.size(), q.alternatives.size());
}

TEST(Codec, ObservationSurvivesTheRoundTrip) {
    const Observation o = sample(35);
    const auto back = decode_observation(encode(o));
    ASSERT_TRUE(back) << back.error().reason;
    EXPECT_EQ(o.source, back->source);
    EXPECT_EQ(o.frame, back->frame);
    EXPECT_NEAR(o.time, back->time, 1e-6);
    EXPECT_EQ(o.still, back->still);
    EXPECT_EQ(o.hands, back->hands);
    EXPECT_EQ(o.board, back->board);
    EXPECT_EQ(o.sight, back->sight);
    ASSERT_EQ(o.pieces.size(), back->pieces.size());
    for (std::size_t i = 0; i < o.pieces.size(); ++i) expect_equal(o.pieces[i], back->pieces[i]);
}

/// The keys of a DOM come sorted, which is not how encode() writes them: the full reader has to do
/// it.
Decoded<Observation> by_the_full_reader(const std::string& text) {
    return observation_from(Json::parse(text));
}

TEST(Codec, ReadsItsOwnWritingLikeAnyOther) {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        Observation o = sample(int(seed % 40), seed);
        if (seed % 3 == 0) o.sight = "blocked", o.board.reset(), o.hands.clear();
        if (seed % 5 == 0 && !o.pieces.empty())
            o.pieces.front().seen = 50.5, o.source = "caméra \"2\"";
        const std::string text = encode(o);
        const auto fast = decode_observation(text), full = by_the_full_reader(text);
        ASSERT_TRUE(fast && full) << text;
        ASSERT_EQ(encode(*fast), encode(*full));
    }
}

TEST(Codec, OneWrongCharacterMeansTheSameToBothReaders) {
    const std::string text = encode(sample(7));
    for (std::size_t i = 0; i < text.size(); ++i)
        for (const char c :
             {'0', '7', '"', ',', '}', ']', '-', '.', 'e', ' ', '\\', '\x80', '\0'}) {
            std::string changed = text;
            changed[i] = c;
            const auto fast = decode_observation(changed);
            const Json dom = Json::parse(changed, nullptr, false);
            if (dom.is_discarded()) {
                ASSERT_FALSE(fast) << changed;
                continue;
            }
            const auto full = observation_from(dom);
            ASSERT_EQ(bool(fast), bool(full)) << changed;
            if (!fast) continue;
            ASSERT_EQ(encode(*fast), encode(*full)) << changed;
        }
    for (std::size_t i = 0; i < text.size(); ++i)
        ASSERT_FALSE(decode_observation(text.substr(0, i)));
    ASSERT_FALSE(decode_observation(text + "}"));
}

TEST(Codec, WritesJsonThatEveryoneReads) {
    const Json json = Json::parse(encode(sample(14)));
    EXPECT_EQ(json["pieces"][0]["kind"], "disc");
    EXPECT_EQ(json["pieces"][0]["type"], "blue");
    EXPECT_EQ(json["pieces"][3]["kind"], "tile");
    EXPECT_TRUE(json["pieces"][3]["face"].is_null());
    EXPECT_TRUE(json["pieces"][8]["value"].is_null());
    EXPECT_EQ(json["pieces"][1]["value"], 5);
    EXPECT_EQ(json["hands"][0][1][0], 3.5);
}

TEST(Codec, ReadsTheContractsOwnExample) {
    const auto o = decode_observation(
        R"({"source":"camera-0","frame":1234,"time":51.233,"still":true,"pieces":[
        {"id":7,"kind":"disc","type":"blue","x":612.4,"y":301.9,"angle":0,"vx":0,"vy":0,"confidence":0.98,"seen":51.233},
        {"id":9,"kind":"die","value":5,"x":1,"y":2},{"id":11,"kind":"card","face":null,"x":1,"y":2},
        {"id":12,"kind":"tile","face":"J17","x":1,"y":2,"angle":0.01}],
        "hands":[[[1,2],[3,4],[5,6]]],"board":{"x":600,"y":337,"angle":0.02}})");
    ASSERT_TRUE(o) << o.error().reason;
    EXPECT_EQ(o->pieces.size(), 4u);
    EXPECT_EQ(o->pieces[1].value, 5);
    EXPECT_FALSE(o->pieces[2].face);
    EXPECT_EQ(o->board->y, 337);
}

TEST(Codec, IgnoresUnknownKeysWhateverTheyHold) {
    const auto o = decode_observation(
        R"({"future":{"a":[1,{"b":null}],"c":"\u00e9"},"frame":3,"pieces":[{"kind":"pawn","colour":"red","mood":[[]],"x":1}]})");
    ASSERT_TRUE(o) << o.error().reason;
    EXPECT_EQ(o->frame, 3);
    EXPECT_EQ(o->pieces.at(0).colour, "red");
}

struct BadText {
    const char* text;
    const char* key;
};

class MalformedObservation : public testing::TestWithParam<BadText> {};

TEST_P(MalformedObservation, IsRefusedAndTheKeyIsNamed) {
    const auto o = decode_observation(GetParam().text);
    ASSERT_FALSE(o);
    EXPECT_EQ(o.error().key, GetParam().key) << o.error().reason;
    EXPECT_FALSE(o.error().reason.empty());
}

const BadText kBadTexts[] = {
    {"", ""},
    {"{", ""},
    {"[]", ""},
    {"null", ""},
    {"7", ""},
    {R"({"frame":"x"})", "frame"},
    {R"({"frame":1.5})", "frame"},
    {R"({"time":"late"})", "time"},
    {R"({"still":1})", "still"},
    {R"({"source":5})", "source"},
    {R"({"pieces":{}})", "pieces"},
    {R"({"pieces":[7]})", "pieces"},
    {R"({"pieces":[{"x":1}]})", "kind"},
    {R"({"pieces":[{"kind":"ufo"}]})", "kind"},
    {R"({"pieces":[],"sight":"purple"})", "sight"},
    {R"({"pieces":[{"kind":"die","value":"six"}]})", "value"},
    {R"({"pieces":[{"kind":"card","face":3}]})", "face"},
    {R"({"pieces":[{"kind":"disc","x":null}]})", "x"},
    {R"({"hands":[[[1,2,3]]]})", "hands"},
    {R"({"hands":[[1]]})", "hands"},
    {R"({"board":[1]})", "board"},
    {R"({"frame":1} x)", ""},
    {R"({"frame":1}{"frame":2})", ""},
    {R"({"unknown":tru})", ""},
    {R"({"unknown":[1,})", ""},
    {"{\"source\":\"\xff\xfe\"}", ""},
    {R"({"frame":1)", ""},
    {R"({"frame" 1})", ""},
};
INSTANTIATE_TEST_SUITE_P(Kinds, MalformedObservation, testing::ValuesIn(kBadTexts));

TEST(Codec, RefusesEndlessNestingAndEndlessText) {
    const std::string deep = "{\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}";
    EXPECT_FALSE(decode_observation(deep));
    EXPECT_FALSE(parse_json(deep));
    EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
    EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
    EXPECT_TRUE(parse_json("\"" + std::string(500, '[') + "\"")) << "brackets in a string are text";
    EXPECT_FALSE(decode_observation("{\"source\":\"" + std::string(kMaxMessageBytes, 'a') + "\"}"));
    EXPECT_FALSE(parse_json("\"" + std::string(kMaxMessageBytes, 'a') + "\""));
    EXPECT_FALSE(parse_json("\"\xc3\x28\""));
}

TEST(Codec, NumbersDoNotFollowTheLocale) {
    const char* const german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    Observation o;
    o.time = 1.5;
    EXPECT_NE(encode(o).find("\"time\":1.5"), std::string::npos)
        << (german ? "under de_DE" : "no German locale here");
    EXPECT_EQ(decode_observation(encode(o))->time, 1.5);
    std::setlocale(LC_ALL, "C");
}

TEST(Codec, OddNumbersStillMakeValidJson) {
    Observation o;
    Piece p;
    p.x = std::numeric_limits<double>::quiet_NaN();
    p.y = std::numeric_limits<double>::infinity();
    p.vx = 1e300;
    p.vy = -0.00004;
    p.angle = -123456.75;
    p.seen = 9.9999999;
    o.frame = std::numeric_limits<std::int64_t>::min();
    o.pieces = {p};
    const auto back = decode_observation(encode(o));
    ASSERT_TRUE(back) << back.error().reason << encode(o);
    EXPECT_EQ(back->pieces[0].x, 0);
    EXPECT_EQ(back->pieces[0].angle, -123456.75);
    EXPECT_EQ(back->pieces[0].seen, 10);
    EXPECT_EQ(back->frame, o.frame);
}

TEST(Codec, TextWithQuotesAndControlCharactersSurvives) {
    Observation o;
    o.source = "a\"b\\c\n\x01 é";
    EXPECT_EQ(decode_observation(encode(o))->source, o.source);
}

TEST(Codec, ShotSurvivesTheRoundTrip) {
    Shot shot;
    shot.shot_id = "s1";
    shot.start = 51.3;
    shot.end = 53.02;
    shot.fps = 120;
    shot.board = "to-go";
    shot.tracks = {{7, "blue", {{51.3, 1, 2}, {51.31, 1.5, 2.25}}}};
    shot.pocketed = {{7, "blue", "ne", 52.1}};
    shot.ejected = {{8, "queen", "", 52.2}};
    shot.striker_from = Point{0, 150};
    const auto back = decode_shot(encode(shot));
    ASSERT_TRUE(back) << back.error().reason;
    EXPECT_EQ(encode(*back), encode(shot));
    EXPECT_EQ(back->tracks[0].points[1].y, 2.25);
}

TEST(Codec, WrongValuesInAShotAreNamed) {
    EXPECT_EQ(decode_shot(R"({"tracks":[{"points":[[1,2]]}]})").error().key, "points");
    EXPECT_EQ(decode_shot(R"({"fps":"fast"})").error().key, "fps");
    EXPECT_EQ(decode_shot(R"({"striker_from":[1]})").error().key, "striker_from");
    EXPECT_EQ(decode_shot(R"({"pocketed":[{"id":99999999999}]})").error().key, "id");
}

TEST(Codec, MarksSurviveTheRoundTrip) {
    Marks marks{"m1", 4, {}};
    Mark text;
    text.kind = MarkKind::text;
    text.style = MarkStyle::score;
    text.at = {10, 20};
    text.key = "board.points";
    text.args = {{"points", 3}};
    text.seat = "n";
    text.ttl = 1.5;
    Mark ghost;
    ghost.kind = MarkKind::ghost;
    ghost.points = {{0, 0}, {10, 0}, {10, 10}};
    ghost.done = true;
    marks.items = {text, ghost};
    const auto back = decode_marks(encode(marks));
    ASSERT_TRUE(back) << back.error().reason;
    EXPECT_EQ(encode(*back), encode(marks));
    EXPECT_EQ(decode_marks(R"({"items":[{"kind":"firework"}]})").error().key, "kind");
}

TEST(Codec, MatchStateSurvivesTheRoundTrip) {
    MatchState s;
    s.match = "m";
    s.game = "some";
    s.seq = 3;
    s.paused = true;
    s.turn_player = "Ana";
    s.actions = {"place"};
    s.players = {{{"name", "Ana"}, {"score", 4}}};
    s.board = {{"pieces", Json::array()}};
    s.message = Message{"some.first", {{"player", "Ana"}}};
    const auto back = decode_match_state(encode(s));
    ASSERT_TRUE(back) << back.error().reason;
    EXPECT_EQ(encode(*back), encode(s));
    EXPECT_EQ(decode_match_state(R"({"phase":"napping"})").error().key, "phase");
}

TEST(Codec, CameraStateSurvivesTheRoundTrip) {
    const CameraState s{"camera-0", 2.5, "dark", 12.5, "grey", 29.9};
    const auto back = decode_camera_state(encode(s));
    ASSERT_TRUE(back);
    EXPECT_EQ(encode(*back), encode(s));
}

}  // namespace
}  // namespace overboard
