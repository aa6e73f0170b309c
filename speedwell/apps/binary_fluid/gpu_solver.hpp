// A binary fluid on a GPU: buffers, the loop over steps, upload and download, once for the variants that need no host.
//   GpuSolver solver(problem, choose(problem), Precision::f64);
//   solver.upload(state, stream);  solver.run(1000, stream);  solver.finish(state, stream);
#pragma once

#include <memory>

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::binary_fluid {

class GpuSolver {
 public:
  /// Takes all memory, on the current device: gpu_bytes() of ladder.hpp. Throws std::invalid_argument for a problem
  /// that is not valid, or that the method does not do, or Method::study; core::DeviceError.
  GpuSolver(const Problem& problem, Method method, Precision precision);
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// The state to the device, where reset() finds it, and reset(). Throws std::invalid_argument for another size.
  void upload(const State& state, const core::Stream& stream);
  /// Enqueues that the state that was uploaded or kept is the present one.
  void reset(const core::Stream& stream);
  /// Enqueues that what reset() makes anew is 0xff bytes.
  void poison(const core::Stream& stream);
  /// Enqueues so many steps; the host waits for none of them. However steps are divided among calls, the bits are the
  /// same.
  void run(int steps, const core::Stream& stream);
  /// Makes the present state the one that reset() finds.
  void keep(const core::Stream& stream);
  /// Waits; the present state.
  void finish(State& state, const core::Stream& stream);
  /// Wait; of the present state, made on the device.
  Statistics statistics(const core::Stream& stream);
  Fields fields(const core::Stream& stream);

 private:
  class Lattice;
  template <class S, class R>
  class LatticeIn;
  std::unique_ptr<Lattice> lattice_;
};

}  // namespace speedwell::binary_fluid
