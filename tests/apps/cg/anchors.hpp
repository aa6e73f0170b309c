// Published reference values: the unit 7-point matrix with zero boundary, b = h^2 with h = 1 / (n + 1), tolerance 1e-10
// from x = 0.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "speedwell/apps/stencil/cg.hpp"

namespace speedwell::cg {

using stencil::Preconditioner;

struct Anchor {
  std::int64_t n;
  int plain, omega_1, omega_08;  // iterations, to within 1
  double largest, volume, corner;

  struct Method {
    Preconditioner preconditioner;
    double omega;
    int iterations;
  };
  std::vector<Method> methods() const {
    // A constant diagonal: the Jacobi preconditioner has no effect.
    return {{Preconditioner::none, 0, plain},
            {Preconditioner::jacobi, 0, plain},
            {Preconditioner::polynomial, 1, omega_1},
            {Preconditioner::polynomial, 0.8, omega_08}};
  }
  double h() const { return 1.0 / static_cast<double>(n + 1); }
  std::vector<double> right_hand_side() const {
    return std::vector<double>(static_cast<std::size_t>(n * n * n), h() * h());
  }
  void expect_solution(const double* x) const {
    const std::int64_t cells = n * n * n;
    double sum = 0;
    for (std::int64_t c = 0; c < cells; ++c) sum += x[c];
    EXPECT_NEAR(*std::max_element(x, x + cells), largest, 1e-9);
    EXPECT_NEAR(sum * h() * h() * h(), volume, 1e-9);
    EXPECT_NEAR(x[0], corner, 1e-9);
  }
};

inline constexpr Anchor anchors[] = {
    {16, 44, 25, 25, 0.0554891548606, 0.0197583217717, 0.00226450822515},
    {32, 91, 47, 49, 0.0560197537634, 0.0200579737068, 0.000630245421966},
    {64, 182, 92, 97, 0.0561629923021, 0.0201398702471, 0.000166380435283},
};

}  // namespace speedwell::cg
