// Row kernels in one instruction set (core/isa.hpp), and their arguments.
#pragma once

#include "speedwell/apps/binary_fluid/collision.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::binary_fluid {

/// A row along x. Populations are stored as S.
template <class S>
struct Row {
  int n = 0;
  bool x_walls = false;
  signed char shift[velocities] = {};  // population p that arrives at i is at come[p][i + shift[p]]
  S* f_come[velocities] = {};
  S* g_come[velocities] = {};
  S* f_own[velocities] = {};  // behind a wall, at f_own[p][i]
  S* g_own[velocities] = {};
  bool moving = false;
  double push[velocities] = {};       // added to what returns from walls normal to y and z
  double push_x[2][velocities] = {};  // the same for walls normal to x, at the low and the high end
};

/// Nine rows of a field: row[1 + dy][1 + dz] is the row at y + dy, z + dz. The last row before a wall is its own
/// neighbour.
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
  void (*laplacian)(Stencil stencil, int n, bool x_walls, const Stack<R>& field, R* laplacian);
  /// Collides and propagates a row. `laplacian` is used by Brazovskii's free energy only.
  void (*collide)(const Coefficients<R>& k, const Row<S>& row, const Stack<R>& phi, const Stack<R>& laplacian);
};

template <class S, class R>
RowKernels<S, R> row_kernels(core::Isa isa);

}  // namespace speedwell::binary_fluid
