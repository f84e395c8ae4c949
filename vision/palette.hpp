#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "vision/view.hpp"

/// Which of a game's colours is this pixel? By tint rather than brightness, and against the white
/// and the table of this very picture: bad light is expected.
namespace overboard::vision {

/// May glare have washed a piece out until only its hue is left? Print and projected light look
/// like that, too.
enum class Glare { none, washes_out };

class Palette {
public:
    static constexpr std::uint8_t kNone = 255;

    /// Learns the picture's white (from the table's markers where the map shows them) and the tints
    /// that are common on the table and are no piece's.
    Palette(const View& view, const Catalogue& catalogue);

    /// The light changed: white looks like this now.
    void relight(const cv::Vec3f& white_bgr);

    /// Index into catalogue.palette for every pixel of `area`, kNone elsewhere. 8 bit.
    [[nodiscard]] cv::Mat classify(const cv::Mat& bgr, cv::Rect area,
                                   Glare glare = Glare::none) const;
    [[nodiscard]] std::uint8_t class_of(const cv::Vec3f& bgr) const;
    [[nodiscard]] const std::string& name(int index) const { return names_[index]; }
    [[nodiscard]] int size() const { return static_cast<int>(names_.size()); }

private:
    void decide_all();
    [[nodiscard]] std::uint8_t decide(const cv::Vec3f& bgr, Glare glare) const;

    std::vector<std::string> names_;
    std::vector<cv::Vec2f> tints_;  // of the palette
    std::vector<bool> grey_;        // palette entries without a tint: white, grey, black
    std::vector<float> lightness_;
    std::vector<cv::Vec2f> common_;  // of the table
    cv::Vec3f white_{255, 255, 255};
    std::vector<std::uint8_t> table_, glare_table_;  // 32³ colours
};

/// Every pixel of a view by the catalogue's palette; kNone where the view's mask says not to look.
cv::Mat colour_classes(const View& view, const Catalogue& catalogue, Glare glare = Glare::none);

/// The palette's colour of the likest hue, given the picture's white.
std::string likest_colour(const std::vector<NamedColour>& palette, const cv::Vec3f& bgr,
                          const cv::Vec3f& white);

/// A plain word for a colour, given the picture's white.
std::string colour_name(const cv::Vec3f& bgr, const cv::Vec3f& white);

/// The white of a picture nothing is known about: its brightest plain part.
cv::Vec3f bright_reference(const cv::Mat& bgr);

}  // namespace overboard::vision
