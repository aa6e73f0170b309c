// What the trapezoidal rule adds to a part of a step on a GPU. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"

namespace speedwell::incompressible_flow::gpu {

template <class T>
struct Trapezoidal {
  Shape shape;
  MeshMetrics<T> metrics;
  const StepValues* values;
  double viscosity = 0, length = 0;
  const T* first[3] = {};  // what the part begins with, with its layer
  T* next[3] = {};
  const T* friction[3] = {};  // as in Momentum
  const T* fluid = nullptr;   // 1 and 0 by cell; null: all fluid
  T* pressure = nullptr;      // by cell
  const T* change = nullptr;  // of the pressure, in the order of spectral_place(), or
  bool by_cell = false;
  const T* right = nullptr;  // by cell, for which the change was found
};

/// next += length dt (nu / 2 lap first - grad pressure), where faces are open.
template <class T>
void enqueue_first_half(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream);
/// pressure += change - nu length dt / 2 lap change.
template <class T>
void enqueue_pressure(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream);
/// The pressure's mean over the fluid's volume becomes 0, and so does the pressure in solids.
template <class T>
void enqueue_centred(Cells& cells, const Trapezoidal<T>& part, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu
