// What tiles hand on to each other: faces in device memory. A word of a face is `nothing` until its value is there, and
// again after it has been read, so that values need neither flags nor fences. No sum has these bits: a NaN that would
// have them becomes another. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_lines.hpp"

namespace speedwell::wavefront::detail {

inline constexpr std::uint32_t nothing = 0xffffffffu;

template <int words>
__device__ Words<words> load_face(const std::uint32_t* at) {
  Words<words> v;
  if constexpr (words == 4)
    asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.w[0]), "=r"(v.w[1]), "=r"(v.w[2]), "=r"(v.w[3])
                 : "l"(at)
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("ld.relaxed.gpu.global.v2.b32 {%0, %1}, [%2];" : "=r"(v.w[0]), "=r"(v.w[1]) : "l"(at) : "memory");
  else
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v.w[0]) : "l"(at) : "memory");
  return v;
}
template <int words>
__device__ void store_face(std::uint32_t* at, const Words<words>& v) {
  if constexpr (words == 4)
    asm volatile("st.relaxed.gpu.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.w[0]), "r"(v.w[1]),
                 "r"(v.w[2]), "r"(v.w[3])
                 : "memory");
  else if constexpr (words == 2)
    asm volatile("st.relaxed.gpu.global.v2.b32 [%0], {%1, %2};" ::"l"(at), "r"(v.w[0]), "r"(v.w[1]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(at), "r"(v.w[0]) : "memory");
}
template <int words>
__device__ void hand_on(std::uint32_t* at, Words<words> value) {
#pragma unroll
  for (int n = 0; n < words; ++n)
    if (value.w[n] == nothing) value.w[n] = nothing - 1;
  store_face(at, value);
}
template <int words>
__device__ bool complete(const Words<words>& value) {
  bool all = true;
#pragma unroll
  for (int n = 0; n < words; ++n) all &= value.w[n] != nothing;
  return all;
}
template <int words>
__device__ Words<words> nothing_at_all() {
  Words<words> none;
#pragma unroll
  for (int n = 0; n < words; ++n) none.w[n] = nothing;
  return none;
}

}  // namespace speedwell::wavefront::detail
