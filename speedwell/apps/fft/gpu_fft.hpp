// Fast Fourier transforms on a GPU: one, two or three dimensions, batches, complex and real, any length. Conventions,
// shapes, normalisations and refusals are those of fft.hpp; arrays are in device memory.
//
//   speedwell::core::Stream stream;
//   speedwell::fft::GpuPlan<double> plan({.extents = {256, 256, 256}});
//   plan.forward(x, spectrum, stream);   // enqueues; or plan.forward(x, stream), in place
//
// A plan belongs to the device that is current when it is made, and holds tables and work space there: one stream at a
// time uses it. The same plan gives the same bits every time. Plans throw core::Unavailable, which names the bytes,
// before they allocate work space that the device's free memory cannot hold, and core::DeviceError for what CUDA
// refuses; transforms also refuse arrays that do not begin where a complex number may. Included by CUDA sources alone.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft {

struct GpuOptions {
  Normalisation normalisation = Normalisation::none;
  std::string_view step = "cuda";  // how arrays of several dimensions are crossed: a name of gpu_ladder.hpp
};

template <class T>
class GpuEngine;  // what plans are made of
template <class T>
class GpuRealEngine;

/// Complex transforms in T, float or double.
template <class T>
class GpuPlan {
 public:
  using Complex = std::complex<T>;

  explicit GpuPlan(const Shape& shape, const GpuOptions& options = {});
  GpuPlan(GpuPlan&&) noexcept;
  GpuPlan& operator=(GpuPlan&&) noexcept;
  ~GpuPlan();

  /// Enqueue. points() numbers each; in is kept unless it is out.
  void forward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  void backward(std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  void transform(Direction direction, std::span<const Complex> in, std::span<Complex> out, const core::Stream& stream);
  /// In place.
  void forward(std::span<Complex> x, const core::Stream& stream) { forward(x, x, stream); }
  void backward(std::span<Complex> x, const core::Stream& stream) { backward(x, x, stream); }

  std::int64_t points() const;  // of the whole batch
  double bytes() const;         // of the plan's work space

 private:
  std::unique_ptr<GpuEngine<T>> engine_;
};

/// Real to complex transforms and back, of any length.
template <class T>
class GpuRealPlan {
 public:
  using Complex = std::complex<T>;

  explicit GpuRealPlan(const Shape& shape, const GpuOptions& options = {});
  GpuRealPlan(GpuRealPlan&&) noexcept;
  GpuRealPlan& operator=(GpuRealPlan&&) noexcept;
  ~GpuRealPlan();

  /// Enqueue. real_points() reals and spectrum_points() complex numbers; in is kept. What is taken of a spectrum that
  /// is none of real data is what RealPlan takes.
  void forward(std::span<const T> in, std::span<Complex> out, const core::Stream& stream);
  void backward(std::span<const Complex> in, std::span<T> out, const core::Stream& stream);
  /// In place, in the memory of the spectrum: a line of n reals begins where its n / 2 + 1 complex numbers do.
  void forward(std::span<Complex> padded, const core::Stream& stream);
  void backward(std::span<Complex> padded, const core::Stream& stream);

  std::int64_t real_points() const;
  std::int64_t spectrum_points() const;
  double bytes() const;

 private:
  std::unique_ptr<GpuRealEngine<T>> engine_;
};

/// Complex transforms of which a few points are wanted, of what is weighted on the way in: a spectrum that decays or is
/// filtered, seen by probes. Neither the products nor the result reach memory. Three-dimensional and unscaled; extents
/// are powers of two, of at most 4096 points in double precision and 16384 in single. Refuses and belongs to a device
/// as GpuPlan; std::invalid_argument for other extents, more than one array, and samples that lie outside.
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

extern template class GpuPlan<float>;
extern template class GpuPlan<double>;
extern template class GpuRealPlan<float>;
extern template class GpuRealPlan<double>;
extern template class GpuSampledPlan<float>;
extern template class GpuSampledPlan<double>;

}  // namespace speedwell::fft
