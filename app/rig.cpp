#include "app/rig.hpp"

#include <stdexcept>

#include "calibration/table_frame.hpp"
#include "simulator/art.hpp"
#include "simulator/hands.hpp"
#include "vision/crops.hpp"
#include "vision/pipeline.hpp"

namespace overboard::app {
namespace {

constexpr double kEnrolPxPerMm = 6;

simulator::CameraSetup with_size(simulator::CameraSetup setup, cv::Size size) {
    setup.size = size;
    return setup;
}

}  // namespace

std::vector<vision::Faces> drawn_faces(const std::vector<FaceKind>& kinds) {
    std::vector<vision::Faces> sets;
    for (const FaceKind& kind : kinds) {
        vision::Faces& faces = sets.emplace_back();
        for (const std::string& face : kind.faces)
            faces.enrol(face, simulator::draw_face(kind.set, face, kEnrolPxPerMm));
        if (kind.has_back)
            faces.enrol("back", simulator::draw_face(kind.set, "back", kEnrolPxPerMm));
    }
    return sets;
}

struct Rig::Parts {
    RigOptions options;
    simulator::Script script;
    std::optional<simulator::Camera> camera;
    std::optional<vision::Pipeline> pipeline;
    vision::Crops crops{script.catalogue().table};
    std::int64_t frames = 0;
    double now_s = 0;
    double lamps = 1;
    simulator::World guests;  // their things and hands

    Parts(const rules::Game& game, const rules::Setup& setup, RigOptions o)
        : options{std::move(o)}, script{game, setup, options.script} {
        hang_camera();
    }

    void hang_camera() {
        camera.emplace(with_size(options.camera, options.size), options.light, options.seed);
    }

    void let_guests_in(simulator::Frame& film) const {
        auto& world = film.world;
        world.bodies.insert(world.bodies.end(), guests.bodies.begin(), guests.bodies.end());
        for (const simulator::Hand& hand : guests.hands) {
            world.hands.push_back(hand);
            film.truth.hands.push_back(simulator::hand_outline(hand));
        }
    }

    /// As at a real table: the lens is known, the table is found by its markers in the first frame.
    void look_first(const cv::Mat& picture) {
        const Catalogue& catalogue = script.catalogue();
        const auto map = calibration::find_table(picture, catalogue.table,
                                                 &camera->map().intrinsics());
        if (!map) return;
        pipeline.emplace(catalogue, *map, drawn_faces(catalogue.cards),
                         drawn_faces(catalogue.tiles));
    }
};

double thread_time_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

Rig::Rig(const rules::Game& game, const rules::Setup& setup, RigOptions options)
    : parts_{std::make_unique<Parts>(game, setup, std::move(options))} {}
Rig::~Rig() = default;
Rig::Rig(Rig&&) noexcept = default;

RigFrame Rig::next(const cv::Mat& overlay) {
    simulator::Frame film = parts_->script.next();
    parts_->let_guests_in(film);
    RigFrame out;
    out.time_s = parts_->now_s = film.time_s;
    out.moves = std::move(film.moves);
    out.truth = std::move(film.truth);
    out.finished = film.finished;
    out.picture = parts_->camera->render(film.world, film.time_s, overlay);
    if (parts_->lamps != 1) out.picture *= parts_->lamps;
    if (!parts_->pipeline) parts_->look_first(out.picture);
    const double began_s = thread_time_s();
    if (parts_->pipeline) {
        out.seen = parts_->pipeline->push({out.picture, film.time_s, parts_->frames++});
        out.shots = parts_->pipeline->take_shots();
        out.sight = parts_->pipeline->camera_state();
        out.looking_s = thread_time_s() - began_s;
    }
    return out;
}

std::string Rig::evidence(const RigFrame& frame) {
    if (!parts_->pipeline) return {};
    const auto crops = parts_->crops.take(frame.picture, parts_->pipeline->map(), frame.seen);
    return crops.empty() ? "" : vision::crops_json(crops);
}

void Rig::overlay_changed() {
    if (parts_->pipeline) parts_->pipeline->overlay_changed(parts_->now_s);
}

void Rig::bump(double dx_mm, double dy_mm) {
    parts_->options.camera.lens = parts_->camera->map().intrinsics();
    parts_->options.camera.off_centre_mm = parts_->options.camera.off_centre_mm +
                                           Point{dx_mm, dy_mm};
    parts_->hang_camera();
}

void Rig::lamps(double share) {
    parts_->lamps = share;
}

void Rig::guests_put(std::vector<simulator::Body> things, std::vector<simulator::Hand> hands) {
    parts_->guests.bodies = std::move(things);
    parts_->guests.hands = std::move(hands);
}

const Catalogue& Rig::catalogue() const {
    return parts_->script.catalogue();
}

}  // namespace overboard::app
