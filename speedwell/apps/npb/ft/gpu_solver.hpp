// GpuSolver: FT by the steps of the 2018 study on a GPU, with buffers, the time loop and the transfer of the result.
//   GpuSolver solver({.nx = 256, .ny = 256, .nz = 128, .iterations = 6}, "cuda-layouts");   // allocates
//   solver.upload(stream);  solver.run(stream);  stream.synchronize();  Checksums c = solver.result();
// FusedGpuSolver of gpu_fused_solver.hpp is faster. Included by CUDA sources only.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::npb::ft {

/// FT as NPB 3.4 defines it; ft.hpp has the definition and its source. The variants are those of C. A. Araujo et al.
/// (2018), for extents that are powers of two.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it. All functions throw core::DeviceError if CUDA fails.
class GpuSolver {
 public:
  /// Allocates four complex arrays and a real one of points(problem) elements on the current device. `step` is a name
  /// of ladder.hpp. Throws std::invalid_argument for extents that are not powers of two, std::logic_error for a step
  /// that is not one of the study, and core::DeviceError if there is no device, or too little memory.
  GpuSolver(const Problem& problem, std::string_view step);

  /// Copies the roots of unity of the transforms to the device, and waits. Must be called once, before the first run().
  void upload(const core::Stream& stream);
  /// Enqueues the timed region of the benchmark, which ends with the checksums in host memory, without waiting.
  void run(const core::Stream& stream);
  /// The checksums of the last run(), one for each time step, whose stream must have been synchronised.
  Checksums result() const;

  /// The field of the last time step in device memory, nx x ny x nz with x contiguous, times points(problem), because
  /// the transforms are unscaled.
  std::span<double2> device_field();
  /// All device memory that run() overwrites, as bytes: fields, work space, factors and unscaled checksums. What it
  /// holds before run() has no influence.
  std::vector<std::span<std::byte>> device_work();
  /// The unscaled checksums in page-locked host memory, which run() overwrites and result() reads.
  std::span<double2> pinned_result();

 private:
  struct State;  // gpu/gpu_solver.cu
  core::Pimpl<State> state_;
};

}  // namespace speedwell::npb::ft
