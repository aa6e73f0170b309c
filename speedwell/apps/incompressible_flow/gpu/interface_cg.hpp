// Conjugate gradients in a box with solids, restricted to the cells beside them. The direct solver of the box without
// solids leaves no residual anywhere else: A z = r - C z, where C z is what would flow through closed faces. So all
// residuals after its first use, and all directions before it is applied to them, live on those cells; an iteration is
// one direct solution and two ways through a list, and no field is touched before the end. The recurrences are those of
// A. T. Chronopoulos and C. W. Gear (J. Comput. Appl. Math. 25 (1989) 153), which have all products in one place.
// Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/direct.hpp"
#include "speedwell/apps/incompressible_flow/gpu/interface_scalars.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/numerics/grid_sums.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

/// P: precision of the direct solutions in iterations. All else is in double precision.
template <class P>
class InterfaceCg {
 public:
  /// Takes its memory, and records the iterations on the stream. `direct` outlives it; nobody else uses it meanwhile.
  InterfaceCg(const Problem& problem, Direct<P>& direct, const core::Stream& stream);
  void record(const core::Stream& stream);

  /// Enqueues: what is added to `residual`, of cells, makes the direct solver's answer to it have no residual but the
  /// last one here, whose square is at most a quarter of *goal (in device memory) if iterations allow. z: that answer
  /// to `residual` as it is, in the order of spectral_place().
  template <class T>
  void complete(T* residual, const T* z, const double* goal, const core::Stream& stream, bool by_host);
  /// The iterations that took, in device memory.
  const int* iterations() const { return &scalars_.data()->iteration; }

  /// Solves since the last call that ended for want of a direction of positive curvature; waits for them.
  int breakdowns(const core::Stream& stream);

  /// Public because it has lambdas for the device.
  void iterate(const core::Stream& stream);

 private:
  template <int sums, class Body, class Finish>
  void over_list(const int* running, const Body& body, const Finish& finish, const core::Stream& stream);

  int count_ = 0;
  Direct<P>& direct_;
  core::DeviceBuffer<std::int64_t> cell_, place_, to_;
  core::DeviceBuffer<int> first_;
  core::DeviceBuffer<double> inverse_volume_, weight_, r_, w_, s_, q_, y_, partial_;
  core::DeviceBuffer<P> source_, z_;
  core::DeviceBuffer<InterfaceScalars> scalars_;
  core::DeviceBuffer<unsigned> done_;
  numerics::LoopGraph loop_;
};

}  // namespace speedwell::incompressible_flow::gpu
