// Problems that sweeps are compared with the definition on.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>

#include "speedwell/apps/wavefront/wavefront.hpp"

namespace speedwell::wavefront {

/// A grid that `seed` decides on.
template <class T>
GridOptions random_grid(const Extents& extents, std::uint64_t seed) {
  return {.extents = extents,
          .inflow = seed % 3 ? Inflow::random : Inflow::zero,
          .bits = seed % 5 ? std::numeric_limits<T>::digits : 2,  // so few that sums are multiples of c
          .seed = seed};
}

class RandomProblems {
 public:
  explicit RandomProblems(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n)); }
  template <class Values>
  auto one_of(const Values& values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }
  template <class T>
  Recurrence<T> recurrence() {
    Recurrence<T> r{.loops = one_of(std::array{0, 0, 1, 5, 10}), .c = one_of(std::array<T, 4>{1, 4, 0.125, T(0.7)})};
    r.rounding = below(2) ? Rounding::separate : Rounding::fused;
    if (below(4) == 0) r.tc = T(1.5), r.rd = T(-0.25);  // leaves the range
    return r;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace speedwell::wavefront
