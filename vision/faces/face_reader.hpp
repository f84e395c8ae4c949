#pragma once

#include <memory>
#include <vector>

#include "vision/faces/face_compare.hpp"
#include "vision/faces/face_table.hpp"

namespace overboard::vision {

/// One way of reading a crop: which template, with which corners, how well.
struct Reading {
    int index = -1;
    int first = 0;        ///< The corner that was the grid's first.
    float score = -1;     ///< Without the deck's common look.
    float likeness = -1;  ///< With it.
    Corners corners{};
    Thumb thumb;
    Feature feature;  ///< Of the thumb.

    Reading() {}  // leaves the large ones as they are: they are about to be filled
};
using Readings = std::vector<std::unique_ptr<Reading>>;

/// The same corners beginning with another.
Corners turned(const Corners& c, int first);

/// Works on one crop; lives for one call.
class Recogniser {
public:
    Recogniser(const Faces::Table& table, const cv::Mat& bgr, const RecogniseOptions& options)
        : t_{table}, bgr_{bgr}, options_{options} {}

    /// Readings with this corner first.
    void read(const Corners& corners, int first, Readings& out) const;
    /// Of this template only, from a quarter of the samples if the corners are not to be pulled;
    /// the reading has no thumb then.
    [[nodiscard]] std::unique_ptr<Reading> read_as(int index, const Corners& corners) const;
    /// What the same crop would score as others, about.
    [[nodiscard]] std::vector<float> scores_as(const std::vector<Faces::Table::Rival>& others,
                                               const Reading& reading) const;

private:
    struct Candidate {
        Deformation deformation;
        int variant = 0;
    };
    bool allowed(int index, int first) const {
        return !options_.upright_only || (first - t_.templates[index].turn) % 4 == 0;
    }
    std::vector<Scored> shortlist(const Feature& own, int first) const;
    std::vector<Candidate> candidates(const std::vector<Reading>& starts) const;
    void score(Reading& reading) const;
    void realign(Deformation deformation, Reading& reading) const;
    std::vector<Corners> variants(const Corners& corners) const;
    void look(Reading& reading) const;

    const Faces::Table& t_;
    const cv::Mat& bgr_;
    const RecogniseOptions options_;
};

}  // namespace overboard::vision
