// Generated data of the application: an operator with its coefficients, and a field to apply it to.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::stencil {

/// dyadic: small multiples of powers of two, by formulas of the indices. Every product with them is exact in f32 and
///         f64, in whatever order it is computed (the study's suite of test vectors).
/// random: independent and uniform; spacings of the mesh from 0.5 to 1.5.
enum class Values { dyadic, random };

struct Problem {
  Form form = Form::constant;
  Boundary boundary = Boundary::periodic;
  Grid grid;
  Values values = Values::dyadic;
  std::uint64_t seed = 1;
};

/// Owns the coefficients of an operator, and x. The dyadic data, by the letters of the forms in operator.hpp and with
/// indices from 0, are
///   x = (((7i + 13j + 29k) mod 64) - 32) / 32
///   E: B = 1 + ((3i + 5j + 11k) mod 16) / 64, C = -6 - ((i + 2j + 3k) mod 8) / 8, dxic = 1 + (i mod 4) / 8,
///      dxiv = dxic[i + 1], dyic = 1 + ((j + 2) mod 4) / 8, dyiv = dyic[j + 1], dzic = 1/2 + (k mod 8) / 16,
///      dziv = dzic[k + 1]
///   E0: 1/16 for each neighbour and 5/8 for the cell (kernel jacobi: the weights sum to 1)
///   L: cell widths 1 + (i mod 4) / 8, reciprocal distances 1/2 + (i mod 8) / 16, sigma 1/4
///   V: upper face along axis d: 1 + ((3i + 5j + 11k + 4d) mod 16) / 16
///   G: coefficient m of seven: 1 + ((3i + 5j + 11k + m) mod 16) / 16, that of the cell itself less 8.
template <class T>
class Fields {
 public:
  /// Throws std::invalid_argument as require_grid(), std::bad_alloc.
  explicit Fields(const Problem& problem);

  const Problem& problem() const { return problem_; }
  /// The operator, which points to the coefficients in this object.
  const Operator<T>& op() const { return operator_; }
  /// The field that the operator is applied to.
  const core::HostBuffer<T>& x() const { return x_; }
  core::HostBuffer<T>& x() { return x_; }
  /// Coefficient `f` of every cell: B and C of form E, axes x, y and z of V, the seven of G.
  core::HostBuffer<T>& cell(int f) { return cell_[f]; }

 private:
  Problem problem_;
  core::HostBuffer<T> x_, cell_[7];
  std::vector<T> metric_[3], inverse_[3];
  Operator<T> operator_;
};

/// The operator of the classical model problem: 6 on the diagonal, -1 for each neighbour, 0 outside of the box; with
/// any other boundary in face-metric form (L).
template <class T>
class UnitLaplacian {
 public:
  explicit UnitLaplacian(const Grid& grid, Boundary boundary = Boundary::zero);
  const Operator<T>& op() const { return operator_; }

 private:
  std::vector<T> ones_;
  Operator<T> operator_;
};

}  // namespace speedwell::stencil
