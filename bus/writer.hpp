#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bus/json.hpp"

namespace overboard {

/// JSON straight into a buffer the caller reuses. need() makes room for what follows; everything
/// else trusts it.
class Writer {
public:
    explicit Writer(std::string& out) : out_{out} { grow(out.size(), 4096); }
    ~Writer() { out_.resize(std::size_t(at_ - out_.data())); }

    void need(std::size_t bytes) {
        if (std::size_t(end_ - at_) < bytes) grow(std::size_t(at_ - out_.data()), bytes);
    }

    template <std::size_t N>
    void raw(const char (&text)[N]) {
        std::memcpy(at_, text, N - 1);
        at_ += N - 1;
    }

    void raw(std::string_view text) {
        need(text.size() + kSlack);
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }

    void integer(std::int64_t value) { at_ = std::to_chars(at_, end_, value).ptr; }

    /// `Decimals` places, trailing zeros dropped. Not a number and infinity have no JSON: 0.
    template <int Decimals>
    void number(double value) {
        constexpr std::uint32_t scale = power_of_ten(Decimals);
        if (value == 0 || !std::isfinite(value)) {
            *at_++ = '0';
            return;
        }
        const double scaled = std::abs(value) * scale;
        if (scaled > 9e17) return huge(value);
        const auto fixed = std::uint64_t(scaled + 0.5);
        if (value < 0 && fixed) *at_++ = '-';
        at_ = std::to_chars(at_, end_, fixed / scale).ptr;
        if (const auto rest = std::uint32_t(fixed % scale)) fraction<Decimals>(rest);
    }

    /// number<6>, remembered: nearly all pieces of a frame were seen at its own time.
    void moment(double time_s) {
        if (time_s != moment_s_ || moment_.empty()) {
            const std::ptrdiff_t from = at_ - out_.data();
            number<6>(time_s);
            moment_s_ = time_s;
            moment_.assign(out_.data() + from, at_);
            return;
        }
        std::memcpy(at_, moment_.data(), moment_.size());
        at_ += moment_.size();
    }

    void string(std::string_view text) {
        need(6 * text.size() + kSlack);
        *at_++ = '"';
        for (const char c : text) {
            if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20)
                *at_++ = c;
            else
                escaped(c);
        }
        *at_++ = '"';
    }

private:
    static constexpr std::size_t kSlack = 512;  // more than all numbers and keys of one piece
    static constexpr std::uint32_t power_of_ten(int n) {
        return n == 0 ? 1 : 10 * power_of_ten(n - 1);
    }

    static constexpr auto kPairs = [] {  // "00", "01" … "99"
        std::array<char, 200> pairs{};
        for (std::size_t i = 0; i < 100; ++i)
            pairs[2 * i] = char('0' + i / 10), pairs[2 * i + 1] = char('0' + i % 10);
        return pairs;
    }();

    template <int Decimals>
    void fraction(std::uint32_t rest) {
        *at_ = '.';
        int i = Decimals - 1;
        for (; i > 0; i -= 2, rest /= 100) std::memcpy(at_ + i, &kPairs[2 * (rest % 100)], 2);
        if (i == 0) at_[1] = char('0' + rest);
        at_ += Decimals + 1;
        while (at_[-1] == '0') --at_;
    }

    void huge(double value) { raw(std::string_view(Json(value).dump())); }

    void escaped(char c) {
        static constexpr char kHex[] = "0123456789abcdef";
        *at_++ = '\\';
        if (c == '"' || c == '\\') {
            *at_++ = c;
            return;
        }
        raw("u00");
        *at_++ = kHex[(c >> 4) & 15];
        *at_++ = kHex[c & 15];
    }

    void grow(std::size_t used, std::size_t bytes) {
        out_.resize(std::max(used + bytes, out_.capacity()));
        at_ = out_.data() + used;
        end_ = out_.data() + out_.size();
    }

    std::string& out_;
    char* at_ = nullptr;
    char* end_ = nullptr;
    double moment_s_ = 0;
    std::string moment_;
};

}  // namespace overboard
