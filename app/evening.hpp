#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/rig.hpp"
#include "rules/game.hpp"

/// One simulated match, camera to score, in lock-step and without sockets: how good the whole is.
namespace overboard::app {

struct EveningOptions {
    std::string game;
    rules::Setup setup;
    RigOptions rig;
    bool projected = false;   ///< The overlay lies on the table, as it does where people play.
    double most_s = 1200;     ///< Simulated time after which the match is broken off.
    int most_moves = 100000;  ///< Likewise.
    double patience_s = 6;    ///< A score that no move of the script follows within this is wrong.
    double by_hand_s = 2.5;   ///< A move not scored within this of a table free of hands is entered
                              ///< by hand, and counts as missed.
    std::filesystem::path store;  ///< Of the service; empty: a temporary one.
    /// Sees every frame as it goes; for pictures, faults and progress. False: break off.
    std::function<bool(Rig&, const RigFrame&)> watch;
    std::function<void(const std::string& line)> say;  ///< The transcript, line by line.
    std::filesystem::path pictures;                    ///< Of every fault and every ask, if set.
};

/// What came of it, against the truth.
struct EveningReport {
    int moves = 0;                ///< Moves of the script that leave a trace.
    int right = 0;                ///< Scored by the camera, as they were.
    int wrong = 0;                ///< Scored by the camera though nothing like it was played.
    int missed = 0;               ///< Entered by hand after patience ran out.
    int asked = 0;                ///< Questions and calls for attention.
    int mishaps = 0;              ///< Mistakes the script made on purpose.
    int pictures = 0;             ///< Shown by the projector.
    int touched = 0;              ///< Moves no camera can see, entered by touch.
    std::vector<double> delay_s;  ///< From hand gone to score, of the right ones.
    std::vector<double>
        latency_s;  ///< Processor time from camera picture to overlay picture, of each frame.
    std::vector<std::string> scores_seen, scores_true;
    bool finished = false;
    double simulated_s = 0;
    std::vector<std::string> faults;  ///< One line each: what went wrong and when.
    [[nodiscard]] bool scores_agree() const { return scores_seen == scores_true; }
};

EveningReport play_evening(const EveningOptions& options);

}  // namespace overboard::app
