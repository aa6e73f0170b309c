// Conjugate gradients on a GPU; gpu_stencil.hpp includes this header. Included by CUDA sources only.
//   GpuCg<double> cg(host_operator, {.tolerance = 1e-10}, stream);
//   cg.run(b, x, stream);                       // asynchronous; b and x in device memory
//   CgResult result = cg.result(stream);        // synchronises
#pragma once

#include <memory>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil {

/// passes: two passes over memory per iteration, three with the polynomial: 8 words per cell are read or written, 10
/// with the Jacobi preconditioner, 13 with the polynomial. best: on-chip, in the registers and shared memory of the
/// multiprocessors, where that is possible: forms E0 and L without a preconditioner and 16384 cells in double or 32768
/// in single precision per multiprocessor (128^3 on an H200); otherwise passes.
enum class CgMethod { best, passes };

/// The method of solve() in cg.hpp, matrix-free. The bits depend only on the problem, the method and the device.
template <class T>
class GpuCg {
 public:
  /// Uploads the coefficients of A and allocates four fields, five with a diagonal, six with the polynomial. Throws
  /// std::invalid_argument as require_solvable(), and core::DeviceError. A need not outlive the constructor.
  GpuCg(const Operator<T>& a, const CgOptions& options, const core::Stream& stream, CgMethod method = CgMethod::best);
  GpuCg(GpuCg&&) noexcept;
  GpuCg& operator=(GpuCg&&) noexcept;
  ~GpuCg();

  /// Enqueues the solution of A x = b. b and x have grid.size() values in device memory, aligned to 16 bytes; x is the
  /// initial guess and is overwritten. For a singular system b must have mean 0 (require_compatible()) unless
  /// project_mean is set.
  void run(const T* b, T* x, const core::Stream& stream);
  /// The result of the last run(); synchronises.
  CgResult result(const core::Stream& stream) const;

  /// With `passes`: whether the host controls the loop, synchronising after a few iterations, instead of a graph with a
  /// conditional node, which compute-sanitizer does not support. The bits are the same.
  void loop_by_host(bool wanted);

  static double device_bytes(const Grid& grid, Form form, Preconditioner preconditioner);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Solutions in double with iterations in single precision: the method of solve_mixed() in cg.hpp.
class GpuMixedCg {
 public:
  GpuMixedCg(const Operator<double>& a, const CgOptions& options, const core::Stream& stream);
  GpuMixedCg(GpuMixedCg&&) noexcept;
  GpuMixedCg& operator=(GpuMixedCg&&) noexcept;
  ~GpuMixedCg();

  /// Solves A x = b; the host checks each residual in double, of which there are a handful. `iterations` of the result
  /// counts those in single precision.
  CgResult solve(const double* b, double* x, const core::Stream& stream);

  /// As GpuCg::loop_by_host().
  void loop_by_host(bool wanted);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::stencil
