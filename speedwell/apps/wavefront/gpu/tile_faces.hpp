// Faces that tiles send to each other through device memory. A value of a face is `empty_bits` until it has been
// written, and again after it has been read, so that neither flags nor fences are needed: each value is read and
// written as a unit. No valid value has these bits: a NaN with them is replaced by another NaN. All accesses are
// relaxed; those to faces that travel between GPUs are at system scope. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_lines.hpp"

namespace speedwell::wavefront::detail {

inline constexpr std::uint32_t empty_bits = 0xffffffffu;  // a word of it; for 64-bit values the upper word decides
template <class T>
__device__ T empty_value() {
  if constexpr (sizeof(T) == 4)
    return __uint_as_float(empty_bits);
  else
    return __hiloint2double(static_cast<int>(empty_bits), static_cast<int>(empty_bits));
}
inline __device__ bool is_empty(float value) { return __float_as_uint(value) == empty_bits; }
inline __device__ bool is_empty(double value) {
  return static_cast<std::uint32_t>(__double2hiint(value)) == empty_bits;
}

/// Replaces the NaN with empty_bits by another. In single precision arithmetic never produces it; in double precision
/// it may be propagated from the input.
inline __device__ float replace_empty_bits(float result) { return result; }
inline __device__ double replace_empty_bits(double result) {
  return __hiloint2double(static_cast<int>(min(static_cast<std::uint32_t>(__double2hiint(result)), empty_bits - 1)),
                          __double2loint(result));
}

template <int V, class T>
__device__ bool is_complete(const T (&value)[V]) {
  bool all = true;
#pragma unroll
  for (int v = 0; v < V; ++v) all &= !is_empty(value[v]);
  return all;
}

/// Loads into the registers of `v` if `now`, without waiting for the result. `System`: another GPU may write the value;
/// accesses at system scope take longer.
template <bool System>
__device__ void load_face_if(float (&v)[4], const float* at, bool now) {
  if constexpr (System)
    asm volatile(
        "{ .reg .pred now; setp.ne.b32 now, %5, 0;\n\t@now ld.relaxed.sys.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
        : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
        : "l"(at), "r"(static_cast<int>(now))
        : "memory");
  else
    asm volatile(
        "{ .reg .pred now; setp.ne.b32 now, %5, 0;\n\t@now ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4]; }"
        : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3])
        : "l"(at), "r"(static_cast<int>(now))
        : "memory");
}
template <bool System>
__device__ void load_face_if(float (&v)[2], const float* at, bool now) {
  if constexpr (System)
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.sys.global.v2.f32 {%0, %1}, [%2]; }"
                 : "+f"(v[0]), "+f"(v[1])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
  else
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%2]; }"
                 : "+f"(v[0]), "+f"(v[1])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
}
template <bool System>
__device__ void load_face_if(float (&v)[1], const float* at, bool now) {
  if constexpr (System)
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.sys.global.f32 %0, [%1]; }"
                 : "+f"(v[0])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
  else
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.gpu.global.f32 %0, [%1]; }"
                 : "+f"(v[0])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
}
template <bool System>
__device__ void load_face_if(double (&v)[2], const double* at, bool now) {
  if constexpr (System)
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.sys.global.v2.f64 {%0, %1}, [%2]; }"
                 : "+d"(v[0]), "+d"(v[1])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
  else
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %3, 0;\n\t@now ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2]; }"
                 : "+d"(v[0]), "+d"(v[1])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
}
template <bool System>
__device__ void load_face_if(double (&v)[1], const double* at, bool now) {
  if constexpr (System)
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.sys.global.f64 %0, [%1]; }"
                 : "+d"(v[0])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
  else
    asm volatile("{ .reg .pred now; setp.ne.b32 now, %2, 0;\n\t@now ld.relaxed.gpu.global.f64 %0, [%1]; }"
                 : "+d"(v[0])
                 : "l"(at), "r"(static_cast<int>(now))
                 : "memory");
}

/// Stores a vector. None of its values may be empty_bits unless the vector is to be marked as empty. `System`: in the
/// memory of another GPU, or for one to overwrite.
template <bool System>
__device__ void store_face(float* at, const float (&v)[4]) {
  if constexpr (System)
    asm volatile("st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]),
                 "f"(v[3])
                 : "memory");
  else
    asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]),
                 "f"(v[3])
                 : "memory");
}
template <bool System>
__device__ void store_face(float* at, const float (&v)[2]) {
  if constexpr (System)
    asm volatile("st.relaxed.sys.global.v2.f32 [%0], {%1, %2};" ::"l"(at), "f"(v[0]), "f"(v[1]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.v2.f32 [%0], {%1, %2};" ::"l"(at), "f"(v[0]), "f"(v[1]) : "memory");
}
template <bool System>
__device__ void store_face(float* at, const float (&v)[1]) {
  if constexpr (System)
    asm volatile("st.relaxed.sys.global.f32 [%0], %1;" ::"l"(at), "f"(v[0]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(at), "f"(v[0]) : "memory");
}
template <bool System>
__device__ void store_face(double* at, const double (&v)[2]) {
  if constexpr (System)
    asm volatile("st.relaxed.sys.global.v2.f64 [%0], {%1, %2};" ::"l"(at), "d"(v[0]), "d"(v[1]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(at), "d"(v[0]), "d"(v[1]) : "memory");
}
template <bool System>
__device__ void store_face(double* at, const double (&v)[1]) {
  if constexpr (System)
    asm volatile("st.relaxed.sys.global.f64 [%0], %1;" ::"l"(at), "d"(v[0]) : "memory");
  else
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(at), "d"(v[0]) : "memory");
}

template <bool System, int V, class T>
__device__ void send_face(T* at, const T (&results)[V]) {
  T sent[V];
#pragma unroll
  for (int v = 0; v < V; ++v) sent[v] = replace_empty_bits(results[v]);
  store_face<System>(at, sent);
}

}  // namespace speedwell::wavefront::detail
