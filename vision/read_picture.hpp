#pragma once

#include <opencv2/core.hpp>
#include <string>

namespace overboard::vision {

/// The picture in a file, BGR; empty when it cannot be read. Says nothing itself: libpng and
/// libjpeg would write to the error output, but what is wrong is the caller's to say, in one
/// sentence. Not while other threads write there.
cv::Mat read_picture(const std::string& file);

}  // namespace overboard::vision
