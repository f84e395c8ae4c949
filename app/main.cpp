#include <malloc.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <stdexcept>

#include "app/commands.hpp"
#include "app/config.hpp"

namespace overboard::app {

namespace {

// The vision and simulator rooms are compiled for this instruction set.
void require_cpu() {
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2"))
        throw std::runtime_error(
            "this computer's processor lacks AVX2; build with -DOVERBOARD_MARCH=");
#endif
}

/// Standard output is for what was asked for; we say ourselves, in one line, what went wrong.
void log_to_stderr() {
    spdlog::set_default_logger(spdlog::stderr_color_mt("overboard"));
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);  // quiet: a camera that is gone is tried for ever
}

/// The command as it was typed, without its arguments.
std::string called(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return app.get_name() + (commands.empty() ? "" : " " + called(*commands.front()));
}

/// One line, and what to ask next.
int wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
    std::string what = error.what();
    if (app.get_subcommands().empty() && !app.remaining().empty())
        what = "there is no command '" + app.remaining().front() + "'";
    if (const std::string ini = "INI was not able to parse "; what.starts_with(ini))
        what.replace(0, ini.size(), "the file of options sets what no command knows: ");
    std::fprintf(stderr, "overboard: %s (see %s --help)\n", what.c_str(), called(app).c_str());
    return 2;
}

/// What was printed must have arrived: a full disk behind a pipe is no success.
void finish_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        throw std::runtime_error("cannot write the answer: is the disk full?");
}

int run(int argc, char** argv) {
    CLI::App app{"Overboard: a camera, a referee and a projector for real table games",
                 "overboard"};
    app.set_version_flag("--version", OVERBOARD_VERSION);
    app.require_subcommand(1);
    add_config(app);
    add_demo(app);
    add_play(app);
    add_rules(app);
    add_vision(app);
    add_table(app);
    add_calibrate(app);
    add_teach(app);
    add_detect(app);
    add_track(app);
    add_shot(app);
    add_print(app);
    add_simulate(app);
    add_doctor(app);
    add_bench(app);
    add_record(app);
    add_rerun(app);
    add_backup(app);
    try {
        require_cpu();
        log_to_stderr();
        std::signal(SIGXFSZ,
                    SIG_IGN);  // a file that may not grow is a full disk: said, not died of
        app.parse(argc, argv);
        finish_output();
        return 0;
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        return wrong_usage(app, e);
    }
}

}  // namespace
}  // namespace overboard::app

int main(int argc, char** argv) {
    mallopt(
        M_ARENA_MAX,
        2);  // a heap per thread keeps what each once needed: an evening's memory would creep up
    try {
        return overboard::app::run(argc, argv);
    } catch (const cv::Exception& e) {  // its own text fills several lines
        std::fprintf(stderr, "overboard: %s\n", e.err.c_str());
        return 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "overboard: %s\n", e.what());
        return 1;
    }
}
