// Nothing may be forgotten: every rule has a test, every sentence both languages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "bus/messages.hpp"
#include "rules/games.hpp"

namespace overboard::rules::testing {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::set<std::string> found(const std::string& text, const std::regex& pattern) {
    std::set<std::string> all;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
        all.insert((*it)[1]);
    return all;
}

std::string all_sources(const fs::path& folder, const std::string& extension) {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == extension) all += text_of(entry.path()) + "\n";
    return all;
}

const std::regex& rule_id() {
    static const std::regex pattern(
        R"(\b((?:CARROM|GAYPLAY|TOPIT|JOUETS|GOTOWN)-(?:R?[0-9]+|COUNT))\b)");
    return pattern;
}

std::set<std::string> listed_ids() {
    std::set<std::string> ids;
    std::ifstream in(fs::path(OVERBOARD_TEST_DATA) / "rules" / "rule_ids.txt");
    for (std::string line; in >> line;) ids.insert(line);
    return ids;
}

TEST(Completeness, EveryRuleIdHasATestThatNamesIt) {
    const auto names = found(all_sources(fs::path(OVERBOARD_TEST_DATA) / "rules", ".cpp"),
                             std::regex(R"(TEST(?:_F|_P)?\(\s*\w+\s*,\s*(\w+)\s*\))"));
    std::set<std::string> played;
    for (const Game& game : games()) played.insert(game.info.id);
    const auto ids = listed_ids();
    ASSERT_GT(ids.size(), 100u);
    std::string missing;
    for (const std::string& id : ids) {
        std::string game = id.substr(0, id.find('-'));
        for (char& c : game) c = static_cast<char>(std::tolower(c));
        if (!played.contains(game)) {
            std::cout << "not checked, the game is not in the list of games: " << id << "\n";
            continue;
        }
        std::string part = id;
        std::replace(part.begin(), part.end(), '-', '_');
        const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            const auto at = name.find(part);
            return at != std::string::npos &&
                   (at + part.size() == name.size() ||
                    !std::isdigit(static_cast<unsigned char>(name[at + part.size()])));
        });
        if (!named) missing += " " + id;
    }
    EXPECT_EQ(missing, "") << "rules without a test of their name";
}

TEST(Completeness, TheListOfRuleIdsIsThatOfTheRulePages) {
    const char* elsewhere = std::getenv("OVERBOARD_SHARED");
    const fs::path pages = fs::path(elsewhere ? elsewhere : OVERBOARD_SHARED) / "games";
    if (!fs::exists(pages))
        GTEST_SKIP() << "the rule pages are not here (" << pages
                     << "); the list in the project stands";
    std::set<std::string> there;
    for (const auto& page : fs::directory_iterator(pages))
        there.merge(found(text_of(page.path()), rule_id()));
    EXPECT_EQ(there, listed_ids());
}

TEST(Completeness, BothLanguagesHaveTheSameKeysAndPlaceholders) {
    const auto& messages = Messages::shared();
    const auto en = messages.keys("en"), fr = messages.keys("fr");
    EXPECT_EQ(en, fr);
    const std::regex placeholder(R"(\{(\w+)\})");
    for (const std::string& key : en) {
        const std::string english = messages.text("en", key), french = messages.text("fr", key);
        EXPECT_FALSE(english.empty()) << key;
        EXPECT_FALSE(french.empty()) << key;
        const auto in_english = found(english, placeholder), in_french = found(french, placeholder);
        EXPECT_EQ(in_english, in_french) << key;
    }
    std::cout << en.size() << " sentences in each of " << messages.languages().size()
              << " languages\n";
}

TEST(Completeness, EveryKeyTheRulesSendIsInTheCatalogue) {
    std::string senders = "rules";
    for (const Game& game : games()) senders += "|" + game.info.id;
    const auto keys = found(
        all_sources(fs::path(OVERBOARD_TEST_DATA).parent_path() / "rules", ".cpp"),
        std::regex("\"((?:" + senders + ")\\.[a-z_0-9]+)\""));
    ASSERT_GT(keys.size(), 50u);
    const auto& messages = Messages::shared();
    const auto en = messages.keys("en");
    for (const std::string& key : keys)
        EXPECT_NE(std::find(en.begin(), en.end(), key), en.end()) << "no sentence for " << key;
    std::cout << keys.size() << " keys sent, all with a sentence\n";
}

}  // namespace
}  // namespace overboard::rules::testing
