// Whatever bytes come: no crash, and what is accepted means the same to a second, independent
// parser and survives being written and read again.
#include <cstdlib>

#include "bus/codec.hpp"

using namespace overboard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto o = decode_observation(text)) {
        const Json dom = Json::parse(text, nullptr, false);
        if (dom.is_discarded()) std::abort();
        const std::string again = encode(*o);
        // The DOM's keys come sorted, so this goes another way through the reader (not for repeated
        // keys: last or first wins).
        if (const auto sorted = observation_from(dom);
            dom.dump().size() == text.size() && (!sorted || encode(*sorted) != again))
            std::abort();
        const auto back = decode_observation(again);
        if (!back || back->pieces.size() != o->pieces.size()) std::abort();
    }
    if (const auto shot = decode_shot(text)) {
        const std::string again = encode(*shot);
        if (!decode_shot(again)) std::abort();
    }
    if (const auto marks = decode_marks(text))
        if (!decode_marks(encode(*marks))) std::abort();
    if (const auto state = decode_match_state(text))
        if (!decode_match_state(encode(*state))) std::abort();
    static_cast<void>(decode_camera_state(text));
    return 0;
}
