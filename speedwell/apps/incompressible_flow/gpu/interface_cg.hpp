// Conjugate gradients in a box with solids, restricted to the cells next to them. The direct solver of the box without
// solids leaves a residual only there: A z = r - C z, where C z is the flux through closed faces. Hence all residuals
// after its first use, and all directions before it is applied to them, are zero elsewhere; an iteration is one direct
// solution and two passes over a list, and no field is accessed before the end. The recurrences are those of A. T.
// Chronopoulos and C. W. Gear (J. Comput. Appl. Math. 25 (1989) 153), which need one reduction per iteration. For CUDA
// sources only.
#pragma once

#include "speedwell/apps/incompressible_flow/gpu/direct/direct.hpp"
#include "speedwell/apps/incompressible_flow/gpu/interface_scalars.hpp"
#include "speedwell/apps/incompressible_flow/gpu/kernels.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/numerics/grid_sums.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::incompressible_flow::gpu {

/// P is the precision of the direct solutions in iterations. All else is in double precision.
template <class P>
class InterfaceCg {
 public:
  /// Allocates its memory, and records the iterations on the stream. `direct` must outlive it, and must not be used
  /// otherwise meanwhile.
  InterfaceCg(const Problem& problem, Direct<P>& direct, const core::Stream& stream);
  void record(const core::Stream& stream);

  /// Enqueues the computation of a correction, which is added to `residual`, by cells: the direct solution for the
  /// corrected right-hand side then has a residual whose square is at most a quarter of *goal (in device memory), if
  /// the iterations suffice. `z` is the direct solution for the given `residual`, in the order of spectral_index().
  template <class T>
  void complete(T* residual, const T* z, const double* goal, const core::Stream& stream, bool by_host);
  /// The number of iterations, in device memory.
  const int* iterations() const { return &scalars_.data()->iteration; }

  /// The number of solves since the last call that ended because the curvature was not positive. Waits for them.
  int breakdowns(const core::Stream& stream);

  /// Public because it contains device lambdas.
  void iterate(const core::Stream& stream);

 private:
  template <int sums, class Body, class Finish>
  void over_list(const int* running, const Body& body, const Finish& finish, const core::Stream& stream);

  int count_ = 0;
  Direct<P>& direct_;
  core::DeviceBuffer<std::int64_t> cell_, transform_index_, to_;
  core::DeviceBuffer<int> first_;
  core::DeviceBuffer<double> inverse_volume_, weight_, r_, w_, s_, q_, y_, partial_;
  core::DeviceBuffer<P> source_, z_;
  core::DeviceBuffer<InterfaceScalars> scalars_;
  core::DeviceBuffer<unsigned> done_;
  numerics::LoopGraph loop_;
};

}  // namespace speedwell::incompressible_flow::gpu
