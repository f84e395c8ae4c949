#pragma once

#include "vision/faces/face_reader.hpp"

namespace overboard::vision {

struct Champion {
    std::size_t index = 0;
    double margin = 1;
};

/// The best reading of every face, best first.
void one_a_face(const Faces::Table& t, Readings& readings);

/// Which of the readings it is: a champion defends itself against every close rival.
Champion choose(const Faces::Table& t, const cv::Mat& bgr, const RecogniseOptions& options,
                Readings& readings);

/// Something else that merely looks like it? `how`: how strange it is.
bool strange(const Faces::Table& t, const RecogniseOptions& options, const Reading& r, double& how);

/// Does it look enough like its reference to say a name, the next face being `margin` behind?
bool high_enough(const Faces::Table& t, const RecogniseOptions& options, const Reading& r,
                 double margin);

/// Is the margin over the next face large enough to say a name?
bool clear_margin(const RecogniseOptions& options, double margin);

}  // namespace overboard::vision
