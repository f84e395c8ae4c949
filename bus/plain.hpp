#pragma once

#include <cstddef>
#include <cstdint>

#include "bus/observation.hpp"

/// The wire as our own writer writes it, read without looking for anything.
namespace overboard::plain {

/// Zero bytes that must follow a text, so that reading ahead needs no bounds.
inline constexpr std::size_t kPadding = 64;

/// A plain decimal of up to 15 digits, read exactly (one correctly rounded division). Returns where
/// it ends, which is at a comma or a closing bracket; null: it is something else.
inline const char* decimal(const char* p, double& out) {
    static constexpr double kPowers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = *p == '-';
    p += negative;
    const char* const start = p;
    std::uint64_t mantissa = 0;
    for (; unsigned(*p - '0') < 10; ++p) mantissa = mantissa * 10 + unsigned(*p - '0');
    const std::ptrdiff_t whole = p - start;
    std::ptrdiff_t places = 0;
    if (*p == '.') {
        const char* const point = ++p;
        for (; unsigned(*p - '0') < 10; ++p) mantissa = mantissa * 10 + unsigned(*p - '0');
        places = p - point;
        if (places == 0) return nullptr;
    }
    const bool ends = *p == ',' || *p == '}' || *p == ']';
    if (!ends || whole == 0 || whole + places > 15 || (*start == '0' && whole > 1)) return nullptr;
    const double value = places ? double(mantissa) / kPowers[places] : double(mantissa);
    out = negative ? -value : value;
    return p;
}

/// The observation in `text`, if it stands there exactly as encode() writes one: these keys in this
/// order, no blanks, plain ASCII, every number plain. False says nothing about the text but that
/// the full reader has to look at it. `text` is followed by kPadding zero bytes.
bool read(const char* text, std::size_t size, Observation& out);

}  // namespace overboard::plain
