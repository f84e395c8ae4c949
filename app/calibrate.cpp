// Lens, table, projector and touch, from files or with a camera; a verdict; and a profile written
// only when all of it is good.
#include "app/calibrate.hpp"

#include <fmt/format.h>

#include <opencv2/imgcodecs.hpp>

#include "app/commands.hpp"
#include "app/seeing.hpp"

namespace overboard::app {
namespace {

void announce(const Sitting& sitting) {
    const std::string rule(64, '=');
    sitting.say(fmt::format("{}\n  {}   {}\n{}", rule, sitting.good() ? "YES" : "NO",
                            sitting.good() ? sitting.figures() : sitting.why(), rule));
}

void keep(const CalibrateOptions& o, Sitting& sitting) {
    if (!o.out.empty()) {
        const auto old = calibration::save_profile(o.out, sitting.profile());
        sitting.report()["profile"] = o.out;
        sitting.say("Written: " + o.out +
                    (old.empty() ? "" : "; the one before is " + old.string()));
        if (!old.empty()) sitting.report()["kept"] = old.string();
    }
    if (o.ros.empty()) return;
    if (!sitting.profile().lens) throw std::runtime_error("there is no lens to write to " + o.ros);
    calibration::save_ros_camera_info(o.ros, *sitting.profile().lens, "overboard");
    sitting.say("Written: " + o.ros);
}

void calibrate(CalibrateOptions o) {
    const bool files = !o.images.empty() || !o.table_images.empty() ||
                       !o.projector_images.empty() || !o.touches.empty();
    if (!files && o.camera.empty()) o.camera = "0";
    if (!files && !o.simulate && o.out.empty()) o.out = "table.yml";
    if (!o.corners.empty()) parse_corners(o.corners);  // wrong usage shows before any work
    Sitting sitting(o);
    if (files)
        calibrate_from_files(o, sitting);
    else
        calibrate_guided(o, sitting);
    if (!o.coverage.empty() && !sitting.coverage_picture().empty() &&
        !cv::imwrite(o.coverage, sitting.coverage_picture()))
        throw std::runtime_error("cannot write the coverage picture " + o.coverage);
    announce(sitting);
    if (sitting.good()) keep(o, sitting);
    sitting.report()["good"] = sitting.good();
    sitting.report()["verdict"] = sitting.good() ? "Good: " + sitting.figures() + "."
                                                 : sitting.why();
    if (o.json) fmt::print("{}\n", sitting.report().dump());
    const bool old_kept = !o.out.empty() && std::filesystem::exists(o.out);
    if (!sitting.good())
        throw std::runtime_error(
            sitting.why() + (old_kept ? " The old profile is kept." : " Nothing was written."));
}

}  // namespace

void add_calibrate(CLI::App& app) {
    auto* command = app.add_subcommand(
        "calibrate", "Camera, table, projector and touch: guided, with a verdict");
    auto o = std::make_shared<CalibrateOptions>();
    command->add_option(
        "--images", o->images,
        "Folder of pictures that show the board (and, without the board, the table)");
    command->add_option("--table-images", o->table_images,
                        "Folder of pictures that show the table's markers, from one place");
    command->add_option("--projector-images", o->projector_images,
                        "Folder: board, black, white; or Gray code, white, black");
    command->add_option("--projector", o->projector, "The projector's size, e.g. 1920x1080");
    command->add_option(
        "--touches", o->touches,
        R"(JSON: {"touched":[[x,y],...]}, raw, with "targets" in mm unless the usual nine)");
    command->add_option("--board", o->board,
                        "What was printed: charuco:8x5:30:22:DICT_4X4_100 or chessboard:9x6:25");
    command->add_option("--table", o->table, "Table file; else the usual table");
    command->add_option("--corners", o->corners,
                        "Pixels of the table's corners, clockwise from the top left: \"x,y x,y x,y "
                        "x,y\"; instead of its markers");
    command->add_option("--lens", o->lens, "A lens known already: OpenCV or ROS camera_info YAML");
    command->add_option("--check-bar", o->check_bar_mm,
                        "What the printed 100 mm bar really measures, in mm");
    command->add_option("--out", o->out,
                        "The profile; one already there is kept under a dated name");
    command->add_option("--ros", o->ros, "Also write the lens as ROS camera_info YAML");
    command->add_option("--coverage", o->coverage, "Picture of where the board was seen");
    command->add_flag("--json", o->json, "The result as one JSON object and nothing else");
    command->add_option("--camera", o->camera,
                        "Guided: camera number (else 0), device, film or folder");
    command->add_option("--output", o->output, "Guided: the projector's output, e.g. HDMI-1");
    command->add_option("--touch", o->touch, "Guided: tuio:PORT or evdev:DEVICE");
    command->add_flag("--simulate", o->simulate,
                      "Guided, on a simulated table; prints the true error at the end");
    command->add_option("--seed", o->seed, "Of the simulated table");
    command->add_option("--light", o->light, "Of the simulated table: easy, cafe or harsh");
    command->callback([o] { calibrate(*o); });
}

}  // namespace overboard::app
