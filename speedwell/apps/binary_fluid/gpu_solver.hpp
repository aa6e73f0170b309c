// GpuSolver: a binary fluid on a GPU, with buffers, time loop, upload and download for all variants but the study's.
//   GpuSolver solver(problem, choose(problem), Precision::f64);
//   solver.upload(state, stream);  solver.run(1000, stream);  solver.finish(state, stream);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/apps/binary_fluid/statistics.hpp"
#include "speedwell/apps/binary_fluid/verify/verify.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::binary_fluid {

/// The method of CpuSolver in binary_fluid.hpp, with its source, on one GPU. Time is counted in steps, lengths in
/// sites.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. It has two states, the present one and a saved one, which restore() returns to. One stream at a time may
/// use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates all memory on the current device, gpu_bytes() of ladder.hpp; the state is undefined. Throws
  /// std::invalid_argument for a problem that is not valid or not supported by the method, and for Method::study;
  /// core::DeviceError if there is no device, or too little memory.
  GpuSolver(const Problem& problem, Method method, Precision precision);

  /// Copies the state to the device as the present one and the saved one. Throws std::invalid_argument if the extents
  /// of the state are not the problem's.
  void upload(const State& state, const core::Stream& stream);
  /// Enqueues `steps` time steps without waiting. The result has the same bits however the steps are divided among
  /// calls.
  void run(int steps, const core::Stream& stream);
  /// Enqueues the copy of the present state to the saved one.
  void save(const core::Stream& stream);
  /// Enqueues the copy of the state of upload() or save() to the present one.
  void restore(const core::Stream& stream);
  /// Waits for the steps and overwrites `state` with the present state.
  void finish(State& state, const core::Stream& stream);
  /// Statistics and fields of the present state, computed on the device. Both calls wait.
  Statistics statistics(const core::Stream& stream);
  Fields fields(const core::Stream& stream);

  /// All device memory that run() overwrites, as bytes: the populations or moments, in the layout of the method, and
  /// work space. What it holds before restore() has no influence.
  std::vector<std::span<std::byte>> device_work();

 private:
  class Lattice;
  template <class S, class R>
  class LatticeIn;
  core::Pimpl<Lattice> lattice_;
};

}  // namespace speedwell::binary_fluid
