// The transform of a line of 2^k points by the threads of a block: Stockham's algorithm, decimation in time (Van Loan
// 1992, section 1.7). Each thread holds a few points in registers and exchanges them through shared memory between
// passes. The code is split into phases so that a test on the host can run all threads of a phase one after the other.
//
// In a pass of radix R with s points transformed so far, butterfly t reads the points t + j n / R. With `points` points
// per thread and `width` threads per line, register e holds point lane + width e for every R.
#pragma once

#include "speedwell/numerics/fft/gpu/device/butterflies.hpp"

namespace speedwell::fft::gpu {

constexpr int max_log_f64 = 12, max_log_f32 = 14;
template <class T>
constexpr int max_log = sizeof(T) == 8 ? max_log_f64 : max_log_f32;

/// The radices of 2^log_n points: the first one is the number of points per thread, the others are as equal as
/// possible. Short lines have few points per thread, so that neighbouring threads read at least 32 contiguous bytes.
struct LineRadices {
  int passes = 1;
  int log_points = 0;  // log2 of the points per thread, and of the first radix
  int log_radix[4] = {};
};
SPEEDWELL_HD
constexpr LineRadices line_radices(int log_n) {
  LineRadices r;
  r.log_points = log_n >= 7 ? 4 : log_n >= 5 ? 3 : log_n == 4 ? 2 : log_n >= 1 ? 1 : 0;
  r.log_radix[0] = r.log_points;
  int rest = log_n - r.log_points;
  for (int more = rest > 0 ? (rest + r.log_points - 1) / r.log_points : 0; more > 0; --more) {
    const int log = (rest + more - 1) / more;
    r.log_radix[r.passes++] = log;
    rest -= log;
  }
  return r;
}

/// Threads that transform one line of 2^log_n points.
SPEEDWELL_HD
constexpr int threads_per_line(int log_n) { return 1 << (log_n - line_radices(log_n).log_points); }

/// Complex numbers of the table of twiddles: for every pass but the first, with s points transformed so far, e^{-2 pi i
/// q m / (s R)} for q < s and every power of two m below the radix R. The other powers are products of two to four of
/// these.
SPEEDWELL_HD
constexpr int table_size(int log_n) {
  const LineRadices r = line_radices(log_n);
  int size = 0, log_s = r.log_radix[0];
  for (int p = 1; p < r.passes; log_s += r.log_radix[p++]) size += r.log_radix[p] << log_s;
  return size;
}

/// The index in shared memory of an index in a line: one unused entry after every 16, so that neither the strides of
/// the first pass's results nor neighbouring accesses cause bank conflicts.
SPEEDWELL_HD
constexpr int padded(int index) { return index + index / 16; }

template <class T, int log_n>
struct Line {
  static constexpr LineRadices radices = line_radices(log_n);
  static constexpr int n = 1 << log_n;
  static constexpr int passes = radices.passes;
  static constexpr int points = 1 << radices.log_points;
  static constexpr int width = threads_per_line(log_n);
  using Registers = Complex<T>[points];

  SPEEDWELL_HD
  static constexpr int log_before(int pass) {
    int log = 0;
    for (int p = 0; p < pass; ++p) log += line_radices(log_n).log_radix[p];
    return log;
  }
  SPEEDWELL_HD
  static constexpr int table_before(int pass) {
    int size = 0;
    for (int p = 1; p < pass; ++p) size += line_radices(log_n).log_radix[p] << log_before(p);
    return size;
  }

  /// Twiddles and butterflies of a pass on the registers of thread `lane` of the line.
  template <int pass>
  SPEEDWELL_HD
  static void butterflies(Registers& x, int lane, const Complex<T>* table) {
    constexpr int log_radix = line_radices(log_n).log_radix[pass], radix = 1 << log_radix, each = points / radix;
    constexpr int s = 1 << log_before(pass);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int b = 0; b < each; ++b) {
      Complex<T> y[radix];
      for (int j = 0; j < radix; ++j) y[j] = x[b + each * j];
      if constexpr (pass > 0)
        apply_twiddles<radix, log_radix, s>(y, table + table_before(pass) + ((lane + width * b) & (s - 1)));
      Butterfly<radix>::apply(y);
      for (int k = 0; k < radix; ++k) x[b + each * k] = y[k];
    }
  }

  /// The index in the line of the content of register e after this pass.
  template <int pass>
  SPEEDWELL_HD
  static constexpr int point_index_after(int lane, int e) {
    constexpr int radix = 1 << line_radices(log_n).log_radix[pass], each = points / radix, s = 1 << log_before(pass);
    const int t = lane + width * (e % each), k = e / each, q = t & (s - 1);
    return q + s * k + (t - q) * radix;
  }
  /// The index in the line of the point in register e at the beginning of every pass and after the last one.
  SPEEDWELL_HD
  static constexpr int point_index(int lane, int e) { return lane + width * e; }

 private:
  // Multiplies y[j] by w^j, where w is table[0], w^2 is table[s] and so on.
  template <int radix, int log_radix, int s>
  SPEEDWELL_HD
  static void apply_twiddles(Complex<T> (&y)[radix], const Complex<T>* table) {
    Complex<T> w[radix];
    detail::each<log_radix>([&]<int M>() {
      w[1 << M] = table[M * s];
      for (int j = 1; j < 1 << M; ++j) w[(1 << M) + j] = w[1 << M] * w[j];
    });
    for (int j = 1; j < radix; ++j) y[j] = y[j] * w[j];
  }
};

}  // namespace speedwell::fft::gpu
