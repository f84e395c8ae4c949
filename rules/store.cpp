#include "rules/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>

#include "bus/codec.hpp"
#include "rules/shot_store.hpp"

// A match is a row; its history is rows that are only ever added. One transaction a request, one
// sync a transaction: the write-ahead log is folded back only by tidy() or when it has grown long,
// because folding costs further syncs that no answer should wait for.
namespace overboard::rules {
namespace fs = std::filesystem;
namespace {

/// Each step brings a file from its index to the next version. Never change one; add another.
const char* const kMigrations[] = {
    R"(CREATE TABLE matches(id TEXT PRIMARY KEY, game TEXT NOT NULL, setup TEXT NOT NULL, started TEXT NOT NULL,
                            open INTEGER NOT NULL) STRICT;
       CREATE TABLE events(match TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, kind TEXT NOT NULL,
                           data TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY(match, number)) STRICT, WITHOUT ROWID;)",
    R"(CREATE TABLE results(match TEXT NOT NULL REFERENCES matches(id), player TEXT NOT NULL, score REAL NOT NULL,
                            won INTEGER NOT NULL, PRIMARY KEY(match, player)) STRICT, WITHOUT ROWID;)",
    R"(CREATE TABLE evidence(match TEXT NOT NULL REFERENCES matches(id), seq INTEGER NOT NULL, data TEXT NOT NULL,
                             PRIMARY KEY(match, seq)) STRICT, WITHOUT ROWID;)",
};
constexpr int kVersion = static_cast<int>(std::size(kMigrations));
constexpr int kLongLog_pages = 4000;  ///< Then even a waiting answer pays for folding the log.
constexpr int kWorthFolding_pages = 200;

std::string sentence(const fs::path& file, const std::string& what) {
    return "the store " + file.string() + " " + what;
}

/// Held as long as the store is open, so that two services never write one file.
class FileLock {
public:
    explicit FileLock(const fs::path& store) {
        const fs::path path = store.string() + ".lock";
        handle_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
        if (handle_ < 0)
            throw std::runtime_error(
                sentence(store, "cannot be written: no lock file can be made beside it"));
        if (::flock(handle_, LOCK_EX | LOCK_NB) != 0) {
            ::close(handle_);
            throw std::runtime_error(sentence(store, "is already in use by another rules service"));
        }
    }
    ~FileLock() { ::close(handle_); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int handle_ = -1;
};

void check_health(SQLite::Database& db, const fs::path& file) {
    SQLite::Statement check(db, "PRAGMA quick_check(1)");
    if (!check.executeStep() || check.getColumn(0).getString() != "ok")
        throw std::runtime_error(
            sentence(file, "is damaged; restore a backup or start with another file"));
}

void migrate(SQLite::Database& db, const fs::path& file) {
    const int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version > kVersion)
        throw std::runtime_error(sentence(file, "was written by a newer version of Overboard"));
    if (version == 0 && db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0)
        throw std::runtime_error(sentence(file, "is a database of something else"));
    if (version == kVersion) return;
    SQLite::Transaction transaction(db);
    for (int step = version; step < kVersion; ++step) db.exec(kMigrations[step]);
    db.exec("PRAGMA user_version = " + std::to_string(kVersion));
    transaction.commit();
}

void prepare(SQLite::Database& db, const fs::path& file) {
    db.setBusyTimeout(2000);
    // Nothing is written before it is clear whose file this is.
    if (db.execAndGet("PRAGMA user_version").getInt() > 0) check_health(db, file);
    db.exec("PRAGMA foreign_keys = ON");
    migrate(db, file);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec("PRAGMA synchronous = FULL");
    db.exec("PRAGMA wal_autocheckpoint = 0");
    SQLite::Transaction writable(db, SQLite::TransactionBehavior::IMMEDIATE);
    db.exec("PRAGMA user_version = " + std::to_string(kVersion));
    writable.commit();
}

StoredMatch match_from(SQLite::Statement& row) {
    return {row.getColumn(0).getString(), row.getColumn(1).getString(),
            Json::parse(row.getColumn(2).getString(), nullptr, false), row.getColumn(3).getString(),
            row.getColumn(4).getInt() != 0};
}

constexpr const char* kMatchColumns = "SELECT id, game, setup, started, open FROM matches";

}  // namespace

