// Single-threaded STREAM loops with explicit vectors, compiled once per instruction set. They add what compilers do not
// generate: non-temporal stores, and a dot product with enough independent sums to hide the latency of an addition.
#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "speedwell/apps/stream/host_kernels.hpp"

namespace speedwell::stream::SPEEDWELL_ISA {
namespace {

// One register of T, with unaligned loads and stores and a streaming store to an aligned address.
#if defined(SPEEDWELL_ISA_avx512)
using Doubles = __m512d;
using Floats = __m512;
inline Doubles load(const double* p) { return _mm512_loadu_pd(p); }
inline Floats load(const float* p) { return _mm512_loadu_ps(p); }
inline Doubles load_as_doubles(const double* p) { return _mm512_loadu_pd(p); }
inline Doubles load_as_doubles(const float* p) { return __builtin_convertvector(_mm256_loadu_ps(p), Doubles); }
inline void store(double* p, Doubles v) { _mm512_storeu_pd(p, v); }
inline void store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
inline void stream(double* p, Doubles v) { _mm512_stream_pd(p, v); }
inline void stream(float* p, Floats v) { _mm512_stream_ps(p, v); }
inline Doubles broadcast(double s) { return _mm512_set1_pd(s); }
inline Floats broadcast(float s) { return _mm512_set1_ps(s); }
inline Doubles multiply_add(Doubles s, Doubles y, Doubles x) { return _mm512_fmadd_pd(s, y, x); }
inline Floats multiply_add(Floats s, Floats y, Floats x) { return _mm512_fmadd_ps(s, y, x); }
#elif defined(SPEEDWELL_ISA_avx2)
using Doubles = __m256d;
using Floats = __m256;
inline Doubles load(const double* p) { return _mm256_loadu_pd(p); }
inline Floats load(const float* p) { return _mm256_loadu_ps(p); }
inline Doubles load_as_doubles(const double* p) { return _mm256_loadu_pd(p); }
inline Doubles load_as_doubles(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
inline void store(double* p, Doubles v) { _mm256_storeu_pd(p, v); }
inline void store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
inline void stream(double* p, Doubles v) { _mm256_stream_pd(p, v); }
inline void stream(float* p, Floats v) { _mm256_stream_ps(p, v); }
inline Doubles broadcast(double s) { return _mm256_set1_pd(s); }
inline Floats broadcast(float s) { return _mm256_set1_ps(s); }
inline Doubles multiply_add(Doubles s, Doubles y, Doubles x) { return _mm256_fmadd_pd(s, y, x); }
inline Floats multiply_add(Floats s, Floats y, Floats x) { return _mm256_fmadd_ps(s, y, x); }
#elif defined(__x86_64__)
using Doubles = __m128d;
using Floats = __m128;
inline Doubles load(const double* p) { return _mm_loadu_pd(p); }
inline Floats load(const float* p) { return _mm_loadu_ps(p); }
inline Doubles load_as_doubles(const double* p) { return _mm_loadu_pd(p); }
inline Doubles load_as_doubles(const float* p) {
  return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline void store(double* p, Doubles v) { _mm_storeu_pd(p, v); }
inline void store(float* p, Floats v) { _mm_storeu_ps(p, v); }
inline void stream(double* p, Doubles v) { _mm_stream_pd(p, v); }
inline void stream(float* p, Floats v) { _mm_stream_ps(p, v); }
inline Doubles broadcast(double s) { return _mm_set1_pd(s); }
inline Floats broadcast(float s) { return _mm_set1_ps(s); }
inline Doubles multiply_add(Doubles s, Doubles y, Doubles x) { return s * y + x; }
inline Floats multiply_add(Floats s, Floats y, Floats x) { return s * y + x; }
#else
// Other processors: 16-byte vectors of the compiler's vector extensions. Portable C++ has no streaming store for them.
typedef double Doubles __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
inline Doubles load(const double* p) {
  Doubles v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline Floats load(const float* p) {
  Floats v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline Doubles load_as_doubles(const double* p) { return load(p); }
inline Doubles load_as_doubles(const float* p) { return Doubles{p[0], p[1]}; }
inline void store(double* p, Doubles v) { __builtin_memcpy(p, &v, sizeof v); }
inline void store(float* p, Floats v) { __builtin_memcpy(p, &v, sizeof v); }
inline void stream(double* p, Doubles v) { store(p, v); }
inline void stream(float* p, Floats v) { store(p, v); }
inline Doubles broadcast(double s) { return Doubles{s, s}; }
inline Floats broadcast(float s) { return Floats{s, s, s, s}; }
inline Doubles multiply_add(Doubles s, Doubles y, Doubles x) {
  return Doubles{__builtin_fma(s[0], y[0], x[0]), __builtin_fma(s[1], y[1], x[1])};
}
inline Floats multiply_add(Floats s, Floats y, Floats x) {
  Floats r;
  for (int k = 0; k < 4; ++k) r[k] = __builtin_fmaf(s[k], y[k], x[k]);
  return r;
}
#endif

// The scalar elements before and after the vectors are rounded as the vectors are, so that the result does not depend
// on the boundaries of threads.
#if defined(__FMA__) || !defined(__x86_64__)
inline double multiply_add(double s, double y, double x) { return __builtin_fma(s, y, x); }
inline float multiply_add(float s, float y, float x) { return __builtin_fmaf(s, y, x); }
#else
inline double multiply_add(double s, double y, double x) { return s * y + x; }
inline float multiply_add(float s, float y, float x) { return s * y + x; }
#endif

struct Copy {
  template <class V>
  static V apply(V, V x, V) {
    return x;
  }
  static constexpr bool reads_y = false;
};
struct Scale {
  template <class V>
  static V apply(V s, V x, V) {
    return s * x;
  }
  static constexpr bool reads_y = false;
};
struct Add {
  template <class V>
  static V apply(V, V x, V y) {
    return x + y;
  }
  static constexpr bool reads_y = true;
};
struct Triad {
  template <class V>
  static V apply(V s, V x, V y) {
    return multiply_add(s, y, x);
  }
  static constexpr bool reads_y = true;
};

template <class Op, class T>
void elementwise(T scalar, const T* x, const T* y, T* out, std::size_t n, bool streaming) {
  const auto s = broadcast(scalar);
  using Vector = decltype(load(x));
  constexpr std::size_t width = sizeof(Vector) / sizeof(T);
  if constexpr (!Op::reads_y) y = x;  // the compiler eliminates the second load
  std::size_t i = 0;
  const auto one = [&] {
    out[i] = Op::apply(scalar, x[i], y[i]);
    ++i;
  };
  if (streaming) {
    while (i < n && reinterpret_cast<std::uintptr_t>(out + i) % sizeof(Vector) != 0) one();
    for (; i + width <= n; i += width) stream(out + i, Op::apply(s, load(x + i), load(y + i)));
#if defined(__x86_64__)
    _mm_sfence();  // streaming stores are weakly ordered
#endif
  } else {
    for (; i + width <= n; i += width) store(out + i, Op::apply(s, load(x + i), load(y + i)));
  }
  while (i < n) one();
}

// Four vectors of partial sums: an addition has a latency of 4 cycles, and one or two can start per cycle.
template <class T>
double dot(const T* x, const T* y, std::size_t n) {
  constexpr std::size_t width = sizeof(Doubles) / sizeof(double);
  Doubles sum[4] = {broadcast(0.0), broadcast(0.0), broadcast(0.0), broadcast(0.0)};
  std::size_t i = 0;
  for (; i + 4 * width <= n; i += 4 * width)
    for (std::size_t k = 0; k < 4; ++k)
      sum[k] = multiply_add(load_as_doubles(x + i + k * width), load_as_doubles(y + i + k * width), sum[k]);
  double lanes[width];
  store(lanes, (sum[0] + sum[1]) + (sum[2] + sum[3]));
  double total = 0;
  for (const double lane : lanes) total += lane;
  for (; i < n; ++i) total = multiply_add(static_cast<double>(x[i]), static_cast<double>(y[i]), total);
  return total;
}

}  // namespace

const HostKernels<double> kernels_f64 = {elementwise<Copy, double>, elementwise<Scale, double>,
                                         elementwise<Add, double>, elementwise<Triad, double>, dot<double>};
const HostKernels<float> kernels_f32 = {elementwise<Copy, float>, elementwise<Scale, float>, elementwise<Add, float>,
                                        elementwise<Triad, float>, dot<float>};

}  // namespace speedwell::stream::SPEEDWELL_ISA
