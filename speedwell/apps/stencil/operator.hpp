// The 7-point operator on a box of cells: its five forms, its boundary conditions and its coefficients. Plain data in
// host or device memory that is passed to kernels by value.
#pragma once

#include <cstdint>
#include <string_view>

#include "speedwell/core/host_device.hpp"

namespace speedwell::stencil {

/// Cells along x, y and z. Cell (i, j, k) is element (k ny + j) nx + i of every field: x is contiguous.
struct Grid {
  std::int64_t nx = 1, ny = 1, nz = 1;

  SPEEDWELL_HD
  constexpr std::int64_t size() const { return nx * ny * nz; }
  SPEEDWELL_HD
  constexpr std::int64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const { return (k * ny + j) * nx + i; }
  SPEEDWELL_HD
  constexpr std::int64_t extent(int d) const { return d == 0 ? nx : d == 1 ? ny : nz; }
  friend constexpr bool operator==(const Grid&, const Grid&) = default;
};

/// The formula of y = A x at a cell P with the neighbours W, E (along x), S, N (along y), L, U (along z). The letters
/// are those of the values e, e0, l, v and g of the parameter `kernel`.
enum class Form {
  /// E: B ((x_W + x_E) mx[i] + (x_S + x_N) my[j] + (x_L + x_U) mz[k]) + C x_P, mx = dxic dxiv: equation 5.2 of the
  /// study
  cell_metric,
  /// E0: wx (x_W + x_E) + wy (x_S + x_N) + wz (x_L + x_U) + w x_P
  constant,
  /// L: sum over the six faces of a_f (x_P - x_f), plus sigma x_P, with a_f = area / distance from the 1D metrics
  face_metric,
  /// V: the same with face coefficients stored for every cell
  face_coefficient,
  /// G: seven stored coefficients
  general,
};

/// Boundary condition. periodic: the box wraps around. zero: ghost cells are 0. none (face forms L and V only):
/// boundary faces are omitted.
enum class Boundary { periodic, zero, none };

template <class T>
struct Operator {
  Form form = Form::constant;
  Boundary boundary = Boundary::periodic;
  Grid grid;
  T weight[4] = {};  // E0: wx, wy, wz, w
  T sigma = 0;       // L, V
  /// E: m[i] = d?ic[i] d?iv[i]. L: the width of cell i. extent(d) values.
  const T* metric[3] = {};
  /// L: the reciprocal of the distance across the face below cell i, extent(d) + 1 values. Periodic: the first and the
  /// last are the same face and equal.
  const T* inverse[3] = {};
  /// E: B, C. V: the coefficients of each cell's upper faces along x, y, z; with boundary zero the lowest face along an
  /// axis has the coefficient of the upper face of its cell. G: those of P, W, E, S, N, L, U. grid.size() values each.
  const T* cell[7] = {};
};

/// Number of coefficient fields of grid.size() values of a form.
constexpr int cell_fields(Form form) {
  return form == Form::cell_metric ? 2 : form == Form::face_coefficient ? 3 : form == Form::general ? 7 : 0;
}

std::string_view to_string(Form form);
std::string_view to_string(Boundary boundary);

/// Throws std::invalid_argument, stating the value and the permitted range, for an extent below 1, more cells than
/// 64-bit byte counts can express, a periodic extent below 3 (where neighbours coincide), form E, E0 or G with
/// Boundary::none, and missing coefficients. Does not read the coefficients.
template <class T>
void require_operator(const Operator<T>& a);
void require_grid(const Grid& grid, Form form, Boundary boundary);

/// Throws std::invalid_argument naming the first metric, weight or coefficient that is not finite, and its index.
template <class T>
void require_finite(const Operator<T>& a);

}  // namespace speedwell::stencil
