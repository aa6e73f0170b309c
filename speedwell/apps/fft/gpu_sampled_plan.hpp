// Transforms on a GPU of which a few points are wanted, of what is weighted on the way in: a spectrum that
// decays or is filtered, seen by probes. Neither the products nor the result reach memory.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft {

/// Three-dimensional complex transforms in T, float or double, unscaled; extents are powers of two, of at most 4096
/// points in double precision and 8192 in single. Refuses and belongs to a device as GpuPlan; std::invalid_argument for
/// other extents, more than one array, and samples that lie outside.
template <class T>
class GpuSampledPlan {
 public:
  using Complex = std::complex<T>;

  /// The places of samples in the array. Several may be the same.
  GpuSampledPlan(const Shape& shape, std::span<const std::int64_t> places);
  GpuSampledPlan(GpuSampledPlan&&) noexcept;
  GpuSampledPlan& operator=(GpuSampledPlan&&) noexcept;
  ~GpuSampledPlan();

  /// Enqueues: each sample becomes the transform of in(i, j, k) w0(i) w1(j) w2(k) at its place. `weights` has the w
  /// of one axis after the other. All spans are of device memory; `work`, of points() numbers, is overwritten and may
  /// be `in`.
  void transform(Direction direction, std::span<const Complex> in, std::span<const T> weights, std::span<Complex> work,
                 std::span<Complex> samples, const core::Stream& stream);

  std::int64_t points() const;
  std::int64_t weights() const;  // the sum of the extents
  std::int64_t samples() const;
  double bytes() const;  // of tables on the device

 private:
  struct State;
  std::unique_ptr<State> state_;
};

extern template class GpuSampledPlan<float>;
extern template class GpuSampledPlan<double>;

}  // namespace speedwell::fft
