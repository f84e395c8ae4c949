#pragma once

#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "bus/observation.hpp"
#include "bus/shot.hpp"
#include "rules/game.hpp"
#include "simulator/camera.hpp"
#include "simulator/script.hpp"
#include "simulator/world.hpp"
#include "vision/faces/faces.hpp"

/// A simulated table under a simulated camera, seen by the real vision.
namespace overboard::app {

/// Faces of our own art, in the order of the kinds.
std::vector<vision::Faces> drawn_faces(const std::vector<FaceKind>& kinds);

struct RigOptions {
    std::string light = "cafe";
    cv::Size size{1920, 1080};
    std::uint64_t seed = 1;
    simulator::ScriptOptions script;
    simulator::CameraSetup camera;  ///< `size` above wins.
};

/// One frame: what the camera saw and what vision made of it. The truth is for whoever checks.
struct RigFrame {
    double time_s = 0;
    cv::Mat picture;
    Observation seen;
    std::vector<Shot> shots;
    CameraState sight;
    std::vector<simulator::TruthMove> moves;
    Observation truth;
    bool finished = false;
    double looking_s = 0;  ///< What it took to see it: processor time of this thread.
};

/// Processor time of this thread so far: what a step costs, whoever else uses the machine.
double thread_time_s();

class Rig {
public:
    Rig(const rules::Game& game, const rules::Setup& setup, RigOptions options);
    ~Rig();
    Rig(Rig&&) noexcept;

    /// `overlay`: what the projector shows, aligned with the table; empty: nothing.
    RigFrame next(const cv::Mat& overlay = {});
    /// Pictures of what came and went, as topic `crops` carries them; empty: nothing did.
    [[nodiscard]] std::string evidence(const RigFrame& frame);
    /// The overlay is another from this frame on.
    void overlay_changed();
    /// Faults, for tests: moves the camera by this much, dims the lamps to this share.
    void bump(double dx_mm, double dy_mm);
    void lamps(double share);
    /// All that guests have put on the table besides what is played: glasses, phones, hands at
    /// rest.
    void guests_put(std::vector<simulator::Body> things, std::vector<simulator::Hand> hands = {});
    [[nodiscard]] const Catalogue& catalogue() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace overboard::app