struct Store::Impl {
    fs::path file;
    FileLock lock;
    SQLite::Database db;
    std::optional<SQLite::Statement> begin, commit, rollback, insert_match, insert_event,
        insert_result, insert_evidence, forget_results, forget_evidence, set_open;
    int log_pages = 0;

    explicit Impl(const fs::path& path)
        : file(path), lock(path), db(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
        prepare(db, path);
        begin.emplace(db, "BEGIN IMMEDIATE");
        commit.emplace(db, "COMMIT");
        rollback.emplace(db, "ROLLBACK");
        insert_match.emplace(
            db, "INSERT INTO matches(id, game, setup, started, open) VALUES(?,?,?,?,1)");
        insert_event.emplace(
            db, "INSERT INTO events(match, number, kind, data, time) VALUES(?,?,?,?,?)");
        insert_result.emplace(db, "INSERT INTO results(match, player, score, won) VALUES(?,?,?,?)");
        insert_evidence.emplace(db,
                                "INSERT OR REPLACE INTO evidence(match, seq, data) VALUES(?,?,?)");
        forget_results.emplace(db, "DELETE FROM results WHERE match = ?");
        forget_evidence.emplace(db, "DELETE FROM evidence WHERE match = ? AND seq > ?");
        set_open.emplace(db, "UPDATE matches SET open = ? WHERE id = ?");
        sqlite3_wal_hook(
            db.getHandle(),
            [](void* self, sqlite3*, const char*, int pages) {
                static_cast<Impl*>(self)->log_pages = pages;
                return SQLITE_OK;
            },
            this);
    }

    static void run(SQLite::Statement& statement) {
        try {
            statement.exec();
        } catch (...) {
            statement.tryReset();
            throw;
        }
        statement.reset();
    }

    /// All of `work` or nothing of it.
    template <class Work>
    Store::Written write(Work work) {
        try {
            run(*begin);
            work();
            run(*commit);
        } catch (const SQLite::Exception& e) {
            if (sqlite3_get_autocommit(db.getHandle()) == 0) {
                try {
                    run(*rollback);
                } catch (const SQLite::Exception&) {
                }
            }
            return tl::unexpected(sentence(file, std::string("cannot be written: ") + e.what()));
        }
        if (log_pages > kLongLog_pages) fold();
        return {};
    }

    void fold() {
        int left = 0, moved = 0;
        sqlite3_wal_checkpoint_v2(db.getHandle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &left,
                                  &moved);
        log_pages = 0;
    }

    void put(const StoredEvent& event, const std::string& match) {
        insert_event->bind(1, match);
        insert_event->bind(2, event.number);
        insert_event->bind(3, event.kind);
        insert_event->bind(4, dumped(event.data));
        insert_event->bind(5, event.time);
        run(*insert_event);
    }

    void put(const std::vector<Result>& results, const std::string& match) {
        for (const Result& r : results) {
            insert_result->bind(1, match);
            insert_result->bind(2, r.player);
            insert_result->bind(3, r.score);
            insert_result->bind(4, r.won ? 1 : 0);
            run(*insert_result);
        }
    }

    void mark_open(const std::string& match, bool open) {
        set_open->bind(1, open ? 1 : 0);
        set_open->bind(2, match);
        run(*set_open);
    }
};

Store::Store(const fs::path& file) {
    try {
        if (file.has_parent_path()) fs::create_directories(file.parent_path());
        impl_ = std::make_unique<Impl>(file);
    } catch (const SQLite::Exception& e) {
        throw std::runtime_error(sentence(file, std::string("cannot be opened: ") + e.what()));
    } catch (const fs::filesystem_error& e) {
        throw std::runtime_error(sentence(file, "cannot be made: " + e.code().message()));
    }
}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

Store::Written Store::add(const StoredMatch& match) {
    return impl_->write([&] {
        auto& s = *impl_->insert_match;
        s.bind(1, match.id);
        s.bind(2, match.game);
        s.bind(3, dumped(match.setup));
        s.bind(4, match.started);
        Impl::run(s);
    });
}

