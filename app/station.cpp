#include "app/station.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "bus/codec.hpp"
#include "bus/socket.hpp"
#include "vision/crops.hpp"
#include "vision/pipeline.hpp"

namespace overboard::app {
namespace {

// Publishes what it sees; the camera's state whenever it changes and every second.
class Station {
public:
    Station(const VisionOptions& options, const Sought& sought)
        : options_{options},
          sought_{sought},
          publisher_{options.address, options.keys.listening()},
          crops_{sought.catalogue.table} {
        std::fprintf(stderr, "observations on %s\n", publisher_.address().c_str());
        if (!options.overlay.empty())
            overlay_.emplace(options.overlay, std::vector<std::string>{"overlay"},
                             Subscriber::Keep::latest);
    }

    void see(const vision::Frame& frame, const std::string& source) {
        if (!pipeline_ && !begin(frame, source)) return say(waiting(frame.time_s, source));
        if (overlay_ && overlay_->receive(milliseconds{0}))
            pipeline_->overlay_changed(frame.time_s);
        const Observation seen = pipeline_->push(frame);
        if (const auto crops = crops_.take(frame.bgr, pipeline_->map(), seen); !crops.empty())
            publisher_.publish("crops",
                               vision::crops_json(crops));  // before what they are evidence of
        text_.clear();
        encode(seen, text_);
        publisher_.publish("observation", text_, true);
        for (const Shot& shot : pipeline_->take_shots()) publisher_.publish("shot", encode(shot));
        say(pipeline_->camera_state());
    }

    void lost(const std::string& source) {
        CameraState state = pipeline_ ? pipeline_->camera_state() : CameraState{};
        state.source = source;
        state.state = "lost";
        say(state);
    }

    void pump() { publisher_.pump(); }

private:
    bool begin(const vision::Frame& frame, const std::string& source) {
        const Registration tied = register_film(options_.seeing, sought_.catalogue, frame.bgr);
        if (!tied.map) return false;
        vision::PipelineOptions settings;
        settings.source = source;
        settings.board = tied.board;
        pipeline_.emplace(sought_.catalogue, *tied.map, sought_.faces.cards, sought_.faces.tiles,
                          settings);
        return true;
    }
    static CameraState waiting(double time_s, const std::string& source) {
        CameraState state;
        state.source = source;
        state.time = time_s;
        state.state = "moved";
        state.unit = "markers seen; the table is not found yet";
        return state;
    }
    void say(const CameraState& state) {
        const auto now = std::chrono::steady_clock::now();
        if (state.state == said_ && now - said_at_ < std::chrono::seconds(1)) return;
        if (state.state != said_) std::fprintf(stderr, "camera: %s\n", state.state.c_str());
        said_ = state.state;
        said_at_ = now;
        publisher_.publish("camera", encode(state), true);
    }

    const VisionOptions& options_;
    const Sought& sought_;
    Publisher publisher_;
    std::optional<Subscriber> overlay_;
    std::optional<vision::Pipeline> pipeline_;
    vision::Crops crops_;
    std::string text_, said_;
    std::chrono::steady_clock::time_point said_at_{};
};

// A film is shown at its own pace unless told otherwise.
void keep_pace(std::chrono::steady_clock::time_point start, double time_s) {
    std::this_thread::sleep_until(start +
                                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                      std::chrono::duration<double>(time_s)));
}

}  // namespace

void watch_table(VisionOptions options, const std::atomic<bool>& stop) {
    if (options.exposure > 0) options.settings.exposure = options.exposure;
    if (options.gain >= 0) options.settings.gain = options.gain;
    if (options.white_balance > 0) options.settings.white_balance = options.white_balance;
    const Sought sought = look_for(options.seeing);
    const auto source = vision::open_source(options.camera, options.settings);
    Station station(options, sought);
    const auto start = std::chrono::steady_clock::now();
    std::string said;
    while (!stop && !source->ended()) {
        const auto frame = source->next();
        if (frame && !source->live() && !options.fast) keep_pace(start, frame->time_s);
        if (frame)
            station.see(*frame, source->name());
        else if (source->live() && !source->connected())
            station.lost(source->name());
        station.pump();
        if (source->settings() != said)
            std::fprintf(stderr, "camera: %s\n", (said = source->settings()).c_str());
    }
}

void VisionOptions::add_to(CLI::App& command) {
    seeing.add_to(command);
    command.add_option("--camera", camera,
                       "Camera index, device, URL, video file or folder of pictures");
    command.add_option("--observations", address, "Address to publish on");
    command.add_option("--overlay", overlay,
                       "Address at which the table announces changes of its picture");
    command.add_option("--width", settings.width, "Wanted frame width");
    command.add_option("--height", settings.height, "Wanted frame height");
    command.add_option("--fps", settings.fps, "Wanted frame rate");
    command.add_option("--exposure", exposure, "Lock the exposure (driver's unit)");
    command.add_option("--gain", gain, "Lock the gain");
    command.add_option("--white-balance", white_balance, "Lock the white balance (kelvin)");
    command.add_flag("--fast", fast, "Files as fast as possible instead of at their own pace");
    keys.add_to_listening(command);
}

}  // namespace overboard::app
