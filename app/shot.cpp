#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "app/commands.hpp"
#include "app/shot_video.hpp"
#include "app/shot_what_if.hpp"
#include "bus/codec.hpp"
#include "bus/socket.hpp"
#include "physics/fit.hpp"
#include "physics/replay.hpp"
#include "physics/shot.hpp"
#include "rules/service.hpp"
#include "rules/shot_store.hpp"

namespace overboard::app {
namespace {

/// Where matches are kept unless told otherwise; their shots lie beside.
std::string usual_store() {
    return rules::default_store().string();
}

std::string all_of(std::istream& in) {
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Json parsed(const std::string& text) {
    const Decoded<Json> json = parse_json(text);
    if (!json) throw std::runtime_error(json.error().reason);
    return *json;
}

Shot decoded(const std::string& text, const std::string& from) {
    // Files may hold long films: the limit is for messages.
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw std::runtime_error(from + " is not valid JSON");
    Decoded<Shot> shot = shot_from(json.contains("shot") ? json["shot"] : json);
    if (!shot) throw std::runtime_error(from + ": " + shot.error().reason);
    for (const Track& track : shot->tracks)
        for (std::size_t k = 1; k < track.points.size(); ++k)
            if (!(track.points[k].t > track.points[k - 1].t))
                throw std::runtime_error(fmt::format(
                    "{}: the points of track {} are not in order of time", from, track.id));
    return *shot;
}

/// A shot by its file, "-" for stdin, or its id in the store; "last": the newest stored.
struct Source {
    std::string store = usual_store();
    Shot load(const std::string& name) const {
        if (name == "-") return decoded(all_of(std::cin), "the shot");
        if (std::ifstream file(name); file && std::filesystem::is_regular_file(name))
            return decoded(all_of(file), name);
        const auto file = rules::shots_beside(store);
        if (!std::filesystem::exists(file))
            throw std::runtime_error(fmt::format(
                "there is no file \"{}\", and no store {} to look for a shot of that name", name,
                file.string()));
        const rules::ShotStore shots(file);
        const auto found = name == "last" ? shots.latest() : shots.get(name);
        if (!found) throw std::runtime_error(fmt::format("there is no shot \"{}\"", name));
        return *found;
    }
};

rules::ShotStore existing_store(const std::string& store) {
    const auto file = rules::shots_beside(store);
    if (!std::filesystem::exists(file))
        throw std::runtime_error("no shots are stored: there is no file " + file.string());
    return rules::ShotStore(file);
}

void add_store_option(CLI::App* command, std::string& store) {
    command->add_option("--store", store, "The matches' store; shots lie beside it")
        ->capture_default_str();
}

void add_computed(CLI::App& shot) {
    auto* command = shot.add_subcommand(
        "simulate", "Read a position and a strike (JSON, stdin), print the shot");
    auto engine = std::make_shared<std::string>("exact");
    command->add_option("--engine", *engine, "exact: event-driven; box2d: stepped, knows stacks")
        ->check(CLI::IsMember({"exact", "box2d"}))
        ->capture_default_str();
    command->callback([engine] {
        const physics::ShotRequest r = physics::request_from(parsed(all_of(std::cin)));
        const auto which = *engine == "exact" ? physics::Engine::exact : physics::Engine::box2d;
        std::cout << encode(physics::simulate(r.position, r.strike, physics::load_board(r.board),
                                              r.parameters, which))
                  << '\n';
    });
}

struct FitArguments {
    Source source;
    std::vector<std::string> shots;
    std::string parameters;
    bool table = false;
};

void run_fit(const FitArguments& a) {
    std::vector<Shot> shots;
    for (const std::string& name : a.shots) shots.push_back(a.source.load(name));
    const physics::Parameters start = a.parameters.empty()
                                          ? physics::Parameters{}
                                          : physics::parameters_from(parsed(a.parameters));
    const physics::Board& board = physics::load_board(shots.front().board);
    for (const Shot& shot : shots)
        if (shot.board != shots.front().board)
            throw std::runtime_error("the shots are of different boards");
    if (a.table || shots.size() > 1) {
        std::cout << physics::to_json(physics::fit_table(shots, board, start)).dump() << '\n';
        return;
    }
    Json fit = physics::to_json(physics::fit_strike(shots.front(), board, start));
    fit["physics"] = physics::to_json(start);
    std::cout << fit.dump() << '\n';
}

void add_fit(CLI::App& shot) {
    auto* command = shot.add_subcommand("fit",
                                        "Find the strike of a recorded shot; of several shots also "
                                        "the table's friction and restitutions");
    auto a = std::make_shared<FitArguments>();
    command->add_option("SHOT", a->shots, "Files, ids in the store, \"last\", or - for stdin")
        ->required();
    command->add_option("--physics", a->parameters, "What is known of the table (JSON object)");
    command->add_flag("--table", a->table, "Fit the table's parameters even to one shot");
    add_store_option(command, a->source.store);
    command->callback([a] { run_fit(*a); });
}

struct ReplayArguments {
    Source source;
    std::string shot, address = "tcp://127.0.0.1:7402", video;
    double slow = 4, from = 0, turn_deg = 0, force = 1, seconds = 0;
};

/// Puts the shot where a table listens; it plays what it heard last.
void publish(const Shot& shot, const std::string& address, double seconds) {
    Publisher publisher(address);
    publisher.publish("shot", encode(shot), true);
    std::cerr << fmt::format("{} is on {} for the table to replay; Ctrl-C ends\n", shot.shot_id,
                             publisher.address());
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (seconds <= 0 || std::chrono::steady_clock::now() < end) {
        publisher.pump();
        std::this_thread::sleep_for(milliseconds{50});
    }
}

void run_replay(const ReplayArguments& a) {
    const Shot shot = a.source.load(a.shot);
    const physics::Board& board = physics::load_board(shot.board);
    std::optional<Shot> instead;
    if (a.turn_deg != 0 || a.force != 1) {
        instead = fitted_what_if()(shot, {shot.start + a.from, a.turn_deg * M_PI / 180, a.force});
        if (!instead)
            throw std::runtime_error("what would have happened cannot be told from this shot");
    }
    if (!a.video.empty())
        write_video(shot, board, a.video, a.slow, instead ? &*instead : nullptr);
    else
        publish(instead ? *instead : shot, a.address, a.seconds);
}

void add_replay(CLI::App& shot) {
    auto* command = shot.add_subcommand(
        "replay",
        "Play a recorded shot on the table, or draw it; optionally with another aim or force");
    auto a = std::make_shared<ReplayArguments>();
    command->add_option("SHOT", a->shot, "File, id in the store, \"last\", or - for stdin")
        ->required();
    command->add_option("--observations", a->address, "Where the table listens for shots")
        ->capture_default_str();
    command->add_option("--seconds", a->seconds, "Stop publishing after so long; 0: when told");
    command->add_option("--draw", a->video, "Draw it into this MP4 instead");
    command->add_option("--slow", a->slow, "Slow motion of the video, times")
        ->check(CLI::Range(0.1, 100.0))
        ->capture_default_str();
    command->add_option("--from", a->from, "What if: from this many seconds into the shot")
        ->check(CLI::Range(0.0, 1e6));
    command->add_option("--turn", a->turn_deg,
                        "What if: the striker's course turned clockwise, degrees");
    command->add_option("--force", a->force, "What if: its speed, times")
        ->check(CLI::Range(0.0, 10.0));
    add_store_option(command, a->source.store);
    command->callback([a] { run_replay(*a); });
}

void add_list(CLI::App& shot) {
    auto* command = shot.add_subcommand("list", "Recorded shots, one JSON line each, oldest first");
    auto store = std::make_shared<std::string>(usual_store());
    auto match = std::make_shared<std::string>();
    add_store_option(command, *store);
    command->add_option("--match", *match, "Only of this match");
    command->callback([store, match] {
        for (const auto& s : existing_store(*store).list(*match))
            std::cout << Json{{"shot_id", s.shot_id}, {"match", s.match},
                              {"seq", s.seq},         {"recorded_at", s.recorded_at},
                              {"board", s.board},     {"duration", s.duration_s},
                              {"tracks", s.tracks},   {"pocketed", s.pocketed},
                              {"ejected", s.ejected}}
                             .dump()
                      << '\n';
    });
}

void write_csv(const Shot& shot, std::ostream& out) {
    out << "shot_id,disc,type,t_s,x_mm,y_mm\n";
    for (const Track& track : shot.tracks)
        for (const TrackPoint& p : track.points)
            out << fmt::format("{},{},{},{:.6f},{:.4f},{:.4f}\n", shot.shot_id, track.id,
                               track.type, p.t, p.x, p.y);
}

struct ExportArguments {
    Source source;
    std::string shot, format, file;
    double slow = 4;
};

void run_export(const ExportArguments& a) {
    const Shot shot = a.source.load(a.shot);
    std::string format = a.format;
    if (format.empty())
        format = a.file.empty() ? "json"
                                : std::filesystem::path(a.file).extension().string().erase(0, 1);
    if (format == "mp4") {
        if (a.file.empty()) throw std::runtime_error("a video needs a file: --out FILE.mp4");
        write_video(shot, physics::load_board(shot.board), a.file, a.slow);
        return;
    }
    if (format != "json" && format != "csv")
        throw std::runtime_error(
            fmt::format("a shot is exported as json, csv or mp4, not as \"{}\"", format));
    std::ofstream file;
    if (!a.file.empty()) file.open(a.file);
    std::ostream& out = a.file.empty() ? std::cout : file;
    if (format == "csv")
        write_csv(shot, out);
    else
        out << encode(shot) << '\n';
    out.flush();
    if (!out) throw std::runtime_error("the file " + a.file + " cannot be written");
}

void add_export(CLI::App& shot) {
    auto* command = shot.add_subcommand("export", "Write a recorded shot as JSON, CSV or MP4");
    auto a = std::make_shared<ExportArguments>();
    command->add_option("SHOT", a->shot, "Id in the store, file, \"last\", or - for stdin")
        ->required();
    command->add_option("--format", a->format, "json, csv or mp4; by default as the file is called")
        ->check(CLI::IsMember({"json", "csv", "mp4"}));
    command->add_option("--out,-o", a->file, "File; stdout without");
    command->add_option("--slow", a->slow, "Slow motion of a video, times")
        ->check(CLI::Range(0.1, 100.0))
        ->capture_default_str();
    add_store_option(command, a->source.store);
    command->callback([a] { run_export(*a); });
}

void add_import(CLI::App& shot) {
    auto* command = shot.add_subcommand("import", "Put shots (JSON files) into the store");
    auto files = std::make_shared<std::vector<std::string>>();
    auto store = std::make_shared<std::string>(usual_store());
    auto match = std::make_shared<std::string>();
    command->add_option("FILE", *files, "Shots as exported; - for stdin")->required();
    add_store_option(command, *store);
    command->add_option("--match", *match, "The match they belong to");
    command->callback([files, store, match] {
        std::vector<Shot> shots;  // all are read before any is stored
        for (const std::string& name : *files) {
            if (name != "-" && !std::filesystem::is_regular_file(name))
                throw std::runtime_error("there is no file " + name);
            std::ifstream file(name);
            shots.push_back(decoded(all_of(name == "-" ? std::cin : file), name));
            if (shots.back().shot_id.empty())
                throw std::runtime_error(name + ": the shot has no shot_id");
        }
        const auto target_file = rules::shots_beside(*store);
        if (target_file.has_parent_path())
            std::filesystem::create_directories(target_file.parent_path());
        rules::ShotStore target(target_file);
        for (const Shot& s : shots) target.put(s, *match), std::cout << s.shot_id << '\n';
    });
}

}  // namespace

void add_shot(CLI::App& app) {
    auto* command = app.add_subcommand(
        "shot", "Simulate, fit, replay, list, export and import carrom shots");
    command->require_subcommand(1);
    add_computed(*command);
    add_fit(*command);
    add_replay(*command);
    add_list(*command);
    add_export(*command);
    add_import(*command);
}

}  // namespace overboard::app
