#pragma once

#include <vector>

namespace overboard::vision {

/// The cheapest way to give each row a column of its own (Hungarian method, n² m).
/// `cost[row][column]`, all rows of one length; where there are more rows than columns the rest get
/// −1. Returns the column of each row.
std::vector<int> cheapest_assignment(const std::vector<std::vector<double>>& cost);

}  // namespace overboard::vision
