#include "app/own_faces.hpp"

#include "simulator/art.hpp"

namespace overboard::app {

vision::Faces own_art(const FaceKind& kind) {
    constexpr double kPxPerMm = 6;
    vision::Faces faces;
    for (const std::string& face : simulator::face_names(kind.set)) faces.enrol(face, simulator::draw_face(kind.set, face, kPxPerMm));
    return faces;
}

}  // namespace overboard::app
