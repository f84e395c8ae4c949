// One row a shot. Of a track only the changes of its speed are written, as variable-length whole
// numbers: a disc in free motion costs three or four bytes a point.
#include "rules/shot_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>
#include <ctime>
#include <stdexcept>

#include "bus/json.hpp"

namespace overboard::rules {
namespace {

constexpr double kPerSecond = 1e6, kPerMm = 1e3;
constexpr char kFormat = 1;

void put_number(std::string& out, std::int64_t value) {
    auto bits = (static_cast<std::uint64_t>(value) << 1) ^
                static_cast<std::uint64_t>(value >> 63);  // sign last
    for (; bits >= 0x80; bits >>= 7) out.push_back(static_cast<char>(bits | 0x80));
    out.push_back(static_cast<char>(bits));
}

class Reader {
public:
    explicit Reader(const std::string& bytes) : bytes_{bytes} {}
    std::int64_t number() {
        std::uint64_t bits = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(character());
            bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80)
                return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
        }
        throw std::runtime_error("a stored shot is broken");
    }
    std::size_t count() {
        const std::int64_t n = number();
        if (n < 0 || static_cast<std::size_t>(n) > bytes_.size())
            throw std::runtime_error("a stored shot is broken");
        return static_cast<std::size_t>(n);
    }
    std::string text() {
        const std::size_t n = count();
        if (n > bytes_.size() - at_) throw std::runtime_error("a stored shot is broken");
        at_ += n;
        return bytes_.substr(at_ - n, n);
    }
    char character() {
        if (at_ >= bytes_.size()) throw std::runtime_error("a stored shot is broken");
        return bytes_[at_++];
    }

private:
    const std::string& bytes_;
    std::size_t at_ = 0;
};

/// Writes what a straight and even motion would not have foretold.
struct Predictor {
    std::int64_t last = 0, step = 0;
    std::int64_t surprise(std::int64_t value) {
        const std::int64_t now = wrap_sub(value, last), s = wrap_sub(now, step);
        step = now;
        last = value;
        return s;
    }
    std::int64_t value(std::int64_t surprise) {
        step = wrap_add(step, surprise);
        return last = wrap_add(last, step);
    }
    // Broken bytes may hold any number: wrap instead of overflowing.
    static std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                         static_cast<std::uint64_t>(b));
    }
    static std::int64_t wrap_sub(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) -
                                         static_cast<std::uint64_t>(b));
    }
};

std::int64_t whole(double value) {
    if (!(std::abs(value) < 9e15))
        throw std::runtime_error("a track holds a number that cannot be stored");
    return std::llround(value);
}

std::string now_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

Json fallen_json(const std::vector<Fallen>& fallen) {
    Json list = Json::array();
    for (const Fallen& f : fallen) list.push_back({f.id, f.type, f.pocket, f.time});
    return list;
}

std::vector<Fallen> fallen_from(const Json& list) {
    std::vector<Fallen> fallen;
    for (const Json& f : list) fallen.push_back({f.at(0), f.at(1), f.at(2), f.at(3)});
    return fallen;
}

/// All of a shot but its tracks.
Json head_of(const Shot& shot) {
    Json head = {{"start", shot.start},
                 {"end", shot.end},
                 {"fps", shot.fps},
                 {"pocketed", fallen_json(shot.pocketed)},
                 {"ejected", fallen_json(shot.ejected)}};
    if (shot.striker_from) head["striker_from"] = {shot.striker_from->x, shot.striker_from->y};
    if (shot.confidence) head["confidence"] = *shot.confidence;
    return head;
}

Shot shot_of(SQLite::Statement& row) {
    Shot shot;
    shot.shot_id = row.getColumn(0).getString();
    shot.board = row.getColumn(1).getString();
    try {
        const Json head = Json::parse(row.getColumn(2).getString());
        shot.start = head.at("start");
        shot.end = head.at("end");
        shot.fps = head.at("fps");
        shot.pocketed = fallen_from(head.at("pocketed"));
        shot.ejected = fallen_from(head.at("ejected"));
        if (head.contains("striker_from"))
            shot.striker_from = Point{head["striker_from"].at(0), head["striker_from"].at(1)};
        if (head.contains("confidence")) shot.confidence = head["confidence"].get<double>();
    } catch (const Json::exception&) {
        throw std::runtime_error("a stored shot is broken");
    }
    const SQLite::Column tracks = row.getColumn(3);
    shot.tracks = unpacked(std::string(static_cast<const char*>(tracks.getBlob()),
                                       static_cast<std::size_t>(tracks.getBytes())));
    return shot;
}

}  // namespace

std::filesystem::path shots_beside(const std::filesystem::path& match_store) {
    if (match_store.string().ends_with(".shots.db")) return match_store;
    std::filesystem::path file = match_store;
    return file.replace_extension(".shots.db");
}

