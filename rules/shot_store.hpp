#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/shot.hpp"

/// Recorded shots, in a SQLite file of their own beside the matches they belong to: films are many,
/// and a match must never wait for one. Tracks are stored as changes of speed in whole micrometres
/// and microseconds: under seven bytes a point, rounded by at most half a unit.
namespace overboard::rules {

/// The shots of that match store: "matches.db" → "matches.shots.db". A file of shots is its own.
std::filesystem::path shots_beside(const std::filesystem::path& match_store);

struct ShotSummary {
    std::string shot_id;
    std::string match;        ///< Empty: played outside a match.
    int seq = 0;              ///< The move it belongs to; 0: none.
    std::string recorded_at;  ///< RFC 3339 UTC.
    std::string board;
    double duration_s = 0;
    int tracks = 0;
    int pocketed = 0;
    int ejected = 0;
};

class ShotStore {
public:
    /// Opens or creates the file. Throws std::runtime_error with one sentence.
    explicit ShotStore(const std::filesystem::path& file);
    ~ShotStore();
    ShotStore(ShotStore&&) noexcept;

    /// Stored when it returns; a shot of the same id is replaced. `recorded_at` empty: now.
    void put(const Shot& shot, const std::string& match = "", int seq = 0,
             const std::string& recorded_at = "");
    [[nodiscard]] std::optional<Shot> get(const std::string& shot_id) const;
    /// The newest recorded; of a match when one is named.
    [[nodiscard]] std::optional<Shot> latest(const std::string& match = "") const;
    /// Oldest first; of a match when one is named.
    [[nodiscard]] std::vector<ShotSummary> list(const std::string& match = "") const;
    bool remove(const std::string& shot_id);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// The tracks as stored, and back. Throws std::runtime_error when the bytes are broken.
std::string packed(const std::vector<Track>& tracks);
std::vector<Track> unpacked(const std::string& bytes);

}  // namespace overboard::rules
