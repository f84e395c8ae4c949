// `overboard detect …` as a user calls it: one line a picture, drawings, exit codes, one sentence.
#include <array>
#include <cmath>
#include <set>

#include "bus/json.hpp"
#include "tests/app/command.hpp"

namespace overboard {
namespace {

struct DetectCommand : testing::CommandTest {
    [[nodiscard]] testing::Outcome run(const std::string& arguments) const {
        return call("detect " + arguments);
    }

    // A plain grey picture in a format that needs no library to write.
    [[nodiscard]] std::string picture(const std::string& name, int width, int height) const {
        write(name, "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n" +
                        std::string(std::size_t(3 * width * height), 'x'));
        return at(name);
    }
};

TEST_F(DetectCommand, PrintsOneLineAPictureForEveryKindAndDrawsIt) {
    const std::string a = picture("a.ppm", 320, 240), b = picture("b.ppm", 64, 48);
    for (const std::string kind : {"discs", "dice", "cards", "tiles", "polygons", "carrom", "topit",
                                   "gotown", "gayplay", "jouets", "race"}) {
        const auto outcome = run(kind + " " + a + " " + b + " --draw " + at("seen.png"));
        ASSERT_EQ(outcome.code, 0) << kind << ": " << outcome.err;
        std::istringstream lines(outcome.out);
        std::string first, second, more;
        ASSERT_TRUE(std::getline(lines, first) && std::getline(lines, second)) << kind;
        EXPECT_FALSE(std::getline(lines, more)) << kind;
        const Json seen = Json::parse(first);
        EXPECT_EQ(seen.at("image"), a);
        EXPECT_EQ(seen.at("frame"), "image");
        EXPECT_TRUE(seen.at("pieces").is_array());
        EXPECT_TRUE(std::filesystem::remove(at("seen.png"))) << kind;
        EXPECT_TRUE(std::filesystem::remove(at("seen-2.png"))) << kind;
    }
}

// A board of wood with discs of two colours scattered over it.
std::string drawn_board(int side, double r_px, const std::array<std::string, 2>& colours) {
    constexpr std::array<std::array<double, 2>, 7> kAt = {
        {{.2, .3}, {.45, .22}, {.7, .4}, {.33, .61}, {.55, .5}, {.8, .72}, {.4, .81}}};  // of the
                                                                                         // side
    std::string ppm = "P6\n" + std::to_string(side) + " " + std::to_string(side) + "\n255\n";
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            std::string colour = "\xde\xbe\x8c";
            for (std::size_t i = 0; i < kAt.size(); ++i)
                if (std::hypot(x - kAt[i][0] * side, y - kAt[i][1] * side) < r_px)
                    colour = colours[i % 2];
            ppm += colour;
        }
    return ppm;
}

TEST_F(DetectCommand, TellsFromThePictureWhichSetOfAGameIsPlayed) {
    const std::string corners = " --corners \"0,0 799,0 799,799 0,799\"";
    write("to-go.ppm", drawn_board(800, 20, {"\x20\x54\xaa", "\x20\x54\xaa"}));
    write("tournament.ppm", drawn_board(800, 17.2, {"\x26\x20\x1e", "\xf8\xf0\xd8"}));
    for (const auto& [name, types] :
         {std::pair{"to-go", std::set<std::string>{"blue"}}, {"tournament", {"black", "white"}}}) {
        const auto outcome = run("carrom " + at(name + std::string(".ppm")) + corners);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Json line = Json::parse(outcome.out);
        std::set<std::string> seen;
        for (const Json& piece : line.at("pieces")) seen.insert(piece.at("type"));
        EXPECT_EQ(seen, types) << name;
    }
}

TEST_F(DetectCommand, WrongUsageIsTwo) {
    const std::string a = picture("a.ppm", 64, 48);
    EXPECT_EQ(run("").code, 2);
    EXPECT_EQ(run("discs").code, 2);
    EXPECT_EQ(run("unicorns " + a).code, 2);
    EXPECT_EQ(run("dice " + a + " --corners \"1,2 3,4\"").code, 2);
    EXPECT_EQ(run("dice " + a + " --corners nonsense").code, 2);
    for (const char* order : {"0,0 9,9 9,0 0,9", "0,0 0,9 9,9 9,0"})  // crossed, and a mirror
        EXPECT_EQ(run("dice " + a + " --corners \"" + order + "\"").code, 2) << order;
    EXPECT_EQ(run("dice " + a + " --draw picture.nonsense").code, 2);
    EXPECT_EQ(run("cards " + a + " --faces " + at("nowhere")).code, 2);
    EXPECT_EQ(run("carrom " + a + " --board moon").code, 2);
    EXPECT_EQ(run("dice " + a + " --calibration " + at("nowhere.yaml")).code, 2);
}

TEST_F(DetectCommand, WhatCannotBeReadOrWrittenIsOneSentence) {
    const std::string good = picture("good.ppm", 64, 48);
    write("text.png", "this is no picture");
    write("empty.jpg", "");
    std::string cut = testing::content_of(picture("cut.ppm", 640, 480));
    write("cut.png", "\x89PNG\r\n\x1a\n" + cut.substr(0, 40));
    std::filesystem::create_directory(at("folder.png"));
    for (const char* name : {"missing.png", "text.png", "empty.jpg", "cut.png", "folder.png"}) {
        const auto outcome = run("dice " + at(name));
        EXPECT_EQ(outcome.code, 1) << name;
        EXPECT_TRUE(outcome.one_sentence()) << name << ": " << outcome.err;
        EXPECT_NE(outcome.err.find(name), std::string::npos) << outcome.err;
    }
    // The readable ones are still answered.
    const auto mixed = run("dice " + at("missing.png") + " " + good);
    EXPECT_EQ(mixed.code, 1);
    EXPECT_EQ(std::count(mixed.out.begin(), mixed.out.end(), '\n'), 1);
    const auto nowhere = run("dice " + good + " --draw " + at("no/such/folder/x.png"));
    EXPECT_EQ(nowhere.code, 1);
    EXPECT_TRUE(nowhere.one_sentence()) << nowhere.err;
}

}  // namespace
}  // namespace overboard
