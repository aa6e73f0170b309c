// FT in two arrays, on the GPU transforms of fft: a time step is one transform back, with the step's factors on what it
// loads and the terms of the checksum picked up from what it would store. Included by CUDA sources alone.
#pragma once

#include <complex>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "speedwell/apps/fft/gpu_fft.hpp"
#include "speedwell/apps/npb/ft/gpu/fused.hpp"
#include "speedwell/apps/npb/ft/gpu/launch.hpp"
#include "speedwell/apps/npb/ft/gpu/lines.hpp"

namespace speedwell::npb::ft {

/// The calls, and their order, are those of GpuSolver.
class FusedGpuSolver {
 public:
  /// Throws as require_powers_of_two().
  explicit FusedGpuSolver(const Problem& problem, std::string_view = "cuda") : problem_(problem) {
    require_powers_of_two(problem);
  }

  void allocate() {
    const fft::Shape shape{.extents = {problem_.nz, problem_.ny, problem_.nx}};
    std::vector<std::int64_t> places;
    for (int q = 1; q <= checksum_points; ++q) {
      const Place at = place_of_term(problem_, q);
      places.push_back((at.z * problem_.ny + at.y) * problem_.nx + at.x);
    }
    modes_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(points(problem_)));
    field_ = core::DeviceBuffer<Complex>(modes_.size());
    forward_.emplace(shape);
    back_.emplace(shape, places);
    terms_ = core::DeviceBuffer<Complex>(places.size());
    decay_ = core::DeviceBuffer<double>(static_cast<std::size_t>(problem_.iterations * back_->weights()));
    on_device_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(problem_.iterations));
    on_host_ = core::PinnedBuffer<Complex>(on_device_.size());
  }
  /// The plans have put their tables on the device.
  void upload(const core::Stream&) {}
  void poison(const core::Stream& stream) {
    for (core::DeviceBuffer<Complex>* array : {&modes_, &field_, &terms_, &on_device_})
      core::fill_bytes_async(*array, 0xff, stream);
    core::fill_bytes_async(decay_, 0xff, stream);
    std::memset(static_cast<void*>(on_host_.data()), 0xff, on_host_.bytes());
    stream.synchronize();
  }
  /// Enqueues everything that the benchmark times: up to the checksums in host memory.
  void run(const core::Stream& stream) {
    fill_decay(problem_, decay_.data(), stream);
    fill_initial({.problem = problem_, .field = vectors(field_)}, stream);
    forward_->forward(field_.span(), modes_.span(), stream);
    const auto weights = static_cast<std::size_t>(back_->weights());
    for (std::size_t step = 0; step < on_device_.size(); ++step) {
      back_->transform(fft::Direction::backward, modes_.span(), decay_.span().subspan(step * weights, weights),
                       field_.span(), terms_.span(), stream);
      add_up(vectors(terms_), vectors(on_device_) + step, stream);
    }
    core::copy_async(on_host_.data(), on_device_.data(), on_device_.size(), stream);
  }
  /// Of the last run, when its stream has been synchronised. The transforms are unscaled.
  Checksums result() const {
    Checksums checksums;
    for (const Complex& sum : on_host_.span()) checksums.push_back(sum / static_cast<double>(points(problem_)));
    return checksums;
  }

 private:
  using Complex = std::complex<double>;
  // Two reals either way.
  static double2* vectors(core::DeviceBuffer<Complex>& buffer) { return reinterpret_cast<double2*>(buffer.data()); }

  Problem problem_;
  std::optional<fft::GpuPlan<double>> forward_;
  std::optional<fft::GpuSampledPlan<double>> back_;
  core::DeviceBuffer<Complex> modes_, field_, terms_, on_device_;
  core::DeviceBuffer<double> decay_;
  core::PinnedBuffer<Complex> on_host_;
};

}  // namespace speedwell::npb::ft
