// Device functions shared by the GPU variants: the arithmetic of one element, packs of 16 bytes, and the block-wide
// sum.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stream/cuda.hpp"

namespace speedwell::stream::device {

/// out[i] of an elementwise kernel.
template <Kernel kernel, class T>
__device__ T apply(T scalar, T x, T y) {
  if constexpr (kernel == Kernel::copy) return x;
  if constexpr (kernel == Kernel::scale) return scalar * x;
  if constexpr (kernel == Kernel::add) return x + y;
  if constexpr (kernel == Kernel::triad) return x + scalar * y;
}
template <Kernel kernel>
inline constexpr bool reads_y = kernel == Kernel::add || kernel == Kernel::triad;

/// 16 bytes, the widest load of one thread.
template <class T>
struct alignas(16) Pack {
  static constexpr int width = 16 / sizeof(T);
  T element[width];
};

/// `streaming`: the line is marked for early eviction.
template <bool streaming, class T>
__device__ Pack<T> load(const T* array, std::int64_t pack) {
  const int4* address = reinterpret_cast<const int4*>(array) + pack;
  int4 bits;
  if constexpr (streaming)
    bits = __ldcs(address);
  else
    bits = *address;
  Pack<T> result;
  memcpy(&result, &bits, sizeof bits);
  return result;
}
template <bool streaming, class T>
__device__ void store(T* array, std::int64_t pack, const Pack<T>& value) {
  int4* address = reinterpret_cast<int4*>(array) + pack;
  int4 bits;
  memcpy(&bits, &value, sizeof bits);
  if constexpr (streaming)
    __stcs(address, bits);
  else
    *address = bits;
}
template <Kernel kernel, class T>
__device__ Pack<T> apply(T scalar, const Pack<T>& x, const Pack<T>& y) {
  Pack<T> out;
#pragma unroll
  for (int e = 0; e < Pack<T>::width; ++e) out.element[e] = apply<kernel>(scalar, x.element[e], y.element[e]);
  return out;
}
template <class T>
__device__ double dot(const Pack<T>& x, const Pack<T>& y, double sum) {
#pragma unroll
  for (int e = 0; e < Pack<T>::width; ++e)
    sum = fma(static_cast<double>(x.element[e]), static_cast<double>(y.element[e]), sum);
  return sum;
}

/// The sum of `value` over the block, valid in thread 0, in a fixed order. Must be called by all threads, with a
/// barrier between successive calls.
template <int threads>
__device__ double block_sum(double value) {
  static_assert(threads % 32 == 0 && threads <= 1024);
  constexpr int warps = threads / 32;
  __shared__ double of_warp[warps];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < warps ? of_warp[lane] : 0.0;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// The x dimension of a grid of `blocks` blocks. Throws std::invalid_argument if there are too many.
inline unsigned grid(std::int64_t blocks) {
  if (blocks > 0x7fffffff)
    throw std::invalid_argument("stream: " + std::to_string(blocks) + " blocks are more than a grid holds (2^31 - 1)");
  return static_cast<unsigned>(blocks);
}

template <class T>
bool aligned_for_packs(const Operands<T>& o) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  return aligned(o.x) && aligned(o.y) && aligned(o.out);
}

/// Calls f with `kernel` as a compile-time constant; f.template operator()<kernel>(). Elementwise kernels only.
template <class F>
void with_elementwise(Kernel kernel, const F& f) {
  switch (kernel) {
    case Kernel::copy:
      return f.template operator()<Kernel::copy>();
    case Kernel::scale:
      return f.template operator()<Kernel::scale>();
    case Kernel::add:
      return f.template operator()<Kernel::add>();
    case Kernel::triad:
      return f.template operator()<Kernel::triad>();
    case Kernel::dot:
    case Kernel::sequence:
      break;
  }
  throw std::invalid_argument("stream: not an elementwise kernel");
}

}  // namespace speedwell::stream::device
