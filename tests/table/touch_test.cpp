#include "table/touch.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/input-event-codes.h>
#include <lo/lo.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "table/tuio_out.hpp"

namespace overboard::table {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The 200 bytes that liblo makes of: source twin@127.0.0.1, alive 12, set 12 5 0.5 0.25 1.5 …,
// fseq 1.
constexpr const char* kGolden =
    "2362756e646c65000000000000000001000000282f7475696f2f32446f626a002c737300736f7572"
    "636500007477696e403132372e302e302e3100000000001c2f7475696f2f32446f626a002c736900"
    "616c6976650000000000000c000000482f7475696f2f32446f626a002c7369696666666666666666"
    "00000000736574000000000c000000053f0000003e8000003fc00000000000000000000000000000"
    "00000000000000000000001c2f7475696f2f32446f626a002c736900667365710000000000000001";

std::string hex(const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (const auto b : bytes) text += fmt::format("{:02x}", b);
    return text;
}

std::vector<std::uint8_t> cursors(const std::vector<int>& alive,
                                  const std::vector<std::array<float, 3>>& set, int frame) {
    lo_bundle bundle = lo_bundle_new(LO_TT_IMMEDIATE);
    lo_message m = lo_message_new();
    lo_message_add_string(m, "alive");
    for (const int id : alive) lo_message_add_int32(m, id);
    lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    for (const auto& s : set) {
        m = lo_message_new();
        lo_message_add(m, "sifffff", "set", int(s[0]), double(s[1]), double(s[2]), 0.0, 0.0, 0.0);
        lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    }
    m = lo_message_new();
    lo_message_add(m, "si", "fseq", frame);
    lo_bundle_add_message(bundle, "/tuio/2Dcur", m);
    std::size_t size = lo_bundle_length(bundle);
    std::vector<std::uint8_t> bytes(size);
    lo_bundle_serialise(bundle, bytes.data(), &size);
    lo_bundle_free_recursive(bundle);
    return bytes;
}

std::vector<Touch> fed(TuioCursors& tuio, const std::vector<std::uint8_t>& bytes) {
    return tuio.feed(bytes.data(), bytes.size());
}

auto is(int id, Touch::Phase phase) {
    return ::testing::AllOf(::testing::Field(&Touch::id, id),
                            ::testing::Field(&Touch::phase, phase));
}

TEST(TuioOut, WritesTheReferencePacketByteForByte) {
    const TuioObject object{12, 5, 0.5f, 0.25f, 1.5f, 0, 0, 0, 0, 0};
    EXPECT_EQ(hex(tuio_packet("twin@127.0.0.1", {12}, {object}, 1)), kGolden);
}

TEST(TuioOut, SendsPiecesAndTakesNewSessionsForThoseThatComeBack) {
    const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    const auto received = [&] {
        std::vector<std::uint8_t> bytes(2000);
        bytes.resize(std::size_t(::recv(socket, bytes.data(), bytes.size(), 0)));
        return hex(bytes);
    };
    {
        TuioOut out{"127.0.0.1", ntohs(address.sin_port)};
        EXPECT_EQ(received(), hex(tuio_packet("overboard@127.0.0.1", {}, {}, -1)));
        Observation seen;
        seen.pieces.resize(1);
        seen.pieces[0].id = 7;
        seen.pieces[0].x = 600, seen.pieces[0].y = 337.5;
        const int id = tuio_class(seen.pieces[0]);
        out.send(seen, Table{});
        EXPECT_EQ(received(), hex(tuio_packet("overboard@127.0.0.1", {1},
                                              {{1, id, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0}}, 1)));
        out.send(Observation{}, Table{});
        EXPECT_EQ(received(), hex(tuio_packet("overboard@127.0.0.1", {}, {}, 2)));
        out.send(seen, Table{});
        EXPECT_EQ(received(), hex(tuio_packet("overboard@127.0.0.1", {2},
                                              {{2, id, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0}}, 3)));
    }
    EXPECT_EQ(received(), hex(tuio_packet("overboard@127.0.0.1", {}, {}, -1)));
    ::close(socket);
}

TEST(TuioOut, FortyPiecesGoInPacketsThatFitTheWire) {
    std::vector<int> alive(40);
    std::vector<TuioObject> objects(15);
    EXPECT_LE(tuio_packet("overboard@127.0.0.1", alive, objects, 1).size(), 1472u);
}

TEST(TuioCursors, AFingerComesMovesAndGoes) {
    TuioCursors tuio;
    EXPECT_THAT(fed(tuio, cursors({3}, {{3, 0.5f, 0.25f}}, 1)),
                ElementsAre(is(3, Touch::Phase::down)));
    EXPECT_THAT(fed(tuio, cursors({3}, {{3, 0.6f, 0.25f}}, 2)),
                ElementsAre(is(3, Touch::Phase::move)));
    EXPECT_THAT(fed(tuio, cursors({3}, {}, 3)), IsEmpty());
    const auto gone = fed(tuio, cursors({}, {}, 4));
    ASSERT_THAT(gone, ElementsAre(is(3, Touch::Phase::up)));
    EXPECT_NEAR(gone[0].at.x, 0.6, 1e-6);
}

TEST(TuioCursors, LateFramesAreIgnoredAndARestartedSenderIsNot) {
    TuioCursors tuio;
    fed(tuio, cursors({1}, {{1, 0.1f, 0.1f}}, 500));
    EXPECT_THAT(fed(tuio, cursors({}, {}, 499)), IsEmpty());
    EXPECT_THAT(fed(tuio, cursors({}, {}, -1)), ElementsAre(is(1, Touch::Phase::up)));
    EXPECT_THAT(fed(tuio, cursors({1}, {{1, 0.1f, 0.1f}}, 2)),
                ElementsAre(is(1, Touch::Phase::down)));
}

TEST(TuioCursors, SurvivesAnyBytes) {
    TuioCursors tuio;
    std::mt19937 random{7};
    const auto good = cursors({3, 4}, {{3, 0.5f, 0.25f}, {4, 0.1f, 0.2f}}, 1);
    for (int i = 0; i < 3000; ++i) {
        auto bytes = good;
        for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = std::uint8_t(random());
        bytes.resize(random() % (bytes.size() + 1));
        fed(tuio, bytes);
    }
}

TEST(TuioIn, HearsWhatComesToItsPortOnLoopback) {
    TuioIn in{0};
    const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(std::uint16_t(in.port()));
    const auto packet = cursors({1}, {{1, 0.5f, 0.5f}}, 1);
    ::sendto(socket, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&address),
             sizeof address);
    std::vector<Touch> heard;
    for (int i = 0; i < 100 && heard.empty();
         ++i, std::this_thread::sleep_for(std::chrono::milliseconds{5}))
        heard = in.poll();
    EXPECT_THAT(heard, ElementsAre(is(1, Touch::Phase::down)));
    EXPECT_THROW(TuioIn{in.port()}, std::runtime_error);
    ::close(socket);
}

