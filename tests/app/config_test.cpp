// overboard.toml as a user writes it: what it sets, what the command line overrules, what it is
// told when it is wrong.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "bus/json.hpp"
#include "tests/folder.hpp"

namespace overboard {
namespace {

namespace fs = std::filesystem;

struct ConfigFile : ::testing::Test {
    testing::Folder folder;
    std::string said;

    [[nodiscard]] std::string at(const char* name) const { return folder.at(name); }
    void write(const char* name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(at(name)) << text;
    }
    int run(const std::string& arguments, const std::string& environment = "") {
        const std::string home = "HOME=" + at("home") + " XDG_CONFIG_HOME= XDG_STATE_HOME= ";
        const int status = std::system((home + environment + " " + OVERBOARD_PROGRAM + " " +
                                        arguments + " >" + at("out") + " 2>&1")
                                           .c_str());
        said = testing::content_of(at("out"));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    /// What `doctor` found about `what`.
    [[nodiscard]] std::string finding(const std::string& what) const {
        for (const Json& f : Json::parse(said, nullptr, false))
            if (f.at("what") == what) return f.at("said");
        return "";
    }
};

constexpr const char* kStore = "doctor --json --requests ipc:///tmp/overboard-config-test";

TEST_F(ConfigFile, SetsOptionsAndTheCommandLineCountsMore) {
    write("o.toml", "# a comment\n[doctor]\nstore = '" + at("from-file.db") +
                        "'\njson = true\n[rules]\nallow = [\"a\",\n  \"b\"]\ninsecure = true\n");
    EXPECT_EQ(run("doctor --requests ipc:///tmp/overboard-config-test --config " + at("o.toml")), 0)
        << said;
    EXPECT_NE(finding("store").find("from-file.db"), std::string::npos) << said;
    EXPECT_NE(finding("config").find("o.toml"), std::string::npos) << said;
    EXPECT_EQ(run("--config " + at("o.toml") + " " + kStore + " --store " + at("named.db")), 0)
        << said;
    EXPECT_NE(finding("store").find("named.db"), std::string::npos) << said;
    EXPECT_EQ(run(kStore, "OVERBOARD_CONFIG=" + at("o.toml")), 0) << said;
    EXPECT_NE(finding("store").find("from-file.db"), std::string::npos) << said;
}

TEST_F(ConfigFile, IsFoundInTheUsersConfigurationAndNeverWritten) {
    EXPECT_EQ(run(kStore), 0) << said;
    EXPECT_NE(finding("config").find("no file"), std::string::npos) << said;
    const std::string text = "[doctor]\nstore = \"" + at("mine.db") + "\"\n";
    write("home/.config/overboard/overboard.toml", text);
    EXPECT_EQ(run(kStore), 0) << said;
    EXPECT_NE(finding("store").find("mine.db"), std::string::npos) << said;
    std::ostringstream after;
    after << std::ifstream(at("home/.config/overboard/overboard.toml")).rdbuf();
    EXPECT_EQ(after.str(), text);
}

TEST_F(ConfigFile, MayNameAProfileThatIsStillToBeMade) {
    write("o.toml", "[play]\nGAME = 'carrom'\ncalibration = '" + at("later.yml") + "'\n");
    EXPECT_EQ(run(std::string(kStore) + " --config " + at("o.toml")), 0) << said;
    EXPECT_EQ(run("play --config " + at("o.toml")), 2) << said;
    EXPECT_NE(said.find("later.yml is not there"), std::string::npos) << said;
}

TEST_F(ConfigFile, WrongOnesAreNamedAndWrongUsage) {
    write("key.toml", "[doctor]\nstroe = 'x'\n");
    EXPECT_EQ(run(std::string(kStore) + " --config " + at("key.toml")), 2);
    EXPECT_NE(said.find("stroe"), std::string::npos) << said;
    write("broken.toml", "[doctor]\n\nstore = \n");
    EXPECT_EQ(run(std::string(kStore) + " --config " + at("broken.toml")), 2);
    EXPECT_NE(said.find("line 3"), std::string::npos) << said;
    EXPECT_EQ(run(std::string(kStore) + " --config " + at("missing.toml")), 2);
    EXPECT_NE(said.find("missing.toml"), std::string::npos) << said;
    EXPECT_EQ(run(kStore, "OVERBOARD_CONFIG=" + at("missing.toml")), 1);
    EXPECT_NE(said.find("missing.toml"), std::string::npos) << said;
    write("command.toml", "[dokter]\njson = true\n");
    EXPECT_EQ(run(std::string(kStore) + " --config " + at("command.toml")), 2) << said;
}

}  // namespace
}  // namespace overboard
