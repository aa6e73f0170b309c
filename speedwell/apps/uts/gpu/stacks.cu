// The kernels of the depth-first search.
#include "speedwell/apps/uts/gpu/warp_search.hpp"

namespace speedwell::uts::device {
namespace {

template <bool several>
__global__ void __launch_bounds__(max_warps * 32) stacks_kernel(const __grid_constant__ Search search, Tuning tuning) {
  extern __shared__ std::uint32_t shared[];
  const unsigned warps = blockDim.x / 32;
  auto& block = *reinterpret_cast<BlockSharedState*>(shared + warps * stack_words);
  if (threadIdx.x == 0) block = {0, 0};
  __syncthreads();
  Warp<several>(search, tuning, shared + threadIdx.x / 32 * stack_words, block).run();
}

/// Nodes that were given to warps which had ended: a warp for each inbox.
__global__ void __launch_bounds__(32) collect_kernel(const __grid_constant__ Search search) {
  __shared__ std::uint32_t words[stack_words];
  WarpStack stack(words);
  const unsigned count = search.inbox_counts[blockIdx.x].value;
  if (count == 0) return;
  stack.load(search.inboxes[blockIdx.x], count);
  write_rest(search, stack, count);
}

/// A thread for each word of a node.
__global__ void __launch_bounds__(256)
    deal_kernel(const __grid_constant__ RankLists from, int rank, unsigned count, List to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int field = static_cast<int>(blockIdx.y);
  if (i >= count) return;
  std::size_t number = static_cast<std::size_t>(i) * static_cast<unsigned>(from.ranks) + static_cast<unsigned>(rank);
  int source = 0;
  while (number >= from.count[source]) number -= from.count[source++];
  const List& list = from.list[source];
  to.words[static_cast<std::size_t>(field) * to.capacity + i] =
      list.words[static_cast<std::size_t>(field) * list.capacity + number];
}

int multiprocessors() { return core::device_attribute(cudaDevAttrMultiProcessorCount); }

template <bool several>
void launch(const Search& search, const Tuning& tuning, const core::Stream& stream) {
  const auto threads = static_cast<unsigned>(32 * tuning.warps);
  const auto warps = static_cast<unsigned>(tuning.warps);
  const auto bytes = static_cast<unsigned>(warps * stack_words * sizeof(std::uint32_t) + sizeof(BlockSharedState));
  core::check(cudaFuncSetAttribute(stacks_kernel<several>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
  Search operands = search;
  Tuning numbers = tuning;
  void* arguments[] = {&operands, &numbers};
  // A cooperative launch guarantees that all blocks are resident: waiting warps rely on the others to make progress.
  core::check(cudaLaunchCooperativeKernel(stacks_kernel<several>, dim3(static_cast<unsigned>(multiprocessors())),
                                          dim3(threads), arguments, bytes, stream.get()));
}

}  // namespace

unsigned searching_warps(const Tuning& tuning) { return static_cast<unsigned>(multiprocessors() * tuning.warps); }

void search_stacks(const Search& search, const Tuning& tuning, const core::Stream& stream) {
  launch<false>(search, tuning, stream);
}
void search_round(const Search& search, const Tuning& tuning, const core::Stream& stream) {
  launch<true>(search, tuning, stream);
  collect_kernel<<<searching_warps(tuning), 32, 0, stream.get()>>>(search);
  core::check(cudaGetLastError());
}
void deal_nodes(const RankLists& from, int rank, const List& to, const core::Stream& stream) {
  std::size_t all = 0;
  for (int r = 0; r < from.ranks; ++r) all += from.count[r];
  const auto ranks = static_cast<std::size_t>(from.ranks), first = static_cast<std::size_t>(rank);
  if (all <= first) return;
  const auto count = static_cast<unsigned>((all - first + ranks - 1) / ranks);
  deal_kernel<<<dim3((count + 255) / 256, fields), 256, 0, stream.get()>>>(from, rank, count, to);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::uts::device
