// The implementation of complex GPU plans. Included by CUDA sources only.
#pragma once

#include <optional>
#include <vector>

#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/kernels/two_passes.hpp"

namespace speedwell::fft {

template <class T>
class GpuEngine {
 public:
  using Complex = gpu::Complex<T>;
  GpuEngine(const Shape& shape, const GpuOptions& options);

  std::int64_t points() const { return points_; }
  double bytes() const { return static_cast<double>(work_.bytes() + counters_.bytes()); }
  void transform(const Complex* in, Complex* out, bool backward, const core::Stream& stream);

 private:
  enum class Method { transposed, passes, planes, two_passes };

  Method choose_method(std::string_view step, const Shape& shape) const;
  std::int64_t lag() const;  // planes between the rows and the columns that are in progress
  void run_transposed(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream);
  void run_planes(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream);
  void run_two_passes(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream);

  Normalisation normalisation_;
  std::int64_t points_ = 0, size_ = 1;  // size_: N of the normalisation
  gpu::Axes<T> transforms_;
  std::vector<gpu::Axis<T>> axes_;  // at least one
  Method method_ = Method::passes;
  std::optional<gpu::TwoPasses<T>> two_passes_;
  core::DeviceBuffer<Complex> work_;
  core::DeviceBuffer<std::uint32_t> counters_;
};

}  // namespace speedwell::fft