std::string packed(const std::vector<Track>& tracks) {
    std::string out(1, kFormat);
    put_number(out, static_cast<std::int64_t>(tracks.size()));
    for (const Track& track : tracks) {
        put_number(out, track.id);
        put_number(out, static_cast<std::int64_t>(track.type.size()));
        out += track.type;
        put_number(out, static_cast<std::int64_t>(track.points.size()));
        Predictor t, x, y;
        for (const TrackPoint& p : track.points) {
            put_number(out, t.surprise(whole(p.t * kPerSecond)));
            put_number(out, x.surprise(whole(p.x * kPerMm)));
            put_number(out, y.surprise(whole(p.y * kPerMm)));
        }
    }
    return out;
}

std::vector<Track> unpacked(const std::string& bytes) {
    Reader in(bytes);
    if (in.character() != kFormat)
        throw std::runtime_error("a stored shot is of an unknown format");
    std::vector<Track> tracks(in.count());
    for (Track& track : tracks) {
        track.id = static_cast<int>(in.number());
        track.type = in.text();
        track.points.resize(in.count());
        Predictor t, x, y;
        for (TrackPoint& p : track.points) {
            p.t = static_cast<double>(t.value(in.number())) / kPerSecond;
            p.x = static_cast<double>(x.value(in.number())) / kPerMm;
            p.y = static_cast<double>(y.value(in.number())) / kPerMm;
        }
    }
    return tracks;
}

struct ShotStore::Impl {
    SQLite::Database db;
};

ShotStore::ShotStore(const std::filesystem::path& file) try
    : impl_{std::make_unique<Impl>(Impl{SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000)})
}  // namespace overboard::rules
{
    impl_->db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;");
    impl_->db.exec(
        "CREATE TABLE IF NOT EXISTS shots (shot_id TEXT PRIMARY KEY, match TEXT NOT NULL, seq "
        "INTEGER NOT NULL,"
        " recorded_at TEXT NOT NULL, board TEXT NOT NULL, head TEXT NOT NULL, tracks BLOB NOT "
        "NULL) STRICT;"
        "CREATE INDEX IF NOT EXISTS shots_of_match ON shots (match, seq);");
}
catch (const SQLite::Exception& e) {
    throw std::runtime_error("the store " + file.string() + " cannot be used: " + e.what());
}
ShotStore::~ShotStore() = default;
ShotStore::ShotStore(ShotStore&&) noexcept = default;

void ShotStore::put(const Shot& shot, const std::string& match, int seq,
                    const std::string& recorded_at) try {
    const std::string tracks = packed(shot.tracks);
    SQLite::Statement row(impl_->db, "INSERT OR REPLACE INTO shots VALUES (?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, shot.shot_id);
    row.bind(2, match);
    row.bind(3, seq);
    row.bind(4, recorded_at.empty() ? now_utc() : recorded_at);
    row.bind(5, shot.board);
    row.bind(6, head_of(shot).dump());
    row.bind(7, tracks.data(), static_cast<int>(tracks.size()));
    row.exec();
} catch (const SQLite::Exception& e) {
    throw std::runtime_error(std::string("the shot could not be stored: ") + e.what());
}

std::optional<Shot> ShotStore::get(const std::string& shot_id) const {
    SQLite::Statement row(impl_->db,
                          "SELECT shot_id, board, head, tracks FROM shots WHERE shot_id = ?");
    row.bind(1, shot_id);
    if (!row.executeStep()) return {};
    return shot_of(row);
}

std::optional<Shot> ShotStore::latest(const std::string& match) const {
    SQLite::Statement row(
        impl_->db,
        "SELECT shot_id, board, head, tracks FROM shots WHERE ?1 = '' OR match = ?1"
        " ORDER BY recorded_at DESC, rowid DESC LIMIT 1");
    row.bind(1, match);
    if (!row.executeStep()) return {};
    return shot_of(row);
}

std::vector<ShotSummary> ShotStore::list(const std::string& match) const {
    std::vector<ShotSummary> found;
    SQLite::Statement row(impl_->db,
                          "SELECT shot_id, board, head, tracks, match, seq, recorded_at FROM shots"
                          " WHERE ?1 = '' OR match = ?1 ORDER BY recorded_at, rowid");
    row.bind(1, match);
    while (row.executeStep()) {
        const Shot shot = shot_of(row);
        found.push_back({shot.shot_id, row.getColumn(4).getString(), row.getColumn(5).getInt(),
                         row.getColumn(6).getString(), shot.board, shot.end - shot.start,
                         static_cast<int>(shot.tracks.size()),
                         static_cast<int>(shot.pocketed.size()),
                         static_cast<int>(shot.ejected.size())});
    }
    return found;
}

bool ShotStore::remove(const std::string& shot_id) {
    SQLite::Statement row(impl_->db, "DELETE FROM shots WHERE shot_id = ?");
    row.bind(1, shot_id);
    return row.exec() > 0;
}

}  // namespace overboard::rules
