// Row kernels in one instruction set (core/isa.hpp), and their arguments.
#pragma once

#include "speedwell/apps/binary_fluid/lattice/collision.hpp"
#include "speedwell/core/simd/isa.hpp"

namespace speedwell::binary_fluid {

/// What is beyond an end of a row: the other end, a wall, or further sites in memory.
enum class RowEnd : signed char { periodic, wall, stored };
struct RowEnds {
  RowEnd low = RowEnd::periodic, high = RowEnd::periodic;  // both are periodic, or neither is
};

/// A row along x, and where its populations are: propagation is in place, so that a collision at a site reads and
/// overwrites the same elements. Populations are stored as S.
template <class S>
struct Row {
  int n = 0;  // sites
  RowEnds ends;
  signed char shift[velocities] = {};  // incoming population p of site i: f_incoming[p][i + shift[p]], or, if that is
  S* f_incoming[velocities] = {};      // behind a wall normal to x, f_bounced[p][i]
  S* g_incoming[velocities] = {};
  S* f_bounced[velocities] = {};
  S* g_bounced[velocities] = {};
  bool moving_walls = false;               // whether the wall terms below are to be added
  double wall_term[velocities] = {};       // 6 w c.u, added to population p that walls normal to y or z reflect
  double x_wall_term[2][velocities] = {};  // the same for the walls normal to x, at the low and the high end
};

/// Nine rows of a field: row[1 + dy][1 + dz] is the row at y + dy, z + dz. Where that is behind a wall, it is the row
/// next to the wall.
template <class S>
struct Stack {
  const S* row[3][3] = {};
};

/// S is the storage type, R the type of the arithmetic.
template <class S, class R>
struct RowKernels {
  /// Computes phi of a row.
  void (*phi)(const Row<S>& row, R* phi);
  /// Computes the Laplacian of a field along a row.
  void (*laplacian)(Stencil stencil, int n, const RowEnds& ends, const Stack<R>& field, R* laplacian);
  /// Collides and propagates a row. `laplacian` is used by Brazovskii's free energy only.
  void (*collide)(const Coefficients<R>& k, const Row<S>& row, const Stack<R>& phi, const Stack<R>& laplacian);
};

template <class S, class R>
RowKernels<S, R> row_kernels(core::Isa isa);

}  // namespace speedwell::binary_fluid
