// A moving mesh on a GPU: every table of widths and eigenvalues is a power of its axis's stretch times the initial
// table. For CUDA sources only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
struct MovingMesh {
  struct Table {
    const T* rest = nullptr;
    T* now = nullptr;
    int count = 0, axis = 0, power = 0;
  };
  Table table[10];
  int tables = 0, longest = 0;

  void add(const T* rest, T* now, int count, int axis, int power) {
    table[tables++] = {rest, now, count, axis, power};
    longest = count > longest ? count : longest;
  }
};

/// Enqueues the update of the tables to StepValues::stretch[stage].
template <class T>
void enqueue(const MovingMesh<T>& mesh, const StepValues* values, int stage, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu
