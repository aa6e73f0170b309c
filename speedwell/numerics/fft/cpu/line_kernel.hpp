// Transforms with one line per SIMD lane, so that every radix is plain vertical arithmetic. Compiled for each
// instruction set from line_kernel.cpp.
#pragma once

#include <cstdint>

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::fft {

/// One pass of Stockham's autosort algorithm over lines of n points. With s the product of the previous radices and m =
/// n / (radix s): y[q + s (radix p + k)] = w_{radix m}^{p k} sum_j x[q + s (p + m j)] w_radix^{j k}.
template <class T>
struct Pass {
  int radix = 1;
  std::int64_t groups = 1;      // m
  std::int64_t stride = 1;      // s
  const T* twiddles = nullptr;  // complex [m][radix - 1]
};
inline constexpr int max_passes = 64;

/// Tables for lines of n points: passes, or Bluestein's convolution by longer lines.
template <class T>
struct LineTables {
  std::int64_t n = 1;
  int passes = 0;
  Pass<T> pass[max_passes];
  const LineTables<T>* convolution = nullptr;  // for at least 2n - 1 points; has passes
  const T* chirp = nullptr;                    // e^{-pi i j^2 / n} for j < n
  const T* spectrum = nullptr;                 // transform of the conjugate chirp, divided by the convolution's points
  /// Points per lane of each of the two buffers.
  std::int64_t buffer_points() const { return convolution ? convolution->n : n; }
};

/// The twiddle factors between the two halves of a four-step transform of `first` x n points: point j of line k is
/// multiplied by w^{j k}, w of order first * n. The exponent of lane 0 is split over two tables; a third one has the
/// other lanes.
template <class T>
struct FourStepTwiddles {
  const T* high = nullptr;  // w^{j 2^bits}
  const T* low = nullptr;   // w^j for j < 2^bits
  int bits = 0;
  const T* lanes = nullptr;  // w^{j l} for j < n and every lane l: a vector of real parts, one of imaginary ones
  std::int64_t line = 0;     // k of the first lane
};

/// The alignment, in bytes, of columns stored by non-temporal stores: the widest vector.
inline constexpr std::int64_t column_alignment = 64;

/// At most as many lines as there are lanes. Strides are in reals: a contiguous complex line has an `element` of 2.
template <class T>
struct Lines {
  const T* in = nullptr;
  std::int64_t in_element = 2, in_lane = 2;
  T* out = nullptr;
  std::int64_t out_element = 2, out_lane = 2;
  int count = 0;
  bool backward = false;
  T scale = 1;                   // factor of the results
  FourStepTwiddles<T> twiddles;  // factors of the loaded values, if there are tables
  const T* weights = nullptr;    // a factor of the loaded values for each point of a line, or null; not with twiddles
  // whether whole columns are stored by non-temporal stores: `out` and `out_element` are then multiples of
  // column_alignment
  bool streamed = false;
  T* buffer[2] = {nullptr};  // each holds buffer_points() vectors of real and of imaginary parts
};

/// Transforms the lines. in and out are identical or disjoint.
template <class T>
using LineKernel = void(const LineTables<T>& tables, const Lines<T>& lines);

/// Tables for real lines of n points and their n / 2 + 1 complex numbers. For even n, `half` has the passes of n / 2
/// points and `unpack` e^{-2 pi i k / n} for k <= n / 4; for odd n, `half` has n points. Reals, which are `in` of
/// forward and `out` of backward transforms, have an `element` of 1. Buffers hold at least n / 2 + 1 points.
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
/// The kernels for `isa`; throws std::invalid_argument if this processor does not support it.
template <class T>
LineKernels<T> line_kernels(core::Isa isa);

}  // namespace speedwell::fft
