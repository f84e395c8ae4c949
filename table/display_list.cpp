#include "table/display_list.hpp"

#include <algorithm>
#include <utility>

// Items are recognised by a hash of their content. One that was there before keeps its vertices.
// One that came, went, or now lies above something it lay below, damages its box; dark only where
// light lies in it.
namespace overboard::table {
namespace {

Rect bounds_of(const std::vector<sf::Vertex>& strip) {
    if (strip.empty()) return {};
    Rect box{strip[0].position.x, strip[0].position.y, strip[0].position.x, strip[0].position.y};
    for (const sf::Vertex& v : strip) {
        box.x0 = std::min<double>(box.x0, v.position.x),
        box.x1 = std::max<double>(box.x1, v.position.x);
        box.y0 = std::min<double>(box.y0, v.position.y),
        box.y1 = std::max<double>(box.y1, v.position.y);
    }
    return box;
}

}  // namespace

void DisplayList::begin(TextAtlas& atlas, double px_per_mm) {
    damage_.clear();
    lower_damage_.clear();
    upper_light_damage_.clear();
    dark_damage_.clear();
    before_ = std::move(now_);
    lower_before_ = std::exchange(lower_, 0);
    now_.clear();
    now_.reserve(before_.size() + 16);
    index_.clear();
    next_ = reached_ = 0;
    lifted_ = false;
    lower_same_ = true;
    if (generation_ != atlas.generation() || px_per_mm_ != px_per_mm) {
        for (std::size_t i = 0; i < before_.size(); ++i) damage(before_[i], i < lower_before_);
        before_.clear();
    }
    kept_.assign(before_.size(), 0);
    atlas_ = &atlas;
    px_per_mm_ = px_per_mm;
    generation_ = atlas.generation();
}

void DisplayList::damage(const Item& item, bool lower) {
    const Rect& box = item.bounds_mm;
    if (box.empty()) return;
    (item.dark ? dark_damage_ : damage_).push_back(box);
    if (lower)
        lower_damage_.push_back(box);
    else if (!item.dark)
        upper_light_damage_.push_back(box);
}

void DisplayList::damage_lit_parts_of(const Rect& dark) {
    Rect lit;
    for (const Item& item : now_)
        if (!item.dark && touch(item.bounds_mm, dark))
            lit = lit.empty() ? clipped(item.bounds_mm, dark)
                              : united(lit, clipped(item.bounds_mm, dark));
    if (!lit.empty()) damage_.push_back(lit);
}

// Nearly always an item is the next one of the last picture; only where it is not, they are sorted.
std::size_t DisplayList::find(std::uint64_t hash) {
    while (next_ < before_.size() && kept_[next_]) ++next_;
    if (next_ < before_.size() && before_[next_].hash == hash) return next_;
    if (index_.empty()) {
        for (std::size_t i = 0; i < before_.size(); ++i)
            if (!kept_[i]) index_.emplace_back(before_[i].hash, i);
        std::sort(index_.begin(), index_.end());
    }
    for (auto known =
             std::lower_bound(index_.begin(), index_.end(), std::pair{hash, std::size_t{0}});
         known != index_.end() && known->first == hash; ++known)
        if (!kept_[known->second]) return known->second;
    return before_.size();
}

void DisplayList::lift() {
    lifted_ = true;
    lower_ = now_.size();
    lower_same_ = lower_same_ && lower_ == lower_before_;
}

bool DisplayList::keep(std::uint64_t hash) {
    const std::size_t at = find(hash);
    if (at == before_.size()) return false;
    const bool was_lower = at < lower_before_;
    kept_[at] = 1;
    lower_same_ = lower_same_ && (lifted_ || at == now_.size());
    now_.push_back(std::move(before_[at]));
    if (at < reached_ || was_lower == lifted_) damage(now_.back(), was_lower || !lifted_);
    reached_ = std::max(reached_, at);
    next_ = std::max(next_, at + 1);
    return true;
}

void DisplayList::take(Item made) {
    made.bounds_mm = bounds_of(made.strip);
    ++built_;
    lower_same_ = lower_same_ && lifted_;
    damage(made, !lifted_);
    now_.push_back(std::move(made));
}

std::vector<Rect> DisplayList::end() {
    for (std::size_t i = 0; i < before_.size(); ++i)
        if (!kept_[i]) damage(before_[i], i < lower_before_);
    before_.clear();
    for (const Rect& box : dark_damage_) damage_lit_parts_of(box);
    if (!lifted_) lift();
    return std::exchange(damage_, {});
}

}  // namespace overboard::table
