// The mathematics of one cell, for all fast code. How boundaries are met is up to who fetches the neighbours: beyond
// Boundary::zero a neighbour is 0, beyond Boundary::none it is the cell itself, so that its difference is.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// x at a cell and its six neighbours.
template <class T>
struct Star {
  T centre, west, east, south, north, below, above;
};

/// A cell, and the cells whose upper faces are its lower ones (form V); itself where there is none.
struct Place {
  std::int64_t i, j, k;
  std::int64_t cell, west, south, below;
};

/// A coefficient that nobody writes while a kernel runs.
template <class T>
SPEEDWELL_HD inline T coefficient(const T* p) {
#ifdef __CUDA_ARCH__
  return __ldg(p);
#else
  return *p;
#endif
}

/// (A x) at a cell.
template <Form form, class T>
SPEEDWELL_HD inline T product(const Operator<T>& a, const Star<T>& x, const Place& at) {
  if constexpr (form == Form::E) {
    const T links = (x.west + x.east) * coefficient(a.metric[0] + at.i) +
                    (x.south + x.north) * coefficient(a.metric[1] + at.j) +
                    (x.below + x.above) * coefficient(a.metric[2] + at.k);
    return coefficient(a.cell[0] + at.cell) * links + x.centre * coefficient(a.cell[1] + at.cell);
  } else if constexpr (form == Form::E0) {
    return a.weight[0] * (x.west + x.east) + a.weight[1] * (x.south + x.north) + a.weight[2] * (x.below + x.above) +
           a.weight[3] * x.centre;
  } else if constexpr (form == Form::L) {
    const T dx = coefficient(a.metric[0] + at.i), dy = coefficient(a.metric[1] + at.j),
            dz = coefficient(a.metric[2] + at.k);
    const T along_x = coefficient(a.inverse[0] + at.i) * (x.centre - x.west) +
                      coefficient(a.inverse[0] + at.i + 1) * (x.centre - x.east);
    const T along_y = coefficient(a.inverse[1] + at.j) * (x.centre - x.south) +
                      coefficient(a.inverse[1] + at.j + 1) * (x.centre - x.north);
    const T along_z = coefficient(a.inverse[2] + at.k) * (x.centre - x.below) +
                      coefficient(a.inverse[2] + at.k + 1) * (x.centre - x.above);
    return dy * dz * along_x + dx * dz * along_y + dx * dy * along_z + a.sigma * x.centre;
  } else if constexpr (form == Form::V) {
    return coefficient(a.cell[0] + at.west) * (x.centre - x.west) +
           coefficient(a.cell[0] + at.cell) * (x.centre - x.east) +
           coefficient(a.cell[1] + at.south) * (x.centre - x.south) +
           coefficient(a.cell[1] + at.cell) * (x.centre - x.north) +
           coefficient(a.cell[2] + at.below) * (x.centre - x.below) +
           coefficient(a.cell[2] + at.cell) * (x.centre - x.above) + a.sigma * x.centre;
  } else {
    return coefficient(a.cell[0] + at.cell) * x.centre + coefficient(a.cell[1] + at.cell) * x.west +
           coefficient(a.cell[2] + at.cell) * x.east + coefficient(a.cell[3] + at.cell) * x.south +
           coefficient(a.cell[4] + at.cell) * x.north + coefficient(a.cell[5] + at.cell) * x.below +
           coefficient(a.cell[6] + at.cell) * x.above;
  }
}

/// x(cell), a callable, at a cell and its neighbours, met as the boundary has it.
template <class Field>
SPEEDWELL_HD inline auto star_at(const Grid& g, Boundary boundary, const Field& x, Place& at) {
  using T = decltype(x(at.cell));
  const T centre = x(at.cell);
  const T beyond = boundary == Boundary::none ? centre : T(0);
  const bool wraps = boundary == Boundary::periodic;
  const auto neighbour = [&](std::int64_t index, std::int64_t extent, std::int64_t stride, int step) -> std::int64_t {
    const std::int64_t there = index + step;
    if (there >= 0 && there < extent) return at.cell + step * stride;
    return wraps ? at.cell - step * (extent - 1) * stride : -1;
  };
  const auto value = [&](std::int64_t cell) { return cell < 0 ? beyond : x(cell); };
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
SPEEDWELL_HD inline T diagonal(const Operator<T>& a, Place at) {
  const auto unit = [cell = at.cell](std::int64_t there) { return there == cell ? T(1) : T(0); };
  const Star<T> x = star_at(a.grid, a.boundary, unit, at);
  return product<form>(a, x, at);
}

/// Calls f.template operator()<form>() for the form.
template <class F>
decltype(auto) with_form(Form form, F&& f) {
  switch (form) {
    case Form::E: return f.template operator()<Form::E>();
    case Form::E0: return f.template operator()<Form::E0>();
    case Form::L: return f.template operator()<Form::L>();
    case Form::V: return f.template operator()<Form::V>();
    case Form::G: break;
  }
  return f.template operator()<Form::G>();
}

}  // namespace speedwell::stencil
