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
// A plan holds tables and work space. One thread at a time uses it, and it has a team of its own. The bits of a result
// do not depend on the number of threads.
//
// Plans refuse when they are made: with std::invalid_argument other than one to three extents, an extent or a batch
// below 1, and more bytes than 64 bits can count; with core::Unavailable, which names the bytes, arrays and work space
// that this machine's memory cannot hold. Transforms throw std::invalid_argument for spans and weights of a wrong size
// and for in and out that overlap; complex ones may be the same.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "speedwell/apps/fft/direction.hpp"

namespace speedwell::fft {

struct Shape {
  std::vector<std::int64_t> extents;  // one to three, of points; the last is contiguous
  std::int64_t batch = 1;
};

/// What results are multiplied by, N being the product of the extents.
enum class Normalisation {
  none,        // nothing: backward after forward is N times the input
  backward,    // backward by 1 / N
  orthogonal,  // both by 1 / sqrt(N)
};

struct Options {
  int threads = 0;  // 0: as many as OpenMP would take
  Normalisation normalisation = Normalisation::none;
};

/// For each axis a table of as many factors as it has points: point (i, j, k) is multiplied by [0][i] [1][j] [2][k].
template <class T>
using Weights = std::span<const std::span<const T>>;

/// Neighbouring lines of a result along its first axis: point i of line `first` + l is points[i * stride + l], l <
/// count. Lines are counted as the other axes' points lie in memory.
template <class T>
struct ResultLines {
  const std::complex<T>* points;
  std::int64_t stride;
  std::int64_t first;
  int count;
};
/// Called from several threads at once; does not throw.
template <class T>
using Visit = std::function<void(const ResultLines<T>& lines)>;

template <class T>
class Engine;  // what plans are made of

/// Complex transforms in T, float or double.
template <class T>
class Plan {
 public:
  using Complex = std::complex<T>;

  explicit Plan(const Shape& shape, const Options& options = {});
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;
  ~Plan();

  /// points() numbers each; in is kept unless it is out.
  void forward(std::span<const Complex> in, std::span<Complex> out);
  void backward(std::span<const Complex> in, std::span<Complex> out);
  void transform(Direction direction, std::span<const Complex> in, std::span<Complex> out);
  /// Of in times the weights, which are applied to what is loaded anyway.
  void transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights, std::span<Complex> out);
  /// The same of a single array of three axes, the result of which is not stored: `visit` is shown all its lines, each
  /// while it is in a cache. work, of points() numbers, is overwritten and may be in.
  void transform(Direction direction, std::span<const Complex> in, const Weights<T>& weights, std::span<Complex> work,
                 const Visit<T>& visit);
  /// In place.
  void forward(std::span<Complex> x) { forward(x, x); }
  void backward(std::span<Complex> x) { backward(x, x); }

  std::int64_t points() const;  // of the whole batch
  double bytes() const;         // of the plan's work space

 private:
  void require(std::span<const Complex> in, const Weights<T>& weights, std::span<const Complex> out) const;

  Shape shape_;
  std::unique_ptr<Engine<T>> engine_;
};

/// Real to complex transforms and back, of any length.
template <class T>
class RealPlan {
 public:
  using Complex = std::complex<T>;

  explicit RealPlan(const Shape& shape, const Options& options = {});
  RealPlan(RealPlan&&) noexcept;
  RealPlan& operator=(RealPlan&&) noexcept;
  ~RealPlan();

  /// real_points() reals and spectrum_points() complex numbers; in is kept. Backward takes the spectrum for one of real
  /// data: what must then be real or conjugate to something is read once, imaginary parts at bin 0 (and n / 2) of one
  /// dimension not at all.
  void forward(std::span<const T> in, std::span<Complex> out);
  void backward(std::span<const Complex> in, std::span<T> out);
  /// In place, in the memory of the spectrum: a line of n reals begins where its n / 2 + 1 complex numbers do.
  void forward(std::span<Complex> padded);
  void backward(std::span<Complex> padded);

  std::int64_t real_points() const;
  std::int64_t spectrum_points() const;
  double bytes() const;

 private:
  std::unique_ptr<Engine<T>> engine_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class RealPlan<float>;
extern template class RealPlan<double>;

}  // namespace speedwell::fft
