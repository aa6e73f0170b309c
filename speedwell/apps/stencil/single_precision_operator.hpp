// A single-precision copy of an operator for mixed-precision solvers.
#pragma once

#include <vector>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// Owns the coefficients of an operator in host memory, rounded to single precision.
class SinglePrecisionOperator {
 public:
  explicit SinglePrecisionOperator(const Operator<double>& a)
      : operator_{.form = a.form, .boundary = a.boundary, .grid = a.grid, .sigma = static_cast<float>(a.sigma)} {
    for (int w = 0; w < 4; ++w) operator_.weight[w] = static_cast<float>(a.weight[w]);
    for (int d = 0; d < 3; ++d) {
      operator_.metric[d] = copy(a.metric[d], a.grid.extent(d));
      operator_.inverse[d] = copy(a.inverse[d], a.grid.extent(d) + 1);
    }
    for (int f = 0; f < cell_fields(a.form); ++f) operator_.cell[f] = copy(a.cell[f], a.grid.size());
  }
  const Operator<float>& op() const { return operator_; }

 private:
  const float* copy(const double* values, std::int64_t count) {
    if (!values) return nullptr;
    values_.emplace_back(values, values + count);
    return values_.back().data();
  }
  Operator<float> operator_;
  std::vector<std::vector<float>> values_;
};

}  // namespace speedwell::stencil
