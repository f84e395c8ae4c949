// `overboard shot …` as a user calls it: the contract's input and output, exit codes, one sentence.
#include "bus/codec.hpp"
#include "tests/app/command.hpp"

namespace overboard {
namespace {

namespace fs = std::filesystem;

struct ShotCommand : testing::CommandTest {
    [[nodiscard]] testing::Outcome run(const std::string& arguments,
                                       const std::string& input = "") const {
        return call("shot " + arguments, input);
    }
    [[nodiscard]] Shot shot_of(const std::string& text) const {
        const auto shot = decode_shot(text);
        EXPECT_TRUE(shot) << text.substr(0, 200);
        return shot ? *shot : Shot{};
    }
};

constexpr const char* kRequest =
    R"({"board":"to-go","discs":[{"type":"blue","x":5,"y":0},{"type":"queen","x":60,"y":-50}],"striker":{"x":0,"y":142,"vx":0,"vy":-1500}})";

TEST_F(ShotCommand, SimulatesWithEitherEngineTheSameEveryTime) {
    for (const char* engine : {"", "--engine exact", "--engine box2d"}) {
        const testing::Outcome a = run(std::string("simulate ") + engine, kRequest),
                               b = run(std::string("simulate ") + engine, kRequest);
        ASSERT_EQ(a.code, 0) << a.err;
        EXPECT_EQ(a.out, b.out);
        const Shot shot = shot_of(a.out);
        EXPECT_EQ(shot.board, "to-go");
        EXPECT_EQ(shot.tracks.size(), 3u);
        EXPECT_TRUE(shot.confidence);
    }
}

TEST_F(ShotCommand, TakesPhysicsFromTheRequest) {
    const auto end_of = [&](const char* physics) {
        return shot_of(
                   run("simulate",
                       std::string(
                           R"({"board":"to-go","discs":[],"striker":{"x":0,"y":142,"vx":0,"vy":-400},"physics":)") +
                           physics + "}")
                       .out)
            .end;
    };
    EXPECT_NEAR(end_of(R"({"friction":0.1})"), 400 / (0.1 * 9806.65), 1e-6);
    EXPECT_NEAR(end_of(R"({"friction":0.2})"), 400 / (0.2 * 9806.65), 1e-6);
}

TEST_F(ShotCommand, RefusesBadInputInOneSentence) {
    for (const char* bad :
         {"", "{", "[]", "{}", R"({"striker":{"x":0,"y":142,"vx":0}})",
          R"({"board":"moon","striker":{"x":0,"y":142,"vx":0,"vy":0}})",
          R"({"striker":{"x":0,"y":900,"vx":0,"vy":0}})",
          R"({"striker":{"x":0,"y":142,"vx":0,"vy":1e400}})",
          R"({"discs":[{"type":"green","x":0,"y":0}],"striker":{"x":0,"y":142,"vx":0,"vy":0}})"}) {
        const testing::Outcome o = run("simulate", bad);
        EXPECT_EQ(o.code, 1) << bad;
        EXPECT_TRUE(o.one_sentence()) << o.err;
        EXPECT_TRUE(o.out.empty());
    }
    EXPECT_EQ(run("simulate --engine wishful", kRequest).code, 2);
    EXPECT_EQ(run("").code, 2);
    EXPECT_EQ(run("simulate --help").code, 0);
}

TEST_F(ShotCommand, ImportsListsAndExports) {
    write("shot.json", run("simulate", kRequest).out);
    const std::string store = " --store " + at("matches.db");
    EXPECT_EQ(run("list" + store).code, 1);
    const testing::Outcome imported = run("import " + at("shot.json") + store + " --match m1");
    ASSERT_EQ(imported.code, 0) << imported.err;
    const testing::Outcome list = run("list" + store);
    const Json line = Json::parse(list.out);
    EXPECT_EQ(line["match"], "m1");
    const std::string id = line["shot_id"];
    const Shot before = shot_of(testing::content_of(at("shot.json"))),
               after = shot_of(run("export " + id + store).out);
    ASSERT_EQ(before.tracks.size(), after.tracks.size());
    EXPECT_EQ(before.tracks[0].points.size(), after.tracks[0].points.size());
    EXPECT_NEAR(before.tracks[0].points[9].x, after.tracks[0].points[9].x, 1e-3);
    const testing::Outcome csv = run("export last --format csv" + store);
    EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "shot_id,disc,type,t_s,x_mm,y_mm");
    ASSERT_EQ(run("export last -o " + at("shot.mp4") + store).code, 0);
    EXPECT_GT(fs::file_size(at("shot.mp4")), 10000u);
    EXPECT_EQ(run("export nobody" + store).code, 1);
    EXPECT_EQ(run("import " + at("in") + store, "nonsense").code, 1);
}

TEST_F(ShotCommand, FitsWhatItSimulated) {
    write("shot.json", run("simulate", kRequest).out);
    const testing::Outcome o = run("fit " + at("shot.json"));
    ASSERT_EQ(o.code, 0) << o.err;
    const Json fit = Json::parse(o.out);
    EXPECT_NEAR(fit["striker"]["vy"].get<double>(), -1500, 15);
    EXPECT_LT(fit["residual_mm"].get<double>(), 0.1);
}

TEST_F(ShotCommand, DrawsWhatIf) {
    write("shot.json", run("simulate", kRequest).out);
    ASSERT_EQ(
        run("replay " + at("shot.json") + " --draw " + at("w.mp4") + " --turn 3 --force 1.1").code,
        0);
    EXPECT_GT(fs::file_size(at("w.mp4")), 10000u);
}

}  // namespace
}  // namespace overboard
