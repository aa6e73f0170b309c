// A tridiagonal system divided into as many chunks as a warp has lanes, M rows each (E. Laszlo, M. Giles, J. Appleyard,
// ACM TOMS 42 (2016) 31). A lane eliminates the inside of its chunk from both ends; the reduced system has one unknown
// per lane, its last row, and is solved by parallel cyclic reduction among the lanes; back substitution follows.
// Periodic systems are solved in the same way: the first lane's neighbour is the last. Right-hand sides are complex
// numbers of one real matrix.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

/// low x_before + (sum - low - high) x + high x_after = right. Rows are represented by the sum of their coefficients,
/// an eigenvalue of planes, which is small against the coefficients: no diagonal then loses digits, and the last one,
/// which is the sum itself, is exact.
template <class T>
struct Row {
  T low, sum, high;
};

/// The reduced equation of a lane: before x_last(previous chunk) + self x_last + after x_last(next chunk) = right.
template <class T>
struct Equation {
  T before, sum, after, re, im;
  SPEEDWELL_HD
  T self() const { return sum - before - after; }
};
/// The equation of a chunk's first row for the previous chunk: before x_last(previous chunk) + self x_first + last
/// x_last = right.
template <class T>
struct FirstRowEquation {
  T before, sum, last, re, im;
  SPEEDWELL_HD
  T self() const { return sum - before - last; }
};

template <class T, int M>
struct Chunk {
  T inverse[M];  // reciprocals of the diagonals after elimination from the first row

  /// Eliminates from the last row but one to the first. row(i) and right(i).re, .im are called for i < M.
  template <class Rows, class Rights>
  SPEEDWELL_HD
  FirstRowEquation<T> first_row_equation(const Rows& row, const Rights& right) const {
    const Row<T> end = row(M - 2);
    T sum = end.sum, last = end.high, before = end.low;
    auto r = right(M - 2);
    T re = r.re, im = r.im;
#pragma unroll
    for (int i = M - 3; i >= 0; --i) {
      const Row<T> here = row(i);
      const T factor = here.high / (sum - before - last);
      sum = here.sum - factor * sum;
      last = -factor * last;
      r = right(i);
      re = r.re - factor * re;
      im = r.im - factor * im;
      before = here.low;
    }
    return {before, sum, last, re, im};
  }

  /// Eliminates from the first row to the last; keep(i, re, im) stores the eliminated right-hand sides divided by their
  /// diagonals.
  template <class Rows, class Rights, class Keep>
  SPEEDWELL_HD
  Equation<T> last_row_equation(const Rows& row, const Rights& right, const Keep& keep) {
    T before = 0, sum = 0, re = 0, im = 0;
#pragma unroll
    for (int i = 0; i < M; ++i) {
      const Row<T> here = row(i);
      const auto r = right(i);
      if (i == 0) {
        sum = here.sum;
        before = here.low;
        re = r.re;
        im = r.im;
      } else {
        const T factor = here.low * inverse[i - 1];
        sum = here.sum - factor * sum;
        before = -factor * before;
        re = r.re - factor * re;
        im = r.im - factor * im;
      }
      inverse[i] = T(1) / (sum - before - here.high);
      keep(i, re * inverse[i], im * inverse[i]);
    }
    return {before, sum, row(M - 1).high, re, im};
  }

  /// Substitutes back, given the last rows of the previous and of this chunk. kept(i) returns what last_row_equation()
  /// stored; put() receives solutions, from the last row to the first.
  template <class Rows, class Kept, class Keep, class Put>
  SPEEDWELL_HD
  void back_substitute(const Rows& row, T before_re, T before_im, T last_re, T last_im, const Kept& kept,
                       const Keep& keep, const Put& put) const {
    T influence = 0;  // coefficient of the row before the chunk
#pragma unroll
    for (int i = 0; i < M - 1; ++i) {
      influence = (i == 0 ? row(0).low : -row(i).low * influence) * inverse[i];
      const auto y = kept(i);
      keep(i, y.re - influence * before_re, y.im - influence * before_im);
    }
    put(M - 1, last_re, last_im);
#pragma unroll
    for (int i = M - 2; i >= 0; --i) {
      const T factor = row(i).high * inverse[i];
      const auto y = kept(i);
      last_re = y.re - factor * last_re;
      last_im = y.im - factor * last_im;
      put(i, last_re, last_im);
    }
  }
};

/// Eliminates the first row of the next chunk from the last row's equation.
template <class T>
SPEEDWELL_HD
Equation<T> reduced_equation(const Equation<T>& e, const FirstRowEquation<T>& next) {
  const T factor = e.after / next.self();
  return {e.before, e.sum - factor * next.sum, -factor * next.last, e.re - factor * next.re, e.im - factor * next.im};
}
/// One step of cyclic reduction: eliminates the two neighbours at the same distance on either side.
template <class T>
SPEEDWELL_HD
Equation<T> pcr_step(const Equation<T>& e, const Equation<T>& low, const Equation<T>& high) {
  const T a = e.before / low.self(), c = e.after / high.self();
  return {-a * low.before, e.sum - a * low.sum - c * high.sum, -c * high.after, e.re - a * low.re - c * high.re,
          e.im - a * low.im - c * high.im};
}

/// The offset in a block's shared memory: rows of `width` lines, with one element of padding after the M rows of each
/// lane, so that lanes, which are M rows apart, use different banks.
template <int M>
SPEEDWELL_HD
constexpr int skewed(int row) { return row + row / M; }
template <int M>
SPEEDWELL_HD
constexpr int shared_offset(int row, int line, int width) { return row * width + line + row / M; }

}  // namespace speedwell::incompressible_flow::gpu
