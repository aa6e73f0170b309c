// FT with two arrays, on the GPU transforms of fft: a time step is one inverse transform that applies the factors of
// the step in its loads and stores only the terms of the checksum. Included by CUDA sources only.
//   FusedGpuSolver solver({.nx = 256, .ny = 256, .nz = 128, .iterations = 6});   // allocates
//   solver.run(stream);  stream.synchronize();  Checksums c = solver.result();
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"

namespace speedwell::npb::ft {

/// FT as NPB 3.4 defines it; ft.hpp has the definition and its source. The checksums differ from those of Solver::run()
/// there by rounding.
///
/// An object belongs to the device that is current at its construction, and owns its memory there until it is
/// destroyed. One stream at a time may use it.
class FusedGpuSolver {
 public:
  using Complex = std::complex<double>;

  /// Allocates two complex arrays of points(problem) elements on the current device, and makes the plans of the
  /// transforms, with their tables. Throws std::invalid_argument for extents that are not powers of two or above
  /// 4096; core::Unavailable or core::DeviceError if there is no device, or too little memory.
  explicit FusedGpuSolver(const Problem& problem);

  /// Enqueues the timed region of the benchmark, which ends with the checksums in host memory, without waiting.
  void run(const core::Stream& stream);
  /// The checksums of the last run(), one for each time step, whose stream must have been synchronised.
  Checksums result() const;

  /// The unscaled discrete Fourier transform of the initial field in device memory, nx x ny x nz with x contiguous.
  std::span<const Complex> device_modes() const;
  /// All device memory that run() overwrites, as bytes: modes, work space, factors and unscaled checksums. What it
  /// holds before run() has no influence.
  std::vector<std::span<std::byte>> device_work();
  /// The unscaled checksums in page-locked host memory, which run() overwrites and result() reads.
  std::span<Complex> pinned_result();

 private:
  struct State;  // gpu/fused_solver.cu
  core::Pimpl<State> state_;
};

}  // namespace speedwell::npb::ft
