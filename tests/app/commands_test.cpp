// What the contract says of every sub-command: --help exits 0, wrong usage 2, failure 1 with one
// line.
#include <filesystem>

#include "tests/app/command.hpp"

namespace overboard::testing {
namespace {

class EveryCommand : public CommandTest {
protected:
    void fails(const std::string& arguments) const {
        const Outcome done = call(arguments);
        EXPECT_EQ(done.code, 1) << arguments;
        EXPECT_TRUE(done.one_sentence()) << arguments << ": " << done.err;
    }
};

const char* const kCommands[] = {
    "",          "demo",        "play",       "rules",       "vision", "table",
    "calibrate", "teach",       "detect",     "track",       "shot",   "shot simulate",
    "shot fit",  "shot replay", "shot list",  "shot export", "print",  "simulate",
    "doctor",    "bench",       "bench play", "record",      "rerun",  "backup"};

TEST_F(EveryCommand, ExplainsItself) {
    for (const std::string command : kCommands) {
        const Outcome done = call(command + " --help");
        EXPECT_EQ(done.code, 0) << command;
        EXPECT_NE(done.out.find("Usage: overboard"), std::string::npos) << command;
        EXPECT_EQ(done.err, "") << command;
    }
}

TEST_F(EveryCommand, SaysTwoToWrongUsage) {
    for (const std::string command : kCommands) {
        const Outcome done = call(command + " --no-such-option");
        EXPECT_EQ(done.code, 2) << command;
        EXPECT_EQ(done.out, "") << command;
        EXPECT_TRUE(done.one_sentence()) << command << ": " << done.err;
    }
    for (const char* wrong :
         {"", "no-such-command", "demo chess", "play chess", "vision chess", "teach chess",
          "detect chess x.png", "track chess x.mp4", "print chess", "simulate chess",
          "demo --seconds soon", "demo --seconds -5", "demo --lang xx", "play carrom --lang xx",
          "bench play chess", "bench play race --variant tower"})
        EXPECT_EQ(call(wrong).code, 2) << wrong;
    EXPECT_EQ(call("no-such-command").err,
              "overboard: there is no command 'no-such-command' (see overboard --help)\n");
    EXPECT_EQ(call("shot fit").err,
              "overboard: SHOT is required (see overboard shot fit --help)\n");
}

TEST_F(EveryCommand, FailsWhenItsAnswerCannotBeWritten) {
    const std::string
        shot = R"({"board":"to-go","discs":[],"striker":{"x":0,"y":142,"vx":0,"vy":-900}})";
    write("in", shot);
    const std::string line = std::string(OVERBOARD_PROGRAM) + " shot simulate <" + at("in") +
                             " >/dev/full 2>" + at("err");
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1);
    EXPECT_NE(content_of(at("err")), "");
}

TEST_F(EveryCommand, FailsWithOneLine) {
    const std::string missing = at("missing");
    for (const std::string command :
         {"detect carrom ", "track carrom ", "play carrom --camera ", "vision carrom --camera ",
          "calibrate --images ", "calibrate --camera ", "shot fit ", "shot export "})
        fails(command + missing);
    fails("shot simulate");
    fails("backup --store " + missing + " " + at("copy.db"));
    fails("record " + missing + "/tape");
    fails("print carrom --out " + missing + "/x.pdf");
    fails("simulate carrom --out /proc/no-such-folder");
}

TEST_F(EveryCommand, ADemoThatCannotBeginLeavesNothingBehind) {
    fails("demo carrom --headless --variant nonsense --out " + at("film"));
    EXPECT_FALSE(std::filesystem::exists(at("film")));
    fails("demo carrom --headless --seconds 1 --out /proc/no-such-folder");
}

// timeout sends the signal to everything it started, as a terminal does.
TEST_F(EveryCommand, ADemoStoppedWithCtrlCEndsItsFilmAndSaysTheScore) {
    write("stop", "exec timeout --preserve-status -s INT 8 " OVERBOARD_PROGRAM
                  " demo carrom --headless --seconds 600 --out " +
                      at("film"));
    const int status = std::system(
        ("sh " + at("stop") + " >" + at("out") + " 2>" + at("err")).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(content_of(at("err")).find("XIO"), std::string::npos) << content_of(at("err"));
    EXPECT_NE(content_of(at("out")).find("Carrom To Go: "), std::string::npos)
        << content_of(at("out"));
    EXPECT_NE(content_of(at("film/demo.mp4")).find("moov"), std::string::npos)
        << "an MP4 without its index plays nowhere";
}

TEST_F(EveryCommand, ADemosFilmLastsAsLongAsItsPlay) {
    write("film it", OVERBOARD_PROGRAM " demo topit --headless --seconds 2 --fps 10 --out " +
                         at("film") +
                         " && ffprobe -v error -show_entries format=duration -of csv=p=0 " +
                         at("film/demo.mp4"));
    const int status = std::system(
        ("sh '" + at("film it") + "' >" + at("out") + " 2>" + at("err")).c_str());
    ASSERT_EQ(WEXITSTATUS(status), 0) << content_of(at("err"));
    const std::string said = content_of(at("out"));
    const auto last_line = said.find_last_of('\n', said.size() - 2) + 1;
    EXPECT_NEAR(std::stod(said.substr(last_line)), 2.0, 0.3) << said;
}

TEST_F(EveryCommand, ADemosRecordingIsScoredAgainAsItWas) {
    const Outcome played = call("demo race --headless --no-film --seconds 12 --fps 6 --out " +
                                at("film") + " --record " + at("tape") + " --store " + at("m.db"));
    ASSERT_EQ(played.code, 0) << played.err;
    EXPECT_NE(content_of(at("m.db")).find("\"jpeg\""), std::string::npos) << "no evidence";
    EXPECT_EQ(content_of(at("tape")).find("\"jpeg\""), std::string::npos)
        << "a recording holds words and numbers, no pictures";
    const Outcome again = call("rerun --quiet " + at("tape"));
    ASSERT_EQ(again.code, 0) << again.err;
    const auto scores = [](const std::string& said) {
        const auto from = said.find("Ana "), to = said.find('\n', from);
        return from == std::string::npos ? "none in " + said : said.substr(from, to - from);
    };
    EXPECT_EQ(scores(again.out), scores(played.out));
    EXPECT_EQ(scores(again.out).find("Ana 0, Bo 0"), std::string::npos) << "nobody moved";
    write("letter", "This is no recording.\n");
    fails("rerun " + at("letter"));
}

TEST_F(EveryCommand, RulesSayWhichAddressIsWrong) {
    const std::string rules = "rules --observations '' --store " + at("m.db") + " --events ipc://" +
                              at("e") + " --requests ";
    for (const char* address : {"nonsense", "tcp://127.0.0.1:70000", "tcp://0.0.0.0:7400"}) {
        fails(rules + address);
        EXPECT_NE(content_of(at("err")).find(address), std::string::npos);
    }
}

}  // namespace
}  // namespace overboard::testing
