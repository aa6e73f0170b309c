// Conjugate gradients whose residual and direction stay in the registers and shared memory of the multiprocessors: for
// boxes that fit. Included by CUDA sources alone.
#pragma once

#include <optional>

#include "speedwell/apps/stencil/gpu/cg_device.hpp"

namespace speedwell::stencil {

/// How many bricks a box is cut into, and how large: 32 cells along x, 16 `columns` along y, `planes` along z.
struct BrickPlan {
  int columns = 1, planes = 4;
  int along[3] = {1, 1, 1};
  int bricks() const { return along[0] * along[1] * along[2]; }
};
/// The smallest bricks of which every multiprocessor of the current device gets at most one; none where the box is too
/// large for that, the form is neither E0 nor L, or the device lacks cooperative launches or the shared memory.
template <class T>
std::optional<BrickPlan> brick_plan(const Grid& grid, Form form);

/// What the multiprocessors tell each other: residuals at the bricks' faces, sums, and how many have come.
template <class T>
class BrickSpace {
 public:
  BrickSpace(const Grid& grid, const BrickPlan& plan);
  T* faces() { return faces_.data(); }
  double* partial() { return partial_.data(); }
  core::DeviceBuffer<unsigned>& arrived() { return arrived_; }

 private:
  core::DeviceBuffer<T> faces_;         // grid.size()
  core::DeviceBuffer<double> partial_;  // two turns of one sum a brick
  core::DeviceBuffer<unsigned> arrived_;
};

/// Enqueues a whole solution without preconditioner as one kernel. state->limit and state->most are set; the rest is
/// overwritten.
template <class T>
void solve_on_chip(const Operator<T>& a, const T* b, T* x, const BrickPlan& plan, BrickSpace<T>& space,
                   device::CgState* state, const core::Stream& stream);

}  // namespace speedwell::stencil
