// GpuSolver: EP on a GPU, with buffers, kernel launches and the transfer of the result for all variants.
//   GpuSolver solver({.m = 28});   // allocates
//   solver.upload(stream);  solver.run(stream);  stream.synchronize();  Result r = solver.result();
// Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/ep/device_result.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::npb::ep {

struct Operands;                                                     // gpu/launch.hpp
using Launch = void(const Operands& p, const core::Stream& stream);  // enqueues all of EP

/// 2^m pairs of Gaussian deviates, their sums and the counts of their annuli: EP as NPB 3.4 defines it; ep.hpp has the
/// definition and its source. Counts are exact; the sums of the best variant differ from those of tally() by rounding.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates less than 1 MB on the current device. `step` is a name of ladder.hpp: "cuda" is the fastest. Throws
  /// std::invalid_argument as require_valid(), std::logic_error for a step that ladder.hpp does not have, and
  /// core::DeviceError if there is no device, or too little memory.
  explicit GpuSolver(const Problem& problem, std::string_view step = "cuda");
  /// The fastest, for `count` pairs of the problem from pair `first` on, of which there may be none. Throws
  /// std::invalid_argument for pairs that the problem does not have.
  GpuSolver(const Problem& problem, std::int64_t first, std::int64_t count);
  /// The same with another function that enqueues EP, for measurements of other shapes of a kernel.
  GpuSolver(const Problem& problem, Launch* function);

  /// Copies the constant table of the kernels, of logarithms, to the device, and waits. Must be called once, before the
  /// first run().
  void upload(const core::Stream& stream);
  /// Enqueues the timed region of the benchmark, which ends with the result in host memory, without waiting.
  void run(const core::Stream& stream);
  /// The result of the last run(), whose stream must have been synchronised.
  Result result() const;

  /// The result in device memory: one element, complete when the stream of run() has reached its end.
  std::span<const DeviceResult> device_result() const;
  /// All device memory that run() overwrites, as bytes: the result, and that of every block. What it holds before run()
  /// has no influence.
  std::vector<std::span<std::byte>> device_work();
  /// The result in page-locked host memory, which run() overwrites and result() reads: one element.
  std::span<DeviceResult> pinned_result();

 private:
  struct State;  // gpu/gpu_solver.cu
  core::Pimpl<State> state_;
};

}  // namespace speedwell::npb::ep
