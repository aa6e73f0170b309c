// The 32 lanes that sweep a tile: on the device a hardware warp, whose lanes execute the code once; on the host an
// array of 32 values for every variable of a lane, and loops. `each` executes its function for the available lanes, and
// `shift_up` passes to every lane the value of the previous lane.
#pragma once

#include <cstdint>

#include "speedwell/core/host_device.hpp"

namespace speedwell::alignment {

/// Executed by host code: the kernel's logic without a GPU.
struct HostWarp {
  template <class T>
  struct Per {
    T values[32];
    T& operator[](int lane) { return values[lane]; }
    const T& operator[](int lane) const { return values[lane]; }
  };

  template <class F>
  SPEEDWELL_HD
  void each(F&& f) const {
    for (int lane = 0; lane < 32; ++lane) f(lane);
  }
  SPEEDWELL_HD
  void synchronize() const {}
  /// Lane 0 keeps its own value.
  template <class T>
  SPEEDWELL_HD
  Per<T> shift_up(const Per<T>& from) const {
    Per<T> to{};
    for (int lane = 0; lane < 32; ++lane) to[lane] = from[lane > 0 ? lane - 1 : 0];
    return to;
  }
  /// Bit l: whether the value of lane l is not zero.
  SPEEDWELL_HD
  std::uint32_t where(const Per<std::uint32_t>& value) const {
    std::uint32_t lanes = 0;
    for (int lane = 0; lane < 32; ++lane) lanes |= static_cast<std::uint32_t>(value[lane] != 0) << lane;
    return lanes;
  }
  /// The maximum over each group of `lanes` lanes, in all of its lanes.
  template <class Arithmetic>
  SPEEDWELL_HD
  void largest_of_group(Per<std::uint32_t>& value, int lanes) const {
    for (int distance = 1; distance < lanes; distance *= 2) {
      const Per<std::uint32_t> before = value;
      for (int lane = 0; lane < 32; ++lane)
        value[lane] = Arithmetic::max3(before[lane], before[lane ^ distance], before[lane]);
    }
  }
  /// The sum over all lanes, modulo 2^32, in all lanes.
  SPEEDWELL_HD
  void sum_of_warp(Per<std::uint32_t>& value) const {
    std::uint32_t sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += value[lane];
    for (int lane = 0; lane < 32; ++lane) value[lane] = sum;
  }
};

}  // namespace speedwell::alignment
