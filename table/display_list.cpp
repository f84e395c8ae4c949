#include "table/display_list.hpp"

#include <algorithm>
#include <utility>

// Items are recognised by a hash of their content. One that was there before keeps its vertices. One
// that came, went, or now lies above something it lay below, damages its box.
namespace overboard::table {
namespace {

Rect bounds_of(const std::vector<sf::Vertex>& strip) {
    if (strip.empty()) return {};
    Rect box{strip[0].position.x, strip[0].position.y, strip[0].position.x, strip[0].position.y};
    for (const sf::Vertex& v : strip) {
        box.x0 = std::min<double>(box.x0, v.position.x), box.x1 = std::max<double>(box.x1, v.position.x);
        box.y0 = std::min<double>(box.y0, v.position.y), box.y1 = std::max<double>(box.y1, v.position.y);
    }
    return box;
}

}  // namespace

void DisplayList::begin(TextAtlas& atlas, double px_per_mm) {
    damage_.clear();
    before_ = std::move(now_);
    now_.clear();
    now_.reserve(before_.size());
    index_.clear();
    repeats_.clear();
    reached_ = 0;
    if (generation_ != atlas.generation() || px_per_mm_ != px_per_mm) {
        for (const Item& item : before_) damage_.push_back(item.bounds_mm);
        before_.clear();
    }
    for (std::size_t i = 0; i < before_.size(); ++i) index_.emplace(before_[i].hash, i);
    kept_.assign(before_.size(), 0);
    atlas_ = &atlas;
    px_per_mm_ = px_per_mm;
    generation_ = atlas.generation();
}

void DisplayList::add(const Hash& content, const std::function<void(Pen&)>& build) {
    const int repeat = repeats_[content.value()]++;
    const std::uint64_t hash = repeat ? (Hash{"again"} << content.value() << repeat).value() : content.value();
    if (const auto known = index_.find(hash); known != index_.end() && !kept_[known->second]) {
        kept_[known->second] = 1;
        now_.push_back(std::move(before_[known->second]));
        if (known->second < reached_) damage_.push_back(now_.back().bounds_mm);
        reached_ = std::max(reached_, known->second);
        return;
    }
    Item made{hash, {}, {}};
    Pen pen{made.strip, *atlas_, px_per_mm_};
    build(pen);
    made.bounds_mm = bounds_of(made.strip);
    ++built_;
    if (!made.bounds_mm.empty()) damage_.push_back(made.bounds_mm);
    now_.push_back(std::move(made));
}

std::vector<Rect> DisplayList::end() {
    for (std::size_t i = 0; i < before_.size(); ++i)
        if (!kept_[i] && !before_[i].bounds_mm.empty()) damage_.push_back(before_[i].bounds_mm);
    before_.clear();
    return std::exchange(damage_, {});
}

}  // namespace overboard::table
