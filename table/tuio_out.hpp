#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bus/observation.hpp"
#include "bus/table.hpp"

/// The pieces as TUIO 1.1 objects (/tuio/2Dobj), so that tangible-table software can use us.
namespace overboard::table {

/// One object of a frame, in TUIO's units.
struct TuioObject {
    int session = 0, id = 0;
    float x = 0, y = 0, angle = 0;  ///< 0..1, 0..1, 0..2 pi.
    float vx = 0, vy = 0, va = 0;   ///< Axes per second; rotations per second.
    float acceleration = 0, rotation = 0;
};

/// One packet: source, alive, set*, fseq; immediate time tag.
std::vector<std::uint8_t> tuio_packet(const std::string& source, const std::vector<int>& alive,
                                      const std::vector<TuioObject>& set, int frame);

/// The class id of a piece: kind × 1000 plus its value, the number in its face, or a number its
/// name always gives.
int tuio_class(const Piece& piece);

/// Sends frames over UDP. Session ids are new each time a piece comes back.
class TuioOut {
public:
    /// Throws std::runtime_error when `host` is no IPv4 address or name. Announces itself as
    /// `source` (name@address) with an empty frame, and leaves with one.
    TuioOut(const std::string& host, int port, std::string source = "overboard@127.0.0.1");
    ~TuioOut();
    void send(const Observation& seen, const Table& table);

private:
    struct Known {
        int session = 0;
        TuioObject last;
        double time = 0;
    };
    void put(const std::vector<std::uint8_t>& packet) const;
    std::string source_;
    struct Address;
    std::unique_ptr<Address> address_;
    std::map<int, Known> known_;  // by piece id
    int next_session_ = 1;
    int frame_ = 0;
};

}  // namespace overboard::table
