// Transforms of lines side by side: each lane of a vector has a line of its own, so that every radix is plain vertical
// arithmetic. Compiled for each instruction set from line_kernel.cpp; plain memory only.
#pragma once

#include <cstdint>

#include "speedwell/core/isa.hpp"

namespace speedwell::fft {

/// One pass of Stockham's autosort algorithm over lines of n points. With s the product of the radices before and
/// m = n / (radix s): y[q + s (radix p + k)] = w_{radix m}^{p k} sum_j x[q + s (p + m j)] w_radix^{j k}.
template <class T>
struct Pass {
  int radix = 1;
  std::int64_t groups = 1;      // m
  std::int64_t stride = 1;      // s
  const T* twiddles = nullptr;  // [m][radix - 1], complex
};
inline constexpr int most_passes = 64;

/// Lines of n points: its passes, or Bluestein's convolution by lines of more points.
template <class T>
struct LineTables {
  std::int64_t n = 1;
  int passes = 0;
  Pass<T> pass[most_passes];
  const LineTables<T>* convolution = nullptr;  // of at least 2n - 1 points; has passes
  const T* chirp = nullptr;                    // e^{-pi i j^2 / n} for j < n
  const T* spectrum = nullptr;                 // of the conjugate chirp over the convolution's points, and 1 / these
  /// Points that each of two buffers must hold for every lane.
  std::int64_t buffer_points() const { return convolution ? convolution->n : n; }
};

/// The factors between the two halves of a long transform of `first` x n points: point j of line k is multiplied by
/// w^{j k}, w of order first * n. Exponents are split into two tables and a line's place among its neighbours.
template <class T>
struct Twist {
  const T* high = nullptr;  // w^{j 2^bits}
  const T* low = nullptr;   // w^j for j < 2^bits
  int bits = 0;
  const T* lanes = nullptr;  // w^{j l} for j < n and every lane l: a vector of real parts, one of imaginary ones
  std::int64_t line = 0;     // k of the first lane
};

/// In bytes, of columns that are stored past the caches: the widest vector.
inline constexpr std::int64_t column_alignment = 64;

/// Up to as many lines as there are lanes. Strides are in reals: a contiguous complex line has an `element` of 2.
template <class T>
struct Lines {
  const T* in = nullptr;
  std::int64_t in_element = 2, in_lane = 2;
  T* out = nullptr;
  std::int64_t out_element = 2, out_lane = 2;
  int count = 0;
  bool backward = false;
  T scale = 1;     // of what is stored
  Twist<T> twist;  // of what is loaded, where it has tables
  const T* weights =
      nullptr;               // of what is loaded, where there are: a factor for each point of a line; not with a twist
  bool streamed = false;     // whether whole columns are stored past the caches: then `out` and `out_element` are
                             // multiples of column_alignment
  T* buffer[2] = {nullptr};  // each of buffer_points() times a vector of real and one of imaginary parts
};

/// Transforms the lines. in and out are the same or apart.
template <class T>
using LineKernel = void(const LineTables<T>& tables, const Lines<T>& lines);

/// Real lines of n points against n / 2 + 1 complex ones. `half` has the passes of n / 2 points and `unpack` e^{-2 pi i
/// k / n} for k <= n / 4 where n is even; where it is odd `half` has n points. `in` is real forward, `out` backward,
/// with an `element` of 1. Buffers hold n / 2 + 1 points at least.
template <class T>
struct RealTables {
  std::int64_t n = 1;
  const LineTables<T>* half = nullptr;
  const T* unpack = nullptr;
};
template <class T>
using RealLineKernel = void(const RealTables<T>& tables, const Lines<T>& lines);

template <class T>
struct LineKernels {
  LineKernel<T>* complex;
  RealLineKernel<T>* real;
  int lanes;
};
/// The kernels for `isa`, which this processor must have (std::invalid_argument).
template <class T>
LineKernels<T> line_kernels(core::Isa isa);

}  // namespace speedwell::fft
