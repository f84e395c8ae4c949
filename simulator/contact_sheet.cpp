#include "simulator/contact_sheet.hpp"

#include <opencv2/imgproc.hpp>

#include "rules/games.hpp"
#include "simulator/camera.hpp"
#include "simulator/script.hpp"

namespace overboard::simulator {
namespace {

rules::Setup setup_for(const rules::Game& game) {
    rules::Setup setup;
    for (int i = 0; i < std::clamp(4, game.info.min_players, game.info.max_players); ++i)
        setup.players.push_back({"P" + std::to_string(i + 1), "", Json::object()});
    return setup;
}

// Some moves into the game, a hand over the table.
Frame busy_frame(Script& script, int moves) {
    Frame f = script.next();
    for (int played = 0, frames = 0; !f.finished && frames < 20000; ++frames) {
        played += int(f.moves.size());
        const auto inside = [&](const Hand& h) {
            return h.at.x > 150 && h.at.y > 120 && h.at.x < f.world.table.width_mm - 150 &&
                   h.at.y < f.world.table.height_mm - 120;
        };
        const bool reaching = std::any_of(f.world.hands.begin(), f.world.hands.end(), inside);
        if (played >= moves && reaching && frames % 7 == 0) break;
        f = script.next();
    }
    return f;
}

}  // namespace

cv::Mat contact_sheet(std::uint64_t seed, int column_px) {
    const cv::Size cell{column_px, column_px * 9 / 16};
    cv::Mat sheet;
    for (const rules::Game& game : rules::games()) {
        cv::Mat row;
        for (const char* light : {"easy", "cafe", "harsh"}) {
            ScriptOptions options;
            options.seed = ++seed;
            options.clutter = 2;
            Script script(game, setup_for(game), options);
            const Frame frame = busy_frame(script, game.read_shot ? 1 : 22);
            CameraSetup setup;
            setup.table = script.catalogue().table;
            Camera camera(setup, light, seed);
            cv::Mat picture;
            cv::resize(camera.render(frame.world, frame.time_s), picture, cell, 0, 0,
                       cv::INTER_AREA);
            const std::string label = game.info.id + ", " + light;
            cv::putText(picture, label, {8, cell.height - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5,
                        cv::Scalar::all(0), 3, cv::LINE_AA);
            cv::putText(picture, label, {8, cell.height - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5,
                        cv::Scalar::all(255), 1, cv::LINE_AA);
            if (row.empty())
                row = picture;
            else
                cv::hconcat(row, picture, row);
        }
        sheet.push_back(row);
    }
    return sheet;
}

}  // namespace overboard::simulator
