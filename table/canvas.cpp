#include "table/canvas.hpp"

#include <SFML/OpenGL.hpp>
#include <SFML/Window/Event.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "table/outputs.hpp"

// The homography goes to OpenGL as SFML's transform: its 3 x 3 matrix has a w row, and OpenGL
// divides by w for every vertex and every texel, so circles and text are truly projective. (SFML
// transforms batches of four vertices or fewer itself and drops w: batches are padded to five.)
// Damage is a scissor box, a clear and a draw call each for the strips of what lies below the dark,
// the dark, and what lies above it. Of what rarely changes (DisplayList::lift) a picture is kept:
// where pieces move over many marks, a patch of that and their own dark are all there is to draw.
namespace overboard::table {
namespace {

constexpr int kOldestBuffer = 3;
constexpr std::size_t kMaxBoxes = 48;
constexpr double kAllAbove = 0.6;  // share of the picture from which one box is cheaper

sf::Transform transform_of(const Mapping& mapping) {
    const Matrix3& m = mapping.matrix();
    const auto f = [&](std::size_t i) { return static_cast<float>(m[i]); };
    return {f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7), f(8)};
}

Rect whole_pixels(const Rect& r) {
    return {std::floor(r.x0), std::floor(r.y0), std::ceil(r.x1), std::ceil(r.y1)};
}

}  // namespace

std::vector<Rect> merged(std::vector<Rect> boxes, const Rect& all) {
    std::erase_if(boxes, [](const Rect& r) { return r.empty(); });
    if (boxes.size() > 8 * kMaxBoxes) return {all};
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            for (std::size_t j = i + 1; j < boxes.size();) {
                const Rect both = united(boxes[i], boxes[j]);
                if (both.area() < 1.15 * (boxes[i].area() + boxes[j].area())) {
                    boxes[i] = both;
                    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(j));
                    again = true;
                } else {
                    ++j;
                }
            }
    }
    double area = 0;
    for (const Rect& r : boxes) area += r.area();
    if (boxes.size() > kMaxBoxes || area > kAllAbove * all.area()) return {all};
    return boxes;
}

Canvas::Canvas(const CanvasOptions& options) : output_{options.offscreen ? "" : options.output} {
    if (!display_present())
        throw std::runtime_error(
            "no display to draw on: set DISPLAY, or start the program under Xvfb");
    if (!output_.empty() || !options.offscreen) {
        open_window(options);
    } else {
        texture_ = std::make_unique<sf::RenderTexture>();
        if (!texture_->create(static_cast<unsigned>(options.size.width),
                              static_cast<unsigned>(options.size.height)))
            throw std::runtime_error("cannot make an off-screen picture: no OpenGL");
    }
    fit_view();
}

Canvas::~Canvas() = default;

void Canvas::open_window(const CanvasOptions& options) {
    window_ = std::make_unique<sf::RenderWindow>();
    if (output_.empty()) {
        window_->create(
            {static_cast<unsigned>(options.size.width), static_cast<unsigned>(options.size.height)},
            options.title);
        const sf::VideoMode desk = sf::VideoMode::getDesktopMode();
        window_->setPosition(
            {std::max(0, (static_cast<int>(desk.width) - options.size.width) / 2),
             std::max(0, (static_cast<int>(desk.height) - options.size.height) / 2)});
    } else {
        const Output place = require_output(output_);
        window_->create({static_cast<unsigned>(place.width), static_cast<unsigned>(place.height)},
                        options.title, sf::Style::None);
        window_->setPosition({place.x, place.y});
        window_->setMouseCursorVisible(false);
        keep_full_screen(window_->getSystemHandle());
    }
    window_->setVerticalSyncEnabled(true);
    buffer_age_ = measured_buffer_age();
    if (buffer_age_ == 1) part_copy_ = part_copy();
}

