#pragma once

#include <string>

#include "bus/catalogue.hpp"
#include "bus/observation.hpp"
#include "simulator/art.hpp"
#include "simulator/camera.hpp"
#include "vision/faces/faces.hpp"

/// A rendered table with cards or tiles of one drawn set, for the tests of faces, cards and tiles.
namespace overboard::test {

inline FaceKind kind_of(const std::string& set) {
    FaceKind kind;
    const auto size = simulator::face_size(set);
    kind.set = set;
    kind.width_mm = size.width_mm;
    kind.height_mm = size.height_mm;
    kind.corner_radius_mm = size.corner_mm;
    kind.faces = simulator::face_names(set);
    kind.has_back = std::erase(kind.faces, "back") > 0;
    return kind;
}

inline vision::Faces enrolled(const std::string& set) {
    vision::Faces faces;
    for (const std::string& face : simulator::face_names(set))
        faces.enrol(face, simulator::draw_face(set, face, 6));
    return faces;
}

inline Piece piece_at(PieceKind kind, Pose at, const std::string& face) {
    Piece piece;
    piece.kind = kind;
    piece.x = at.x, piece.y = at.y, piece.angle = at.angle;
    piece.face = face;
    return piece;
}

struct Rendered {
    cv::Mat bgr;
    calibration::TableMap map;
};

inline Rendered render(const Catalogue& catalogue, const Observation& scene,
                       const std::string& light, std::uint64_t seed) {
    simulator::Camera camera({}, light, seed);
    Rendered out;
    out.bgr = camera.render(simulator::world_from(catalogue, scene), 0.1).clone();
    out.map = camera.map();
    return out;
}

/// The seen piece nearest to a true one, if any is within `reach_mm`.
inline const Piece* nearest(const std::vector<Piece>& seen, const Piece& truth, double reach_mm) {
    const Piece* best = nullptr;
    for (const Piece& p : seen) {
        const double d = distance({p.x, p.y}, {truth.x, truth.y});
        if (d < reach_mm) best = &p, reach_mm = d;
    }
    return best;
}

}  // namespace overboard::test
