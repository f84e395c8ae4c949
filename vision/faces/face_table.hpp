#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vision/faces/face_details.hpp"
#include "vision/faces/face_thumb.hpp"
#include "vision/faces/faces.hpp"

/// What the faces of one set are compared by. Known to the recogniser only.
namespace overboard::vision {

struct Reference {
    std::string face;
    double aspect = 1;
    cv::Mat grey;                 ///< As it is, small: what its details are looked for in.
    std::array<Thumb, 4> turned;  ///< [r]: corner 0 of the grid is the reference's corner r
};

/// One way a face may lie.
struct Template {
    int face = 0;
    int turn = 0;
};

struct Scored {
    float score = 0;
    int index = 0;  ///< Of a template.
};
inline bool better(const Scored& a, const Scored& b) {
    return a.score > b.score;
}

std::shared_ptr<const Reference> make_reference(const std::string& face, const cv::Mat& bgr);
/// With the hidden cells in the colour most of the others have.
std::shared_ptr<const Reference> covered_reference(const Reference& whole,
                                                   const std::vector<std::uint8_t>& hidden);
void remove_direction(Feature& f, const Feature& direction);

struct Faces::Table {
    std::vector<std::shared_ptr<const Reference>> references;

    // Made of the references when the first crop is asked about.
    mutable std::once_flag once;
    mutable double aspect = 0;
    mutable bool square = false;
    mutable std::vector<Template> templates;
    mutable std::vector<Feature> full, own;  // as described; without the deck's common direction
    mutable std::vector<float> commonness;   // of `full`: how much of the common direction it has
    mutable std::vector<Short> brief;        // of `own`: many can be compared with
    mutable std::vector<Coarse> coarse;      // of `own`: all can
    mutable Feature common{};
    mutable float threshold = 0;
    mutable float
        stranger = 1;  // what a stranger in the style of the deck may score, twins included

    void make() const {
        std::call_once(once, [this] { make_now(); });
    }
    /// Features of all templates on a part of the face; kept, since the same few parts come again.
    const std::vector<Feature>& part(const cv::Rect& cells) const;

    /// The template of a face that lies upright, and those of other faces that look rather like it;
    /// found when first asked for.
    struct Rival {
        int index = -1;
        float likeness = 0;
    };
    struct Upright {
        int index = -1;
        std::vector<Rival> rivals;
    };
    const Upright& upright(const std::string& face) const;
    /// Found when first asked for.
    const FaceDetails& details() const;

    const Thumb& thumb(int t) const {
        return references[templates[t].face]->turned[templates[t].turn];
    }
    const std::string& name(int t) const { return references[templates[t].face]->face; }

private:
    void make_now() const;
    void make_common() const;
    void make_threshold() const;

    mutable std::once_flag details_once;
    mutable FaceDetails found_details;
    mutable std::mutex part_mutex, upright_mutex;
    mutable std::map<std::array<int, 4>, std::vector<Feature>> parts;
    mutable std::map<std::string, Upright> uprights;
};

/// Which grey cells show.
std::vector<float> mask_of(const cv::Rect& cells);

}  // namespace overboard::vision