Store::Written Store::append(const Change& change) {
    return impl_->write([&] {
        impl_->put(change.event, change.match);
        if (change.results || change.reopened) {
            impl_->forget_results->bind(1, change.match);
            Impl::run(*impl_->forget_results);
            impl_->mark_open(change.match, !change.results);
        }
        if (change.results) impl_->put(*change.results, change.match);
        if (change.event.kind == "undo") {
            impl_->forget_evidence->bind(1, change.match);
            impl_->forget_evidence->bind(2, change.seq);
            Impl::run(*impl_->forget_evidence);
        }
        if (change.evidence.empty()) return;
        auto& s = *impl_->insert_evidence;
        s.bind(1, change.match);
        s.bind(2, change.seq);
        s.bind(3, change.evidence);
        Impl::run(s);
    });
}

std::vector<StoredMatch> Store::matches(std::optional<bool> open) const {
    std::vector<StoredMatch> all;
    SQLite::Statement q(impl_->db, std::string(kMatchColumns) + (open ? " WHERE open = ?" : "") +
                                       " ORDER BY rowid");
    if (open) q.bind(1, *open ? 1 : 0);
    while (q.executeStep()) all.push_back(match_from(q));
    return all;
}

std::optional<StoredMatch> Store::match(const std::string& id) const {
    SQLite::Statement q(impl_->db, std::string(kMatchColumns) + " WHERE id = ?");
    q.bind(1, id);
    if (!q.executeStep()) return {};
    return match_from(q);
}

std::vector<StoredEvent> Store::events(const std::string& match) const {
    std::vector<StoredEvent> all;
    SQLite::Statement q(
        impl_->db, "SELECT number, kind, data, time FROM events WHERE match = ? ORDER BY number");
    q.bind(1, match);
    while (q.executeStep())
        all.push_back({q.getColumn(0).getInt(), q.getColumn(1).getString(),
                       Json::parse(q.getColumn(2).getString(), nullptr, false),
                       q.getColumn(3).getString()});
    return all;
}

Json Store::evidence(const std::string& match, int seq) const {
    SQLite::Statement q(impl_->db, "SELECT data FROM evidence WHERE match = ? AND seq = ?");
    q.bind(1, match);
    q.bind(2, seq);
    if (!q.executeStep()) return {};
    const Json data = Json::parse(q.getColumn(0).getString(), nullptr, false);
    return data.is_discarded() ? Json() : data;
}

std::vector<RankedPlayer> Store::ranking(const std::string& game) const {
    std::vector<RankedPlayer> all;
    SQLite::Statement q(
        impl_->db,
        "SELECT player, count(*), sum(won), max(score), min(score), sum(score) FROM results"
        " JOIN matches ON matches.id = results.match WHERE ?1 = '' OR matches.game = ?1"
        " GROUP BY player ORDER BY sum(won) DESC, 1.0 * sum(won) / count(*) DESC, player");
    q.bind(1, game);
    while (q.executeStep())
        all.push_back({q.getColumn(0).getString(), q.getColumn(1).getInt(), q.getColumn(2).getInt(),
                       q.getColumn(3).getDouble(), q.getColumn(4).getDouble(),
                       q.getColumn(5).getDouble()});
    return all;
}

int Store::count() const {
    return impl_->db.execAndGet("SELECT count(*) FROM matches").getInt();
}

void Store::tidy() {
    if (impl_->log_pages > kWorthFolding_pages) impl_->fold();
}

namespace {

void copy_store(const fs::path& from, const fs::path& to) {
    try {
        SQLite::Database db(from.string(), SQLite::OPEN_READWRITE);
        db.setBusyTimeout(5000);
        if (db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0)
            throw std::runtime_error(sentence(from, "is empty"));
        SQLite::Statement vacuum(db, "VACUUM INTO ?");
        vacuum.bind(1, to.string());
        vacuum.executeStep();
    } catch (const SQLite::Exception& e) {
        throw std::runtime_error(sentence(from, std::string("cannot be copied: ") + e.what()));
    }
}

}  // namespace

void backup(const fs::path& store, const fs::path& to) {
    if (!fs::exists(store)) throw std::runtime_error(sentence(store, "is not there"));
    const fs::path shots = shots_beside(store), shots_to = shots_beside(to);
    const bool has_shots = shots != store && fs::exists(shots);
    for (const fs::path& taken : has_shots ? std::vector{to, shots_to} : std::vector{to})
        if (fs::exists(taken))
            throw std::runtime_error("the file " + taken.string() +
                                     " is already there; a backup overwrites nothing");
    copy_store(store, to);
    if (has_shots) copy_store(shots, shots_to);
}

}  // namespace overboard::rules
