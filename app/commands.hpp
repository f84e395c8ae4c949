#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// One function a sub-command, each in the file of its name. A command fails by throwing
/// std::runtime_error with one clear sentence (exit 1) or CLI::ValidationError (exit 2).
namespace overboard::app {

void add_demo(CLI::App& app);
void add_play(CLI::App& app);
void add_rules(CLI::App& app);
void add_vision(CLI::App& app);
void add_table(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_teach(CLI::App& app);
void add_detect(CLI::App& app);
void add_track(CLI::App& app);
void add_shot(CLI::App& app);
void add_print(CLI::App& app);
void add_simulate(CLI::App& app);
void add_doctor(CLI::App& app);
void add_bench(CLI::App& app);
void add_record(CLI::App& app);
void add_rerun(CLI::App& app);
void add_backup(CLI::App& app);

/// Wrong usage when nobody translated the table into it.
void require_language(const std::string& language, const std::string& option = "--lang");

}  // namespace overboard::app
