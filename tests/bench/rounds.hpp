#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

/// How costs are compared: every round runs every case in rotated order, equally often, each after
/// one untimed call. A ratio is the median over rounds of process CPU time over that of the base in
/// the same round.
namespace overboard::bench {

inline double cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

inline double page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_minflt);
}

inline double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
}

struct Case {
    std::string name;
    std::function<void(int)> run;
    int frames = 1;  ///< In one call; costs are told a frame.
    std::vector<double> ns{}, faults{};
};

/// `only`: but for the first two, which are the bases, just the cases with this in their names.
inline void measure(std::vector<Case>& cases, int rounds, int repeats,
                    const std::string& only = "") {
    const auto other = [&](const Case& c) { return c.name.find(only) == std::string::npos; };
    cases.erase(std::remove_if(cases.begin() + 2, cases.end(), other), cases.end());
    int frame = 0;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < cases.size(); ++k) {
            Case& c = cases[(k + std::size_t(round)) % cases.size()];
            c.run(frame++);
            const double faults = page_faults(), start = cpu_ns();
            for (int i = 0; i < repeats; ++i) c.run(frame++);
            c.ns.push_back((cpu_ns() - start) / repeats / c.frames);
            c.faults.push_back((page_faults() - faults) / repeats / c.frames);
        }
}

inline double ratio(const Case& c, const Case& base) {
    std::vector<double> r;
    for (std::size_t i = 0; i < c.ns.size(); ++i) r.push_back(c.ns[i] / base.ns[i]);
    return median(r);
}

/// Against the first two cases: a memcpy of the frame and its conversion to HSV.
inline void report(const std::vector<Case>& cases) {
    std::printf("| case | x memcpy | x HSV | ms CPU | page faults |\n|---|---:|---:|---:|---:|\n");
    for (const Case& c : cases)
        std::printf("| %s | %.3f | %.4f | %.3f | %.0f |\n", c.name.c_str(), ratio(c, cases[0]),
                    ratio(c, cases[1]), median(c.ns) * 1e-6, median(c.faults));
}

}  // namespace overboard::bench
