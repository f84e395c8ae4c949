#include "vision/assignment.hpp"

#include <limits>

namespace overboard::vision {
namespace {

// Rows are added one by one; each time the cheapest augmenting path is found with potentials that
// keep reduced costs non-negative. Needs rows ≤ columns. Index 0 is a sentinel.
std::vector<int> assign(const std::vector<std::vector<double>>& cost, std::size_t rows,
                        std::size_t columns, bool turned) {
    const auto at = [&](std::size_t i, std::size_t j) {
        return turned ? cost[j - 1][i - 1] : cost[i - 1][j - 1];
    };
    std::vector<double> u(rows + 1), v(columns + 1);
    std::vector<std::size_t> row_of(columns + 1), before(columns + 1);
    for (std::size_t i = 1; i <= rows; ++i) {
        std::vector<double> least(columns + 1, std::numeric_limits<double>::infinity());
        std::vector<char> used(columns + 1, 0);
        std::size_t j = 0;
        row_of[0] = i;
        do {
            used[j] = 1;
            double step = std::numeric_limits<double>::infinity();
            std::size_t next = 0;
            for (std::size_t k = 1; k <= columns; ++k) {
                if (used[k]) continue;
                const double reduced = at(row_of[j], k) - u[row_of[j]] - v[k];
                if (reduced < least[k]) least[k] = reduced, before[k] = j;
                if (least[k] < step) step = least[k], next = k;
            }
            for (std::size_t k = 0; k <= columns; ++k)
                if (used[k])
                    u[row_of[k]] += step, v[k] -= step;
                else
                    least[k] -= step;
            j = next;
        } while (row_of[j] != 0);
        for (; j != 0; j = before[j]) row_of[j] = row_of[before[j]];
    }
    std::vector<int> result(rows, -1);
    for (std::size_t k = 1; k <= columns; ++k)
        if (row_of[k] != 0) result[row_of[k] - 1] = int(k - 1);
    return result;
}

}  // namespace

std::vector<int> cheapest_assignment(const std::vector<std::vector<double>>& cost) {
    const std::size_t rows = cost.size(), columns = rows ? cost[0].size() : 0;
    if (rows == 0 || columns == 0) return std::vector<int>(rows, -1);
    if (rows <= columns) return assign(cost, rows, columns, false);
    std::vector<int> result(rows, -1);
    const std::vector<int> turned = assign(cost, columns, rows, true);
    for (std::size_t k = 0; k < turned.size(); ++k)
        if (turned[k] >= 0) result[std::size_t(turned[k])] = int(k);
    return result;
}

}  // namespace overboard::vision
