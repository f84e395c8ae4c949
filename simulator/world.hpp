#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "simulator/texture.hpp"

/// The things on a table that is not there. Table frame, z up from the table top, everything in mm.
namespace overboard::simulator {

enum class Form {
    prism,  ///< Cards, tiles, polygons, boards, phones: an outline with a top.
    disc,   ///< Round and flat, with a bevelled rim.
    die,
    turned  ///< Pawns, glasses, cups: rings over each other.
};

struct Ring {
    double radius_mm = 0;
    double z_mm = 0;
};

/// What a body is made of; shared by all bodies alike.
struct Shape {
    Form form = Form::prism;
    Polygon outline_mm;       ///< prism: about the centre, clockwise.
    double radius_mm = 0;     ///< disc.
    double height_mm = 1;     ///< die: the edge.
    TexturePtr top;           ///< Null: `colour`.
    double top_width_mm = 1;  ///< Size of the texture, centred on the body.
    double top_height_mm = 1;
    Rgb colour{128, 128, 128};
    Rgb side{128, 128, 128};
    std::array<TexturePtr, 6> faces;  ///< die: values 1…6.
    std::vector<Ring> rings;          ///< turned: bottom up.
    double opacity = 1;               ///< Glass: below 1.
    double gloss = 0.1;
};
using ShapePtr = std::shared_ptr<const Shape>;

struct Body {
    ShapePtr shape;
    int id = 0;  ///< Of the piece it shows; 0: none.
    Pose at;
    double z = 0;       ///< Underside (die: underside of its resting cube) above the table.
    double ground = 0;  ///< Top of what lies below; where its shadow falls.
    cv::Matx33d turn = cv::Matx33d::eye();    ///< die: which way it lies, before `at.angle`.
    double vx = 0, vy = 0, vz = 0, spin = 0;  ///< mm/s, rad/s: what the shutter smears.
    bool fixed = false;                       ///< Never moves: drawn once into the background.
    friend bool operator==(const Body&, const Body&) = default;
};

/// A hand with forearm and sleeve. `at` is the point between the finger tips; the arm comes from
/// the direction `at.angle` (pointing from the fingers back to the elbow).
struct Hand {
    Pose at;
    double z = 30;  ///< Finger tips above the table.
    int look = 0;   ///< Skin and sleeve.
    double vx = 0, vy = 0;
    friend bool operator==(const Hand&, const Hand&) = default;
};

struct World {
    Table table;
    std::vector<Body> bodies;
    std::vector<Hand> hands;
};

/// The table of a scene: its board, its pieces at their places, stacked in the order of the list.
World world_from(const Catalogue& catalogue, const Observation& scene);

/// One piece as a body standing at (x, y) with its underside at z.
Body body_of(const Catalogue& catalogue, const Piece& piece, double z = 0);

/// How high a piece is, in mm.
double height_of(const Body& body);

/// Outline on the table, for stacking and for hands that must not touch neighbours.
Polygon footprint(const Body& body);

/// One such thing: "phone", "tea", "cup", "pencil", "glass" or "coaster".
Body left_thing(const std::string& name, Pose at);

/// Things people leave on tables: phones, glasses, cups, pencils. `count` of them near the edges,
/// clear of `keep_out`.
void add_clutter(World& world, int count, std::uint64_t seed,
                 const std::vector<Polygon>& keep_out = {});

}  // namespace overboard::simulator
