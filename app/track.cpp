#include <cstdio>
#include <opencv2/videoio.hpp>
#include <stdexcept>

#include "app/commands.hpp"
#include "app/seeing.hpp"
#include "bus/codec.hpp"
#include "vision/debug_view.hpp"
#include "vision/frame_source.hpp"
#include "vision/pipeline.hpp"
#include "vision/tracker.hpp"

namespace overboard::app {
namespace {

struct TrackOptions {
    SeeingOptions seeing;
    std::string video, draw;
};

void print_line(const char* what, Json value) {
    Json line;
    line[what] = std::move(value);
    std::printf("%s\n", dumped(line).c_str());
}

// The board was given by its corners: positions are in its frame.
Observation in_board_frame(Observation seen) {
    for (Piece& p : seen.pieces) {
        const Point at = local_to(*seen.board, {p.x, p.y}),
                    speed = rotated({p.vx, p.vy}, -seen.board->angle);
        p.x = at.x, p.y = at.y, p.vx = speed.x, p.vy = speed.y;
    }
    for (Polygon& hand : seen.hands)
        for (Point& p : hand) p = local_to(*seen.board, p);
    seen.board = Pose{};
    return seen;
}

class Drawing {
public:
    Drawing(const std::string& file, double fps, cv::Size size) {
        if (file.empty()) return;
        if (!writer_.open(file, cv::VideoWriter::fourcc('m', 'p', '4', 'v'), fps, size))
            throw std::runtime_error("cannot write '" + file + "'");
    }
    void add(const vision::View& view, const Catalogue& catalogue, const Observation& seen) {
        if (writer_.isOpened()) writer_.write(vision::draw(view, catalogue, seen));
    }

private:
    cv::VideoWriter writer_;
};

void track_with_map(const TrackOptions& options, const Sought& sought, vision::FrameSource& source,
                    vision::Frame first, const Registration& tied) {
    vision::PipelineOptions settings;
    settings.source = source.name();
    settings.board = tied.board;
    vision::Pipeline pipeline(sought.catalogue, *tied.map, sought.faces.cards, sought.faces.tiles,
                              settings);
    Drawing drawing(options.draw, source.fps(), first.bgr.size());
    const bool board_frame = !options.seeing.corners.empty() && sought.catalogue.board;
    for (std::optional<vision::Frame> frame = std::move(first); frame; frame = source.next()) {
        const Observation seen = pipeline.push(*frame);
        drawing.add({frame->bgr, &*tied.map, {}}, sought.catalogue, seen);
        print_line("observation", to_json(board_frame && seen.board ? in_board_frame(seen) : seen));
        for (const Shot& shot : pipeline.take_shots()) print_line("shot", to_json(shot));
    }
    pipeline.end();
    for (const Shot& shot : pipeline.take_shots()) print_line("shot", to_json(shot));
}

// Nothing ties the film to a table: every frame is a photograph, ids come from the tracker, in
// pixels.
void track_bare(const TrackOptions& options, const Sought& sought, vision::FrameSource& source,
                vision::Frame first) {
    vision::TrackLimits limits;
    limits.reach_mm = 0.03 * first.bgr.cols;
    vision::Tracker tracker(limits);
    Drawing drawing(options.draw, source.fps(), first.bgr.size());
    const vision::Tracker::View everywhere{[](const Piece&) { return true; },
                                           [](const Piece&) { return false; }};
    for (std::optional<vision::Frame> frame = std::move(first); frame; frame = source.next()) {
        const vision::View view{frame->bgr, nullptr, {}};
        Observation seen = vision::detect_cold(view, sought.catalogue, sought.kinds, sought.faces);
        seen.pieces = tracker.update(frame->time_s, seen.pieces, everywhere);
        seen.source = source.name();
        seen.time = frame->time_s;
        drawing.add(view, sought.catalogue, seen);
        Json json = to_json(seen);
        json["frame"] = "image";
        print_line("observation", std::move(json));
    }
}

void track(const TrackOptions& options) {
    const Sought sought = look_for(options.seeing);
    const auto source = vision::open_source(options.video);
    auto first = source->next();
    if (!first) throw std::runtime_error("there is no frame in '" + options.video + "'");
    const Registration tied = register_film(options.seeing, sought.catalogue, first->bgr);
    if (tied.map)
        track_with_map(options, sought, *source, std::move(*first), tied);
    else
        track_bare(options, sought, *source, std::move(*first));
}

}  // namespace

void add_track(CLI::App& app) {
    auto* command = app.add_subcommand("track", "Observations and shots of a video, as JSON lines");
    auto options = std::make_shared<TrackOptions>();
    options->seeing.add_to(*command);
    command->add_option("VIDEO", options->video, "A video file or a folder of pictures")
        ->required();
    command->add_option("--draw", options->draw,
                        "Write the video with what was seen drawn over it");
    command->callback([options] { track(*options); });
}

}  // namespace overboard::app
