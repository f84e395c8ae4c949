// Looks at everything a table needs and says, line by line, whether it is there and what to do.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <opencv2/videoio.hpp>

#include "app/commands.hpp"
#include "app/config.hpp"
#include "app/house.hpp"
#include "bus/data.hpp"
#include "calibration/profile.hpp"
#include "rules/games.hpp"
#include "rules/store.hpp"
#include "table/outputs.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
    std::string calibration, store, requests = "tcp://127.0.0.1:7400";
    bool json = false;
    std::string config;  ///< The file of options that was read.
};

struct Finding {
    std::string what;
    enum class Level { ok, warning, bad } level = Level::ok;
    std::string said;
    std::string cure;
};

Finding look_at_config(const std::string& file) {
    if (!file.empty()) return {"config", Finding::Level::ok, "options come from " + file, ""};
    return {"config", Finding::Level::ok,
            fmt::format("no file of options; looked for {}", fmt::join(config_places(), ", ")), ""};
}

Finding look_for_cameras() {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/dev/v4l/by-id", none))
        names.push_back(entry.path().filename().string());
    if (names.empty())
        for (int i = 0; i < 10; ++i)
            if (fs::exists(fmt::format("/dev/video{}", i)))
                names.push_back(fmt::format("/dev/video{}", i));
    if (names.empty())
        return {"camera", Finding::Level::warning, "no camera is connected",
                "plug it in; a demo runs without one: overboard demo"};
    return {"camera", Finding::Level::ok,
            fmt::format("{} found: {}", names.size(), fmt::join(names, ", ")), ""};
}

Finding look_for_display() {
    if (!table::display_present())
        return {"display", Finding::Level::warning, "no display can be reached",
                "log in at the screen, or set DISPLAY; a headless demo still works"};
    std::string all;
    for (const auto& o : table::outputs())
        all += fmt::format(" {} {}x{}", o.name, o.width, o.height);
    return {"display", Finding::Level::ok, "outputs:" + (all.empty() ? " unnamed" : all), ""};
}

Finding look_at_calibration(const std::string& file) {
    if (file.empty() || !fs::exists(file))
        return {"calibration", Finding::Level::warning,
                file.empty() ? "no profile was named" : file + " is not there",
                "overboard calibrate makes one; until then the table's markers alone are used"};
    try {
        const auto profile = calibration::load_profile(file);
        const bool whole = profile.lens && profile.table;
        return {"calibration", whole ? Finding::Level::ok : Finding::Level::warning,
                fmt::format("{} of {}: lens {:.2f} px, table {:.2f} mm, projector {}", file,
                            profile.created, profile.lens_rms_px, profile.table_rms_mm,
                            profile.projector ? fmt::format("{:.2f} mm", profile.projector->rms_mm)
                                              : "not done"),
                whole ? "" : "run overboard calibrate to the end"};
    } catch (const std::exception& e) {
        return {"calibration", Finding::Level::bad, e.what(),
                "calibrate again; the old files are kept beside it"};
    }
}

Finding look_at_rules(const std::string& requests) {
    try {
        Client client(requests, milliseconds{400});
        if (client.request(R"({"jsonrpc":"2.0","id":1,"method":"service.ping","params":{}})"))
            return {"rules", Finding::Level::ok, "answering on " + requests, ""};
        const Server free(requests);
        return {"rules", Finding::Level::ok, requests + " is free", ""};
    } catch (const std::exception& e) {
        return {"rules", Finding::Level::bad, e.what(),
                "another program holds the port: stop it, or give --requests another address"};
    }
}

Finding look_at_store(const fs::path& file) {
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    std::error_code error;
    fs::create_directories(folder, error);
    const auto space = fs::space(folder, error);
    if (error)
        return {"store", Finding::Level::bad,
                folder.string() + " cannot be used: " + error.message(),
                "give --store a folder you may write to"};
    if (space.available < (64u << 20))
        return {"store", Finding::Level::bad,
                fmt::format("only {} MB left on the disk of {}", space.available >> 20,
                            folder.string()),
                "free some space"};
    try {
        const rules::Store store(file);
        return {"store", Finding::Level::ok,
                fmt::format("{} is sound, {} MB free", file.string(), space.available >> 20), ""};
    } catch (const std::exception& e) {
        const bool in_use = std::string(e.what()).find("in use") != std::string::npos;
        if (in_use) return {"store", Finding::Level::ok, e.what(), ""};
        return {"store", Finding::Level::bad, e.what(),
                "restore a backup (overboard backup makes them), or move the file away"};
    }
}

Finding look_at_data() {
    try {
        const auto games = rules::games().size();
        return {"data", Finding::Level::ok,
                fmt::format("{} games, files in {}", games, data_root().string()), ""};
    } catch (const std::exception& e) {
        return {"data", Finding::Level::bad, e.what(), "install the package again"};
    }
}

void print(const std::vector<Finding>& findings, bool as_json) {
    static const char* const kWords[] = {"ok", "look", "BAD"};
    Json list = Json::array();
    for (const Finding& f : findings) {
        const char* level = kWords[int(f.level)];
        list.push_back({{"what", f.what}, {"level", level}, {"said", f.said}, {"cure", f.cure}});
        if (as_json) continue;
        fmt::print("{:<5}{:<13}{}\n", level, f.what, f.said);
        if (!f.cure.empty()) fmt::print("{:<18}-> {}\n", "", f.cure);
    }
    if (as_json) fmt::print("{}\n", list.dump());
}

void run(const DoctorOptions& o) {
    const std::vector<Finding> findings = {
        look_at_config(o.config),
        look_for_cameras(),
        look_for_display(),
        look_at_calibration(o.calibration),
        look_at_rules(o.requests),
        look_at_store(o.store.empty() ? rules::default_store() : fs::path(o.store)),
        look_at_data()};
    print(findings, o.json);
    const auto bad = std::count_if(findings.begin(), findings.end(),
                                   [](const Finding& f) { return f.level == Finding::Level::bad; });
    if (bad)
        throw std::runtime_error(
            fmt::format("{} thing{} must be mended before a game", bad, bad == 1 ? "" : "s"));
}

}  // namespace

void add_doctor(CLI::App& app) {
    auto* command = app.add_subcommand(
        "doctor", "Check camera, display, calibration, sockets and store; say what to do");
    auto o = std::make_shared<DoctorOptions>();
    command->add_option("--calibration", o->calibration, "The table's profile");
    command->add_option("--store", o->store, "The file matches are kept in")
        ->default_str(rules::default_store().string());
    command->add_option("--requests", o->requests, "Where the rules answer")->capture_default_str();
    command->add_flag("--json", o->json, "One JSON list instead of lines");
    command->callback([o, &app] {
        o->config = config_read(app);
        run(*o);
    });
}

}  // namespace overboard::app
