// The 32 lanes of a real warp. Included by CUDA sources alone.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/tile.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::alignment {

/// The lanes of a real warp; see HostWarp (warp.hpp). Callable from host code only so that templates may name it.
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
    return {{__shfl_up_sync(0xffffffffu, from.value.h, 1), __shfl_up_sync(0xffffffffu, from.value.f, 1)}};
#else
    return from;
#endif
  }
  template <class Arithmetic>
  SPEEDWELL_HD
  void largest_of_group(Per<std::uint32_t>& value, int lanes) const {
#ifdef __CUDA_ARCH__
    for (int distance = 1; distance < lanes; distance *= 2) {
      const std::uint32_t other = __shfl_xor_sync(0xffffffffu, value.value, distance);
      value.value = Arithmetic::max3(value.value, other, other);
    }
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
