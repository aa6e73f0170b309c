// A tridiagonal system cut into as many chunks as a warp has lanes, M rows each (E. Laszlo, M. Giles, J. Appleyard, ACM
// TOMS 42 (2016) 31). A lane eliminates the inside of its chunk from both ends; what is left has one unknown per lane,
// its last row, and is solved by cyclic reduction among the lanes; then the inside follows. A periodic system is no
// different: the first lane's neighbour is the last. Right-hand sides are complex numbers of one real matrix.
#pragma once

#include "speedwell/core/host_device.hpp"

namespace speedwell::incompressible_flow::gpu {

/// low x_before + (sum - low - high) x + high x_after = right. Rows are kept by the sums of their coefficients,
/// eigenvalues of planes, which are small against the coefficients: no diagonal then loses digits, and the last one,
/// which is the sum itself, has them all.
template <class T>
struct Row {
  T low, sum, high;
};

/// One lane's equation: before (last row of the chunk before) + self + after (that of the chunk after) = right.
template <class T>
struct Equation {
  T before, sum, after, re, im;
  SPEEDWELL_HD
  T self() const { return sum - before - after; }
};
/// What a chunk's first row tells the chunk before it: before (its last row) + self + last (the last row here) = right.
template <class T>
struct Head {
  T before, sum, last, re, im;
  SPEEDWELL_HD
  T self() const { return sum - before - last; }
};

template <class T, int M>
struct Chunk {
  T inverse[M];  // of the diagonals that elimination from the first row leaves

  /// From the last row but one to the first. row(i) and right(i).re, .im are asked for, i < M.
  template <class Rows, class Rights>
  SPEEDWELL_HD
  Head<T> head(const Rows& row, const Rights& right) const {
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

  /// From the first row to the last; keep(i, re, im) takes what elimination leaves of right-hand sides, over their
  /// diagonals.
  template <class Rows, class Rights, class Keep>
  SPEEDWELL_HD
  Equation<T> forward(const Rows& row, const Rights& right, const Keep& keep) {
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

  /// With the last row of the chunk before and of this one known, the rest. kept(i) gives back what forward() kept;
  /// put() takes solutions, from the last row to the first.
  template <class Rows, class Kept, class Keep, class Put>
  SPEEDWELL_HD
  void finish(const Rows& row, T before_re, T before_im, T last_re, T last_im, const Kept& kept, const Keep& keep,
              const Put& put) const {
    T influence = 0;  // of the row before the chunk
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

/// The last row's equation without the first row of the chunk after it.
template <class T>
SPEEDWELL_HD
Equation<T> joined(const Equation<T>& e, const Head<T>& next) {
  const T factor = e.after / next.self();
  return {e.before, e.sum - factor * next.sum, -factor * next.last, e.re - factor * next.re, e.im - factor * next.im};
}
/// One step of cyclic reduction: the equation without its two neighbours', which are as far away on either side.
template <class T>
SPEEDWELL_HD
Equation<T> reduced(const Equation<T>& e, const Equation<T>& low, const Equation<T>& high) {
  const T a = e.before / low.self(), c = e.after / high.self();
  return {-a * low.before, e.sum - a * low.sum - c * high.sum, -c * high.after, e.re - a * low.re - c * high.re,
          e.im - a * low.im - c * high.im};
}

/// Where things stand in a block's shared memory: rows of `width` lines, and one element more after the M rows of each
/// lane, so that lanes, which are M rows apart, are in different banks.
template <int M>
SPEEDWELL_HD
constexpr int skewed(int row) { return row + row / M; }
template <int M>
SPEEDWELL_HD
constexpr int place(int row, int line, int width) { return row * width + line + row / M; }

}  // namespace speedwell::incompressible_flow::gpu
