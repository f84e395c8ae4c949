#include "calibration/dictionary.hpp"

#include <map>
#include <stdexcept>

namespace overboard::calibration {

cv::Ptr<cv::aruco::Dictionary> dictionary_named(const std::string& name) {
    static const std::map<std::string, int> known = {
        {"DICT_4X4_50", cv::aruco::DICT_4X4_50},
        {"DICT_4X4_100", cv::aruco::DICT_4X4_100},
        {"DICT_4X4_250", cv::aruco::DICT_4X4_250},
        {"DICT_5X5_50", cv::aruco::DICT_5X5_50},
        {"DICT_5X5_100", cv::aruco::DICT_5X5_100},
        {"DICT_5X5_250", cv::aruco::DICT_5X5_250},
        {"DICT_6X6_50", cv::aruco::DICT_6X6_50},
        {"DICT_6X6_250", cv::aruco::DICT_6X6_250},
        {"DICT_APRILTAG_36h11", cv::aruco::DICT_APRILTAG_36h11}};
    const auto found = known.find(name);
    if (found == known.end()) throw std::runtime_error("unknown marker dictionary " + name);
    return cv::aruco::getPredefinedDictionary(found->second);
}

}  // namespace overboard::calibration
