// Breadth first: one level of the tree after the other, each node by one thread. The simplest parallel search.
#include <algorithm>

#include "speedwell/apps/uts/gpu/children.hpp"
#include "speedwell/apps/uts/gpu/launch.hpp"
#include "speedwell/apps/uts/sha1.hpp"

namespace speedwell::uts::device {
namespace {

constexpr int threads = 256;
constexpr unsigned full_warp = 0xffffffffu;

template <class Sum>
__device__ Sum sum_of_warp(Sum x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(full_warp, x, distance);
  return x;
}

__global__ void __launch_bounds__(threads)
    level_kernel(Rule rule, List from, std::size_t count, List to, Results* results) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
  unsigned long long nodes = 0, leaves = 0;
  unsigned deepest = 0;
  bool table_ended = false;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x; i < count; i += stride) {
    const auto word = [&](int k) { return from.words[static_cast<std::size_t>(k) * from.capacity + i]; };
    const Digest<std::uint32_t> parent = {{word(0), word(1), word(2), word(3), word(4)}};
    const unsigned at = word(depth) + 1, all = word(left);
    nodes += all;
    deepest = max(deepest, at);
    const RowOfDepth row = row_of(rule, at, table_ended);
    for (unsigned child = 0; child < all; ++child) {
      const Digest<std::uint32_t> digest = child_digest(parent, static_cast<std::uint32_t>(child));
      const unsigned children = children_of(rule, row, value_of(digest.h[4]));
      if (children == 0) {
        ++leaves;
        continue;
      }
      // The lanes that are active together reserve their positions in the list by one atomic operation.
      const unsigned together = __activemask();
      const int first = __ffs(static_cast<int>(together)) - 1, lane = static_cast<int>(threadIdx.x % 32);
      unsigned long long position = 0;
      if (lane == first) position = atomicAdd(&results->appended, static_cast<unsigned long long>(__popc(together)));
      position = __shfl_sync(together, position, first) + static_cast<unsigned>(__popc(together & ((1u << lane) - 1)));
      if (position >= to.capacity) continue;
      const auto put = [&](int k, std::uint32_t x) {
        to.words[static_cast<std::size_t>(k) * to.capacity + position] = x;
      };
      for (int k = 0; k < 5; ++k) put(k, digest.h[k]);
      put(depth, at);
      put(left, children);
    }
  }
  if (table_ended) atomicMax(&results->error, static_cast<unsigned>(ResourceError::table));
  nodes = sum_of_warp(nodes);
  leaves = sum_of_warp(leaves);
  deepest = __reduce_max_sync(full_warp, deepest);
  if (threadIdx.x % 32 == 0 && nodes > 0) {
    atomicAdd(&results->nodes, nodes);
    atomicAdd(&results->leaves, leaves);
    atomicMax(&results->depth, deepest);
  }
}

}  // namespace

void search_level(const Rule& rule, const List& from, std::size_t count, const List& to, Results* results,
                  const core::Stream& stream) {
  constexpr std::size_t max_blocks = 1u << 16;
  const auto blocks = static_cast<unsigned>(std::min(max_blocks, (count + threads - 1) / threads));
  level_kernel<<<blocks, threads, 0, stream.get()>>>(rule, from, count, to, results);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::uts::device
