// Compiled once for each instruction set, as namespace SPEEDWELL_ISA. Vectors are GCC's and clang's vector extension;
// only non-temporal stores and fused multiply-adds need intrinsics.
#include "speedwell/machine/host/host_kernels.hpp"

#include "speedwell/core/simd/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SPEEDWELL_QUOTE(x) #x
#define SPEEDWELL_QUOTED(x) SPEEDWELL_QUOTE(x)

namespace speedwell::machine::SPEEDWELL_ISA {
namespace {

using core::simd::broadcast;
using core::simd::Vector;
using core::simd::width;
constexpr int lanes = width<double>;
typedef Vector<double> F64 __attribute__((may_alias));
typedef Vector<float> F32 __attribute__((may_alias));
typedef Vector<std::uint32_t> U32 __attribute__((may_alias));

// Independent chains of an arithmetic kernel: latency times throughput (4 cycles x 2 vectors, or x 4 on wide Arm
// cores), and few enough that they and the two operands fit the registers: 32, or 16 before AVX-512.
#if defined(SPEEDWELL_ISA_avx512) || defined(__aarch64__)
constexpr int chains = 16;
#else
constexpr int chains = 12;
#endif
static_assert(chains * width<float> <= max_lanes);

const F64& at(const double* p) { return *reinterpret_cast<const F64*>(p); }
F64& at(double* p) { return *reinterpret_cast<F64*>(p); }

#if defined(SPEEDWELL_ISA_avx512)
#define SPEEDWELL_HAVE_STREAMING 1
void stream(double* p, F64 v) { _mm512_stream_pd(p, reinterpret_cast<__m512d>(v)); }
using core::simd::fma;
#elif defined(SPEEDWELL_ISA_avx2)
#define SPEEDWELL_HAVE_STREAMING 1
void stream(double* p, F64 v) { _mm256_stream_pd(p, reinterpret_cast<__m256d>(v)); }
using core::simd::fma;
#else
#if defined(__x86_64__)
#define SPEEDWELL_HAVE_STREAMING 1
void stream(double* p, F64 v) { _mm_stream_pd(p, reinterpret_cast<__m128d>(v)); }
#endif
// The compiler contracts this to one instruction where the target has it (Arm), and not on SSE2.
F64 fma(F64 a, F64 x, F64 y) { return a * x + y; }
F32 fma(F32 a, F32 x, F32 y) { return a * x + y; }
#endif

double read(const double* a, std::int64_t n) {
  F64 sum[8] = {};
  for (std::int64_t i = 0; i < n; i += 8 * lanes)
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) sum[j] += at(a + i + j * lanes);
  const F64 all = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += all[lane];
  return total;
}

double read_streams(const double* a, std::int64_t n) {
  constexpr int streams = 4;
  F64 sum[2 * streams] = {};
  const std::int64_t quarter = n / streams;
  for (std::int64_t i = 0; i < quarter; i += 2 * lanes)
#pragma GCC unroll 4
    for (int s = 0; s < streams; ++s) {
      sum[2 * s] += at(a + s * quarter + i);
      sum[2 * s + 1] += at(a + s * quarter + i + lanes);
    }
  const F64 all = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  double total = 0;
  for (int lane = 0; lane < lanes; ++lane) total += all[lane];
  return total;
}

// The stores of a loop over four vectors at a time: ordinary or non-temporal ones.
struct Plain {
  static void store(double* p, F64 v) { at(p) = v; }
  static void finish() {}
};
#if defined(SPEEDWELL_HAVE_STREAMING)
struct Streaming {
  static void store(double* p, F64 v) { stream(p, v); }
  static void finish() { _mm_sfence(); }  // non-temporal stores are not ordered with others
};
#endif

template <class Store>
void write(double* a, std::int64_t n, double value) {
  const F64 v = broadcast(value);
  for (std::int64_t i = 0; i < n; i += 4 * lanes)
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) Store::store(a + i + j * lanes, v);
  Store::finish();
}

template <class Store>
void copy(double* __restrict to, const double* __restrict from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 4 * lanes) {
    const F64 v0 = at(from + i), v1 = at(from + i + lanes), v2 = at(from + i + 2 * lanes),
              v3 = at(from + i + 3 * lanes);
    Store::store(to + i, v0);
    Store::store(to + i + lanes, v1);
    Store::store(to + i + 2 * lanes, v2);
    Store::store(to + i + 3 * lanes, v3);
  }
  Store::finish();
}

template <class Store>
void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double scale, std::int64_t n) {
  const F64 s = broadcast(scale);
  for (std::int64_t i = 0; i < n; i += 4 * lanes)
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const std::int64_t k = i + j * lanes;
      Store::store(a + k, fma(s, at(c + k), at(b + k)));
    }
  Store::finish();
}

template <class Vector, class Element, class Step>
void iterate(Element* v, std::int64_t iterations, const Step& step) {
  constexpr int per_vector = width<Element>;
  Vector chain[chains];
#pragma GCC unroll 16
  for (int j = 0; j < chains; ++j) chain[j] = *reinterpret_cast<const Vector*>(v + j * per_vector);
  for (std::int64_t i = 0; i < iterations; ++i)
#pragma GCC unroll 16
    for (int j = 0; j < chains; ++j) chain[j] = step(chain[j]);
#pragma GCC unroll 16
  for (int j = 0; j < chains; ++j) *reinterpret_cast<Vector*>(v + j * per_vector) = chain[j];
}

void fma_f64(double* v, double x, double y, std::int64_t iterations) {
  const F64 xs = broadcast(x), ys = broadcast(y);
  iterate<F64>(v, iterations, [=](F64 a) { return fma(a, xs, ys); });
}
void fma_f32(float* v, float x, float y, std::int64_t iterations) {
  const F32 xs = broadcast(x), ys = broadcast(y);
  iterate<F32>(v, iterations, [=](F32 a) { return fma(a, xs, ys); });
}
void integer(std::uint32_t* v, std::uint32_t x, std::uint32_t y, std::int64_t iterations) {
  const U32 xs = broadcast(x), ys = broadcast(y);
  iterate<U32>(v, iterations, [=](U32 a) { return (a + xs) ^ ys; });
}

}  // namespace

extern const HostKernels host_kernels = {
    SPEEDWELL_QUOTED(SPEEDWELL_ISA),
    read,
    read_streams,
    write<Plain>,
#if defined(SPEEDWELL_HAVE_STREAMING)
    write<Streaming>,
    copy<Plain>,
    copy<Streaming>,
    triad<Plain>,
    triad<Streaming>,
#else
    nullptr,
    copy<Plain>,
    nullptr,
    triad<Plain>,
    nullptr,
#endif
    fma_f64,
    fma_f32,
    integer,
    chains* width<double>,
    chains* width<float>,
    chains* width<std::uint32_t>,
};

}  // namespace speedwell::machine::SPEEDWELL_ISA
