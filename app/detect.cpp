#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>

#include "app/commands.hpp"
#include "app/seeing.hpp"
#include "bus/codec.hpp"
#include "vision/debug_view.hpp"
#include "vision/read_picture.hpp"

namespace overboard::app {
namespace {

struct DetectOptions {
    SeeingOptions seeing;
    std::vector<std::string> images;
    std::string draw;
};

// out.png, then out-2.png, out-3.png …
std::string drawing_name(const std::string& out, std::size_t index) {
    if (index == 0) return out;
    const std::filesystem::path path(out);
    return (path.parent_path() /
            (path.stem().string() + "-" + std::to_string(index + 1) + path.extension().string()))
        .string();
}

// One picture as seen with one set of pieces.
struct Sight {
    Registration tied;
    const Catalogue* catalogue = nullptr;
    Observation seen;
    [[nodiscard]] vision::View view(const cv::Mat& bgr) const {
        return {bgr, tied.map ? &*tied.map : nullptr, {}};
    }
    // Names that are a mere guess say nothing about whose set it is.
    [[nodiscard]] double sure() const {
        return std::accumulate(
            seen.pieces.begin(), seen.pieces.end(), 0.0,
            [](double sum, const Piece& p) { return sum + std::max(0.0, p.confidence - 0.5); });
    }
};

Sight look(const Sought& sought, const Catalogue& catalogue, Registration tied,
           const cv::Mat& bgr) {
    Sight sight{std::move(tied), &catalogue, {}};
    sight.seen = vision::detect_cold(sight.view(bgr), catalogue, sought.kinds, sought.faces,
                                     sight.tied.board);
    return sight;
}

// A photograph may show any set of the game's; a table with its markers is set up for the usual
// one.
Sight look(const DetectOptions& options, const Sought& sought, const cv::Mat& bgr) {
    Sight best = look(sought, sought.catalogue,
                      register_view(options.seeing, sought.catalogue, bgr), bgr);
    if (best.tied.map && !best.tied.board) return best;
    for (const Catalogue& other : sought.others) {
        Sight sight = look(
            sought, other,
            best.tied.map ? register_view(options.seeing, other, bgr) : Registration{}, bgr);
        if (sight.sure() > best.sure()) best = std::move(sight);
    }
    return best;
}

void detect_one(const DetectOptions& options, const Sought& sought, std::size_t index,
                const cv::Mat& bgr) {
    Sight sight = look(options, sought, bgr);
    sight.seen.source = options.images[index];
    Json line = to_json(sight.seen);
    line["image"] = options.images[index];
    if (!sight.tied.map) line["frame"] = "image";
    std::printf("%s\n", dumped(line).c_str());
    std::fflush(stdout);
    if (options.draw.empty()) return;
    const std::string name = drawing_name(options.draw, index);
    if (!cv::imwrite(name, vision::draw(sight.view(bgr), *sight.catalogue, sight.seen)))
        throw std::runtime_error("cannot write '" + name + "'");
}

void detect(const DetectOptions& options) {
    if (!options.draw.empty() && !cv::haveImageWriter(options.draw))
        throw CLI::ValidationError("--draw", "no kind of picture: '" + options.draw + "'");
    const Sought sought = look_for(options.seeing);
    std::string unreadable;
    for (std::size_t i = 0; i < options.images.size(); ++i) {
        const cv::Mat bgr = vision::read_picture(options.images[i]);
        if (bgr.empty())
            unreadable += (unreadable.empty() ? "'" : ", '") + options.images[i] + "'";
        else
            detect_one(options, sought, i, bgr);
    }
    if (!unreadable.empty()) throw std::runtime_error("cannot read as a picture: " + unreadable);
}

}  // namespace

void add_detect(CLI::App& app) {
    auto* command = app.add_subcommand("detect", "One observation per image, one JSON line each");
    auto options = std::make_shared<DetectOptions>();
    options->seeing.add_to(*command);
    command->add_option("IMAGE", options->images, "Photographs")->required();
    command->add_option("--draw", options->draw,
                        "Write the picture with what was seen drawn over it");
    command->callback([options] { detect(*options); });
}

}  // namespace overboard::app
