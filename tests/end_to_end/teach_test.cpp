// `overboard teach GAME --camera FILM` as café staff use it: one card after another under the
// camera, Enter after each. What was taught must then read a table.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>

#include "rules/games.hpp"
#include "simulator/art.hpp"
#include "simulator/camera.hpp"
#include "tests/folder.hpp"
#include "vision/flats/detect_cards.hpp"

namespace overboard::app {
namespace {

namespace fs = std::filesystem;
constexpr int kFramesAFace = 4;  // so many the command takes after an Enter, to be rid of old ones

struct Teach : ::testing::Test {
    Catalogue catalogue = rules::find_game("gotown")->catalogue({});
    testing::Folder folder;

    [[nodiscard]] std::vector<std::string> faces() const {
        std::vector<std::string> all = catalogue.cards.at(0).faces;
        all.emplace_back("back");
        return all;
    }
    static Piece card(const std::string& face, Pose at) {
        Piece p;
        p.kind = PieceKind::card;
        p.face = face;
        p.x = at.x, p.y = at.y, p.angle = at.angle;
        return p;
    }
    [[nodiscard]] cv::Mat seen(simulator::Camera& camera, const std::vector<Piece>& cards) const {
        Observation scene;
        scene.pieces = cards;
        return camera.render(simulator::world_from(catalogue, scene), 0.1).clone();
    }
    void film(const fs::path& file) const {
        simulator::CameraSetup near;
        simulator::Camera camera(near, "easy", 5);
        cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 30,
                               {1920, 1080});
        ASSERT_TRUE(writer.isOpened());
        for (const std::string& face : faces()) {
            const cv::Mat picture = seen(camera, {card(face, {600, 337, 0.03})});
            for (int i = 0; i < kFramesAFace; ++i) writer << picture;
        }
    }
    [[nodiscard]] int teach(const fs::path& film, const std::string& answers) const {
        std::ofstream(folder / "answers") << answers;
        const std::string line = std::string(OVERBOARD_PROGRAM) + " teach gotown --camera " +
                                 film.string() + " --out " + (folder / "faces").string() + " <" +
                                 (folder / "answers").string() + " >" + (folder / "out").string() +
                                 " 2>" + (folder / "err").string();
        return std::system(line.c_str());
    }
};

TEST_F(Teach, FacesTaughtByCameraReadATable) {
    film(folder / "film.avi");
    ASSERT_EQ(teach(folder / "film.avi", std::string(faces().size(), '\n')), 0);
    const vision::Faces taught = vision::Faces::from_folder(folder / "faces" /
                                                            catalogue.cards.at(0).set);
    EXPECT_EQ(taught.size(), faces().size());
    simulator::Camera camera({}, "cafe", 77);
    std::vector<Piece> cards;
    const auto all = catalogue.cards.at(0).faces;
    for (std::size_t i = 0; i < all.size() && i < 10; ++i)
        cards.push_back(card(
            all[i], {150 + 200.0 * double(i % 5), 180 + 250.0 * double(i / 5), 0.6 * double(i)}));
    const cv::Mat picture = seen(camera, cards);
    const auto found = vision::detect_cards({picture, &camera.map(), {}}, catalogue, {taught});
    EXPECT_EQ(found.size(), cards.size());
    for (const Piece& truth : cards) {
        const auto same = std::find_if(found.begin(), found.end(), [&](const Piece& p) {
            return distance({p.x, p.y}, {truth.x, truth.y}) < 5;
        });
        ASSERT_NE(same, found.end()) << *truth.face;
        EXPECT_EQ(same->face, truth.face);
    }
}

TEST_F(Teach, StoppingHalfWayWritesNothing) {
    film(folder / "film.avi");
    EXPECT_NE(teach(folder / "film.avi", "\n\n"), 0);
    EXPECT_FALSE(fs::exists(folder / "faces"));
}

}  // namespace
}  // namespace overboard::app
