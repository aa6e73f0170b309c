// Rows of sites in one instruction set (core/isa.hpp): what cpu.cpp hands them, and what they do.
#pragma once

#include "speedwell/apps/binary_fluid/collision.hpp"
#include "speedwell/core/isa.hpp"

namespace speedwell::binary_fluid {

/// A row along x. S is what populations are kept in.
template <class S>
struct Row {
  int n = 0;
  bool x_walls = false;
  signed char shift[velocities] = {};  // what comes in as p at i is at come[p][i + shift[p]]
  S* f_come[velocities] = {};
  S* g_come[velocities] = {};
  S* f_own[velocities] = {};  // and where a wall is there at f_own[p][i]
  S* g_own[velocities] = {};
  bool moving = false;
  double push[velocities] = {};       // to what comes back from walls across y and z
  double push_x[2][velocities] = {};  // from walls across x, at the low end and at the high one
};

/// A field in nine rows: that of y + dy, z + dz is row[1 + dy][1 + dz], the last one before a wall its own neighbour.
template <class S>
struct Stack {
  const S* row[3][3] = {};
};

/// S: kept in; R: computed in.
template <class S, class R>
struct RowKernels {
  /// phi of a row.
  void (*phi)(const Row<S>& row, R* phi);
  /// The Laplacian of a field along a row.
  void (*laplacian)(Stencil stencil, int n, bool x_walls, const Stack<R>& field, R* laplacian);
  /// The collision of a row and its propagation. `laplacian` is looked at for Brazovskii's free energy alone.
  void (*collide)(const Coefficients<R>& k, const Row<S>& row, const Stack<R>& phi, const Stack<R>& laplacian);
};

template <class S, class R>
RowKernels<S, R> row_kernels(core::Isa isa);

}  // namespace speedwell::binary_fluid