TEST(MultiTouch, TwoFingersOnAScreen) {
    MultiTouch screen;
    const auto report = [&] { return screen.push(EV_SYN, SYN_REPORT, 0); };
    screen.push(EV_ABS, ABS_MT_SLOT, 0), screen.push(EV_ABS, ABS_MT_TRACKING_ID, 40);
    screen.push(EV_ABS, ABS_MT_POSITION_X, 100), screen.push(EV_ABS, ABS_MT_POSITION_Y, 200);
    screen.push(EV_ABS, ABS_MT_SLOT, 1), screen.push(EV_ABS, ABS_MT_TRACKING_ID, 41);
    screen.push(EV_ABS, ABS_MT_POSITION_X, 300), screen.push(EV_ABS, ABS_MT_POSITION_Y, 400);
    EXPECT_THAT(report(), ElementsAre(is(40, Touch::Phase::down), is(41, Touch::Phase::down)));
    screen.push(EV_ABS, ABS_MT_POSITION_X, 310);
    EXPECT_THAT(report(), ElementsAre(is(41, Touch::Phase::move)));
    screen.push(EV_ABS, ABS_MT_TRACKING_ID, -1);
    EXPECT_THAT(report(), ElementsAre(is(41, Touch::Phase::up)));
}

TEST(Taps, AreShortAndInOnePlace) {
    Taps taps;
    EXPECT_FALSE(taps.push({1, Touch::Phase::down, {10, 10}}, 0));
    EXPECT_TRUE(taps.push({1, Touch::Phase::up, {12, 11}}, 0.2));
    taps.push({2, Touch::Phase::down, {10, 300}}, 1);
    taps.push({2, Touch::Phase::move, {60, 300}}, 1.1);
    EXPECT_FALSE(taps.push({2, Touch::Phase::up, {10, 300}}, 1.2)) << "a drag is no tap";
    taps.push({3, Touch::Phase::down, {10, 10}}, 2);
    EXPECT_FALSE(taps.push({3, Touch::Phase::up, {10, 10}}, 5)) << "a glass is no tap";
}

TEST(Taps, ABouncingFingerTapsOnce) {
    Taps taps;
    taps.push({1, Touch::Phase::down, {10, 10}}, 0);
    EXPECT_TRUE(taps.push({1, Touch::Phase::up, {10, 10}}, 0.05));
    taps.push({2, Touch::Phase::down, {11, 10}}, 0.08);
    EXPECT_FALSE(taps.push({2, Touch::Phase::up, {11, 10}}, 0.1));
}

}  // namespace
}  // namespace overboard::table
