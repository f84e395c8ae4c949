#pragma once

#include "table/stage.hpp"

/// Putting a misread right in two taps: tap the piece or the score, tap what it really was.
namespace overboard::table {

/// What the last move may have been instead: the camera's own alternatives for the tapped piece
/// first, then the nearest neighbours of every number and the other way of every yes and no.
/// Labels say what differs. Without the move itself.
std::vector<Candidate> alternatives_to(const Move& move, const Piece* piece);

/// What the rules would have allowed instead joins them, the more alike the better: below what a
/// camera or a slip of one would explain.
void add_legal(std::vector<Candidate>& candidates, const Move& move,
               const std::vector<Move>& legal);

/// Legal ones first, then by confidence; of those that read alike the first; at most `most`.
void rank(std::vector<Candidate>& candidates, std::size_t most = 8);

/// What a piece was taken for, as text: its value, face, colour or type.
std::string reading_of(const Piece& piece);
/// The piece under a finger.
const Piece* piece_at(const std::vector<Piece>& pieces, Point p);

/// A move in words: what is done, and every detail that is not zero or no.
std::string move_words(const Stage& stage, const std::string& seat, const Move& move);

void paint_correction(Stage& stage);

}  // namespace overboard::table
