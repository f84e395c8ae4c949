#include "vision/detect_board.hpp"

namespace overboard::vision {

std::optional<std::array<cv::Point2d, 4>> find_surface(const cv::Mat&, double) { return {}; }

std::optional<Pose> detect_board(const View&, const Catalogue& catalogue) { return catalogue.board->at; }

}  // namespace overboard::vision
