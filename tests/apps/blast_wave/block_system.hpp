// A random system with seven 5x5 blocks a point whose diagonal dominates, and its dense form.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/blocks7.hpp"

namespace speedwell::blast_wave {

inline Blocks7 random_blocks(const Extents& e, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Blocks7 a(e);
  for (std::int64_t p = 0; p < e.points(); ++p)
    for (int b = 0; b < 7; ++b)
      for (int row = 0; row < 5; ++row)
        for (int c = 0; c < 5; ++c)
          a.entry(p, static_cast<Neighbour>(b), row, c) = unit(random) + (b == 0 && row == c ? 25 : 0);
  return a;
}

/// The position of a neighbour.
inline std::int64_t neighbour_of(const Extents& e, std::int64_t p, int b) {
  std::int64_t at[] = {p % e.nx, p / e.nx % e.ny, p / e.nx / e.ny};
  if (b > 0) {
    const int d = (b - 1) / 2;
    at[d] = (at[d] + (b % 2 == 1 ? e.extent(d) - 1 : 1)) % e.extent(d);
  }
  return at[0] + e.nx * (at[1] + e.ny * at[2]);
}

/// Gaussian elimination with partial pivoting; b and the result have the five variables of a point side by side.
inline std::vector<double> dense_solution(const Blocks7& a, std::vector<double> b) {
  const auto n = static_cast<std::size_t>(5 * a.extents().points());
  std::vector<double> m(n * n, 0.0);
  for (std::int64_t p = 0; p < a.extents().points(); ++p)
    for (int block = 0; block < 7; ++block)
      for (int row = 0; row < 5; ++row)
        for (int c = 0; c < 5; ++c)
          m[static_cast<std::size_t>(5 * p + row) * n +
            static_cast<std::size_t>(5 * neighbour_of(a.extents(), p, block) + c)] +=
              a.entry(p, static_cast<Neighbour>(block), row, c);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(m[i * n + k]) > std::abs(m[best * n + k])) best = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(m[k * n + j], m[best * n + j]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = m[i * n + k] / m[k * n + k];
      if (f == 0) continue;
      for (std::size_t j = k; j < n; ++j) m[i * n + j] -= f * m[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= m[k * n + j] * b[j];
    b[k] /= m[k * n + k];
  }
  return b;
}

}  // namespace speedwell::blast_wave
