#include "vision/frame_source.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <thread>

namespace overboard::vision {
namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("overboard-frames-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
};

std::string write_video(const Folder& folder, int frames) {
    const std::string file = (folder.path / "film.avi").string();
    cv::VideoWriter writer(file, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {320, 240});
    for (int i = 0; i < frames; ++i)
        writer.write(cv::Mat(240, 320, CV_8UC3, cv::Scalar::all(5 * i)));
    return file;
}

TEST(FrameSource, ReadsAVideoWithItsOwnClock) {
    const Folder folder;
    const auto source = open_source(write_video(folder, 10));
    int n = 0;
    while (const auto frame = source->next()) EXPECT_NEAR(frame->time_s, n++ / 25.0, 1e-9);
    EXPECT_EQ(n, 10);
    EXPECT_TRUE(source->ended());
}

TEST(FrameSource, ReadsATruncatedVideoAsFarAsItGoes) {
    const Folder folder;
    const std::string file = write_video(folder, 30);
    const auto size = fs::file_size(file);
    for (const double share : {0.9, 0.5, 0.2, 0.02}) {
        fs::copy_file(file, folder.path / "cut.avi", fs::copy_options::overwrite_existing);
        fs::resize_file(folder.path / "cut.avi", std::uintmax_t(double(size) * share));
        int n = 0;
        try {
            const auto source = open_source((folder.path / "cut.avi").string());
            while (source->next()) ++n;
            EXPECT_TRUE(source->ended());
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("cut.avi"), std::string::npos);
        }
        EXPECT_LE(n, 30);
    }
}

TEST(FrameSource, ReadsPicturesInTheOrderOfTheirNames) {
    const Folder folder;
    for (int i = 0; i < 3; ++i)
        cv::imwrite((folder.path / (std::to_string(i) + ".png")).string(),
                    cv::Mat(8, 8, CV_8UC3, cv::Scalar::all(i)));
    const auto source = open_source(folder.path.string());
    for (int i = 0; i < 3; ++i) {
        const auto frame = source->next();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->bgr.at<cv::Vec3b>(0, 0)[0], i);
    }
    EXPECT_FALSE(source->next());
}

TEST(FrameSource, PassesOverWhatIsNoPictureInAFolder) {
    const Folder folder;
    const std::string whole = (folder.path / "2.png").string();
    cv::imwrite(whole, cv::Mat(64, 64, CV_8UC3, cv::Scalar::all(7)));
    fs::copy_file(whole, folder.path / "1.png");
    fs::resize_file(folder.path / "1.png", 50);
    std::ofstream(folder.path / "notes.txt") << "no picture";
    std::ofstream(folder.path / "0.jpg") << "\xff\xd8\xff\xe0 nor this";
    const auto source = open_source(folder.path.string());
    int n = 0;
    while (const auto frame = source->next()) n += frame->bgr.cols == 64;
    EXPECT_EQ(n, 1);
}

TEST(FrameSource, ANumberNoCameraCanHaveIsAFileThatIsNotThere) {
    EXPECT_FALSE(is_camera("99999999999999"));
    EXPECT_THROW((void)open_source("99999999999999"), std::runtime_error);
}

TEST(FrameSource, NamesAFileThatIsNotThere) {
    try {
        open_source("/nowhere/film.mp4");
        FAIL();
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("/nowhere/film.mp4"), std::string::npos);
    }
}

TEST(FrameSource, AnAbsentCameraIsNotConnectedAndDoesNotBlock) {
    const auto source = open_source("/dev/video99");
    EXPECT_TRUE(source->live());
    EXPECT_FALSE(source->next());
    EXPECT_FALSE(source->connected());
    EXPECT_FALSE(source->ended());
}

TEST(FrameSource, KeepsOnlyTheNewestFrame) {
    int made = 0;
    auto source = latest_only(source_from(
        [&]() -> std::optional<Frame> {
            if (made >= 50) return {};
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            return Frame{cv::Mat(4, 4, CV_8UC3), made / 100.0, made++};
        },
        "made", 100));
    std::int64_t last = -1;
    int got = 0;
    while (!source->ended()) {
        const auto frame = source->next();
        if (!frame) continue;
        EXPECT_GT(frame->index, last);
        last = frame->index;
        ++got;
        std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
    EXPECT_EQ(last, 49);
    EXPECT_LT(got, 40);
}

}  // namespace
}  // namespace overboard::vision
