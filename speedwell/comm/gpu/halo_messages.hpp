// The messages of a DeviceHaloExchange as kernels see them, and the kernels that pack and unpack them. For its source
// only.
#pragma once

#include <cstdint>

#include "speedwell/comm/gpu/peer_flags.hpp"
#include "speedwell/comm/halo_layout.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::comm::detail {

constexpr int threads = 256, max_messages = 26, max_fields = 40;

/// A box of a field, as kernels see it.
struct Box {
  std::int64_t first = 0;           // index of its first point in the field
  int extents[3] = {};              // points
  std::int64_t row = 0, plane = 0;  // points between rows and planes of the field
  std::int64_t points = 0;
};

template <class Element>
struct Messages {
  int count = 0, fields = 0;
  int elements[max_fields] = {};
  Element* field[max_fields] = {};
  Box box[max_messages];
  Element* buffer[max_messages] = {};           // the message in memory: written by packing, read by unpacking
  unsigned long long* flag[max_messages] = {};  // peer: of the neighbour, or of this rank; null: none
};

/// Calls copy(index in the field, index in the message) for the elements of this block's part of a message.
template <class Element, class Copy>
__device__ void for_elements(const Messages<Element>& m, int message, const Copy& copy) {
  const Box& box = m.box[message];
  std::int64_t begin = 0;
  for (int f = 0; f < m.fields; ++f) {
    const int elements = m.elements[f];
    const int row = box.extents[2] * elements;
    const std::int64_t count = box.points * elements;
    for (std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; at < count;
         at += static_cast<std::int64_t>(gridDim.x) * threads) {
      const std::int64_t rows = at / row;
      const int k = static_cast<int>(at - rows * row);
      const std::int64_t i = rows / box.extents[1], j = rows - i * box.extents[1];
      copy(f, (box.first + i * box.plane + j * box.row) * elements + k, begin + at);
    }
    begin += count;
  }
}

/// blockIdx.y: the message. With flags, the block of a message that ends last tells the neighbour.
template <class Element>
__global__ void __launch_bounds__(threads)
    pack_kernel(const __grid_constant__ Messages<Element> m, unsigned* done, unsigned long long number) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();  // of use to kernels after push(); others wait for the end of this one
#endif
  const int message = static_cast<int>(blockIdx.y);
  Element* const to = m.buffer[message];
  for_elements(m, message, [&](int f, std::int64_t from, std::int64_t at) { to[at] = m.field[f][from]; });
  if (!m.flag[message]) return;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x > 0 || atomicAdd(done + message, 1u) != gridDim.x - 1) return;
  done[message] = 0;
  __threadfence_system();
  store_release(m.flag[message], number);
}

/// With flags, waits for the message.
template <class Element>
__global__ void __launch_bounds__(threads)
    unpack_kernel(const __grid_constant__ Messages<Element> m, int* timed_out, unsigned long long number) {
  const int message = static_cast<int>(blockIdx.y);
  if (m.flag[message]) {
    if (threadIdx.x == 0) wait_for_flag(m.flag[message], number, timed_out);
    __syncthreads();
  }
  const Element* const from = m.buffer[message];
  for_elements(m, message, [&](int f, std::int64_t to, std::int64_t at) { m.field[f][to] = __ldcg(from + at); });
}

inline Box box_of(const HaloLayout& layout, const HaloLayout::Region& region) {
  Box box;
  const auto& extents = layout.extents();
  box.row = extents[2];
  box.plane = extents[1] * extents[2];
  box.first = region.ranges[0].begin * box.plane + region.ranges[1].begin * box.row + region.ranges[2].begin;
  for (std::size_t a = 0; a < 3; ++a) box.extents[a] = static_cast<int>(region.ranges[a].size());
  box.points = region.size();
  return box;
}

}  // namespace speedwell::comm::detail
