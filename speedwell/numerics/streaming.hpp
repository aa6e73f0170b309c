// Non-temporal vector stores, which bypass the caches. Internal linkage, as in core/simd.hpp.
#pragma once

#include "speedwell/core/simd/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace speedwell::numerics::streaming {
namespace {

using core::simd::Vector;

/// Stores to an address that is a multiple of core::simd::vector_bytes, non-temporally if the processor supports it.
/// Weakly ordered until fence().
inline void store(double* p, Vector<double> v) {
#if defined(SPEEDWELL_ISA_avx512)
  _mm512_stream_pd(p, v);
#elif defined(SPEEDWELL_ISA_avx2)
  _mm256_stream_pd(p, v);
#elif defined(__x86_64__)
  _mm_stream_pd(p, v);
#else
  core::simd::store(p, v);
#endif
}
inline void store(float* p, Vector<float> v) {
#if defined(SPEEDWELL_ISA_avx512)
  _mm512_stream_ps(p, v);
#elif defined(SPEEDWELL_ISA_avx2)
  _mm256_stream_ps(p, v);
#elif defined(__x86_64__)
  _mm_stream_ps(p, v);
#else
  core::simd::store(p, v);
#endif
}
inline void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace speedwell::numerics::streaming
