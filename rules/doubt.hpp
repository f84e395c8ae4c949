#pragma once

#include <vector>

#include "bus/catalogue.hpp"
#include "rules/readings.hpp"

namespace overboard::rules {

/// Reads a table on which some pieces could be something else, too: each is tried as each of its
/// alternatives, what is legal competes by confidence, and what comes too close becomes a question.
class Doubt {
public:
    /// `close`: two legal readings nearer in confidence than this are asked about.
    Doubt(const Game& game, const Catalogue& catalogue, double close);

    [[nodiscard]] Reading best_reading(const State& state, const Observation& seen) const;

private:
    struct Candidate {
        Reading reading;
        double confidence = 1;
        double rival = 1;  ///< How sure vision was of what it reported instead.
    };
    [[nodiscard]] std::optional<Piece> as_alternative(Piece piece, const Alternative& other) const;
    [[nodiscard]] std::vector<Candidate> alternatives(const State& state,
                                                      const Observation& seen) const;
    [[nodiscard]] Reading decided(std::vector<Candidate> all) const;

    const Game* game_;
    std::vector<std::string> colours_;
    double close_;
};

}  // namespace overboard::rules
