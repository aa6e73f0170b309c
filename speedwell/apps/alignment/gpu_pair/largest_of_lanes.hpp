// The maximum over the lanes of a warp, for the kernels of one huge pair. `Warp`: the hardware warp, or HostWarp.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment {

/// The maximum of `values`, which are at least 0 as signed numbers and are overwritten; in all lanes.
template <class Warp>
SPEEDWELL_HD
std::int32_t largest_of_lanes(Warp& warp, typename Warp::template Per<std::uint32_t>& values) {
  warp.template largest_of_group<Single32>(values, 32);
  std::int32_t maximum = 0;
  warp.each([&](int lane) { maximum = static_cast<std::int32_t>(values[lane]); });
  return maximum;
}

}  // namespace speedwell::alignment
