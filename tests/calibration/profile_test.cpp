#include "calibration/profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/calibration/synthetic.hpp"

namespace overboard::calibration {
namespace {
namespace fs = std::filesystem;

class ProfileFile : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_); }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path folder_ = fs::temp_directory_path() /
                       ("overboard-profile-" + std::to_string(getpid()));
};

TEST_F(ProfileFile, SurvivesTheRoundTripAndKeepsTheOldOne) {
    Profile p;
    p.camera_id = "usb-cam";
    p.lens = webcam();
    p.lens_rms_px = 0.21;
    p.table = overhead(webcam());
    p.table_rms_mm = 0.2;
    p.projector = ProjectorFix{{1.5, 0.1, 3, 0, 1.6, 4, 1e-5, 0, 1}, {1920, 1080}, 0.7, 0.055};
    p.touch = TouchFix{{1, 0, 2, 0, 1, 3, 0, 0, 1}, 1.2};
    const fs::path file = folder_ / "table.yml";
    EXPECT_TRUE(save_profile(file, p).empty());
    const Profile back = load_profile(file);
    EXPECT_EQ(back.lens->K, p.lens->K);
    EXPECT_EQ(back.lens->distortion, p.lens->distortion);
    EXPECT_LT(cv::norm(back.table->project({300, 300}, 5) - p.table->project({300, 300}, 5)), 1e-6);
    EXPECT_EQ(back.projector->table_to_projector, p.projector->table_to_projector);
    EXPECT_EQ(back.touch->rms_mm, 1.2);
    EXPECT_EQ(back.created.size(), 20u);
    const fs::path kept = save_profile(file, p);
    EXPECT_TRUE(fs::exists(kept)) << "the old profile is never lost";
    EXPECT_NO_THROW(load_profile(kept));
}

TEST_F(ProfileFile, ReadsAndWritesRosCameraInfo) {
    save_ros_camera_info(folder_ / "ros.yaml", webcam(), "head");
    const Profile p = load_profile(folder_ / "ros.yaml");
    EXPECT_NEAR(p.lens->K(0, 0), webcam().K(0, 0), 1e-9);
    EXPECT_EQ(p.lens->size, cv::Size(1280, 720));
    EXPECT_EQ(p.camera_id, "head");
}

TEST_F(ProfileFile, ReadsOpenCvsPublishedFiles) {
    const fs::path published =
        fs::path(OVERBOARD_SHARED) /
        "real/calibration/opencv_charuco_tutorial/published/tutorial_camera_charuco.yml";
    if (!fs::exists(published)) GTEST_SKIP() << "not here: " << published;
    EXPECT_NEAR(load_profile(published).lens->K(0, 0), 452.5, 0.1);
}

TEST_F(ProfileFile, BrokenFilesAreOneSentence) {
    const auto refused = [&](const std::string& text) {
        std::ofstream(folder_ / "bad.yml") << text;
        try {
            load_profile(folder_ / "bad.yml");
        } catch (const std::runtime_error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_NE(refused("hello"), "");
    EXPECT_NE(refused(""), "");
    EXPECT_NE(refused("%YAML:1.0\n---\nimage_width: 3\n").find("camera_matrix"), std::string::npos);
    EXPECT_NE(refused("image_width: 3\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [0, 0, 0, 0, "
                      "0, 0, 0, 0, 1]\n")
                  .find("never calibrated"),
              std::string::npos);
    EXPECT_THROW(load_profile(folder_ / "absent.yml"), std::runtime_error);
    EXPECT_THROW(save_profile("/nowhere/at/all.yml", {}), std::runtime_error);
}

}  // namespace
}  // namespace overboard::calibration
