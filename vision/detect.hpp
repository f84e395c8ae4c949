#pragma once

#include <optional>
#include <vector>

#include "bus/observation.hpp"
#include "vision/faces/faces.hpp"
#include "vision/view.hpp"

namespace overboard::vision {

/// Which kinds to look for. A kind that is asked for while the catalogue lists none of it means
/// "anything of that kind": unknown sizes, colours by their common names.
struct Kinds {
    bool discs = false, dice = false, cards = false, tiles = false, polygons = false,
         stones = false, pawns = false;
};

/// All that a catalogue lists.
Kinds kinds_of(const Catalogue& catalogue);

/// A game says how many dice it is played with (0: any number): of more, those that can be read,
/// the clearest first.
std::vector<Piece> clearest_dice(int count, std::vector<Piece> dice);
int dice_in(const Catalogue& catalogue);

/// Enrolled faces, one entry for each catalogue.cards / catalogue.tiles entry, in that order.
struct FaceSets {
    std::vector<Faces> cards, tiles;
};

/// The cold way of seeing: one picture and nothing known but what to look for. Pieces have no ids.
/// With a map positions are in its frame, without one in pixels. `board`: where the catalogue's
/// board lies, when known (in the map's frame); otherwise it is looked for.
Observation detect_cold(const View& view, const Catalogue& catalogue, const Kinds& kinds,
                        const FaceSets& faces = {}, std::optional<Pose> board = {});

}  // namespace overboard::vision
