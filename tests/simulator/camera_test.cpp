#include "simulator/camera.hpp"

#include <opencv2/imgproc.hpp>

#include "simulator/world.hpp"

namespace overboard::simulator {
namespace {

Catalogue discs() {
    Catalogue c;
    c.discs = {{"blue", 40, 8, {30, 70, 190}, 4}, {"red", 40, 30, {200, 30, 30}, 4}};
    return c;
}

Piece disc(const char* type, double x, double y) {
    Piece p;
    p.kind = PieceKind::disc;
    p.type = type;
    p.x = x, p.y = y;
    return p;
}

World two_discs() {
    Observation scene;
    scene.pieces = {disc("blue", 300, 200), disc("red", 900, 480)};
    return world_from(discs(), scene);
}

cv::Vec3d mean_at(const cv::Mat& frame, cv::Point2d px, int half = 3) {
    const cv::Scalar m = cv::mean(frame(cv::Rect(int(px.x) - half, int(px.y) - half, 2 * half + 1, 2 * half + 1)));
    return {m[0], m[1], m[2]};
}

TEST(Camera, ShowsEachPieceWhereItsTruthProjects) {
    for (const char* light : {"easy", "cafe", "harsh"}) {
        Camera camera({}, light, 5);
        const cv::Mat frame = camera.render(two_discs(), 0);
        const auto blue = mean_at(frame, camera.map().project({300, 200}, 8));
        const auto red = mean_at(frame, camera.map().project({900, 480}, 30));
        EXPECT_GT(blue[0], blue[2] * 1.3) << light;
        EXPECT_GT(red[2], red[0] * 1.3) << light;
    }
}

}  // namespace
}  // namespace overboard::simulator