// What is in the back buffer after a swap? Shows three pictures too dark to see and looks which of
// them comes back: 1 the last one (copied), 2 or 3 an older one (flipped), 0 something else.
int Canvas::measured_buffer_age() {
    window_->setActive(true);
    for (int i = 1; i <= kOldestBuffer; ++i) {
        window_->clear(sf::Color(static_cast<sf::Uint8>(i), 0, 0));
        window_->display();
    }
    std::array<std::uint8_t, 4> pixel{};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel.data());
    return pixel[0] >= 1 && pixel[0] <= kOldestBuffer ? kOldestBuffer + 1 - pixel[0] : 0;
}

sf::RenderTarget& Canvas::target() {
    if (window_) return *window_;
    return *texture_;
}

void Canvas::activate() {
    if (window_)
        window_->setActive(true);
    else
        texture_->setActive(true);
}

Size Canvas::size() const {
    const sf::Vector2u s = window_ ? window_->getSize() : texture_->getSize();
    return {static_cast<int>(s.x), static_cast<int>(s.y)};
}

// Off-screen the view is upside down, so that OpenGL's rows, counted from the bottom, are ours.
void Canvas::fit_view() {
    const auto w = static_cast<float>(size().width), h = static_cast<float>(size().height);
    if (window_) window_->display();  // only a swap tells OpenGL that the window has another size
    target().setView({{w / 2, h / 2}, {w, window_ ? h : -h}});
    lower_ = std::make_unique<sf::RenderTexture>();
    if (!lower_->create(static_cast<unsigned>(w), static_cast<unsigned>(h)))
        throw std::runtime_error("cannot make an off-screen picture: no OpenGL");
    all_ = true;
    recent_.clear();
    pixels_.assign(static_cast<std::size_t>(size().width) * size().height * 4, 0);
}

void Canvas::set_mapping(const Mapping& mapping) {
    if (mapping == mapping_) return;
    mapping_ = mapping;
    all_ = true;
}

std::vector<Rect> Canvas::boxes(const std::vector<Rect>& damage_mm) const {
    const Rect all{0, 0, double(size().width), double(size().height)};
    if (all_) return {all};
    std::vector<Rect> px;
    px.reserve(damage_mm.size());
    for (const Rect& r : damage_mm)
        px.push_back(whole_pixels(clipped(mapping_.pixels(r).grown(1.5), all)));
    return merged(std::move(px), all);
}

void Canvas::scissor(const Rect& px, bool upside_down) {
    const double bottom = upside_down ? px.y0 : size().height - px.y1;
    glEnable(GL_SCISSOR_TEST);
    glScissor(static_cast<int>(px.x0), static_cast<int>(bottom), static_cast<int>(px.width()),
              static_cast<int>(px.height()));
}

void Canvas::draw_items(sf::RenderTarget& on, const DisplayList& list, std::size_t first,
                        std::size_t last, const sf::Texture& texture, const Rect& px) {
    const auto& items = list.items();
    scissor(px, &on == texture_.get());
    for (std::size_t i = first; i < last;) {
        const bool dark = items[i].dark;
        batch_.clear();
        for (; i < last && items[i].dark == dark; ++i)
            if (touch(item_px_[i], px))
                batch_.insert(batch_.end(), items[i].strip.begin(), items[i].strip.end());
        if (!batch_.empty()) draw_batch(on, texture, dark);
    }
}

void Canvas::draw_batch(sf::RenderTarget& on, const sf::Texture& texture, bool dark) {
    while (batch_.size() < 5) batch_.push_back(batch_.back());
    look_up_nearest(texture, dark);
    sf::RenderStates states;
    states.transform = transform_of(mapping_);
    states.texture = &texture;
    on.draw(batch_.data(), batch_.size(), sf::TriangleStrip, states);
    ++draws_;
}

