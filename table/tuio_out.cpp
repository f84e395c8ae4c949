#include "table/tuio_out.hpp"

#include <lo/lo.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace overboard::table {
namespace {

constexpr std::size_t kObjectsPerPacket = 15;  // 1472 bytes of UDP payload with alive lists of 60
constexpr const char* kPath = "/tuio/2Dobj";

void add(lo_bundle bundle, lo_message message) {
    lo_bundle_add_message(bundle, kPath, message);
}

lo_message set_message(const TuioObject& o) {
    lo_message m = lo_message_new();
    lo_message_add(m, "siiffffffff", "set", o.session, o.id, double(o.x), double(o.y),
                   double(o.angle), double(o.vx), double(o.vy), double(o.va),
                   double(o.acceleration), double(o.rotation));
    return m;
}

float turn(double angle) {
    const double a = std::fmod(angle, 2 * M_PI);
    return static_cast<float>(a < 0 ? a + 2 * M_PI : a);
}

}  // namespace

std::vector<std::uint8_t> tuio_packet(const std::string& source, const std::vector<int>& alive,
                                      const std::vector<TuioObject>& set, int frame) {
    lo_bundle bundle = lo_bundle_new(LO_TT_IMMEDIATE);
    lo_message m = lo_message_new();
    lo_message_add(m, "ss", "source", source.c_str());
    add(bundle, m);
    m = lo_message_new();
    lo_message_add_string(m, "alive");
    for (const int id : alive) lo_message_add_int32(m, id);
    add(bundle, m);
    for (const TuioObject& object : set) add(bundle, set_message(object));
    m = lo_message_new();
    lo_message_add(m, "si", "fseq", frame);
    add(bundle, m);
    std::size_t size = lo_bundle_length(bundle);
    std::vector<std::uint8_t> bytes(size);
    lo_bundle_serialise(bundle, bytes.data(), &size);
    lo_bundle_free_recursive(bundle);
    return bytes;
}

int tuio_class(const Piece& piece) {
    const int base = static_cast<int>(piece.kind) * 1000;
    if (piece.value) return base + *piece.value;
    const std::string name = piece.face ? *piece.face : piece.type + piece.colour;
    std::string digits;
    std::copy_if(name.begin(), name.end(), std::back_inserter(digits),
                 [](char c) { return c >= '0' && c <= '9'; });
    if (!digits.empty() && digits.size() <= 2) return base + std::stoi(digits);
    unsigned h = 2166136261u;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return base + 100 + static_cast<int>(h % 900);
}

struct TuioOut::Address {
    int socket = -1;
    sockaddr_storage to{};
    socklen_t length = 0;
};

TuioOut::TuioOut(const std::string& host, int port, std::string source)
    : source_{std::move(source)}, address_{std::make_unique<Address>()} {
    addrinfo hints{}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0 || !found)
        throw std::runtime_error("cannot send TUIO to '" + host + "': no such address");
    std::copy_n(reinterpret_cast<char*>(found->ai_addr), found->ai_addrlen,
                reinterpret_cast<char*>(&address_->to));
    address_->length = found->ai_addrlen;
    freeaddrinfo(found);
    address_->socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    put(tuio_packet(source_, {}, {}, -1));
}

TuioOut::~TuioOut() {
    put(tuio_packet(source_, {}, {}, -1));
    if (address_->socket >= 0) ::close(address_->socket);
}

void TuioOut::put(const std::vector<std::uint8_t>& packet) const {
    // A listener that is not there costs nothing.
    (void)::sendto(address_->socket, packet.data(), packet.size(), 0,
                   reinterpret_cast<const sockaddr*>(&address_->to), address_->length);
}

void TuioOut::send(const Observation& seen, const Table& table) {
    std::vector<int> alive;
    std::vector<TuioObject> objects;
    std::set<int> here;
    for (const Piece& piece : seen.pieces) {
        here.insert(piece.id);
        Known& known = known_[piece.id];
        const bool fresh = known.session == 0;
        if (fresh) known.session = next_session_++;
        TuioObject o{known.session,
                     tuio_class(piece),
                     float(piece.x / table.width_mm),
                     float(piece.y / table.height_mm),
                     turn(piece.angle),
                     float(piece.vx / table.width_mm),
                     float(piece.vy / table.height_mm),
                     0,
                     0,
                     0};
        if (const double dt = seen.time - known.time; !fresh && dt > 1e-6) {
            o.va = float(wrapped(piece.angle - known.last.angle) / (2 * M_PI) / dt);
            o.acceleration = float(
                (std::hypot(o.vx, o.vy) - std::hypot(known.last.vx, known.last.vy)) / dt);
            o.rotation = float((o.va - known.last.va) / dt);
        }
        known.last = o;
        known.time = seen.time;
        alive.push_back(known.session);
        objects.push_back(o);
    }
    std::erase_if(known_, [&](const auto& k) { return !here.contains(k.first); });
    ++frame_;
    for (std::size_t from = 0; from == 0 || from < objects.size(); from += kObjectsPerPacket) {
        const auto to = std::min(objects.size(), from + kObjectsPerPacket);
        put(tuio_packet(
            source_, alive,
            {objects.begin() + std::ptrdiff_t(from), objects.begin() + std::ptrdiff_t(to)},
            frame_));
    }
}

}  // namespace overboard::table
