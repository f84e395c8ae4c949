#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>

#include <csignal>

#include "rules/games.hpp"
#include "rules/shot_store.hpp"
#include "tests/rules/random_play.hpp"
#include "tests/rules/service_fixture.hpp"

namespace overboard::rules::testing {
namespace {

std::string refusal_of(const std::filesystem::path& file) {
    try {
        Store store(file);
        return "";
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

TEST(Store, RefusesAFileThatIsNoDatabase) {
    TemporaryFolder folder;
    const auto file = folder / "x.db";
    std::ofstream(file) << std::string(5000, 'z');
    EXPECT_NE(refusal_of(file).find("not a database"), std::string::npos) << refusal_of(file);
    EXPECT_EQ(content_of(file), std::string(5000, 'z'))
        << "somebody else's file must stay as it is";
}

TEST(Store, RefusesADatabaseOfSomethingElse) {
    TemporaryFolder folder;
    {
        SQLite::Database db((folder / "x.db").string(),
                            SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec("CREATE TABLE recipes(name TEXT)");
    }
    EXPECT_NE(refusal_of(folder / "x.db").find("something else"), std::string::npos);
}

TEST(Store, RefusesANewerVersion) {
    TemporaryFolder folder;
    { Store store(folder / "x.db"); }
    {
        SQLite::Database db((folder / "x.db").string(), SQLite::OPEN_READWRITE);
        db.exec("PRAGMA user_version = 99");
    }
    EXPECT_NE(refusal_of(folder / "x.db").find("newer"), std::string::npos);
}

TEST(Store, RefusesADamagedFile) {
    TemporaryFolder folder;
    {
        Store store(folder / "x.db");
        for (int i = 0; i < 400; ++i)
            ASSERT_TRUE(store.add({"m" + std::to_string(i),
                                   "carrom",
                                   {{"filler", std::string(500, 'f')}},
                                   "t",
                                   true}));
        store.tidy();
    }
    std::fstream damage(folder / "x.db", std::ios::in | std::ios::out | std::ios::binary);
    for (int page = 2; page < 30; ++page) {
        damage.seekp(page * 4096L);
        damage << std::string(64, '\x7f');
    }
    damage.close();
    EXPECT_NE(refusal_of(folder / "x.db").find("the store"), std::string::npos);
}

TEST(Store, RefusesAPlaceItCannotWrite) {
    EXPECT_NE(refusal_of("/proc/overboard/x.db").find("the store"), std::string::npos);
    TemporaryFolder folder;
    std::filesystem::create_directory(folder / "x.db");
    EXPECT_NE(refusal_of(folder / "x.db").find("the store"), std::string::npos);
}

/// Root may write whatever the permissions say; as nobody it may not.
class AsNobody {
public:
    AsNobody() : was_{geteuid()} {
        if (was_ == 0 && seteuid(65534) != 0) std::abort();
    }
    ~AsNobody() {
        if (was_ == 0 && seteuid(0) != 0) std::abort();
    }

private:
    uid_t was_;
};

TEST(Store, RefusesAReadOnlyFileAndLeavesItAsItWas) {
    namespace fs = std::filesystem;
    TemporaryFolder folder;
    { Store store(folder / "x.db"); }
    const std::string before = content_of(folder / "x.db");
    fs::permissions(folder / "x.db", fs::perms(0444));
    for (const unsigned mode : {0777u, 0555u}) {  // the file alone, and the folder with it
        fs::remove(folder / "x.db.lock");
        fs::permissions(folder / ".", fs::perms(mode));
        std::string said;
        {
            const AsNobody nobody;
            said = refusal_of(folder / "x.db");
        }
        EXPECT_NE(said.find("the store"), std::string::npos) << said;
        EXPECT_TRUE(said.find("readonly") != std::string::npos ||
                    said.find("cannot be written") != std::string::npos)
            << said;
        EXPECT_EQ(content_of(folder / "x.db"), before);
    }
    fs::permissions(folder / ".", fs::perms(0755));
    fs::permissions(folder / "x.db", fs::perms(0644));
    EXPECT_EQ(refusal_of(folder / "x.db"), "") << "and it goes on once it may be written";
}

TEST(Store, RefusesASecondServiceOnTheSameFile) {
    TemporaryFolder folder;
    Store first(folder / "x.db");
    EXPECT_NE(refusal_of(folder / "x.db").find("in use"), std::string::npos);
}

TEST(Store, MigratesTheFirstVersion) {
    TemporaryFolder folder;
    {
        SQLite::Database db((folder / "x.db").string(),
                            SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(
            "CREATE TABLE matches(id TEXT PRIMARY KEY, game TEXT NOT NULL, setup TEXT NOT NULL, "
            "started TEXT NOT NULL, open INTEGER NOT NULL) STRICT;"
            "CREATE TABLE events(match TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT "
            "NULL, kind TEXT NOT NULL, data TEXT NOT NULL,"
            " time TEXT NOT NULL, PRIMARY KEY(match, number)) STRICT, WITHOUT ROWID;"
            R"(INSERT INTO matches VALUES('m1','carrom','{"players":[{"name":"Ada","seat":"","extra":{}}],"variant":"","options":{}}','then',1);)"
            R"(INSERT INTO events VALUES('m1',1,'move','{"player":0,"move":{"type":"shot","pocketed":{"blue":2}}}','then');)"
            "PRAGMA user_version = 1");
    }
    Service service({folder / "x.db", {}, {}, {}});
    const Json state = Json::parse(service.handle(
        R"({"jsonrpc":"2.0","id":1,"method":"match.state","params":{"match":"m1"}})"));
    EXPECT_EQ(state.at("result").at("players")[0].at("score"), 2);
    const Json ranking = Json::parse(
        service.handle(R"({"jsonrpc":"2.0","id":1,"method":"players.ranking"})"));
    EXPECT_TRUE(ranking.contains("result"));
}

TEST(Store, OneDamagedMatchKeepsNoOtherFromGoingOn) {
    TemporaryFolder folder;
    const auto ask = [](Service& service, const std::string& method, const Json& params) {
        return Json::parse(service.handle(
            Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump()));
    };
    {
        Service service({folder / "x.db", {}, {}, {}});
        for (int i = 0; i < 4; ++i) {
            ask(service, "match.start",
                {{"game", "carrom"}, {"variant", "free"}, {"players", {{{"name", "Ada"}}}}});
            ask(service, "match.move",
                {{"match", "m" + std::to_string(i + 1)},
                 {"player", "Ada"},
                 {"move", {{"type", "shot"}}}});
        }
    }
    {
        SQLite::Database db((folder / "x.db").string(), SQLite::OPEN_READWRITE);
        db.exec("UPDATE matches SET setup = '[[' WHERE id = 'm1'");
        db.exec(R"(UPDATE events SET data = '{"player":77,"move":{}}' WHERE match = 'm2')");
        db.exec("UPDATE matches SET game = 'chess' WHERE id = 'm3'");
    }
    Service service({folder / "x.db", {}, {}, {}});
    for (const char* damaged : {"m1", "m2", "m3"})
        EXPECT_EQ(ask(service, "match.state", {{"match", damaged}}).at("error").at("code"), 1001)
            << damaged;
    EXPECT_EQ(ask(service, "match.state", {{"match", "m4"}}).at("result").at("seq"), 1);
    EXPECT_EQ(ask(service, "match.list", Json::object()).at("result").at("matches").size(), 4u);
}

TEST(Store, IsKeptAsTheIssueAsks) {
    TemporaryFolder folder;
    Store store(folder / "x.db");
    SQLite::Database db((folder / "x.db").string(), SQLite::OPEN_READWRITE);
    EXPECT_EQ(db.execAndGet("PRAGMA journal_mode").getString(), "wal");
    EXPECT_EQ(
        db.execAndGet(
              "SELECT count(*) FROM sqlite_master WHERE type='table' AND sql NOT LIKE '%STRICT%'")
            .getInt(),
        0);
}

class StoreService : public ServiceTest {};

TEST_F(StoreService, BackupCopiesAStoreInUseAndOverwritesNothing) {
    const std::string m = start("carrom", {"Ada"});
    move(m, "Ada", shot(2));
    backup(file(), folder / "copy.db");
    EXPECT_THROW(backup(file(), folder / "copy.db"), std::runtime_error);
    EXPECT_THROW(backup(folder / "missing.db", folder / "b.db"), std::runtime_error);
    std::ofstream(folder / "empty.db").close();
    EXPECT_THROW(backup(folder / "empty.db", folder / "b.db"), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.db"));
    move(m, "Ada", shot(1));
    Service copy({folder / "copy.db", {}, {}, {}});
    const Json state = Json::parse(
        copy.handle(R"({"jsonrpc":"2.0","id":1,"method":"match.state","params":{"match":"m1"}})"));
    EXPECT_EQ(state.at("result").at("players")[0].at("score"), 2);
}

TEST_F(StoreService, BackupCopiesTheShotsToo) {
    start("carrom", {"Ada"});
    Shot stroke;
    stroke.shot_id = "s1";
    stroke.end = 1;
    service->observe(stroke);
    std::ofstream(folder / "taken.shots.db") << "mine";
    EXPECT_THROW(backup(file(), folder / "taken.db"), std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(folder / "taken.db")) << "both or neither";
    EXPECT_EQ(content_of(folder / "taken.shots.db"), "mine");
    backup(file(), folder / "copy.db");
    EXPECT_TRUE(ShotStore(folder / "copy.shots.db").get("s1"));
}

TEST_F(StoreService, AFullDiskIsAnErrorAndChangesNothing) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    move(m, "Ada", shot(1));
    const Json before = call("match.state", {{"match", m}});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit unlimited{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit full = unlimited;
    full.rlim_cur = std::filesystem::file_size(file().string() + "-wal");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    told.clear();
    Json error, start_error, undo_error;
    for (int i = 0; i < 3; ++i)
        error = refuse("match.move", {{"match", m}, {"player", "Ada"}, {"move", shot(1)}});
    start_error = refuse("match.start", {{"game", "carrom"}, {"players", {{{"name", "Ada"}}}}});
    undo_error = refuse("match.undo", {{"match", m}});
    const Json during = call("match.state", {{"match", m}});
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    EXPECT_EQ(error.at("code"), 1007) << error;
    EXPECT_EQ(error.at("message"), "storage_failed");
    EXPECT_EQ(start_error.at("code"), 1007);
    EXPECT_EQ(undo_error.at("code"), 1007);
    EXPECT_EQ(during, before);
    EXPECT_EQ(last("move.applied"), nullptr) << "nothing may be told that is not stored";
    EXPECT_EQ(move(m, "Ada", shot(1)).at("seq"), 2) << "and it goes on once there is room";
    open();
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 2);
}

TEST_F(StoreService, AStrokeSeenWhileTheDiskIsFullIsKeptUntilThereIsRoom) {
    const std::string m = start("carrom", {"Ada", "Bo"});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit unlimited{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    rlimit full = unlimited;
    full.rlim_cur = std::filesystem::file_size(file().string() + "-wal");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
    Shot stroke;
    stroke.start = 1;
    stroke.end = 2;
    stroke.striker_from = Point{0, 142};
    stroke.pocketed = {{1, "blue", "ne", 1.5}};
    service->observe(stroke);
    const Game* game = find_game("carrom");
    Observation still = game->scene_of(
        game->apply(*game->start(setup_for("", 2)), 0, shot(1)).state);
    for (int i = 0; i < 30; ++i) {
        still.time = 2.5 + i / 30.0;
        service->observe(still);
    }
    service->repeat();
    const Json during = call("match.state", {{"match", m}});
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    EXPECT_EQ(during.at("seq"), 0);
    EXPECT_EQ(last("attention")->at("rule"), "STORE") << "the table says what it needs";
    service->repeat();
    EXPECT_EQ(call("match.state", {{"match", m}}).at("players")[0].at("score"), 1)
        << "nothing lost";
    EXPECT_EQ(last("attention")->at("cleared"), true);
    service->repeat();
    EXPECT_EQ(call("match.state", {{"match", m}}).at("seq"), 1) << "and nothing twice";
}

}  // namespace
}  // namespace overboard::rules::testing
