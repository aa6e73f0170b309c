// Sums over the points of the spectrum on the device: of the threads of a block in shared memory, and of blocks that
// share the points of some columns through partial fluxes in global memory, in a fixed order. For fused.cu.
#pragma once

#include <cstdint>

#include "speedwell/apps/two_stream/two_stream.hpp"

namespace speedwell::two_stream {

/// Columns of a block: a thread along x has one of them, a warp the same point of 32 neighbouring columns.
inline constexpr int lanes = 32;

/// A double buffer of values of `Points` points to be summed, with one slot per warp of the block: one half is summed
/// while the other is filled.
template <class T, int Points>
struct Waiting {
  T values[2][Points][Points][lanes];  // [half][slot][point][lane]
};

template <class T, int Points>
class Sums {
 public:
  __device__ explicit Sums(Waiting<T, Points>& waiting) : waiting_(waiting) {}
  __device__ void put(T value) { waiting_.values[half_][filled_++][threadIdx.y][threadIdx.x] = value; }
  __device__ bool full() const { return filled_ == Points; }
  /// Calls to(slot, sum) once for each filled slot and lane, in the slot's warp.
  template <class To>
  __device__ void flush(const To& to) {
    if constexpr (Points > 1) __syncthreads();
    const int slot = static_cast<int>(threadIdx.y);
    if (slot < filled_) {
      T sum = 0;
#pragma unroll
      for (int p = 0; p < Points; ++p) sum += waiting_.values[half_][slot][p][threadIdx.x];
      to(slot, sum);
    }
    half_ ^= 1;
    filled_ = 0;
  }

 private:
  Waiting<T, Points>& waiting_;
  int half_ = 0, filled_ = 0;
};

template <class T>
__device__ void store_or_add(T* to, T value, bool first) {
  *to = first ? value : *to + value;
}

constexpr int kinds = 3;  // kinds of fluxes: up, down, direct

template <class T>
__device__ Fluxes<T> partial_fluxes(T* partial, std::int64_t share, std::int64_t levels, const Fluxes<T>& wanted) {
  T* const own = partial + share * kinds * levels;
  return {own, own + levels, wanted.direct ? own + 2 * levels : nullptr};
}

/// Adds the partial fluxes in order. A thread has a level of a column.
template <class T>
__global__ void __launch_bounds__(256) add_shares(T* partial, int shares, std::int64_t levels, Fluxes<T> to) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (k >= levels) return;
  T up = 0, down = 0, direct = 0;
  for (int s = 0; s < shares; ++s) {
    const Fluxes<T> from = partial_fluxes(partial, s, levels, to);
    up += from.up[k];
    down += from.down[k];
    if (to.direct) direct += from.direct[k];
  }
  to.up[k] = up;
  to.down[k] = down;
  if (to.direct) to.direct[k] = direct;
}

}  // namespace speedwell::two_stream
