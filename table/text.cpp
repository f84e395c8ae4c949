#include "table/text.hpp"

#include <pango/pangocairo.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

// Pango shapes a text once, at one of a few raster sizes; every glyph it used is drawn by cairo
// into the texture the first time it appears; a run is a list of quads. Runs are remembered by
// their text, so a picture that is built again costs no shaping. The texture fills in shelves. When
// it is full everything is forgotten and the generation grows.
namespace overboard::table {
namespace {

constexpr std::array<int, 8> kRasterPx = {12, 17, 24, 34, 48, 68, 96, 136};
constexpr std::size_t kMaxRuns = 20000;
constexpr double kMaxSprite_px = 110;
constexpr const char* kFamilies = "Noto Sans, Inter, DejaVu Sans, sans-serif";

int raster_for(double size_px) {
    for (const int px : kRasterPx)
        if (px >= size_px * 0.98) return px;
    return kRasterPx.back();
}

struct GObjectFree {
    void operator()(gpointer p) const { g_object_unref(p); }
};
template <class T>
using GPtr = std::unique_ptr<T, GObjectFree>;

struct Spot {
    float u0 = 0, v0 = 0, u1 = 0, v1 = 0;
    float left = 0, top = 0;  // ink box relative to the pen, px
    bool drawn = false;
};

// Seven strokes make every digit; the bits are those of a pocket calculator: top, the two right
// ones, bottom, the two left ones, middle.
constexpr std::array<unsigned, 10> kSegments = {0x3f, 0x06, 0x5b, 0x4f, 0x66,
                                                0x6d, 0x7d, 0x07, 0x7f, 0x6f};

}  // namespace

struct TextAtlas::Impl {
    Options options;
    sf::Texture texture;
    int x = 8, y = 0, shelf = 8;
    unsigned generation = 1;
    bool fonts = true;
    GPtr<PangoFontMap> map;
    GPtr<PangoContext> context;
    std::map<std::tuple<PangoFont*, PangoGlyph>, Spot> spots;
    std::unordered_map<std::string, std::shared_ptr<const TextRun>> runs;
    std::map<std::tuple<int, int, bool>, Sprite> sprites;  // quarter pixels, quarter pixels, soft
    std::vector<sf::Uint8> pixels;

    explicit Impl(Options wanted) : options{wanted} {
        const auto side = static_cast<unsigned>(options.side_px);
        if (!texture.create(side, side)) throw std::runtime_error("no texture for text: no OpenGL");
        texture.setSmooth(true);
        map.reset(pango_cairo_font_map_new());
        context.reset(pango_font_map_create_context(map.get()));
        fonts = options.fonts && can_write();
        if (!fonts)
            spdlog::warn(
                "no font found: text is shown as digits and boxes (install fonts-dejavu-core)");
        empty();
    }

    // Pango lists "Sans" and the like even where there is no font at all: only writing tells.
    bool can_write() {
        const auto digit = layout("0", Weight::regular, kRasterPx.front(), 0, false);
        return pango_layout_get_unknown_glyphs_count(digit.get()) == 0;
    }

    void empty() {
        const auto side = static_cast<std::size_t>(options.side_px);
        std::vector<sf::Uint8> clear(side * side * 4, 0);
        for (std::size_t i = 0; i < side * side; ++i)
            clear[4 * i] = clear[4 * i + 1] = clear[4 * i + 2] = 255;
        for (std::size_t r = 0; r < 6; ++r)
            for (std::size_t c = 0; c < 6; ++c) clear[4 * (r * side + c) + 3] = 255;
        texture.update(clear.data());
        x = 8, y = 0, shelf = 8;
        forget();
    }

    void forget() {
        for (const auto& [key, spot] : spots) g_object_unref(std::get<0>(key));
        spots.clear();
        runs.clear();
        sprites.clear();
    }

    // `light`: how bright, 0..1, at a distance from the centre.
    Sprite& sprite(double a, double b, bool soft, double half,
                   const std::function<double(double)>& light) {
        const auto key = std::tuple{static_cast<int>(std::lround(a * 4)),
                                    static_cast<int>(std::lround(b * 4)), soft};
        if (const auto known = sprites.find(key); known != sprites.end()) return known->second;
        if (half > kMaxSprite_px) return sprites[key] = {};
        const int side = 2 * static_cast<int>(std::ceil(half));
        std::vector<unsigned char> alpha(static_cast<std::size_t>(side) * side);
        for (int r = 0; r < side; ++r)
            for (int c = 0; c < side; ++c)
                alpha[static_cast<std::size_t>(r) * side + c] = static_cast<unsigned char>(
                    std::lround(255 * std::clamp(light(std::hypot(r + 0.5 - side / 2.0,
                                                                  c + 0.5 - side / 2.0)),
                                                 0.0, 1.0)));
        const auto [x0, y0] = place(side, side);
        upload(alpha.data(), side, side, side, x0, y0);
        return sprites[key] = {float(x0), float(y0), float(x0 + side), float(y0 + side),
                               side / 2.0};
    }

