// Parts of arrays that are divided among ranks, and their comparison with the whole.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "speedwell/comm/decomposition.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::fft {

inline const comm::Tile& own(const std::vector<comm::Tile>& tiles) {
  return tiles[static_cast<std::size_t>(test::ranks().rank())];
}

/// This rank's part of an array of the extents of all tiles.
template <class Element>
std::vector<Element> own_part(const std::vector<Element>& whole, const std::vector<comm::Tile>& tiles) {
  std::int64_t extents[3] = {};
  for (const comm::Tile& tile : tiles)
    for (std::size_t a = 0; a < 3; ++a) extents[a] = std::max(extents[a], tile.ranges[a].end);
  const auto& [i_range, j_range, k_range] = own(tiles).ranges;
  std::vector<Element> part;
  for (std::int64_t i = i_range.begin; i < i_range.end; ++i)
    for (std::int64_t j = j_range.begin; j < j_range.end; ++j)
      for (std::int64_t k = k_range.begin; k < k_range.end; ++k)
        part.push_back(whole[static_cast<std::size_t>((i * extents[1] + j) * extents[2] + k)]);
  return part;
}

/// The largest difference, in units of the largest expected value.
template <class Element>
double difference(const std::vector<Element>& expected, const std::vector<Element>& got) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
    const auto here = static_cast<double>(std::abs(expected[i] - got[i]));
    error = here <= error ? error : here;  // also takes a NaN
  }
  return error / largest;
}

/// The bound of difference(): several roundings of each of at most 18 passes.
template <class T>
constexpr double max_difference = 50 * std::numeric_limits<T>::epsilon();

/// An array of which each byte is 0xff.
template <class Element>
std::vector<Element> poisoned(std::int64_t size) {
  std::vector<Element> x(static_cast<std::size_t>(size));
  std::memset(static_cast<void*>(x.data()), 0xff, x.size() * sizeof(Element));
  return x;
}

inline std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t points = 1;
  for (const std::int64_t n : extents) points *= n;
  return points;
}

}  // namespace speedwell::fft
