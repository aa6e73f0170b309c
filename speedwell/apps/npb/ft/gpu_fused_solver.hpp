// FT with two arrays, on the GPU transforms of fft: a time step is one inverse transform that applies the factors of
// the step in its loads and stores only the terms of the checksum. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "speedwell/apps/npb/ft/gpu/fused.hpp"
#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::npb::ft {

/// The functions and the order of their calls are those of GpuSolver.
class FusedGpuSolver {
 public:
  /// Throws as require_powers_of_two().
  explicit FusedGpuSolver(const Problem& problem, std::string_view = "cuda") : problem_(problem) {
    require_powers_of_two(problem);
  }

  void allocate() {
    const fft::Shape shape{.extents = {problem_.nz, problem_.ny, problem_.nx}};
    std::vector<std::int64_t> sample_positions;
    for (int q = 1; q <= checksum_points; ++q) {
      const GridPoint at = point_of_term(problem_, q);
      sample_positions.push_back((at.z * problem_.ny + at.y) * problem_.nx + at.x);
    }
    modes_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(points(problem_)));
    field_ = core::DeviceBuffer<Complex>(modes_.size());
    forward_.emplace(shape);
    backward_.emplace(shape, sample_positions);
    terms_ = core::DeviceBuffer<Complex>(sample_positions.size());
    decay_ = core::DeviceBuffer<double>(static_cast<std::size_t>(problem_.iterations * backward_->weights()));
    on_device_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(problem_.iterations));
    on_host_ = core::PinnedBuffer<Complex>(on_device_.size());
  }
  /// The constructors of the plans have uploaded their tables.
  void upload(const core::Stream&) {}
  void poison(const core::Stream& stream) {
    for (core::DeviceBuffer<Complex>* array : {&modes_, &field_, &terms_, &on_device_})
      core::fill_bytes_async(*array, 0xff, stream);
    core::fill_bytes_async(decay_, 0xff, stream);
    std::memset(static_cast<void*>(on_host_.data()), 0xff, on_host_.bytes());
    stream.synchronize();
  }
  /// Enqueues the timed region of the benchmark, which ends with the checksums in host memory.
  void run(const core::Stream& stream) {
    fill_decay(problem_, decay_.data(), stream);
    fill_initial({.problem = problem_, .field = vectors(field_)}, stream);
    forward_->forward(field_.span(), modes_.span(), stream);
    const auto weights = static_cast<std::size_t>(backward_->weights());
    for (std::size_t step = 0; step < on_device_.size(); ++step) {
      backward_->transform(fft::Direction::backward, modes_.span(), decay_.span().subspan(step * weights, weights),
                           field_.span(), terms_.span(), stream);
      reduce_terms(vectors(terms_), vectors(on_device_) + step, stream);
    }
    core::copy_async(on_host_.data(), on_device_.data(), on_device_.size(), stream);
  }
  /// The result of the last run; its stream must have been synchronised. The transforms are unscaled.
  Checksums result() const {
    Checksums checksums;
    for (const Complex& sum : on_host_.span()) checksums.push_back(sum / static_cast<double>(points(problem_)));
    return checksums;
  }

 private:
  using Complex = std::complex<double>;
  // Both types have the memory layout of two doubles.
  static double2* vectors(core::DeviceBuffer<Complex>& buffer) { return reinterpret_cast<double2*>(buffer.data()); }

  Problem problem_;
  std::optional<fft::GpuPlan<double>> forward_;
  std::optional<fft::GpuSampledPlan<double>> backward_;
  core::DeviceBuffer<Complex> modes_, field_, terms_, on_device_;
  core::DeviceBuffer<double> decay_;
  core::PinnedBuffer<Complex> on_host_;
};

}  // namespace speedwell::npb::ft
