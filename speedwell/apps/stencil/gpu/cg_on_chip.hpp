// On-chip conjugate gradients: the residual and the direction stay in the registers and shared memory of the
// multiprocessors, for boxes that fit. Included by CUDA sources only.
#pragma once

#include <optional>

#include "speedwell/apps/stencil/gpu/cg_device.hpp"

namespace speedwell::stencil {

/// Division of a box into bricks of 32 cells along x, 16 `columns` along y and `planes` along z.
struct BrickPlan {
  int columns = 1, planes = 4;
  int along[3] = {1, 1, 1};
  int bricks() const { return along[0] * along[1] * along[2]; }
};
/// The smallest bricks such that every multiprocessor of the current device has at most one; none if the box is too
/// large, the form is neither E0 nor L, or the device lacks cooperative launches or shared memory.
template <class T>
std::optional<BrickPlan> brick_plan(const Grid& grid, Form form);

/// Data exchanged between multiprocessors: residuals at the faces of bricks, partial sums, and the arrival counter.
template <class T>
class BrickSpace {
 public:
  BrickSpace(const Grid& grid, const BrickPlan& plan);
  T* faces() { return faces_.data(); }
  double* partial() { return partial_.data(); }
  core::DeviceBuffer<unsigned>& arrived() { return arrived_; }

 private:
  core::DeviceBuffer<T> faces_;         // grid.size()
  core::DeviceBuffer<double> partial_;  // two alternating sets of one sum per brick
  core::DeviceBuffer<unsigned> arrived_;
};

/// Enqueues a complete solution without preconditioner as one kernel. state->limit and state->max_iterations must be
/// set; the rest is overwritten.
template <class T>
void solve_on_chip(const Operator<T>& a, const T* b, T* x, const BrickPlan& plan, BrickSpace<T>& space,
                   device::CgState* state, const core::Stream& stream);

}  // namespace speedwell::stencil
