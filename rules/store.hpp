#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bus/json.hpp"

namespace overboard::rules {

/// One line of a match's history. Nothing is ever changed or deleted: taking back is a line too.
struct StoredEvent {
    int number = 0;    ///< From 1, without gaps.
    std::string kind;  ///< "move", "undo", "correct", "pause", "resume", "end".
    Json data = Json::object();
    std::string time;
};

struct StoredMatch {
    std::string id;
    std::string game;
    Json setup = Json::object();  ///< players, variant, options.
    std::string started;
    bool open = true;
};

struct Result {
    std::string player;
    double score = 0;
    bool won = false;
};

struct RankedPlayer {
    std::string player;
    int played = 0, won = 0;
    double best = 0, worst = 0, total = 0;
};

/// Matches on disk: SQLite with a write-ahead log and full synchronisation. When a function that
/// writes returns well, what it wrote survives a kill or a power cut; when it fails, nothing of it
/// was written. The only file that includes SQLite. One thread.
class Store {
public:
    /// Opens or creates. Throws std::runtime_error with one sentence: not writable, not a store,
    /// damaged, written by a newer program, or already in use by another service.
    explicit Store(const std::filesystem::path& file);
    ~Store();
    Store(Store&&) noexcept;

    using Written = tl::expected<void, std::string>;  ///< Or why not, in one sentence.

    Written add(const StoredMatch& match);
    /// What one request changes, all or nothing.
    struct Change {
        std::string match;
        StoredEvent event;
        std::optional<std::vector<Result>> results;  ///< The match is over, so …
        bool reopened = false;                       ///< It was over and no longer is.
        int seq = 0;                                 ///< The move the evidence belongs to.
        std::string evidence;                        ///< JSON; empty: none.
    };
    Written append(const Change& change);

    [[nodiscard]] std::vector<StoredMatch> matches(std::optional<bool> open = {}) const;
    [[nodiscard]] std::optional<StoredMatch> match(const std::string& id) const;
    [[nodiscard]] std::vector<StoredEvent> events(const std::string& match) const;
    [[nodiscard]] Json evidence(const std::string& match, int seq) const;  ///< Null: none.
    [[nodiscard]] std::vector<RankedPlayer> ranking(const std::string& game = {}) const;
    [[nodiscard]] int count() const;  ///< Matches ever started.

    /// Folds the log into the file. Called when nobody waits, so that no answer pays for it.
    void tidy();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// A consistent copy of a store that may be in use, and of the shots beside it. Overwrites nothing.
/// Throws std::runtime_error with one sentence.
void backup(const std::filesystem::path& store, const std::filesystem::path& to);

}  // namespace overboard::rules
