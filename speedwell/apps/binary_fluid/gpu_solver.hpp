// GpuSolver: a binary fluid on a GPU, with buffers, time loop, upload and download for all variants but the study's.
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
  /// Allocates all memory on the current device, gpu_bytes() of ladder.hpp. Throws std::invalid_argument for a problem
  /// that is not valid or not supported by the method, and for Method::study; core::DeviceError.
  GpuSolver(const Problem& problem, Method method, Precision precision);
  GpuSolver(GpuSolver&&) noexcept;
  GpuSolver& operator=(GpuSolver&&) noexcept;
  ~GpuSolver();

  /// Copies the state to the device as the one that reset() restores, and calls reset(). Throws std::invalid_argument
  /// if the extents of the state are not the problem's.
  void upload(const State& state, const core::Stream& stream);
  /// Enqueues the copy of the state of upload() or save() to the present one.
  void reset(const core::Stream& stream);
  /// Enqueues the overwriting of the buffers that reset() restores with 0xff bytes.
  void poison(const core::Stream& stream);
  /// Enqueues `steps` time steps without waiting. The result has the same bits however the steps are divided among
  /// calls.
  void run(int steps, const core::Stream& stream);
  /// Makes the present state the one that reset() restores.
  void save(const core::Stream& stream);
  /// Waits for the steps and overwrites `state` with the present state.
  void finish(State& state, const core::Stream& stream);
  /// Statistics and fields of the present state, computed on the device. Both calls wait.
  Statistics statistics(const core::Stream& stream);
  Fields fields(const core::Stream& stream);

 private:
  class Lattice;
  template <class S, class R>
  class LatticeIn;
  std::unique_ptr<Lattice> lattice_;
};

}  // namespace speedwell::binary_fluid
