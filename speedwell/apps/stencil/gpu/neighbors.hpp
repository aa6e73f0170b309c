// The neighbours of a slab on several GPUs, as sinks of march_kernel see them. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/gpu/cg_device.hpp"
#include "speedwell/comm/gpu/device_sums.hpp"

namespace speedwell::stencil::device {

/// Where the outer planes of a field go: the halos of the ranks below and above, in their memory.
template <class T>
struct SlabNeighbors {
  T *below = nullptr, *above = nullptr;  // halo planes of the neighbours; null: none
  std::int64_t first = 0, last = 0;      // the first cell of the first and of the last own plane
  std::int64_t plane = 0;                // cells
  const comm::DeviceSumsView* sums = nullptr;
  bool has_stored = false;

  template <int width>
  __device__ void store(std::int64_t cell, const Pack<T, width>& value) {
    if (below && cell < first + plane) {
      store_pack(below + (cell - first), value, false);
      has_stored = true;
    }
    if (above && cell >= last) {
      store_pack(above + (cell - last), value, false);
      has_stored = true;
    }
  }
  /// What this thread stored is visible to the neighbours before what it or, after a barrier, its block does next.
  __device__ void fence() const {
    if (has_stored) __threadfence_system();
  }
  /// The sum over the ranks, after which the halos of this rank are filled.
  __device__ Two total(Two mine) const {
    sums->sum(mine.v);
    return mine;
  }
};

}  // namespace speedwell::stencil::device
