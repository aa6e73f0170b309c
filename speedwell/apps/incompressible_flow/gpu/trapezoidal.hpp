// The kernels of the trapezoidal rule in a part of a step on a GPU. For CUDA sources only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/rank_sums.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
struct Trapezoidal {
  Shape shape;
  MeshMetrics<T> metrics;
  const StepValues* values;
  double viscosity = 0, length = 0;
  const T* first[3] = {};  // the velocity at the start of the part, with filled ghost cells
  T* next[3] = {};
  const T* wall_drag[3] = {};  // as in Momentum
  const T* fluid = nullptr;    // 1 and 0 by cell; null: all fluid
  T* pressure = nullptr;       // by cell, with a plane more if another GPU is above
  const T* change = nullptr;   // change of the pressure, in the order of spectral_index(), or
  bool by_cell = false;
  const T* right = nullptr;  // right-hand side of the change, by cell
};

/// next += length dt (nu / 2 lap first - grad pressure), at open faces.
template <class T>
void enqueue_first_half(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream);
/// pressure += change - nu length dt / 2 lap change.
template <class T>
void enqueue_pressure(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream);
/// Subtracts the pressure's mean over the fluid's volume, and sets the pressure in solids to 0. `ranks`: of a slab, the
/// mean is that of all; else null.
template <class T>
void enqueue_centred(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream,
                     const RankSums* ranks = nullptr);

}  // namespace speedwell::incompressible_flow::gpu