// A soft dark needs no finer look-up than the nearest texel, which software OpenGL does in less
// time.
void Canvas::look_up_nearest(const sf::Texture& texture, bool nearest) {
    if (nearest == nearest_) return;
    nearest_ = nearest;
    sf::Texture::bind(&texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, nearest ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, nearest ? GL_NEAREST : GL_LINEAR);
}

// Where the items lie in the picture; those before `first` have not changed.
void Canvas::measure_items(const DisplayList& list, std::size_t first) {
    item_px_.resize(std::min(first, item_px_.size()));
    for (std::size_t i = item_px_.size(); i < list.items().size(); ++i)
        item_px_.push_back(mapping_.pixels(list.items()[i].bounds_mm));
}

// Brings the kept picture up to date, once nothing of it changes any more.
void Canvas::keep_lower(const DisplayList& list, const sf::Texture& texture) {
    if (stale_.empty()) return;
    lower_->setActive(true);
    for (const Rect& px : std::exchange(stale_, {})) {
        scissor(px, false);
        lower_->clear(sf::Color::Black);
        draw_items(*lower_, list, 0, list.lower(), texture, px);
    }
    glDisable(GL_SCISSOR_TEST);
    lower_->display();
}

// Is a patch of the kept picture there, and less work than drawing what it shows?
bool Canvas::worth_copying(const DisplayList& list, const Rect& px) const {
    constexpr int kFew = 2;
    if (std::any_of(stale_.begin(), stale_.end(), [&](const Rect& old) { return touch(old, px); }))
        return false;
    const auto end = item_px_.begin() + static_cast<std::ptrdiff_t>(list.lower());
    return std::count_if(item_px_.begin(), end, [&](const Rect& item) { return touch(item, px); }) >
           kFew;
}

// What of the kept picture must be shown again in a box: where only dark moved, just what is lit
// there. The rest is black and was.
void Canvas::add_patches(const DisplayList& list, const Rect& px,
                         std::vector<Rect>& patches) const {
    const auto light = [&](const Rect& mm) { return touch(mapping_.pixels(mm).grown(1.5), px); };
    const bool dark_only = !all_ && (texture_ || buffer_age_ == 1) &&
                           std::none_of(list.upper_light_damage().begin(),
                                        list.upper_light_damage().end(), light);
    const std::size_t first = patches.size();
    double area = 0;
    for (std::size_t i = 0; dark_only && i < list.lower(); ++i)
        if (touch(item_px_[i], px))
            patches.push_back(clipped(whole_pixels(item_px_[i].grown(1)), px)),
                area += patches.back().area();
    if (dark_only && area < px.area()) return;
    patches.resize(first);
    patches.push_back(px);
}

void Canvas::draw_boxes(const DisplayList& list, const sf::Texture& texture,
                        const std::vector<Rect>& boxes_px) {
    std::vector<Rect> copied, drawn, patches;
    for (const Rect& px : boxes_px) (worth_copying(list, px) ? copied : drawn).push_back(px);
    for (const Rect& px : copied) add_patches(list, px, patches);
    activate();
    copy_lower(patches);
    for (const Rect& px : copied)
        draw_items(target(), list, list.lower(), list.items().size(), texture, px);
    for (const Rect& px : drawn) {
        scissor(px, texture_ != nullptr);
        target().clear(sf::Color::Black);
        draw_items(target(), list, 0, list.items().size(), texture, px);
    }
    look_up_nearest(texture, false);
    glDisable(GL_SCISSOR_TEST);
}

void Canvas::copy_lower(const std::vector<Rect>& boxes_px) {
    if (boxes_px.empty()) return;
    batch_.clear();
    const auto corner = [&](double x, double y) {
        const sf::Vector2f at{static_cast<float>(x), static_cast<float>(y)};
        batch_.emplace_back(at, at);
    };
    for (const Rect& b : boxes_px)
        corner(b.x0, b.y0), corner(b.x1, b.y0), corner(b.x1, b.y1), corner(b.x0, b.y1);
    sf::RenderStates states{sf::BlendNone};
    states.texture = &lower_->getTexture();
    target().draw(batch_.data(), batch_.size(), sf::Quads, states);
    ++draws_;
}

