#pragma once

#include <SFML/Graphics/Texture.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Text of any script, shaped by Pango, drawn from one texture of glyphs.
namespace overboard::table {

/// One glyph of a run: where it goes (in units of the type size) and where it is in the texture.
struct GlyphQuad {
    float x0, y0, x1, y1;
    float u0, v0, u1, v1;  ///< Texels.
};

/// A shaped text, origin at the top left of its box, in units of the type size.
struct TextRun {
    std::vector<GlyphQuad> glyphs;
    double width = 0;
    double height = 0;
    int lines = 1;
};

enum class Weight { regular, bold };

/// A round shape in the texture. Software OpenGL pays for every triangle: one quad beats a hundred.
struct Sprite {
    float u0 = 0, v0 = 0, u1 = 0, v1 = 0;  ///< Texels; all 0: too large for the texture.
    double half_px = 0;                    ///< From the centre to the edge of its quad.
    [[nodiscard]] bool empty() const { return u1 <= u0; }
};

/// Shapes texts and keeps their glyphs in one texture, which also has a solid white spot for
/// everything that is not text. Needs a display. Without any font it draws digits as strokes and
/// everything else as boxes, and says so once on stderr: it never fails.
class TextAtlas {
public:
    struct Options {
        bool fonts = true;   ///< False: as if no font were installed.
        int side_px = 2048;  ///< Of the texture. Smaller: fewer sizes and scripts at once.
    };
    TextAtlas();
    explicit TextAtlas(Options options);
    ~TextAtlas();

    /// `size_px`: the height it will have on screen, which decides how finely glyphs are drawn.
    /// `wrap`: the greatest width in units of the type size, 0 for one line. `centred`: lines are.
    std::shared_ptr<const TextRun> run(std::string_view utf8, Weight weight, double size_px,
                                       double wrap = 0, bool centred = false);

    /// A ring of that radius (to the middle of its line); `width_px` 0: a disc.
    Sprite ring(double radius_px, double width_px);
    /// Opaque within the radius, nothing `reach_px` further out.
    Sprite soft_disc(double radius_px, double reach_px);

    [[nodiscard]] const sf::Texture& texture() const;
    [[nodiscard]] float white_u() const { return 2.5f; }
    [[nodiscard]] float white_v() const { return 2.5f; }
    /// Grows when the texture had to be emptied: what was drawn from it must be built anew.
    [[nodiscard]] unsigned generation() const;
    [[nodiscard]] bool has_fonts() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace overboard::table
