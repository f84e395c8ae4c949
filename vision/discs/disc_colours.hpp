#pragma once

#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "bus/catalogue.hpp"

namespace overboard::vision {

/// A direction in colour space: the scalar (w · bgr) / 256 is larger inside the disc.
struct Direction {
    int wb = 0, wg = 0, wr = 0;
    float contrast = 20;  ///< Scalar difference between disc and surface.
    [[nodiscard]] int of(const std::uint8_t* v) const { return v[0] * wb + v[1] * wg + v[2] * wr; }
};

/// One type of disc as it looks in the present light.
struct DiscLook {
    std::string name;
    double r_mm = 10;
    cv::Vec3f bgr;
    Direction plain;       ///< The whole difference: shows gaps between touching discs.
    Direction shadowless;  ///< Without what a shadow changes: for rims on the open surface.
};

/// Which type of disc a colour could belong to, in this light: a table of 32³ colours.
class DiscColours {
public:
    explicit DiscColours(const Catalogue& catalogue);

    /// The light as it is: the colour of the surface, and of each type that was seen.
    void learn(const cv::Vec3f& surface, const std::vector<std::optional<cv::Vec3f>>& seen);

    /// The light changed: everything is so many times as bright as it was, channel by channel.
    void relight(const cv::Vec3f& times);

    [[nodiscard]] const std::vector<DiscLook>& looks() const { return looks_; }
    /// 0: none; else the type's index + 1.
    [[nodiscard]] std::uint8_t class_of(const std::uint8_t* bgr) const {
        return classes_[index(bgr)];
    }
    /// The same; reads one byte beyond the pixel.
    [[nodiscard]] std::uint8_t class_within(const std::uint8_t* bgr) const {
        return classes_[index_within(bgr)];
    }
    /// A printed colour as it looks in this light, and the type it could be taken for (−1: none).
    [[nodiscard]] int type_like(const Rgb& printed) const;

private:
    static std::size_t index(const std::uint8_t* p) {
        return std::size_t((p[0] >> 3) | (p[1] >> 3) << 5 | (p[2] >> 3) << 10);
    }
    static std::size_t index_within(const std::uint8_t* p) {
#ifdef __BMI2__
        std::uint32_t four;
        std::memcpy(&four, p, 4);
        return _pext_u32(four, 0x00F8F8F8u);
#else
        return index(p);
#endif
    }
    [[nodiscard]] cv::Vec3f in_this_light(const Rgb& colour) const;
    [[nodiscard]] std::vector<cv::Vec3f> negatives() const;
    [[nodiscard]] static std::uint8_t nearest(const cv::Vec3f& lab,
                                              const std::vector<cv::Vec3f>& types,
                                              const std::vector<cv::Vec3f>& negatives);
    void set_directions(DiscLook& look) const;
    void build();

    const Catalogue* catalogue_;
    std::vector<DiscLook> looks_;
    cv::Vec3f surface_;
    std::vector<std::uint8_t> classes_;
};

}  // namespace overboard::vision