    // A free place of w x h texels, one texel apart from its neighbours.
    std::pair<int, int> place(int w, int h) {
        if (x + w + 1 > options.side_px) x = 0, y += shelf, shelf = 0;
        if (y + h + 1 > options.side_px) {
            empty();
            ++generation;
        }
        const std::pair<int, int> at{x, y};
        x += w + 1;
        shelf = std::max(shelf, h + 1);
        return at;
    }

    void upload(const unsigned char* alpha, int stride, int w, int h, int at_x, int at_y) {
        pixels.assign(static_cast<std::size_t>(w) * h * 4, 255);
        for (int r = 0; r < h; ++r)
            for (int c = 0; c < w; ++c)
                pixels[4 * (static_cast<std::size_t>(r) * w + c) + 3] = alpha[r * stride + c];
        texture.update(pixels.data(), static_cast<unsigned>(w), static_cast<unsigned>(h),
                       static_cast<unsigned>(at_x), static_cast<unsigned>(at_y));
    }

    const Spot& spot(PangoFont* font, PangoGlyph glyph) {
        if (const auto known = spots.find({font, glyph}); known != spots.end())
            return known->second;
        PangoRectangle ink;
        pango_font_get_glyph_extents(font, glyph, &ink, nullptr);
        pango_extents_to_pixels(&ink, nullptr);
        Spot made;
        const int w = ink.width + 2, h = ink.height + 2;
        if (ink.width > 0 && ink.height > 0 && w < options.side_px && h < options.side_px)
            made = drawn(font, glyph, ink, w, h);
        g_object_ref(font);  // the key must stay alive as long as the map
        return spots[{font, glyph}] = made;
    }

    Spot drawn(PangoFont* font, PangoGlyph glyph, const PangoRectangle& ink, int w, int h) {
        cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_A8, w, h);
        cairo_t* cairo = cairo_create(surface);
        cairo_move_to(cairo, 1 - ink.x, 1 - ink.y);
        PangoGlyphInfo info{};
        info.glyph = glyph;
        PangoGlyphString one{};
        gint cluster = 0;
        one.num_glyphs = 1;
        one.glyphs = &info;
        one.log_clusters = &cluster;
        pango_cairo_show_glyph_string(cairo, font, &one);
        cairo_surface_flush(surface);
        const auto [px, py] = place(w, h);
        upload(cairo_image_surface_get_data(surface), cairo_image_surface_get_stride(surface), w, h,
               px, py);
        cairo_destroy(cairo);
        cairo_surface_destroy(surface);
        return {static_cast<float>(px),
                static_cast<float>(py),
                static_cast<float>(px + w),
                static_cast<float>(py + h),
                static_cast<float>(ink.x - 1),
                static_cast<float>(ink.y - 1),
                true};
    }

