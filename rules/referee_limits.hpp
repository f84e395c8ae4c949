#pragma once

namespace overboard::rules {

/// When a change on the table is believed.
struct RefereeLimits {
    double settle_s = 0.12;      ///< A reading must hold this long. Lower: flicker gets through.
                                 ///< Higher: later scores.
    int settle_frames = 3;       ///< … and in this many observations, of a move also from before
                                 ///< the table is still. 1: at once (a single picture).
    double close = 0.15;         ///< Two legal readings nearer in confidence than this: ask.
    double die_moved_mm = 12;    ///< A die that lies within this of where it lay, showing the same,
                                 ///< was not rolled.
    double in_place_mm = 8;      ///< A piece this near to its place is put back.
    double stroke_wait_s = 1.5;  ///< A stroke and the table do not agree for so long: ask people.
    double glimpse_s = 0.15;     ///< A roll that lay there so long before the table was still, or a
                                 ///< piece while a hand was elsewhere, counts with the move that
                                 ///< follows it, though it was taken up for that.
    double beside_hand_s = 0.5;  ///< A move that lay there so long beside a hand counts, though
                                 ///< what was done since cannot be read. As long as a still
                                 ///< table takes to be believed.
    double sure_stroke = 0.9;  ///< A stroke read with less confidence must hold for settle_s, too.
    bool watches_strokes = false;  ///< Vision reports strokes, so a disc that is gone without one
                                   ///< was not pocketed.
};

/// A single picture, believed at once: match.observe.
inline RefereeLimits at_once() {
    RefereeLimits limits;
    limits.settle_s = 0;
    limits.settle_frames = 1;
    return limits;
}

}  // namespace overboard::rules
