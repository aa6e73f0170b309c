// Launches of kernels with dynamic shared memory. Included by CUDA sources only.
#pragma once

#include <cstdint>

#include "speedwell/core/cuda.hpp"

namespace speedwell::fft::gpu {

struct Grid {
  std::int64_t blocks;
  int threads;
  std::int64_t shared_bytes;
  int cluster = 1;  // blocks of a cluster, which access each other's shared memory
};

/// Enqueues `kernel`, which may need more shared memory than the default limit of a block.
template <class... Formal, class... Actual>
void launch_kernel(void (*kernel)(Formal...), const Grid& grid, const core::Stream& stream,
                   const Actual&... arguments) {
  core::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid.shared_bytes)));
  cudaLaunchAttribute in_clusters{};
  in_clusters.id = cudaLaunchAttributeClusterDimension;
  in_clusters.val.clusterDim = {static_cast<unsigned>(grid.cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid.blocks);
  config.blockDim = static_cast<unsigned>(grid.threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(grid.shared_bytes);
  config.stream = stream.get();
  config.attrs = &in_clusters;
  config.numAttrs = grid.cluster > 1 ? 1 : 0;
  core::check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace speedwell::fft::gpu
