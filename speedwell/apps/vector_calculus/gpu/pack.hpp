// Packs: neighbouring values of one thread, loaded and stored in one request of up to 16 bytes. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/expression.hpp"

namespace speedwell::vector_calculus::device {

template <class T, int width>
struct alignas(sizeof(T) * width) Pack {
  T v[width];
};

// A product that is rounded separately whatever the compiler's options are: an expression has the same bits in the
// library, in a user's program, in a pack and on the host.
SPEEDWELL_POINT double rounded_product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
SPEEDWELL_POINT float rounded_product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

#define SPEEDWELL_PACK_OPERATOR(op)                                                              \
  template <class T, int width>                                                                  \
  SPEEDWELL_POINT Pack<T, width> operator op(const Pack<T, width>& a, const Pack<T, width>& b) { \
    Pack<T, width> c;                                                                            \
    _Pragma("unroll") for (int w = 0; w < width; ++w) c.v[w] = a.v[w] op b.v[w];                 \
    return c;                                                                                    \
  }
SPEEDWELL_PACK_OPERATOR(+)
SPEEDWELL_PACK_OPERATOR(-)
#undef SPEEDWELL_PACK_OPERATOR

template <class T, int width>
SPEEDWELL_POINT Pack<T, width> operator*(const Pack<T, width>& a, const Pack<T, width>& b) {
  Pack<T, width> c;
#pragma unroll
  for (int w = 0; w < width; ++w) c.v[w] = rounded_product(a.v[w], b.v[w]);
  return c;
}
template <class T, int width>
SPEEDWELL_POINT Pack<T, width> operator*(T s, const Pack<T, width>& a) {
  Pack<T, width> c;
#pragma unroll
  for (int w = 0; w < width; ++w) c.v[w] = rounded_product(s, a.v[w]);
  return c;
}
template <class T, int width>
SPEEDWELL_POINT Pack<T, width> operator-(const Pack<T, width>& a) {
  Pack<T, width> c;
#pragma unroll
  for (int w = 0; w < width; ++w) c.v[w] = -a.v[w];
  return c;
}

/// The widest packs for one memory request.
template <class T>
constexpr int widest = 16 / static_cast<int>(sizeof(T));

}  // namespace speedwell::vector_calculus::device
