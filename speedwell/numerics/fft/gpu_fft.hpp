// Fast Fourier transforms on a GPU: one, two or three dimensions, batches, complex and real, any length. Conventions,
// shapes, normalisations and argument checks are those of fft.hpp; arrays are in device memory.
//
//   speedwell::core::Stream stream;
//   speedwell::fft::GpuPlan<double> plan({.extents = {256, 256, 256}});
//   plan.forward(x, spectrum, stream);   // enqueues; or plan.forward(x, stream), in place
//
// A plan belongs to the device that is current at its construction and holds tables and work space there. Only one
// stream at a time may use it. Results are bitwise reproducible. Before allocating work space that the free memory of
// the device cannot hold, constructors throw core::Unavailable, naming the bytes; failures of CUDA throw
// core::DeviceError. Transforms also throw std::invalid_argument if an array of complex numbers does not begin at a
// multiple of their size. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string_view>

#include "speedwell/core/cuda.hpp"
#include "speedwell/core/pimpl.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

/// How a plan on a GPU is made.
struct GpuOptions {
  Normalisation normalisation = Normalisation::none;
  // The name of a variant of gpu_ladder.hpp. The variants differ in their passes over arrays of several dimensions.
  std::string_view step = "cuda";
};

template <class T>
class GpuEngine;  // the implementation of plans
template <class T>
class GpuRealEngine;

/// Complex transforms in T, which is float or double. A plan can be moved, and cannot be copied; its memory is freed
/// when it is destroyed.
template <class T>
class GpuPlan {
 public:
  using Complex = std::complex<T>;

  /// Allocates tables and work space on the current device. Throws std::invalid_argument as Plan of fft.hpp does, and
  /// for a step that is not one of gpu_ladder.hpp.
  explicit GpuPlan(const Shape& shape, const GpuOptions& options = {});

  /// Enqueue a transform. in and out have points() elements each; in is preserved unless it is out.
  void forward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  void backward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  void transform(Direction direction, std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  /// In-place transforms.
  void forward(std::span<Complex> x, const core::Stream& stream) { forward(x, x, stream); }
  void backward(std::span<Complex> x, const core::Stream& stream) { backward(x, x, stream); }

  std::int64_t points() const;  // points of the whole batch
  double bytes() const;         // bytes of the plan's work space

 private:
  core::Pimpl<GpuEngine<T>> engine_;
};

/// Real-to-complex and complex-to-real transforms of any length.
template <class T>
class GpuRealPlan {
 public:
  using Complex = std::complex<T>;

  /// Allocates tables and work space on the current device. Throws as GpuPlan.
  explicit GpuRealPlan(const Shape& shape, const GpuOptions& options = {});

  /// Enqueue a transform of real_points() reals to spectrum_points() complex numbers, or back. The real array and the
  /// spectrum must not overlap, and `in` is preserved. Backward assumes the spectrum of real data, as RealPlan does.
  void forward(std::span<const T> in, std::span<Complex> out, const core::Stream& stream);
  void backward(std::span<const Complex> in, std::span<T> out, const core::Stream& stream);
  /// In-place transforms in the memory of the spectrum: a row of n reals begins where its n / 2 + 1 complex numbers
  /// begin.
  void forward(std::span<Complex> padded, const core::Stream& stream);
  void backward(std::span<Complex> padded, const core::Stream& stream);

  std::int64_t real_points() const;      // reals of the whole batch
  std::int64_t spectrum_points() const;  // complex numbers of the whole batch: n / 2 + 1 for a row of n reals
  double bytes() const;                  // bytes of the plan's work space

 private:
  core::Pimpl<GpuRealEngine<T>> engine_;
};

/// Transforms of weighted complex data of which only a few points are needed, for example a decaying or filtered
/// spectrum sampled by probes. Neither the products nor the full result are written to memory. Three-dimensional and
/// unscaled; extents are powers of two, at most 4096 in double precision and 16384 in single. Device and errors are
/// those of GpuPlan; other extents, batches and samples outside the array throw std::invalid_argument.
template <class T>
class GpuSampledPlan {
 public:
  using Complex = std::complex<T>;

  /// `positions`, in host memory: indices of the samples in the row-major array; they may repeat.
  GpuSampledPlan(const Shape& shape, std::span<const std::int64_t> positions);

  /// Enqueues the transform: samples[s] becomes the transform of in(i, j, k) w0(i) w1(j) w2(k) at positions[s].
  /// `weights` holds w0, w1 and w2 one after the other. All spans are in device memory, of points(), weights(),
  /// points() and samples() elements; `work` is overwritten, and may be `in`. Throws std::invalid_argument as GpuPlan's
  /// transforms.
  void transform(Direction direction, std::span<const Complex> in, std::span<const T> weights, std::span<Complex> work,
                 std::span<Complex> samples, const core::Stream& stream);

  std::int64_t points() const;   // points of the array
  std::int64_t weights() const;  // the sum of the extents
  std::int64_t samples() const;  // the number of positions
  double bytes() const;          // bytes of the list of samples on the device

 private:
  struct State;
  core::Pimpl<State> state_;
};

extern template class GpuPlan<float>;
extern template class GpuPlan<double>;
extern template class GpuRealPlan<float>;
extern template class GpuRealPlan<double>;
extern template class GpuSampledPlan<float>;
extern template class GpuSampledPlan<double>;

}  // namespace speedwell::fft
