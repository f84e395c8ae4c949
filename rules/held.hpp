#pragma once

#include <string>

namespace overboard::rules {

/// The same reading in one observation after the other: since when, and how often?
class Held {
public:
    void see(const std::string& signature, double time_s) {
        if (signature != signature_ || time_s < since_s_)
            signature_ = signature, since_s_ = time_s, times_ = 0;
        ++times_;
        now_s_ = time_s;
    }
    void forget() { signature_.clear(); }
    [[nodiscard]] const std::string& signature() const { return signature_; }
    [[nodiscard]] double for_s() const { return now_s_ - since_s_; }
    [[nodiscard]] int times() const { return times_; }

private:
    std::string signature_;
    double since_s_ = 0, now_s_ = 0;
    int times_ = 0;
};

}  // namespace overboard::rules