void Canvas::present(const std::vector<Rect>& boxes_px) {
    if (texture_) {
        texture_->display();
    } else if (part_copy_ && !all_) {
        for (const Rect& b : boxes_px)
            part_copy_(static_cast<int>(b.x0), static_cast<int>(size().height - b.y1),
                       static_cast<int>(b.width()), static_cast<int>(b.height()));
    } else {
        window_->display();
    }
    ++displays_;
}

std::vector<Rect> Canvas::draw(const DisplayList& list, const sf::Texture& texture,
                               const std::vector<Rect>& damage_mm, bool everything) {
    if (hidden_) return {};
    all_ |= everything;
    const std::vector<Rect> fresh = boxes(damage_mm);
    if (fresh.empty()) return {};
    std::vector<Rect> now = fresh;
    if (window_) {
        for (const auto& old : recent_) now.insert(now.end(), old.begin(), old.end());
        recent_.push_front(fresh);
        while (recent_.size() >= std::size_t(std::max(1, buffer_age_))) recent_.pop_back();
        const Rect all{0, 0, double(size().width), double(size().height)};
        now = buffer_age_ == 0 ? std::vector<Rect>{all} : merged(std::move(now), all);
    }
    const std::vector<Rect> lower = boxes(list.lower_damage());
    measure_items(list, lower.empty() && list.lower_same() ? list.lower() : 0);
    if (lower.empty()) {
        keep_lower(list, texture);
    } else {
        stale_.insert(stale_.end(), lower.begin(), lower.end());
        stale_ = merged(std::move(stale_), {0, 0, double(size().width), double(size().height)});
    }
    draw_boxes(list, texture, now);
    if (texture_) unread_.insert(unread_.end(), now.begin(), now.end());
    present(now);
    all_ = false;
    return fresh;
}

bool Canvas::poll(sf::Event& event) {
    if (!window_ || !window_->pollEvent(event)) return false;
    if (event.type == sf::Event::Resized) fit_view();
    if (event.type == sf::Event::GainedFocus) all_ = true;
    return true;
}

bool Canvas::follow_output() {
    if (output_.empty() || !window_) return true;
    const auto place = find_output(output_);
    if (!place) {
        if (!hidden_) window_->setVisible(false);
        hidden_ = true;
        return false;
    }
    const bool moved = window_->getPosition() != sf::Vector2i{place->x, place->y} ||
                       size() != Size{place->width, place->height};
    if (hidden_ || moved) {
        window_->setSize(
            {static_cast<unsigned>(place->width), static_cast<unsigned>(place->height)});
        window_->setPosition({place->x, place->y});
        window_->setVisible(true);
        hidden_ = false;
        fit_view();
    }
    return true;
}

const std::vector<std::uint8_t>& Canvas::read_pixels() {
    const Rect all{0, 0, double(size().width), double(size().height)};
    const std::vector<Rect> boxes = merged(std::exchange(unread_, {}), all);
    if (boxes.empty() || window_) return pixels_;
    activate();
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ROW_LENGTH, size().width);
    for (const Rect& b : boxes) {
        const auto x = static_cast<int>(b.x0), y = static_cast<int>(b.y0),
                   w = static_cast<int>(b.width()), h = static_cast<int>(b.height());
        glReadPixels(x, y, w, h, GL_RGBA, GL_UNSIGNED_BYTE,
                     &pixels_[4 * (std::size_t(y) * size().width + x)]);
    }
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    return pixels_;
}

void Canvas::close() {
    if (window_) window_->close();
}

unsigned long Canvas::handle() const {
    return window_ ? window_->getSystemHandle() : 0;
}

bool Canvas::open() const {
    return !window_ || window_->isOpen();
}

}  // namespace overboard::table
