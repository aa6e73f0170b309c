// Conjugate gradients on a GPU; gpu_stencil.hpp includes it. Included by CUDA sources alone.
//   GpuCg<double> cg(host_operator, {.tolerance = 1e-10}, stream);
//   cg.run(b, x, stream);                       // b and x in device memory; nothing waits for the host
//   CgResult result = cg.result(stream);        // does
#pragma once

#include <memory>

#include "speedwell/apps/stencil/cg.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil {

/// passes: two passes over memory an iteration, three with the polynomial: 8 words a cell are read or written, 10 with
/// Jacobi's preconditioner, 13 with the polynomial. best: in the registers and shared memory of the multiprocessors
/// where that is possible: forms E0 and L without preconditioner, 16384 cells in double or 32768 in float for each
/// multiprocessor (128^3 on an H200); else passes.
enum class CgWay { best, passes };

/// The method of solve() in cg.hpp, matrix-free. The bits depend on the problem, the way and the device alone.
template <class T>
class GpuCg {
 public:
  /// Uploads A's coefficients and takes memory for four fields, five with a diagonal, six with the polynomial. Throws
  /// std::invalid_argument as require_solvable(), core::DeviceError. A may go afterwards.
  GpuCg(const Operator<T>& a, const CgOptions& options, const core::Stream& stream, CgWay way = CgWay::best);
  GpuCg(GpuCg&&) noexcept;
  GpuCg& operator=(GpuCg&&) noexcept;
  ~GpuCg();

  /// Enqueues the solution of A x = b. b, x: grid.size() values in device memory, aligned to 16 bytes; x holds the
  /// guess and is overwritten. Of a singular system b must have the mean 0 (require_compatible()) unless project_mean
  /// is set.
  void run(const T* b, T* x, const core::Stream& stream);
  /// What the last run() came to; waits for it.
  CgResult result(const core::Stream& stream) const;

  /// In passes: the host waits after a few iterations and decides on the next ones, in place of a graph with a
  /// conditional node, which compute-sanitizer does not follow. The bits are the same.
  void loop_by_host(bool wanted);

  static double device_bytes(const Grid& grid, Form form, Preconditioner preconditioner);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Answers in double from iterations in float: the method of solve_mixed() in cg.hpp.
class GpuMixedCg {
 public:
  GpuMixedCg(const Operator<double>& a, const CgOptions& options, const core::Stream& stream);
  GpuMixedCg(GpuMixedCg&&) noexcept;
  GpuMixedCg& operator=(GpuMixedCg&&) noexcept;
  ~GpuMixedCg();

  /// Solves A x = b; the host looks at each residual in double, of which there are a handful. `iterations` of the
  /// result are those in float.
  CgResult solve(const double* b, double* x, const core::Stream& stream);

  /// As GpuCg's.
  void loop_by_host(bool wanted);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace speedwell::stencil
