#include "vision/detect_dice.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "vision/die_faces.hpp"

// Spots → faces → dice. Of the faces a die shows, the top one is seen the straightest: its pips are
// the roundest and the largest. The centre of a side face lies within 0.71 edges of the top face's
// centre whatever the view, the top face of another die never nearer than one.

namespace overboard::vision {
namespace {

constexpr int kWorkingSide_px = 1280;  ///< Larger pictures are halved until they fit.

/// How straight a face is seen: cosine of its tilt, by the outline of its pips.
float straightness(const DieFace& face, const DieFace& other) {
    // On many dice the one is larger than other pips: only its outline counts then.
    const bool sizes_compare = face.value != 1 && other.value != 1;
    return face.aspect * (sizes_compare ? face.pip_radius * face.pip_radius : face.aspect);
}

/// Is `a` a side of the die whose top is `b`, or chance inside its outline?
bool yields_to(const DieFace& a, const DieFace& b) {
    const double apart = cv::norm(a.centre - b.centre);
    if (apart < 0.6 * b.edge_px && a.edge_px < 0.55 * b.edge_px) return true;
    if (apart < 0.6 * a.edge_px && b.edge_px < 0.55 * a.edge_px) return false;
    const double ratio = straightness(a, b) / straightness(b, a);
    const double edge = std::max(a.edge_px, b.edge_px);
    return (apart < 0.72 * edge && ratio < 1) || (apart < 1.05 * edge && ratio < 0.75);
}

/// Drops every face that belongs to a die of which a straighter one is known.
std::vector<DieFace> top_faces(const std::vector<DieFace>& faces) {
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (std::none_of(faces.begin(), faces.end(),
                         [&](const DieFace& other) { return &other != &face && yields_to(face, other); }))
            kept.push_back(face);
    return kept;
}

/// Two dice can pass for the pips of a larger one: a pip that shows a face of its own is none.
std::vector<DieFace> without_giants(const std::vector<DieFace>& faces, const std::vector<Pip>& pips) {
    const auto shows = [&](const DieFace& giant, const DieFace& face) {
        if (face.edge_px > giant.edge_px * 0.6) return false;
        if (cv::norm(face.body_colour - face.pip_colour) < 0.4 * cv::norm(giant.body_colour - giant.pip_colour))
            return false;
        return std::any_of(giant.pips.begin(), giant.pips.end(), [&](int i) {
            return cv::norm(pips[i].centre - face.centre) < pips[i].radius && face.edge_px > 0.7 * pips[i].radius;
        });
    };
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (std::none_of(faces.begin(), faces.end(), [&](const DieFace& other) { return shows(face, other); }))
            kept.push_back(face);
    return kept;
}

/// Dice of one photograph are lit and sized alike: grain far fainter or smaller than they is none.
std::vector<DieFace> without_grain(const std::vector<DieFace>& faces) {
    double contrast = 0, edge = 0;
    for (const DieFace& face : faces) {
        contrast = std::max(contrast, cv::norm(face.body_colour - face.pip_colour));
        edge = std::max<double>(edge, face.edge_px);
    }
    std::vector<DieFace> kept;
    for (const DieFace& face : faces)
        if (cv::norm(face.body_colour - face.pip_colour) > 0.3 * contrast && face.edge_px > 0.2 * edge)
            kept.push_back(face);
    return kept;
}

Piece piece_of(const DieFace& face, double scale) {
    Piece piece;
    piece.kind = PieceKind::die;
    piece.value = face.value;
    piece.px = Point{(face.centre.x + 0.5) * scale - 0.5, (face.centre.y + 0.5) * scale - 0.5};
    piece.size_px = face.edge_px * scale;
    piece.x = piece.px->x;
    piece.y = piece.px->y;
    piece.confidence = std::clamp(0.3 + 0.7 * face.fit, 0.0, 1.0);
    return piece;
}

}  // namespace

std::vector<Piece> detect_dice(const View& view, const Catalogue&) {
    cv::Mat image = view.bgr, mask = view.mask;
    if (image.empty()) return {};
    double scale = 1;
    const int side = std::max(image.cols, image.rows);
    if (side > kWorkingSide_px) {
        scale = static_cast<double>(side) / kWorkingSide_px;
        cv::resize(view.bgr, image, {}, 1 / scale, 1 / scale, cv::INTER_AREA);
        if (!mask.empty()) cv::resize(view.mask, mask, image.size(), 0, 0, cv::INTER_NEAREST);
    }
    const Pyramid pyramid{image};
    const auto pips = find_pips(pyramid, mask);
    const auto faces = top_faces(without_grain(without_giants(find_die_faces(pyramid, pips), pips)));
    std::vector<Piece> pieces;
    for (const DieFace& face : faces) pieces.push_back(piece_of(face, scale));
    return pieces;
}

}  // namespace overboard::vision
