// The warp of the kernels: see warp.hpp. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/tile.hpp"

namespace speedwell::alignment {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// The lanes of a hardware warp; see HostWarp (warp.hpp). Callable from host code only so that templates may name it.
struct DeviceWarp {
  int lane;

  template <class T>
  struct Per {
    T value;
    SPEEDWELL_HD
    T& operator[](int) { return value; }
    SPEEDWELL_HD
    const T& operator[](int) const { return value; }
  };

  template <class F>
  SPEEDWELL_HD
  void each(F&& f) const { f(lane); }
  SPEEDWELL_HD
  Per<Border> shift_up(const Per<Border>& from) const {
#ifdef __CUDA_ARCH__
    return {{__shfl_up_sync(all_lanes, from.value.h, 1), __shfl_up_sync(all_lanes, from.value.f, 1)}};
#else
    return from;
#endif
  }
  SPEEDWELL_HD
  Per<Borders> shift_up(const Per<Borders>& from) const {
    Per<Borders> to;
    for (int c = 0; c < 2; ++c) to.value.column[c] = shift_up(Per<Border>{from.value.column[c]}).value;
    return to;
  }
  template <class Arithmetic>
  SPEEDWELL_HD
  void largest_of_group(Per<std::uint32_t>& value, int lanes) const {
#ifdef __CUDA_ARCH__
    for (int distance = 1; distance < lanes; distance *= 2) {
      const std::uint32_t other = __shfl_xor_sync(all_lanes, value.value, distance);
      value.value = Arithmetic::max3(value.value, other, other);
    }
#endif
  }
  SPEEDWELL_HD
  void sum_of_warp([[maybe_unused]] Per<std::uint32_t>& value) const {
#ifdef __CUDA_ARCH__
    value.value = __reduce_add_sync(all_lanes, value.value);
#endif
  }
  SPEEDWELL_HD
  std::uint32_t where(const Per<std::uint32_t>& value) const {
#ifdef __CUDA_ARCH__
    return __ballot_sync(all_lanes, value.value != 0);
#else
    return value.value != 0;
#endif
  }
  SPEEDWELL_HD
  void synchronize() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
};

}  // namespace speedwell::alignment
