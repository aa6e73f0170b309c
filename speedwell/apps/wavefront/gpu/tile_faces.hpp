// What tiles hand on to each other: faces in device memory. A value of a face is `nothing` until it is there, and again
// after it has been read, so that values need neither flags nor fences: each is read and written as one. No value has
// these bits: a NaN that would have them becomes another. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_lines.hpp"

namespace speedwell::wavefront::detail {

inline constexpr std::uint32_t nothing = 0xffffffffu;  // a word of it; of 64 bits the upper one tells
template <class T>
__device__ T nothing_as() {
  if constexpr (sizeof(T) == 4)
    return __uint_as_float(nothing);
  else
    return __hiloint2double(static_cast<int>(nothing), static_cast<int>(nothing));
}
inline __device__ bool is_nothing(float value) { return __float_as_uint(value) == nothing; }
inline __device__ bool is_nothing(double value) { return static_cast<std::uint32_t>(__double2hiint(value)) == nothing; }

/// In single precision no arithmetic gives this NaN; in double precision one may be handed through.
inline __device__ float but_nothing(float result) { return result; }
inline __device__ double but_nothing(double result) {
  return __hiloint2double(static_cast<int>(min(static_cast<std::uint32_t>(__double2hiint(result)), nothing - 1)),
                          __double2loint(result));
}

template <int V, class T>
__device__ bool complete(const T (&value)[V]) {
  bool all = true;
#pragma unroll
  for (int v = 0; v < V; ++v) all &= !is_nothing(value[v]);
  return all;
}

/// Into the registers of `v`, if `now`; nobody waits for them before they are used.
inline __device__ void ask_face(float (&v)[4], const float* at, bool now) {
  asm volatile(
      "{ .reg .pred now; setp.ne.b32 now, %5, 0;\n\t"
      "@now ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
      : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
      : "l"(at), "r"(static_cast<int>(now))
      : "memory");
}
inline __device__ void ask_face(float (&v)[2], const float* at, bool now) {
  asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2]; }"
               : "+f"(v[0]), "+f"(v[1])
               : "l"(at), "r"(static_cast<int>(now))
               : "memory");
}
inline __device__ void ask_face(float (&v)[1], const float* at, bool now) {
  asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.gpu.global.f32 %0, [%1]; }"
               : "+f"(v[0])
               : "l"(at), "r"(static_cast<int>(now))
               : "memory");
}
inline __device__ void ask_face(double (&v)[2], const double* at, bool now) {
  asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2]; }"
               : "+d"(v[0]), "+d"(v[1])
               : "l"(at), "r"(static_cast<int>(now))
               : "memory");
}
inline __device__ void ask_face(double (&v)[1], const double* at, bool now) {
  asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.gpu.global.f64 %0, [%1]; }"
               : "+d"(v[0])
               : "l"(at), "r"(static_cast<int>(now))
               : "memory");
}

/// Whole chunks, of which none is `nothing` unless it is to be.
inline __device__ void store_face(float* at, const float (&v)[4]) {
  asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]),
               "f"(v[3])
               : "memory");
}
inline __device__ void store_face(float* at, const float (&v)[2]) {
  asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(at), "f"(v[0]), "f"(v[1]) : "memory");
}
inline __device__ void store_face(float* at, const float (&v)[1]) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(at), "f"(v[0]) : "memory");
}
inline __device__ void store_face(double* at, const double (&v)[2]) {
  asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(at), "d"(v[0]), "d"(v[1]) : "memory");
}
inline __device__ void store_face(double* at, const double (&v)[1]) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(at), "d"(v[0]) : "memory");
}

template <int V, class T>
__device__ void hand_on(T* at, const T (&results)[V]) {
  T told[V];
#pragma unroll
  for (int v = 0; v < V; ++v) told[v] = but_nothing(results[v]);
  store_face(at, told);
}

}  // namespace speedwell::wavefront::detail
