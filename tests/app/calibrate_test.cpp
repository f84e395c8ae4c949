// `overboard calibrate …` as a user calls it: verdicts, exit codes, files, and the true error of
// the guided way on a table that is not there.
#include "bus/codec.hpp"
#include "tests/app/command.hpp"

namespace overboard {
namespace {

namespace fs = std::filesystem;

struct CalibrateCommand : testing::CommandTest {
    [[nodiscard]] testing::Outcome run(const std::string& arguments) const {
        return call("calibrate " + arguments);
    }
    [[nodiscard]] int files_like(const std::string& part) const {
        int n = 0;
        for (const auto& entry : fs::directory_iterator(folder.path()))
            n += entry.path().filename().string().find(part) != std::string::npos;
        return n;
    }
};

const fs::path kReal = fs::path(OVERBOARD_SHARED) / "real" / "calibration";

TEST_F(CalibrateCommand, TheGuidedWayMeetsItsGoalsOnASimulatedTable) {
    for (const char* seed :
         {"2", "11"}) {  // 11: in the usual views the board misses a corner of the table
        const testing::Outcome o = run("--simulate --json --out " + at("table.yml") + " --seed " +
                                       seed);
        ASSERT_EQ(o.code, 0) << o.err;
        const Json r = Json::parse(o.out);
        EXPECT_TRUE(r["good"].get<bool>());
        EXPECT_LE(r["lens"]["rms_px"].get<double>(), 0.3);
        EXPECT_LE(r["truth"]["table_mm"].get<double>(), 0.3) << "seed " << seed;
        EXPECT_LE(r["truth"]["at_30_mm_height_mm"].get<double>(), 0.5) << "seed " << seed;
        EXPECT_LE(r["truth"]["projector_mm"].get<double>(), 0.8) << "seed " << seed;
        EXPECT_LE(r["projector"]["error_mm"].get<double>(), 0.8)
            << "what it promises, seed " << seed;
        EXPECT_LE(r["truth"]["touch_mm"].get<double>(), 2) << "seed " << seed;
        EXPECT_LE(r["truth"]["latency_s"].get<double>(), 0.034) << "seed " << seed;
    }
    EXPECT_EQ(files_like(".old"), 1) << "the first profile is kept beside the second";
}

TEST_F(CalibrateCommand, RealChessboardsGiveALensInEveryFormat) {
    const fs::path images = kReal / "opencv_stereo_chessboard" / "images";
    if (!fs::exists(images)) GTEST_SKIP() << "not here: " << images;
    fs::create_directory(at("left"));
    for (const auto& entry : fs::directory_iterator(images))
        if (const std::string name = entry.path().filename().string(); name.starts_with("left"))
            fs::create_symlink(fs::absolute(entry.path()), folder / "left" / name);
    const testing::Outcome o = run(
        "--images " + at("left") + " --board chessboard:9x6:25 --json --out " + at("lens.yml") +
        " --ros " + at("ros.yaml") + " --coverage " + at("coverage.png"));
    ASSERT_EQ(o.code, 0) << o.err;
    const Json r = Json::parse(o.out);
    EXPECT_LE(r["lens"]["rms_px"].get<double>(), 0.39) << "OpenCV's own published result";
    EXPECT_NEAR(r["lens"]["camera"]["camera_matrix"][0].get<double>(), 535.9, 8);
    EXPECT_GE(r["lens"]["views"].size(), 10u);
    EXPECT_TRUE(testing::content_of(at("lens.yml")).starts_with("%YAML"));
    EXPECT_NE(testing::content_of(at("ros.yaml")).find("plumb_bob"), std::string::npos);
    EXPECT_GT(fs::file_size(at("coverage.png")), 1000u);

    // The same folder as a film.
    const testing::Outcome film = run("--camera " + at("left") +
                                      " --board chessboard:9x6:25 --json --out " + at("film.yml"));
    EXPECT_EQ(film.code, 0) << film.err;
    EXPECT_NEAR(Json::parse(film.out)["lens"]["rms_px"].get<double>(),
                r["lens"]["rms_px"].get<double>(), 0.01);

    // A lens alone finds no projector, and what is there stays there.
    const std::string before = testing::content_of(at("lens.yml"));
    const testing::Outcome bad = run("--table-images " + at("left") + " --out " + at("lens.yml"));
    EXPECT_EQ(bad.code, 1);
    EXPECT_TRUE(bad.one_sentence()) << bad.err;
    EXPECT_NE(bad.err.find("The old profile is kept"), std::string::npos) << bad.err;
    EXPECT_NE(bad.out.find("NO"), std::string::npos);
    EXPECT_EQ(testing::content_of(at("lens.yml")), before);
}

TEST_F(CalibrateCommand, CornersGivenByHandStandInForMarkers) {
    const fs::path images = kReal / "opencv_stereo_chessboard" / "images";
    if (!fs::exists(images)) GTEST_SKIP() << "not here: " << images;
    fs::create_directory(at("view"));
    fs::create_symlink(fs::absolute(images / "left01.jpg"),
                       folder / "view" / "left01.jpg");  // any picture of 640 x 480
    const std::string call = "--table-images " + at("view") + " --json --out " + at("t.yml") +
                             " --corners ";
    const testing::Outcome o = run(call + "'60,60 580,60 580,352.5 60,352.5'");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_LT(Json::parse(o.out)["table"]["rms_mm"].get<double>(), 1);
    EXPECT_TRUE(fs::exists(at("t.yml")));
    const testing::Outcome swapped = run(call + "'580,60 60,60 580,352.5 60,352.5'");
    EXPECT_EQ(swapped.code, 2);
    EXPECT_NE(swapped.err.find("clockwise"), std::string::npos) << swapped.err;
    EXPECT_EQ(run(call + "'1,2 3,4'").code, 2);
}

TEST_F(CalibrateCommand, TouchesAreMappedFromAFile) {
    std::ofstream(at("touches.json"))
        << R"({"targets":[[100,100],[1100,100],[1100,600],[100,600],[600,350]],
        "touched":[[0.1,0.1],[0.9,0.1],[0.9,0.9],[0.1,0.9],[0.5,0.5]]})";
    const testing::Outcome o = run("--touches " + at("touches.json") + " --json --out " +
                                   at("t.yml"));
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_LT(Json::parse(o.out)["touch"]["rms_mm"].get<double>(), 0.01);
    std::ofstream(at("touches.json")) << R"({"touched":7})";
    EXPECT_EQ(run("--touches " + at("touches.json")).code, 1);
}

TEST_F(CalibrateCommand, BadInputGetsOneSentence) {
    EXPECT_EQ(run("--nonsense").code, 2);
    fs::create_directory(at("empty"));
    const std::vector<std::string> bad = {
        "--images " + at("nowhere"),      "--images " + at("empty"),
        "--simulate --check-bar 9.7",     "--simulate --board nonsense",
        "--simulate --projector 12",      "--camera /dev/no-such-camera",
        "--touches " + at("nowhere.json")};
    for (const std::string& arguments : bad) {
        const testing::Outcome o = run(arguments);
        EXPECT_EQ(o.code, 1) << arguments;
        EXPECT_TRUE(o.one_sentence()) << o.err;
    }
}

}  // namespace
}  // namespace overboard
