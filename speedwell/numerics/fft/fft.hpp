// Fast Fourier transforms on all cores: one, two or three dimensions, batches, complex and real, any length.
//
//   forward   X[k] = sum_n x[n] e^{-2 pi i k n / N}       backward   the same with +
//
// along every axis. Neither is scaled unless the plan's Normalisation says so. Arrays are row-major, the last extent
// contiguous; a batch is as many such arrays one after the other. In real transforms the last axis of the spectrum has
// n / 2 + 1 points, the others being their conjugates.
//
//   speedwell::fft::Plan<double> plan({.extents = {256, 256, 256}});
//   plan.forward(x, spectrum);   // or plan.forward(x), in place
//
// A plan holds tables and work space. Only one thread at a time may use it; it runs its own team of threads. Results
// are bitwise independent of the number of threads.
//
// Constructors throw std::invalid_argument unless there are one to three extents, all extents and the batch are at
// least 1, and the bytes fit 64 bits; they throw core::Unavailable, naming the bytes, if arrays and work space do not
// fit this machine's memory. Transforms throw std::invalid_argument if spans or weights have the wrong size or if in
// and out overlap; in and out of complex transforms may be identical.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "speedwell/core/pimpl.hpp"
#include "speedwell/numerics/fft/direction.hpp"

namespace speedwell::fft {

struct Shape {
  std::vector<std::int64_t> extents;  // one to three extents in points; the last one is contiguous
  std::int64_t batch = 1;
};

/// The factor of the results; N is the product of the extents.
enum class Normalisation {
  none,        // no factor: backward after forward yields N times the input
  backward,    // 1 / N on backward transforms
  orthogonal,  // 1 / sqrt(N) on both
};

struct Options {
  int threads = 0;  // 0: the number of threads that OpenMP would use
  Normalisation normalisation = Normalisation::none;
};

/// A table per axis with one factor per point: point (i, j, k) is multiplied by [0][i] [1][j] [2][k].
template <class T>
using Weights = std::span<const std::span<const T>>;

/// Neighbouring lines of a result along its first axis: point i of line `first` + l is points[i * stride + l] for l <
/// count. Lines are numbered by the memory order of the other axes.
template <class T>
struct ResultLines {
  const std::complex<T>* points;
  std::int64_t stride;
  std::int64_t first;
  int count;
};
/// Called concurrently from several threads; must not throw.
template <class T>
using Visit = std::function<void(const ResultLines<T>& lines)>;

template <class T>
class Engine;  // the implementation of plans

/// Complex transforms in T, which is float or double.
template <class T>
class Plan {
 public:
  using Complex = std::complex<T>;

  explicit Plan(const Shape& shape, const Options& options = {});

  /// in and out have points() elements each. in is preserved unless it is out.
  void forward(std::span<const Complex> in, std::span<Complex> out);
  void backward(std::span<const Complex> in, std::span<Complex> out);
  void transform(Direction direction, std::span<const Complex> in, std::span<Complex> out);
  /// Transforms the product of in and the weights; the weights are applied in the loads of the first pass.
  void transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights, std::span<Complex> out);
  /// As above, for a single array of three axes, without storing the result: `visit` receives all of its lines, each
  /// while it is in a cache. work has points() elements, is overwritten, and may be in.
  void transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights, std::span<Complex> work,
                 const Visit<T>& visit);
  /// In-place transforms.
  void forward(std::span<Complex> x) { forward(x, x); }
  void backward(std::span<Complex> x) { backward(x, x); }

  std::int64_t points() const;  // points of the whole batch
  double bytes() const;         // bytes of the plan's work space

 private:
  void require(std::span<const Complex> in, const Weights<T>& weights, std::span<const Complex> out) const;

  Shape shape_;
  core::Pimpl<Engine<T>> engine_;
};

/// Real-to-complex and complex-to-real transforms of any length.
template <class T>
class RealPlan {
 public:
  using Complex = std::complex<T>;

  explicit RealPlan(const Shape& shape, const Options& options = {});

  /// real_points() reals and spectrum_points() complex numbers; in is preserved. Backward assumes the spectrum of real
  /// data: of elements that are conjugate to each other, one is read; the imaginary parts of bin 0 (and n / 2) are
  /// ignored in one dimension.
  void forward(std::span<const T> in, std::span<Complex> out);
  void backward(std::span<const Complex> in, std::span<T> out);
  /// In-place transforms in the memory of the spectrum: a row of n reals begins where its n / 2 + 1 complex numbers
  /// begin.
  void forward(std::span<Complex> padded);
  void backward(std::span<Complex> padded);

  std::int64_t real_points() const;
  std::int64_t spectrum_points() const;
  double bytes() const;

 private:
  core::Pimpl<Engine<T>> engine_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class RealPlan<float>;
extern template class RealPlan<double>;

}  // namespace speedwell::fft
