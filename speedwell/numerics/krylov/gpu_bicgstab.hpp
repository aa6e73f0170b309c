// BiCGSTAB on a GPU for any operator that can be enqueued on a stream (van der Vorst, SIAM J. Sci. Stat. Comput. 13
// (1992) 631), in the order of bicgstab.hpp. The device runs the loop, and the host synchronises once. For CUDA sources
// only.
//   GpuBicgstab solver(n, {.iterations = 500});   // allocates
//   BicgstabResult result = solver.solve(apply, b, x, stream);   // b and x in device memory
#pragma once

#include <cstdint>
#include <functional>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/krylov/bicgstab_result.hpp"

namespace speedwell::krylov {

namespace bicgstab_device {
struct Scalars {
  double rho, alpha, omega, beta, rr, bb, tolerance;
  int max_iterations, iteration, running, restarts, outcome;
};
}  // namespace bicgstab_device

/// Solves systems A x = b of n unknowns in double precision. Sums are made in a fixed order, so that a result has the
/// same bits every time.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it.
class GpuBicgstab {
 public:
  /// Enqueues y = A v on the stream, without synchronising; v and y have n elements in device memory.
  using Apply = std::function<void(const double* v, double* y, const core::Stream& stream)>;

  /// Allocates five vectors for systems of n unknowns on the current device. Throws std::invalid_argument for limits
  /// that are not valid and for n below 1, DeviceError if there is no device, or too little memory.
  GpuBicgstab(std::int64_t n, const BicgstabLimits& limits);

  /// Solves A x = b. apply(v, y, stream) must only enqueue y = A v on the stream without synchronising, since it is
  /// captured and replayed. b and x, the initial guess, are in device memory; x is overwritten. On a breakdown
  /// (division by zero) the iteration is restarted from the residual, once; the result counts restarts. Returns after
  /// completion. Throws DeviceError, or what apply() throws.
  BicgstabResult solve(const Apply& apply, const double* b, double* x, const core::Stream& stream);

 private:
  template <int sums, class Term, class Finish>
  void pass(bool always, const Term& term, const Finish& finish, const core::Stream& stream);

  std::int64_t n_;
  BicgstabLimits limits_;
  unsigned blocks_;
  core::DeviceBuffer<double> r_, shadow_, p_, v_, t_, partial_;
  core::DeviceBuffer<unsigned> done_;
  core::DeviceBuffer<bicgstab_device::Scalars> scalars_;
};

}  // namespace speedwell::krylov
