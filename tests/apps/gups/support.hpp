// The inputs of the tests, and the oracle's answers to them.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "speedwell/apps/gups/gups.hpp"
#include "speedwell/apps/gups/reference.hpp"

namespace speedwell::gups {

inline std::vector<std::uint64_t> counted(std::uint64_t words) {
  std::vector<std::uint64_t> table(words);
  std::iota(table.begin(), table.end(), 0);
  return table;
}

inline std::vector<std::uint64_t> expected(const Problem& problem) {
  std::vector<std::uint64_t> table = counted(problem.words);
  reference::replay(table, problem.updates, 1);
  return table;
}

/// Tables of 1 to 2^max words, each with four updates per word and with numbers of updates without common divisors.
inline std::vector<Problem> problems(int most) {
  std::vector<Problem> all;
  for (int k = 0; k <= most; ++k) {
    const std::uint64_t words = std::uint64_t{1} << k;
    all.push_back({words, 4 * words});
    all.push_back({words, 3 * words + 1});
    if (k <= 12)
      for (const std::uint64_t updates : {1, 2, 31, 1023, 1025}) all.push_back({words, updates});
  }
  return all;
}

}  // namespace speedwell::gups
