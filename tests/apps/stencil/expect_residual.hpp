// Solutions of conjugate gradients on ranks: a right-hand side, and the residual that the answer must have.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/stencil.hpp"

namespace speedwell::stencil {

/// ||b - A x|| must be within the tolerance, and what the iterations say it is; 0 if b is.
template <class T>
void expect_residual(const Operator<T>& op, const std::vector<T>& b, const std::vector<T>& x, double stated,
                     double tolerance) {
  std::vector<T> product(b.size());
  multiply<T>(op, x, product, {.threads = 1});
  double rr = 0, bb = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = static_cast<double>(b[i]) - static_cast<double>(product[i]);
    rr += r * r;
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  const double residual = bb > 0 ? std::sqrt(rr / bb) : std::sqrt(rr);
  // The recurrence of r departs from b - A x by rounding, which is far below the tolerance.
  EXPECT_LE(residual, 2 * tolerance);
  EXPECT_NEAR(stated, residual, 0.1 * tolerance);
}

template <class T>
std::vector<T> make_rhs(const Grid& grid) {
  const Fields<T> fields(
      {.form = Form::constant, .boundary = Boundary::periodic, .grid = grid, .values = Values::random, .seed = 3});
  return {fields.x().data(), fields.x().data() + fields.x().size()};
}

}  // namespace speedwell::stencil
