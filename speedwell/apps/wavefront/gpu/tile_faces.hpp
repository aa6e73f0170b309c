// Faces: the values that tiles send to each other through device memory. A value of a face is empty_bits until it has
// been written, and again after it has been read: the value is its own flag.
//
// Neither other flags nor fences are needed. A 32-bit or 64-bit value is written and read as a unit, so that a reader
// sees all of it or nothing; a vector is not, so that each of its values is tested. Only the value itself travels: no
// reader infers from it that other memory has been written, so that all accesses may be relaxed. Every vector of a
// sweep has its own address, which is written once in a sweep, and the thread that has read it stores empty_bits there.
// The next write to it is in the next sweep, after the end of a kernel, or after a barrier of all GPUs for faces that
// travel between GPUs. Accesses to the latter are at system scope.
//
// No valid value has empty_bits: a NaN with them is replaced by another NaN. Included by CUDA sources only.
#pragma once

#include "speedwell/apps/wavefront/gpu/tile_lines.hpp"

namespace speedwell::wavefront::detail {

/// The bits of an empty 32-bit value, and of each word of an empty 64-bit value, which is recognised by its upper word.
inline constexpr std::uint32_t empty_bits = 0xffffffffu;
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

/// Replaces a NaN with empty_bits by another NaN. In single precision the arithmetic of a cell returns the NaN
/// 0x7fffffff only, so that nothing is to be done. In double precision it keeps the bits of a NaN among its operands,
/// which may be empty_bits: the upper word is reduced by one if it has its largest value.
inline __device__ float replace_empty_bits(float result) { return result; }
inline __device__ double replace_empty_bits(double result) {
  return __hiloint2double(static_cast<int>(min(static_cast<std::uint32_t>(__double2hiint(result)), empty_bits - 1)),
                          __double2loint(result));
}

/// The same for any value, which need not come from the arithmetic of a cell.
inline __device__ float replace_empty_input(float value) { return is_empty(value) ? value + 1 : value; }
inline __device__ double replace_empty_input(double value) { return replace_empty_bits(value); }

/// Whether all values of a vector have been written.
template <int V, class T>
__device__ bool is_complete(const T (&value)[V]) {
  bool all = true;
#pragma unroll
  for (int v = 0; v < V; ++v) all &= !is_empty(value[v]);
  return all;
}

/// Loads a vector into the registers of `v` if `now`, and leaves them as they are otherwise. `at` is aligned to the
/// size of the vector. The load is predicated and not branched around, so that it can be issued long before its result
/// is used. `System`: another GPU may write the value; accesses at system scope take longer.
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

/// Stores a vector. None of its values may be empty_bits unless the vector is to be marked as empty. `at` is aligned to
/// the size of the vector. `System`: the memory is that of another GPU, or another GPU writes to it, too.
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

/// Stores the results of V cells, which the reader must not take for empty values.
template <bool System, int V, class T>
__device__ void send_face(T* at, const T (&results)[V]) {
  T sent[V];
#pragma unroll
  for (int v = 0; v < V; ++v) sent[v] = replace_empty_bits(results[v]);
  store_face<System>(at, sent);
}

}  // namespace speedwell::wavefront::detail
