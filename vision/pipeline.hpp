#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "bus/shot.hpp"
#include "calibration/table_map.hpp"
#include "vision/detect.hpp"
#include "vision/frame.hpp"

namespace overboard::vision {

struct PipelineOptions {
    std::string source = "camera-0";
    std::optional<Pose> board;  ///< Where the board lies; nothing: looked for in the first frames.
    double overlay_blind_s = 0.15;  ///< Frames so soon after an overlay change are not trusted.
    double longest_pause_s = 3;     ///< After a bump a quiet frame is waited for so long at most.
    bool check_sight = true;        ///< Also: finds its place again when the camera was bumped.
};

/// The live way of seeing: frames of one fixed camera in, observations and shots out.
///
/// Cheap while nothing happens: a frame that looks like the last is only compared. Discs are
/// followed at camera rate; everything else is looked at again where and when the table has changed
/// and come to rest. Nothing is ever reported from under a hand. One thread; frames in order of
/// time.
class Pipeline {
public:
    Pipeline(Catalogue catalogue, calibration::TableMap map, std::vector<Faces> cards = {},
             std::vector<Faces> tiles = {}, PipelineOptions options = {});
    ~Pipeline();
    Pipeline(Pipeline&&) noexcept;
    Pipeline& operator=(Pipeline&&) noexcept;

    Observation push(const Frame& frame);
    std::vector<Shot> take_shots();
    /// The film is over: a stroke under way ends as it stands.
    void end();
    [[nodiscard]] CameraState camera_state() const;
    /// How the camera sees the table now: another after a bump.
    [[nodiscard]] const calibration::TableMap& map() const;
    /// The projector shows something else from this time on (source clock).
    void overlay_changed(double time_s);
    /// The source is gone or back (camera state "lost").
    void source_lost(double time_s);

private:
    struct Room;
    std::unique_ptr<Room> room_;
};

}  // namespace overboard::vision
