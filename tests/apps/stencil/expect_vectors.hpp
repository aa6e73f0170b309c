// Compares a result with the published vectors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "tests/apps/stencil/vectors.hpp"

namespace speedwell::stencil {

// Names of parameterised tests.
inline void PrintTo(Form form, std::ostream* out) { *out << to_string(form); }
inline void PrintTo(Boundary boundary, std::ostream* out) { *out << to_string(boundary); }
inline void PrintTo(Values values, std::ostream* out) { *out << (values == Values::dyadic ? "dyadic" : "random"); }

template <class T>
void expect_vector(const Vector& v, const T* y) {
  const Grid g{v.n, v.n, v.n};
  double sum = 0, weighted = 0, magnitudes = 0;
  long double squares = 0;
  for (std::int64_t k = 0; k < v.n; ++k)
    for (std::int64_t j = 0; j < v.n; ++j)
      for (std::int64_t i = 0; i < v.n; ++i) {
        const double value = y[g.cell(i, j, k)];
        sum += value;
        weighted += static_cast<double>(1 + i + 2 * j + 3 * k) * value;
        magnitudes += std::abs(value);
        squares += static_cast<long double>(value) * value;
      }
  EXPECT_EQ(sum, v.sum);
  if (v.has_weighted) {
    EXPECT_EQ(weighted, v.weighted);
  }
  if (v.magnitudes > 0) {
    EXPECT_EQ(magnitudes, v.magnitudes);
  }
  EXPECT_NEAR(static_cast<double>(squares) / v.squares, 1, 1e-13);
  EXPECT_EQ(static_cast<double>(y[0]), v.first);
  EXPECT_EQ(static_cast<double>(y[g.cell(1, 2, 3)]), v.inner);
  EXPECT_EQ(static_cast<double>(y[g.size() - 1]), v.last);
}

template <class T>
void expect_sweep_vector(const SweepVector& v, const T* y) {
  const Grid g{v.n, v.n, v.n};
  long double sum = 0, squares = 0;  // the sum has up to 5 + 4 * 12 + 21 bits: rounded to double below
  for (std::int64_t c = 0; c < g.size(); ++c) {
    sum += y[c];
    squares += static_cast<long double>(y[c]) * y[c];
  }
  EXPECT_EQ(static_cast<double>(sum), v.n == 16 ? -64 : v.n == 64 ? -4096 : -32768);
  EXPECT_EQ(static_cast<double>(y[0]), v.first);
  EXPECT_EQ(static_cast<double>(y[g.cell(1, 2, 3)]), v.inner);
  EXPECT_EQ(static_cast<double>(y[g.cell(v.n / 2, v.n / 3, v.n / 4)]), v.middle);
  EXPECT_EQ(static_cast<double>(*std::max_element(y, y + g.size())), v.largest);
  EXPECT_NEAR(static_cast<double>(squares) / v.squares, 1, 1e-11);
}

inline Problem published_problem(std::int64_t n, Form form, Boundary boundary) {
  return {.form = form, .boundary = boundary, .grid = {n, n, n}};
}

}  // namespace speedwell::stencil
