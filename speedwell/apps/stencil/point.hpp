// The formulas of one cell, shared by all optimised code. The caller supplies the neighbours according to the boundary
// condition: with Boundary::zero a ghost neighbour is 0, with Boundary::none it equals the cell itself, so that the
// difference vanishes.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// x at a cell and its six neighbours.
template <class T>
struct Star {
  T centre, west, east, south, north, below, above;
};

/// A cell, and the cells whose upper faces are its lower ones (form V); the cell itself where there is none.
struct CellIndex {
  std::int64_t i, j, k;
  std::int64_t cell, west, south, below;
};

/// Loads a coefficient that is constant for the duration of a kernel.
template <class T>
SPEEDWELL_HD
inline T coefficient(const T* p) {
#ifdef __CUDA_ARCH__
  return __ldg(p);
#else
  return *p;
#endif
}

/// The coefficients of a cell. E: B, C, mx, my, mz. E0: the weights. L: widths along x, y, z, reciprocals W, E, S, N,
/// L, U, sigma. V: faces W, E, S, N, L, U, sigma. G: P, W, E, S, N, L, U.
template <Form form>
constexpr int link_count = form == Form::cell_metric   ? 5
                           : form == Form::constant    ? 4
                           : form == Form::face_metric ? 10
                                                       : 7;
template <Form form, class T>
struct Links {
  T c[link_count<form>];
};

template <Form form, class T>
SPEEDWELL_HD
inline Links<form, T> links_at(const Operator<T>& a, const CellIndex& at) {
  const auto field = [&](int f, std::int64_t cell) { return coefficient(a.cell[f] + cell); };
  if constexpr (form == Form::cell_metric) {
    return {{field(0, at.cell), field(1, at.cell), coefficient(a.metric[0] + at.i), coefficient(a.metric[1] + at.j),
             coefficient(a.metric[2] + at.k)}};
  } else if constexpr (form == Form::constant) {
    return {{a.weight[0], a.weight[1], a.weight[2], a.weight[3]}};
  } else if constexpr (form == Form::face_metric) {
    return {{coefficient(a.metric[0] + at.i), coefficient(a.metric[1] + at.j), coefficient(a.metric[2] + at.k),
             coefficient(a.inverse[0] + at.i), coefficient(a.inverse[0] + at.i + 1), coefficient(a.inverse[1] + at.j),
             coefficient(a.inverse[1] + at.j + 1), coefficient(a.inverse[2] + at.k),
             coefficient(a.inverse[2] + at.k + 1), a.sigma}};
  } else if constexpr (form == Form::face_coefficient) {
    return {{field(0, at.west), field(0, at.cell), field(1, at.south), field(1, at.cell), field(2, at.below),
             field(2, at.cell), a.sigma}};
  } else {
    return {{field(0, at.cell), field(1, at.cell), field(2, at.cell), field(3, at.cell), field(4, at.cell),
             field(5, at.cell), field(6, at.cell)}};
  }
}

/// (A x) at a cell.
template <Form form, class T>
SPEEDWELL_HD
inline T product(const Links<form, T>& a, const Star<T>& x) {
  const T* const c = a.c;
  if constexpr (form == Form::cell_metric)
    return c[0] * ((x.west + x.east) * c[2] + (x.south + x.north) * c[3] + (x.below + x.above) * c[4]) +
           x.centre * c[1];
  else if constexpr (form == Form::constant)
    return c[0] * (x.west + x.east) + c[1] * (x.south + x.north) + c[2] * (x.below + x.above) + c[3] * x.centre;
  else if constexpr (form == Form::face_metric)
    return c[1] * c[2] * (c[3] * (x.centre - x.west) + c[4] * (x.centre - x.east)) +
           c[0] * c[2] * (c[5] * (x.centre - x.south) + c[6] * (x.centre - x.north)) +
           c[0] * c[1] * (c[7] * (x.centre - x.below) + c[8] * (x.centre - x.above)) + c[9] * x.centre;
  else if constexpr (form == Form::face_coefficient)
    return c[0] * (x.centre - x.west) + c[1] * (x.centre - x.east) + c[2] * (x.centre - x.south) +
           c[3] * (x.centre - x.north) + c[4] * (x.centre - x.below) + c[5] * (x.centre - x.above) + c[6] * x.centre;
  else
    return c[0] * x.centre + c[1] * x.west + c[2] * x.east + c[3] * x.south + c[4] * x.north + c[5] * x.below +
           c[6] * x.above;
}
template <Form form, class T>
SPEEDWELL_HD
inline T product(const Operator<T>& a, const Star<T>& x, const CellIndex& at) {
  return product(links_at<form>(a, at), x);
}

/// Evaluates x(cell) at a cell and its neighbours according to the boundary condition.
template <class Field>
SPEEDWELL_HD
inline auto star_at(const Grid& g, Boundary boundary, const Field& x, CellIndex& at) {
  using T = decltype(x(at.cell));
  const T centre = x(at.cell);
  const T ghost = boundary == Boundary::none ? centre : T(0);
  const bool wraps = boundary == Boundary::periodic;
  const auto neighbour = [&](std::int64_t index, std::int64_t extent, std::int64_t stride, int step) -> std::int64_t {
    const std::int64_t there = index + step;
    if (there >= 0 && there < extent) return at.cell + step * stride;
    return wraps ? at.cell - step * (extent - 1) * stride : -1;
  };
  const auto value = [&](std::int64_t cell) { return cell < 0 ? ghost : x(cell); };
  const std::int64_t west = neighbour(at.i, g.nx, 1, -1), south = neighbour(at.j, g.ny, g.nx, -1),
                     below = neighbour(at.k, g.nz, g.nx * g.ny, -1);
  at.west = west < 0 ? at.cell : west;
  at.south = south < 0 ? at.cell : south;
  at.below = below < 0 ? at.cell : below;
  return Star<T>{centre,
                 value(west),
                 value(neighbour(at.i, g.nx, 1, 1)),
                 value(south),
                 value(neighbour(at.j, g.ny, g.nx, 1)),
                 value(below),
                 value(neighbour(at.k, g.nz, g.nx * g.ny, 1))};
}

/// The diagonal of A at a cell: its product with the field that is 1 there and 0 elsewhere.
template <Form form, class T>
SPEEDWELL_HD
inline T diagonal(const Operator<T>& a, CellIndex at) {
  const auto unit = [cell = at.cell](std::int64_t there) { return there == cell ? T(1) : T(0); };
  const Star<T> x = star_at(a.grid, a.boundary, unit, at);
  return product<form>(a, x, at);
}

/// Calls f.template operator()<form>() with the form as a template argument.
template <class F>
decltype(auto) with_form(Form form, F&& f) {
  switch (form) {
    case Form::cell_metric:
      return f.template operator()<Form::cell_metric>();
    case Form::constant:
      return f.template operator()<Form::constant>();
    case Form::face_metric:
      return f.template operator()<Form::face_metric>();
    case Form::face_coefficient:
      return f.template operator()<Form::face_coefficient>();
    case Form::general:
      break;
  }
  return f.template operator()<Form::general>();
}

}  // namespace speedwell::stencil
