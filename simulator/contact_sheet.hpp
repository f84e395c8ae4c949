#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

namespace overboard::simulator {

/// One frame in play of every game (a row) under every light preset (a column), 8-bit BGR.
cv::Mat contact_sheet(std::uint64_t seed, int column_px = 640);

}  // namespace overboard::simulator
