// A line whose length is a product of 2, 3, 5, 7, 11 and 13, from one buffer of shared memory to another and back: the
// radices are known at run time. The passes are those of line.hpp.
#pragma once

#include <cstdint>

#include "speedwell/apps/fft/gpu/butterflies.hpp"

namespace speedwell::fft::gpu {

struct SmoothRadices {
  int n = 1;
  int passes = 0;
  int radix[12] = {};
  int table[12] = {};  // where a pass's twiddles begin: e^{-2 pi i q k / (s R)} for 0 < k < R, each for q < s
};

namespace detail {

/// Butterfly t of a pass of radix R with s points before it; places of a line are `stride` apart.
template <int R, class T>
SPEEDWELL_HD
void smooth_butterfly(const Complex<T>* from, Complex<T>* to, int stride, int n, int s, int t,
                      const Complex<T>* table) {
  const int q = t % s, apart = n / R;
  Complex<T> y[R];
  for (int j = 0; j < R; ++j) y[j] = from[(t + j * apart) * stride];
  if (s > 1)
    for (int j = 1; j < R; ++j) y[j] = y[j] * table[(j - 1) * s + q];
  Butterfly<R>::apply(y);
  for (int k = 0; k < R; ++k) to[(q + s * k + (t - q) * R) * stride] = y[k];
}

}  // namespace detail

template <class T>
SPEEDWELL_HD
void smooth_butterfly(int radix, const Complex<T>* from, Complex<T>* to, int stride, int n, int s, int t,
                      const Complex<T>* table) {
  switch (radix) {
    case 2:
      return detail::smooth_butterfly<2>(from, to, stride, n, s, t, table);
    case 3:
      return detail::smooth_butterfly<3>(from, to, stride, n, s, t, table);
    case 4:
      return detail::smooth_butterfly<4>(from, to, stride, n, s, t, table);
    case 5:
      return detail::smooth_butterfly<5>(from, to, stride, n, s, t, table);
    case 7:
      return detail::smooth_butterfly<7>(from, to, stride, n, s, t, table);
    case 8:
      return detail::smooth_butterfly<8>(from, to, stride, n, s, t, table);
    case 11:
      return detail::smooth_butterfly<11>(from, to, stride, n, s, t, table);
    case 13:
      return detail::smooth_butterfly<13>(from, to, stride, n, s, t, table);
    default:
      return;
  }
}

}  // namespace speedwell::fft::gpu