    GPtr<PangoLayout> layout(std::string_view text, Weight weight, int px, double wrap,
                             bool centred) {
        GPtr<PangoLayout> made{pango_layout_new(context.get())};
        PangoFontDescription* font = pango_font_description_from_string(kFamilies);
        pango_font_description_set_absolute_size(font, px * PANGO_SCALE);
        pango_font_description_set_weight(
            font, weight == Weight::bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
        pango_layout_set_font_description(made.get(), font);
        pango_font_description_free(font);
        pango_layout_set_text(made.get(), text.data(), static_cast<int>(text.size()));
        if (wrap > 0) {
            pango_layout_set_width(made.get(), static_cast<int>(wrap * px * PANGO_SCALE));
            pango_layout_set_wrap(made.get(), PANGO_WRAP_WORD_CHAR);
        }
        if (centred) pango_layout_set_alignment(made.get(), PANGO_ALIGN_CENTER);
        return made;
    }

    TextRun shaped(std::string_view text, Weight weight, int px, double wrap, bool centred) {
        const auto made = layout(text, weight, px, wrap, centred);
        TextRun run;
        PangoRectangle logical;
        pango_layout_get_extents(made.get(), nullptr, &logical);
        const double unit = 1.0 / px, pango = unit / PANGO_SCALE;
        run.width = logical.width * pango;
        run.height = logical.height * pango;
        run.lines = pango_layout_get_line_count(made.get());
        PangoLayoutIter* it = pango_layout_get_iter(made.get());
        do {
            add_piece(run, it, (wrap > 0 && centred) ? logical.x : 0, px);
        } while (pango_layout_iter_next_run(it));
        pango_layout_iter_free(it);
        return run;
    }

    // One stretch of glyphs of one font. `shift`: where the box begins within the wrap width.
    void add_piece(TextRun& run, PangoLayoutIter* it, int shift, int px) {
        const PangoLayoutRun* piece = pango_layout_iter_get_run_readonly(it);
        if (!piece) return;
        PangoRectangle place;
        pango_layout_iter_get_run_extents(it, nullptr, &place);
        const double baseline = pango_layout_iter_get_baseline(it) / double(PANGO_SCALE);
        double pen = (place.x - shift) / double(PANGO_SCALE);
        for (int i = 0; i < piece->glyphs->num_glyphs; ++i) {
            const PangoGlyphInfo& g = piece->glyphs->glyphs[i];
            if (g.glyph != PANGO_GLYPH_EMPTY) {
                const Spot& s = spot(piece->item->analysis.font, g.glyph);
                if (s.drawn) {
                    const double x0 = pen + g.geometry.x_offset / double(PANGO_SCALE) + s.left;
                    const double y0 = baseline + g.geometry.y_offset / double(PANGO_SCALE) + s.top;
                    run.glyphs.push_back({float(x0 / px), float(y0 / px),
                                          float((x0 + s.u1 - s.u0) / px),
                                          float((y0 + s.v1 - s.v0) / px), s.u0, s.v0, s.u1, s.v1});
                }
            }
            pen += g.geometry.width / double(PANGO_SCALE);
        }
    }

    static void bar(TextRun& run, double x0, double y0, double x1, double y1) {
        run.glyphs.push_back({float(x0), float(y0), float(x1), float(y1), 2, 2, 3, 3});
    }

    // Without fonts: digits of seven strokes, an outlined box for any other character.
    static void stroke_character(TextRun& run, char c, double x) {
        constexpr double w = 0.5, t = 0.09, top = 0.2, mid = 0.6, low = 1.0;
        if (c == ' ') return;
        const unsigned on = c >= '0' && c <= '9' ? kSegments[static_cast<std::size_t>(c - '0')]
                            : c == '-'           ? 0x40
                                                 : 0x3f;
        if (on & 0x01) bar(run, x, top, x + w, top + t);
        if (on & 0x02) bar(run, x + w - t, top, x + w, mid);
        if (on & 0x04) bar(run, x + w - t, mid, x + w, low);
        if (on & 0x08) bar(run, x, low - t, x + w, low);
        if (on & 0x10) bar(run, x, mid, x + t, low);
        if (on & 0x20) bar(run, x, top, x + t, mid);
        if (on & 0x40) bar(run, x, mid - t / 2, x + w, mid + t / 2);
    }

    static TextRun stroked(std::string_view text, double wrap) {
        TextRun run;
        double x = 0;
        for (const char c : text) {
            if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // one box a character
            if (wrap > 0 && x + 0.7 > wrap) break;
            stroke_character(run, c, x);
            x += 0.68;
        }
        run.width = x;
        run.height = 1.2;
        return run;
    }
};

TextAtlas::TextAtlas() : TextAtlas(Options{}) {}
TextAtlas::TextAtlas(Options options) : impl_{std::make_unique<Impl>(options)} {}
TextAtlas::~TextAtlas() {
    impl_->forget();
}

std::shared_ptr<const TextRun> TextAtlas::run(std::string_view utf8, Weight weight, double size_px,
                                              double wrap, bool centred) {
    const int px = raster_for(size_px);
    std::string key{utf8};
    key.push_back('\0');
    key += std::to_string(px * 2 + (weight == Weight::bold)) + (centred ? "c" : "l") +
           std::to_string(std::lround(wrap * 100));
    if (const auto known = impl_->runs.find(key); known != impl_->runs.end()) return known->second;
    if (impl_->runs.size() > kMaxRuns) impl_->runs.clear();
    // Filling the texture up empties it in the middle of a run: shape that one again.
    const unsigned before = impl_->generation;
    TextRun made = impl_->fonts ? impl_->shaped(utf8, weight, px, wrap, centred)
                                : Impl::stroked(utf8, wrap);
    if (before != impl_->generation) made = impl_->shaped(utf8, weight, px, wrap, centred);
    return impl_->runs[key] = std::make_shared<const TextRun>(std::move(made));
}

Sprite TextAtlas::ring(double radius_px, double width_px) {
    const double half = width_px > 0 ? width_px / 2 : radius_px / 2,
                 middle = width_px > 0 ? radius_px : radius_px / 2;
    return impl_->sprite(radius_px, width_px, false, radius_px + width_px / 2 + 1.5,
                         [&](double d) { return half + 0.5 - std::abs(d - middle); });
}

Sprite TextAtlas::soft_disc(double radius_px, double reach_px) {
    return impl_->sprite(radius_px, reach_px, true, radius_px + reach_px + 1, [&](double d) {
        const double out = (d - radius_px) / reach_px;
        return out < 0.45 ? 1 - 0.3 * out / 0.45 : 0.7 * (1 - out) / 0.55;
    });
}

const sf::Texture& TextAtlas::texture() const {
    return impl_->texture;
}
unsigned TextAtlas::generation() const {
    return impl_->generation;
}
bool TextAtlas::has_fonts() const {
    return impl_->fonts;
}

}  // namespace overboard::table
