#include "app/projection.hpp"

#include <fmt/format.h>

#include <opencv2/imgproc.hpp>

#include "bus/codec.hpp"
#include "table/outputs.hpp"
#include "table/virtual_display.hpp"

namespace overboard::app {

cv::Mat as_bgr(const table::Picture& picture) {
    if (picture.rgba.empty()) return {};
    const cv::Mat rgba(picture.size.height, picture.size.width, CV_8UC4,
                       const_cast<std::uint8_t*>(picture.rgba.data()));
    cv::Mat bgr;
    cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
    return bgr;
}

struct Projection::Parts {
    std::string place = fmt::format("inproc://projection-{}-", number++);
    Publisher events{place + "events"}, observations{place + "observations"};
    Server requests{place + "requests"};
    std::optional<table::VirtualDisplay> display;
    std::optional<table::TableApp> table;
    cv::Mat picture;
    std::string text;
    bool changed = false;
    inline static int number = 0;

    explicit Parts(const Table& mm) {
        if (!table::display_present()) display.emplace();
        table::TableOptions options;
        options.addresses = {place + "requests", place + "events", place + "observations"};
        options.canvas.offscreen = true;
        options.canvas.size = {960, 540};
        options.table = mm;
        options.on_overlay = [this](const table::OverlayChange&) { changed = true; };
        table.emplace(std::move(options));
    }
};

Projection::Projection(const Table& table) : parts_{std::make_unique<Parts>(table)} {}
Projection::~Projection() = default;

void Projection::publish(std::string_view topic, std::string_view json) {
    parts_->events.publish(topic, json, true);
}

void Projection::show(const Observation& seen) {
    parts_->text.clear();
    encode(seen, parts_->text);
    parts_->observations.publish("observation", parts_->text);
}

bool Projection::step(double now_s, const Server::Handler& rules) {
    parts_->changed = false;
    while (parts_->requests.serve(rules, milliseconds{0}) > 0) {
    }
    parts_->table->step(now_s);
    if (parts_->changed || parts_->picture.empty())
        parts_->picture = as_bgr(parts_->table->picture());
    return parts_->changed;
}

const cv::Mat& Projection::picture() const {
    return parts_->picture;
}

}  // namespace overboard::app
