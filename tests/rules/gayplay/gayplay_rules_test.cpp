// One test a rule id of the GAY-PLAY page, the id in the name.
#include <gtest/gtest.h>

#include "rules/gayplay/gayplay.hpp"
#include "tests/rules/random_play.hpp"

namespace overboard::rules::gayplay {
namespace {

/// A street written as words: "start street red1 enter2 back3 circus arrival". Ids are "0", "1", …
Json street(const std::string& words, Json shortcut = Json()) {
    Json squares = Json::array();
    std::istringstream in(words);
    for (std::string word; in >> word;) {
        Json square = {{"id", std::to_string(squares.size())},
                       {"x", 30.0 * static_cast<double>(squares.size())},
                       {"y", 300}};
        const int n = std::isdigit(static_cast<unsigned char>(word.back())) ? word.back() - '0' : 0;
        if (n) word.pop_back();
        square["kind"] = word;
        if (word == "back" || word == "forward")
            square["n"] = n;
        else if (n)
            square["shop"] = n;
        squares.push_back(square);
    }
    Json board = {{"squares", squares}};
    if (!shortcut.is_null()) board["shortcut"] = shortcut;
    return board;
}

State begin(int players = 2, Json board = Json(), Json options = Json::object()) {
    Setup setup = testing::setup_for("", players);
    setup.options = std::move(options);
    if (!board.is_null()) setup.options["board"] = std::move(board);
    auto s = Gayplay::start(setup);
    EXPECT_TRUE(s) << s.error().message.key << s.error().message.args;
    return *s;
}

/// Everybody already on the street.
State under_way(const std::string& words, int players = 2, Json shortcut = Json()) {
    State s = begin(players, street(words, std::move(shortcut)));
    for (Figure& f : s.figures) f.status = Status::street;
    return s;
}

Move roll(int value) {
    return {{"type", "roll"}, {"value", value}};
}
Move peek(int slot) {
    return {{"type", "peek"}, {"slot", slot}};
}
Move take(int slot) {
    return {{"type", "take"}, {"slot", slot}};
}
Move take(int slot, const std::string& card) {
    return {{"type", "take"}, {"slot", slot}, {"card", card}};
}
const Move kDone = {{"type", "done"}};

Ruling judged(const State& s, const Move& m, int player = -1) {
    return Gayplay::judge(s, player < 0 ? s.turn : player, m);
}

std::vector<Json> last_events;

State after(const State& s, const Move& m, int player = -1) {
    const Ruling ruling = judged(s, m, player);
    EXPECT_TRUE(ruling.legal()) << ruling.rule << " " << ruling.message.key << " " << m;
    auto done = Gayplay::apply(s, player < 0 ? s.turn : player, m);
    last_events = done.events;
    return done.state;
}

State after(State s, std::initializer_list<Move> moves) {
    for (const Move& m : moves) s = after(s, m);
    return s;
}

std::string square(const State& s, int player = 0) {
    return s.board
        ->squares[static_cast<std::size_t>(s.figures[static_cast<std::size_t>(player)].square)]
        .id;
}
std::string status(const State& s, int player = 0) {
    return status_name(s.figures[static_cast<std::size_t>(player)]);
}

TEST(GayplayRules, GAYPLAY_1_OnlyASixSetsOffAndASecondRollMoves) {
    State s = begin(2, street("start street street street street red1 arrival"));
    EXPECT_EQ(after(s, roll(5)).turn, 1);
    EXPECT_EQ(status(after(s, roll(5))), "waiting");
    s = after(s, roll(6));
    EXPECT_EQ(square(s), "0") << "the six moves nothing";
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(actions(s), (std::vector<std::string>{"roll"}));
    s = after(s, roll(3));
    EXPECT_EQ(square(s), "3");
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(begin(3, Json(), {{"first", "Chloé"}}).turn, 2);
    EXPECT_EQ(judged(s, roll(2), 0).verdict, Ruling::Verdict::not_your_turn);
}

TEST(GayplayRules, GAYPLAY_2_AsManySquaresAsTheDieShows) {
    const State s = under_way("start street street street street street street red1 arrival");
    for (int v = 1; v <= 6; ++v) EXPECT_EQ(square(after(s, roll(v))), std::to_string(v));
    for (const Json& bad : {Json(0), Json(7), Json(2.5), Json("3"), Json(), Json(true)})
        EXPECT_EQ(judged(s, {{"type", "roll"}, {"value", bad}}).rule, "MOVE") << bad;
}

TEST(GayplayRules, GAYPLAY_3_ASixOnTheStreetGivesNoSecondRoll) {
    EXPECT_EQ(
        after(under_way("start street street street street street street street red1 arrival"),
              roll(6))
            .turn,
        1);
    // Setting off: the roll after the freeing six is an ordinary one.
    const State s = after(
        begin(2, street("start street street street street street street street red1 arrival")),
        {roll(6), roll(6)});
    EXPECT_EQ(s.turn, 1);
    EXPECT_EQ(square(s), "6");
}

TEST(GayplayRules, GAYPLAY_4_ExactlyOntoTheRedSquareOrAnEnterSquare) {
    const State s = under_way("start street street red1 street street street red2 arrival");
    EXPECT_EQ(square(after(s, roll(4))), "0") << "past the red square: nothing";
    EXPECT_EQ(after(s, roll(4)).turn, 1);
    EXPECT_EQ(status(after(s, roll(3))), "in_shop");
    EXPECT_EQ(status(after(s, roll(2))), "street");
    const State e = after(under_way("start street enter1 red1 arrival"), roll(2));
    EXPECT_EQ(status(e), "in_shop");
    EXPECT_EQ(square(e), "3") << "in front of the shop";
    const State other = after(under_way("start street enter2 red1 street red2 arrival"), roll(2));
    EXPECT_EQ(status(other), "street") << "not the shop needed next";
}

TEST(GayplayRules, GAYPLAY_5_NobodyGoesBackUnlessASquareOrdersIt) {
    const State s = under_way("start street street back2 street street street red1 arrival");
    EXPECT_EQ(square(after(s, roll(3))), "1");
    EXPECT_EQ(square(after(s, roll(4))), "4");
    EXPECT_EQ(judged(s, roll(-2)).rule, "MOVE");
}

TEST(GayplayRules, GAYPLAY_6_OrdersAreObeyed) {
    EXPECT_EQ(square(after(under_way("start forward3 street street street red1 arrival"), roll(1))),
              "4");
    EXPECT_EQ(square(after(under_way("start street send_home street red1 arrival"), roll(2))), "0");
    EXPECT_EQ(status(after(under_way("start street park street red1 arrival"), roll(2))), "park");
}

TEST(GayplayRules, GAYPLAY_7_CircusAndParkHoldUntilASix) {
    for (const std::string place : {"circus", "park"}) {
        State s = after(under_way("start " + place + " street street street red1 arrival"),
                        {roll(1), roll(1)});
        ASSERT_EQ(status(s), place);
        s = after(s, {roll(5), roll(2)});
        EXPECT_EQ(status(s), place);
        s = after(s, roll(6));
        EXPECT_EQ(s.turn, 0) << "a second roll at once";
        EXPECT_EQ(square(s), "1");
        s = after(s, roll(2));
        EXPECT_EQ(square(s), "3");
        EXPECT_EQ(s.turn, 1);
    }
}

TEST(GayplayRules, GAYPLAY_8_SentHomeNoSixIsNeededAndPurchasesStay) {
    State s = under_way("start red1 street send_home street red2 arrival");
    s.figures[0].bought[1] = {s.figures[0].list[0], 0, true};
    s = after(s, roll(3));
    EXPECT_EQ(square(s), "0");
    EXPECT_EQ(status(s), "street");
    EXPECT_EQ(s.figures[0].bought.size(), 1u);
    s = after(s, {roll(1), roll(2)});
    EXPECT_EQ(square(s), "2") << "walks on without a six";
}

TEST(GayplayRules, GAYPLAY_9_HomeForMoneyAndBackByTheShortcut) {
    // red1 is the grocery; after it comes the tobacco square, 6.
    const Json shortcut = {{"after", "2"}, {"to", "6"}};
    State s = under_way(
        "start street red1 street red2 street tobacco home_for_money street red3 arrival", 2,
        shortcut);
    for (Figure& f : s.figures) f.bought = {{1, {f.list[0], 0, true}}, {2, {f.list[1], 0, true}}};
    s.figures[0].square = 6;
    s = after(s, roll(1));
    EXPECT_EQ(square(s), "0");
    EXPECT_EQ(status(s), "fetch_money");
    s = after(s, roll(1));
    EXPECT_EQ(square(after(s, roll(3))), "6") << "0, 1, 2, tobacco";
    EXPECT_EQ(status(after(s, roll(3))), "street");
}

State in_shop(int players = 2) {
    State s = under_way("start red1 street street street street street street red2 arrival",
                        players);
    s.figures[0].square = 1;
    s.figures[0].status = Status::in_shop;
    return s;
}

TEST(GayplayRules, GAYPLAY_10_WaitThenRollThenTurnThatMany) {
    State s = after(under_way("start red1 street red2 arrival"), roll(1));
    EXPECT_EQ(s.turn, 1) << "wait for the next turn";
    s = after(in_shop(), roll(2));
    EXPECT_EQ(actions(s), (std::vector<std::string>{"peek", "take", "done"}));
    EXPECT_EQ(s.figures[0].peeks_left, 2);
    EXPECT_EQ(judged(in_shop(), peek(1)).rule, "GAYPLAY-10") << "not before the roll";
    s = after(s, {peek(1), peek(4)});
    EXPECT_EQ(s.figures[0].peeks_left, 0);
    EXPECT_EQ(judged(s, peek(2)).rule, "GAYPLAY-10");
    EXPECT_EQ(judged(s, take(2)).rule, "GAYPLAY-10");
    EXPECT_TRUE(judged(s, take(4)).legal());
    EXPECT_EQ(judged(s, peek(7)).rule, "MOVE");
}

TEST(GayplayRules, GAYPLAY_11_AWrongCardGoesBackUnseen) {
    const State s = after(in_shop(), {roll(3), peek(2)});
    EXPECT_EQ(cards_left(s, 1), 6);
    const std::string everything = Gayplay::view(s).board.dump() + Gayplay::to_text(s);
    for (const std::string& article : s.figures[1].list)
        EXPECT_EQ(everything.find(article), std::string::npos);
    EXPECT_EQ(Gayplay::kept({{"type", "peek"}, {"slot", 2}, {"card", "rusk"}}),
              (Json{{"type", "peek"}, {"slot", 2}}));
    EXPECT_EQ(after(s, kDone).turn, 1);
}

TEST(GayplayRules, GAYPLAY_12_AShownCardMeansShuffling) {
    State s = after(in_shop(), {roll(2), peek(2)});
    s = after(s, {{"type", "exposed"}}, 1);
    EXPECT_EQ(last_events[0].at("rule"), "GAYPLAY-12");
    EXPECT_EQ(cards_left(s, 1), 6);
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(after(s, peek(2)).figures[0].peeks_left, 0) << "after shuffling it is another card";
    EXPECT_EQ(judged(under_way("start street red1 arrival"), {{"type", "exposed"}}).rule,
              "GAYPLAY-12")
        << "nobody is in a shop";
}

TEST(GayplayRules, GAYPLAY_13_FindItTakeItRollAtOnceAndASixRollsOnceMore) {
    State s = after(in_shop(), {roll(1), kDone, roll(1)});
    EXPECT_EQ(status(s), "in_shop") << "turn after turn";
    s = after(s, {roll(2), peek(3), take(3)});
    EXPECT_EQ(s.turn, 0);
    EXPECT_EQ(actions(s), (std::vector<std::string>{"roll"}));
    EXPECT_EQ(s.figures[0].bought.at(1).card, s.figures[0].list[0]);
    EXPECT_EQ(after(s, roll(3)).turn, 1);
    EXPECT_EQ(square(after(s, roll(3))), "4") << "from the red square";
    s = after(s, roll(6));
    EXPECT_EQ(s.turn, 0) << "one more roll";
    EXPECT_EQ(square(s), "7");
    EXPECT_EQ(after(s, roll(6)).turn, 1) << "but only one";
}

TEST(GayplayRules, GAYPLAY_14_TheLastOfSixTakesTheLastCardWithoutRolling) {
    State s = in_shop(6);
    for (int place = 0; place < 5; ++place) s.shelf[0][static_cast<std::size_t>(place)] = false;
    EXPECT_EQ(actions(s), (std::vector<std::string>{"take"}));
    EXPECT_EQ(judged(s, roll(3)).rule, "GAYPLAY-14") << "without rolling";
    EXPECT_EQ(judged(s, take(1)).rule, "GAYPLAY-10") << "empty";
    s = after(s, take(6));
    EXPECT_EQ(s.turn, 1) << "passes the die";
    EXPECT_EQ(status(s), "street");
    State five = in_shop(5);
    for (int place = 0; place < 5; ++place) five.shelf[0][static_cast<std::size_t>(place)] = false;
    EXPECT_EQ(actions(five), (std::vector<std::string>{"roll"})) << "only with six players";
}

TEST(GayplayRules, GAYPLAY_15_AWrongCardGoesToWhoNeedsItAndTheTakerBackToTheShop) {
    State s = after(in_shop(), roll(2));
    const std::string theirs = s.figures[1].list[0];
    s = after(s, take(2, theirs));
    ASSERT_FALSE(last_events.empty());
    EXPECT_EQ(last_events[0].at("event"), "attention") << "warned at once";
    EXPECT_EQ(Gayplay::view(s).players[0].at("score"), 0);
    s = after(s, roll(3));
    s = after(s, {{"type", "wrong_card"}, {"player", "Ada"}, {"shop", 1}}, 1);
    EXPECT_EQ(square(s), "1");
    EXPECT_EQ(status(s), "in_shop");
    EXPECT_EQ(needed_shop(s, s.figures[0]), 1);
    EXPECT_EQ(s.figures[1].bought.at(1).card, theirs) << "Blaise needed it";
    EXPECT_EQ(needed_shop(s, s.figures[1]), 2);
    EXPECT_EQ(cards_left(s, 1), 5);
    EXPECT_EQ(judged(s, {{"type", "wrong_card"}, {"player", "Blaise"}, {"shop", 1}}).rule,
              "GAYPLAY-15")
        << "it is the right one";
    EXPECT_EQ(judged(s, {{"type", "wrong_card"}, {"player", "Ada"}, {"shop", 2}}).rule,
              "GAYPLAY-15")
        << "nothing bought there";
    EXPECT_EQ(judged(s, {{"type", "wrong_card"}, {"player", "Zoe"}, {"shop", 1}}).rule, "MOVE");
}

TEST(GayplayRules, GAYPLAY_15_WithoutAClaimTheCardGoesBackToItsPlace) {
    State s = after(in_shop(), {roll(2), take(2)});
    s = after(s, roll(1));
    s = after(s, {{"type", "wrong_card"}, {"player", "Ada"}, {"shop", 1}}, 1);
    EXPECT_EQ(cards_left(s, 1), 6);
    EXPECT_TRUE(s.shelf[0][1]);
    EXPECT_TRUE(s.figures[0].bought.empty());
}

TEST(GayplayRules, GAYPLAY_16_PurchasesAndListsAreThereForAllToCheck) {
    const State s = after(in_shop(), {roll(2), take(2)});
    const GameView v = Gayplay::view(s);
    EXPECT_EQ(v.board.at("players").at("Ada").at("articles")[0], s.figures[0].list[0]);
    EXPECT_EQ(v.players[0].at("list").size(), 6u);
}

State before_home(int players = 2) {
    State s = under_way("start red1 street street street arrival", players);
    s.figures[0].bought[1] = {s.figures[0].list[0], 0, true};
    s.figures[0].square = 3;
    return s;
}

TEST(GayplayRules, GAYPLAY_17_TheArrivalNeedsAnExactRollAndAllArticles) {
    const State s = after(before_home(), roll(2));
    EXPECT_EQ(s.winner, 0);
    EXPECT_EQ(status(s), "arrived");
    EXPECT_TRUE(Gayplay::view(s).finished);
    EXPECT_TRUE(Gayplay::legal_moves(s).empty());
    State wrong = before_home();
    wrong.figures[0].bought[1] = {wrong.figures[1].list[0], 2, true};
    wrong = after(wrong, roll(2));
    EXPECT_EQ(wrong.winner, -1) << "a known wrong card is discovered at the door";
    EXPECT_EQ(status(wrong), "in_shop");
}

TEST(GayplayRules, GAYPLAY_R1_RedSquaresAlreadyServedArePlainStreet) {
    State s = under_way("start red1 street street red2 arrival");
    s.figures[0].bought[1] = {s.figures[0].list[0], 0, true};
    EXPECT_EQ(square(after(s, roll(3))), "3") << "past red 1";
    EXPECT_EQ(status(after(s, roll(1))), "street") << "onto red 1";
}

TEST(GayplayRules, GAYPLAY_R2_OrdersChainUpToEight) {
    EXPECT_EQ(square(after(under_way("start forward2 street back1 street red1 arrival"), roll(1))),
              "2");
    // forward1 and back1 facing each other for ever: it must end.
    const State s = after(under_way("start forward1 back1 street red1 arrival"), roll(1));
    EXPECT_EQ(square(s), "1") << "eight orders from 1 end on 1";
    EXPECT_EQ(s.turn, 1);
}

TEST(GayplayRules, GAYPLAY_R3_SendShopPutsTheFigureOnItsRedSquare) {
    const State s = after(under_way("start send_shop1 street street red1 arrival"), roll(1));
    EXPECT_EQ(square(s), "4");
    EXPECT_EQ(status(s), "in_shop") << "it is the one needed next";
    State served = under_way("start red1 street send_shop1 street red2 arrival");
    served.figures[0].bought[1] = {served.figures[0].list[0], 0, true};
    served = after(served, roll(3));
    EXPECT_EQ(square(served), "1");
    EXPECT_EQ(status(served), "street");
}

TEST(GayplayRules, GAYPLAY_R4_PastTheArrivalMovesNothing) {
    const State s = after(before_home(), roll(3));
    EXPECT_EQ(square(s), "3");
    EXPECT_EQ(s.winner, -1);
}

TEST(GayplayRules, GAYPLAY_R5_TheWayForMoneyIsCountedSquareBySquare) {
    const Json shortcut = {{"after", "3"}, {"to", "6"}};
    State s = under_way("start street circus red1 street red2 tobacco street red3 arrival", 2,
                        shortcut);
    for (Figure& f : s.figures) f.bought = {{1, {f.list[0], 0, true}}, {2, {f.list[1], 0, true}}};
    s.figures[0].fetching = true;
    EXPECT_EQ(status(s), "fetch_money");
    EXPECT_EQ(square(after(s, roll(3))), "3");
    EXPECT_EQ(status(after(s, roll(3))), "fetch_money");
    EXPECT_EQ(square(after(s, roll(4))), "6");
    EXPECT_EQ(square(after(s, roll(5))), "7") << "and goes on from there";
    State held = after(s, {roll(2), roll(1)});
    EXPECT_EQ(status(held), "circus") << "orders on the way still hold";
    held = after(held, {roll(6), roll(2)});
    EXPECT_EQ(square(held), "6") << "and the way stays the same";
}

TEST(GayplayRules, GAYPLAY_R6_ACardTurnedTwiceInOneRollCountsOnce) {
    State s = after(in_shop(), {roll(2), peek(3), peek(3)});
    EXPECT_EQ(s.figures[0].peeks_left, 1);
}

TEST(GayplaySetup, BoardsAndListsCanBeReplacedAndAreChecked) {
    const auto refused_with = [](Json options) {
        rules::Setup setup = testing::setup_for("", 2);
        setup.options = std::move(options);
        const auto s = Gayplay::start(setup);
        return s ? std::string("started") : s.error().message.args.at("why").get<std::string>();
    };
    EXPECT_EQ(refused_with({{"board", street("start red1 arrival")}}), "started");
    EXPECT_NE(refused_with({{"board", 3}}).find("squares"), std::string::npos);
    EXPECT_NE(refused_with({{"board", street("start swamp arrival")}}).find("kind"),
              std::string::npos);
    EXPECT_NE(refused_with({{"board", street("start red9 arrival")}}).find("shop"),
              std::string::npos);
    EXPECT_NE(refused_with({{"lists", {{"Ada", {"a"}}}}}).find("six"), std::string::npos);
    const Json same = {"a", "b", "c", "d", "e", "f"};
    EXPECT_NE(refused_with({{"lists", {{"Ada", same}, {"Blaise", same}}}}).find("two lists"),
              std::string::npos);
}

TEST(GayplayReading, ACardGoneAndARollIsATakeAndARoll) {
    State s = after(in_shop(), roll(3));
    Observation seen = Gayplay::scene_of(s);
    std::erase_if(seen.pieces, [&](const Piece& p) {
        return p.kind == PieceKind::card && distance({p.x, p.y}, s.board->places[0][1]) < 1;
    });
    EXPECT_TRUE(Gayplay::read(s, seen).choices.empty()) << "it may just be looked at";
    for (Piece& p : seen.pieces)
        if (p.kind == PieceKind::die) p.value = 5, p.x += 100;
    const Reading r = Gayplay::read(s, seen);
    ASSERT_EQ(r.choices.size(), 1u);
    ASSERT_EQ(r.choices[0].moves.size(), 2u);
    EXPECT_EQ(r.choices[0].moves[0].move, take(2));
    EXPECT_EQ(r.choices[0].moves[1].move.at("value"), 5);
    EXPECT_EQ(r.choices[0].moves[1].player, 0);
}

TEST(GayplayReading, ARollWithNoCardGoneSaysTheOneBeforeWasDone) {
    State s = after(in_shop(), roll(3));
    Observation seen = Gayplay::scene_of(s);
    for (Piece& p : seen.pieces)
        if (p.kind == PieceKind::die) p.value = 5;
    const Reading r = Gayplay::read(s, seen);
    ASSERT_EQ(r.choices[0].moves.size(), 2u);
    EXPECT_EQ(r.choices[0].moves[0].move, kDone);
    EXPECT_EQ(r.choices[0].moves[1].player, 1);
}

TEST(GayplayReading, MissingCardsStrayFiguresAndCockedDiceWantAttention) {
    const State s = under_way("start street red1 street red2 arrival");
    Observation seen = Gayplay::scene_of(s);
    std::erase_if(seen.pieces, [&](const Piece& p) {
        return p.kind == PieceKind::card && distance({p.x, p.y}, s.board->places[1][0]) < 1;
    });
    EXPECT_EQ(Gayplay::read(s, seen).attention->message.key, "gayplay.card_missing");
    seen = Gayplay::scene_of(s);
    for (Piece& p : seen.pieces)
        if (p.kind == PieceKind::pawn && p.colour == "red") p.x += 60;
    EXPECT_EQ(Gayplay::read(s, seen).attention->message.key, "gayplay.figure_astray");
    for (const Piece& p : Gayplay::scene_of(s).pieces)
        if (p.kind == PieceKind::pawn && p.colour == "red") seen.pieces.push_back(p);
    EXPECT_FALSE(Gayplay::read(s, seen).attention) << "the other red thing is print";
    seen = Gayplay::scene_of(s);
    Piece die;
    die.kind = PieceKind::die;
    seen.pieces.push_back(die);
    EXPECT_EQ(Gayplay::read(s, seen).attention->rule, "DIE");
}

TEST(GayplayReading, ACameraThatSeesNoCardAtAllStillReadsTheDie) {
    const State street = begin(
        2, ::overboard::rules::gayplay::street("start street red1 street red2 arrival"));
    Piece die;
    die.kind = PieceKind::die;
    die.value = 6;
    Observation seen;
    seen.pieces = {die};
    const Reading reading = Gayplay::read(street, seen);
    ASSERT_EQ(reading.choices.size(), 1u) << "no card in view says nothing about cards";
    EXPECT_EQ(reading.choices[0].moves[0].move.at("value"), 6);
    EXPECT_EQ(Gayplay::read(after(in_shop(), roll(2)), seen).attention->message.key,
              "gayplay.cards_first")
        << "whether one was taken nobody saw";
}

TEST(GayplayHints, SayTheRollThatIsNeededAndTheCardsLeft) {
    const State s = under_way("start street enter1 red1 arrival");
    const auto hints = Gayplay::hints(s, 5);
    ASSERT_EQ(hints.size(), 2u);
    EXPECT_EQ(hints[0].detail.at("rolls"), Json({2, 3}));
    EXPECT_EQ(hints[0].message.args.at("rolls"), "2, 3") << "a text to be read";
    EXPECT_EQ(hints[0].message.args.at("percent"), 33);
    EXPECT_NEAR(hints[0].value, 2.0 / 6, 1e-12);
    EXPECT_EQ(hints[1].detail.at("cards"), 6);
}

}  // namespace
}  // namespace overboard::rules::gayplay
