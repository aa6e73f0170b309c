// The 7-point operator on a box of cells: its five forms, its boundaries and where its coefficients lie. Plain data, in
// host or in device memory, that kernels take by value.
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

/// What y = A x is at a cell P with the neighbours W, E (along x), S, N (along y), L, U (along z):
///  E   B ((x_W + x_E) mx[i] + (x_S + x_N) my[j] + (x_L + x_U) mz[k]) + C x_P; mx = dxic dxiv: equation 5.2 of the
///  study E0  wx (x_W + x_E) + wy (x_S + x_N) + wz (x_L + x_U) + w x_P L   sum over the six faces of a_f (x_P - x_f) +
///  sigma x_P, with a_f = area / distance from the 1D metrics V   the same with face coefficients stored for every cell
///  G   seven stored coefficients
enum class Form { E, E0, L, V, G };

/// What lies beyond the box: its other side; cells that are 0; or (L and V alone) nothing: the face is left out.
enum class Boundary { periodic, zero, none };

template <class T>
struct Operator {
  Form form = Form::E0;
  Boundary boundary = Boundary::periodic;
  Grid grid;
  T weight[4] = {};  // E0: wx, wy, wz, w
  T sigma = 0;       // L, V
  /// E: m[i] = d?ic[i] d?iv[i]. L: the width of cell i. extent(d) values.
  const T* metric[3] = {};
  /// L: the reciprocal of the distance across the face below cell i, extent(d) + 1 values. Periodic: the first and the
  /// last are one face and equal.
  const T* inverse[3] = {};
  /// E: B, C. V: the coefficients of each cell's upper faces along x, y, z; the lowest face along an axis with zero
  /// beyond has that of the upper face of its own cell. G: those of P, W, E, S, N, L, U. grid.size() values each.
  const T* cell[7] = {};
};

/// Fields of grid.size() values that a form has.
constexpr int cell_fields(Form form) { return form == Form::E ? 2 : form == Form::V ? 3 : form == Form::G ? 7 : 0; }

std::string_view to_string(Form form);
std::string_view to_string(Boundary boundary);

/// Throws std::invalid_argument, naming the value and what is allowed, for an extent below 1, more cells than 64-bit
/// byte counts hold, a periodic extent below 3 (where neighbours coincide), form E, E0 or G with Boundary::none, and
/// missing coefficients. Looks at no coefficient.
template <class T>
void require_operator(const Operator<T>& a);
void require_grid(const Grid& grid, Form form, Boundary boundary);

/// Throws std::invalid_argument naming the first metric, weight or coefficient that is not finite, and its index.
template <class T>
void require_finite(const Operator<T>& a);

}  // namespace speedwell::stencil
