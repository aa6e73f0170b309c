#include "speedwell/apps/gups/gpu/launch.hpp"
#include "tests/apps/gups/gpu_check.hpp"

namespace speedwell::gups {
namespace {

__global__ void count_kernel(const device::Word* a, const device::Word* b, std::uint64_t words, device::Word* count) {
  device::Word mine = 0;
  const std::uint64_t all = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += all)
    mine += a[i] != b[i];
  if (mine > 0) atomicAdd(count, mine);
}

}  // namespace

std::uint64_t differing_words(const GpuSolver& a, const GpuSolver& b, const core::Stream& stream) {
  core::DeviceBuffer<device::Word> count(1);
  core::fill_bytes_async(count, 0, stream);
  count_kernel<<<1024, 256, 0, stream.get()>>>(a.device_table().data(), b.device_table().data(),
                                               a.device_table().size(), count.data());
  core::check(cudaGetLastError());
  device::Word result = 0;
  core::copy_async(&result, count.data(), 1, stream);
  stream.synchronize();
  return result;
}

}  // namespace speedwell::gups
