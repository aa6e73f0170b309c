// Kernel 3 of SSCA#1: the columns of main in which a region with sufficient score may end, one query per 8-bit lane.
// FilterBatch in kernels.hpp has the recurrence: all of its values only decrease, so that saturating unsigned
// subtraction suffices.
#include "speedwell/apps/ssca1/cpu/kernels.hpp"
#include "speedwell/core/simd/simd.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace speedwell::ssca1::SPEEDWELL_ISA {
namespace {

using core::simd::max;
using core::simd::vector_bytes;
typedef core::simd::Vector<std::uint8_t> Vector;

/// max(a - b, 0)
inline Vector less(Vector a, Vector b) {
#if defined(SPEEDWELL_ISA_avx512)
  return (Vector)_mm512_subs_epu8((__m512i)a, (__m512i)b);
#elif defined(SPEEDWELL_ISA_avx2)
  return (Vector)_mm256_subs_epu8((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (Vector)_mm_subs_epu8((__m128i)a, (__m128i)b);
#else
  return max(a, b) - b;
#endif
}
inline bool any(Vector v) {
  std::uint64_t words[vector_bytes / 8], all = 0;
  __builtin_memcpy(words, &v, sizeof words);
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

void filter(const FilterBatch& batch) {
  using core::simd::broadcast;
  const Vector e_first = broadcast<std::uint8_t>(batch.e_first), e_next = broadcast<std::uint8_t>(batch.e_next);
  const Vector f_first = broadcast<std::uint8_t>(batch.f_first), f_next = broadcast<std::uint8_t>(batch.f_next);
  Vector* const u = reinterpret_cast<Vector*>(batch.workspace);
  Vector* const e = u + batch.rows + 1;
  for (std::size_t x = 0; x <= batch.rows; ++x) {
    u[x] = reinterpret_cast<const Vector*>(batch.initial)[x];
    e[x] = Vector{};
  }
  const Vector border = u[0];
  for (std::int64_t column = batch.first; column < batch.last; ++column) {
    const Vector* const loss = reinterpret_cast<const Vector*>(batch.losses) + batch.main[column] * batch.rows;
    Vector diagonal = border, above = border, f = {};
    for (std::size_t x = 1; x <= batch.rows; ++x) {
      const Vector before = u[x];
      e[x] = max(less(e[x], e_next), less(before, e_first));
      f = max(less(f, f_next), less(above, f_first));
      above = max(max(less(diagonal, loss[x - 1]), e[x]), f);
      u[x] = above;
      diagonal = before;
    }
    if (column >= batch.owned && any(above))
      batch.found(batch.context, column, reinterpret_cast<const std::uint8_t*>(&u[batch.rows]));
  }
}

}  // namespace

extern const FilterKernel filter8 = {vector_bytes, filter};

}  // namespace speedwell::ssca1::SPEEDWELL_ISA
