// Memory accesses of the sweep of one huge pair (band.hpp).
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment {

namespace detail {
/// Border words are written by other multiprocessors: accesses bypass the first-level cache.
template <class T>
SPEEDWELL_HD
T load_border(const T* p) {
#ifdef __CUDA_ARCH__
  return __ldcg(p);
#else
  return *p;
#endif
}
SPEEDWELL_HD
inline Words2 load_border2(const std::uint32_t* p) {
#ifdef __CUDA_ARCH__
  const uint2 w = __ldcg(reinterpret_cast<const uint2*>(p));
  return {{w.x, w.y}};
#else
  return {{p[0], p[1]}};
#endif
}
SPEEDWELL_HD
inline void store_border2(std::uint32_t* p, Words2 words) {
#ifdef __CUDA_ARCH__
  __stcg(reinterpret_cast<uint2*>(p), make_uint2(words.w[0], words.w[1]));
#else
  p[0] = words.w[0];
  p[1] = words.w[1];
#endif
}
/// Updates a check by one lane of the only warp that has the band: atomic, so that nothing waits for the old value.
SPEEDWELL_HD
inline void add_to(std::uint32_t* p, std::uint32_t value) {
#ifdef __CUDA_ARCH__
  atomicAdd(p, value);
#else
  *p += value;
#endif
}
SPEEDWELL_HD
inline void raise_to(std::int32_t* p, std::int32_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(p, value);
#else
  *p = *p < value ? value : *p;
#endif
}
}  // namespace detail

/// Copies a lane's words of a warp's array. Not unrolled: it is rarely executed, and nvcc 13.0 compiles the remainder
/// of the unrolled loop to stores 2048 bytes too far if there are 12 or 20 rows per strip.
SPEEDWELL_HD
inline void copy_lane(std::uint32_t* to, const std::uint32_t* from, int words) {
#pragma unroll 1
  for (int i = 0; i < words; ++i) to[32 * i] = from[32 * i];
}

}  // namespace speedwell::alignment
