// GpuSolver: two-stream radiation on a GPU, with buffers, upload and download for all variants.
//   GpuSolver<double> solver(atmosphere, options);  solver.allocate();  solver.upload(atmosphere, stream);
//   solver.run(stream);  solver.download(fluxes, stream);
// The atmosphere is in host memory and must have passed require_atmosphere(); upload() accepts others of the same
// shape. For data on the device call columns_fused() of cuda.hpp instead.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "speedwell/apps/two_stream/cuda.hpp"

namespace speedwell::two_stream {

/// What the solver computes.
enum class Method { fused, separate, coefficients, coefficients_study };

template <class T>
class GpuSolver {
 public:
  /// Allocates no memory yet.
  GpuSolver(const Atmosphere<T>& shape, const Options& options, Method method = Method::fused)
      : shape_(shape), options_(options), method_(method) {}

  /// Allocates on the current device. Throws core::DeviceError.
  void allocate() {
    on_device_ = shape_;
    buffers_.clear();
    for (const auto& [array, size] : arrays()) {
      if (!(shape_.*array)) continue;
      buffers_.emplace_back(size);
      on_device_.*array = buffers_.back().data();
    }
    const std::size_t all = static_cast<std::size_t>(shape_.points * shape_.layers * shape_.columns);
    const std::size_t levels = static_cast<std::size_t>((shape_.layers + 1) * shape_.columns);
    results_.clear();
    for (int i = 0; i < result_count(); ++i) results_.emplace_back(columns() ? levels : all);
    scratch_ = {};
    if (method_ == Method::fused) scratch_ = core::DeviceBuffer<T>(column_scratch(shape_));
    if (method_ == Method::separate) scratch_ = core::DeviceBuffer<T>(separate_scratch(shape_));
  }

  /// Copies every array of `from`, which must have the same arrays as that of the constructor. Waits.
  void upload(const Atmosphere<T>& from, const core::Stream& stream) {
    upload_async(from, stream);
    stream.synchronize();
  }
  void upload_async(const Atmosphere<T>& from, const core::Stream& stream) {
    std::size_t i = 0;
    for (const auto& [array, size] : arrays())
      if (shape_.*array) {
        core::copy_async(buffers_[i].data(), from.*array, size, stream);
        ++i;
      }
  }
  /// Enqueues the computation.
  void run(const core::Stream& stream) {
    if (method_ == Method::fused) columns_fused(on_device_, options_, fluxes(), scratch_.data(), stream);
    if (method_ == Method::separate) columns_separate(on_device_, options_, fluxes(), scratch_.data(), stream);
    if (method_ == Method::coefficients) coefficients(on_device_, options_, layers(), stream);
    if (method_ == Method::coefficients_study) coefficients_study(on_device_, options_, layers(), stream);
  }
  void poison(const core::Stream& stream) {
    for (auto& result : results_) core::fill_bytes_async(result, 0xff, stream);
    core::fill_bytes_async(scratch_, 0xff, stream);
  }
  void download(const Fluxes<T>& to, const core::Stream& stream) {
    download_async({to.up, to.down, shape_.source == Source::sun ? to.direct : nullptr}, stream);
    stream.synchronize();
  }
  void download(const Coefficients<T>& to, const core::Stream& stream) {
    download_coefficients_async(to, stream);
    stream.synchronize();
  }
  void download_coefficients_async(const Coefficients<T>& to, const core::Stream& stream) {
    download_async({to.reflected, to.transmitted, to.top, to.bottom, to.direct}, stream);
  }
  /// The results, in the solver's device memory.
  Fluxes<T> fluxes() {
    return {results_[0].data(), results_[1].data(), result_count() > 2 ? results_[2].data() : nullptr};
  }
  Coefficients<T> layers() {
    return {.reflected = results_[0].data(),
            .transmitted = results_[1].data(),
            .direct = result_count() > 4 ? results_[4].data() : nullptr,
            .top = results_[2].data(),
            .bottom = results_[3].data()};
  }

 private:
  using Array = const T* Atmosphere<T>::*;

  bool columns() const { return method_ == Method::fused || method_ == Method::separate; }
  int result_count() const { return (columns() ? 2 : 4) + (shape_.source == Source::sun ? 1 : 0); }

  void download_async(const std::vector<T*>& to, const core::Stream& stream) {
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (to[i]) core::copy_async(to[i], results_[i].data(), results_[i].size(), stream);
  }

  // The arrays of an atmosphere that this method reads, with their sizes.
  std::vector<std::pair<Array, std::size_t>> arrays() const {
    using A = Atmosphere<T>;
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::int64_t ground = shape_.points * shape_.columns;
    const std::size_t all = size(ground * shape_.layers);
    const bool sun = shape_.source == Source::sun;
    std::vector<std::pair<Array, std::size_t>> list = {
        {&A::optical_depth, all}, {&A::albedo, all}, {&A::asymmetry, all}};
    if (sun) list.push_back({&A::mu0, size(shape_.columns)});
    if (!columns()) return list;
    list.push_back({&A::weight, size(shape_.points)});
    if (sun)
      for (const Array array : {&A::incident, &A::ground_direct, &A::ground_diffuse})
        list.push_back({array, size(ground)});
    else {
      list.push_back({&A::planck_level, size(ground * (shape_.layers + 1))});
      list.push_back({&A::planck_middle, all});
      for (const Array array : {&A::planck_ground, &A::emissivity}) list.push_back({array, size(ground)});
    }
    return list;
  }

  Atmosphere<T> shape_, on_device_;
  Options options_;
  Method method_;
  std::vector<core::DeviceBuffer<T>> buffers_, results_;
  core::DeviceBuffer<T> scratch_;
};

}  // namespace speedwell::two_stream
