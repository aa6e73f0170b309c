#include "speedwell/apps/blast_wave/gpu/device.hpp"
#include "speedwell/apps/blast_wave/gpu_blocks7.hpp"

namespace speedwell::blast_wave {
namespace {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads) multiply_blocks(device::Stored<double> a, device::Plain x, double* y_) {
  const int p = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  if (p >= a.m.stride) return;
  double y[5] = {};
  if (p < a.m.points) a(Weights{}, site_of(a.m, p), x, y);
  for (int c = 0; c < 5; ++c) y_[c * a.m.stride + p] = y[c];
}

}  // namespace

GpuBlocks7::GpuBlocks7(const Blocks7& blocks, const core::Stream& stream)
    : extents_(blocks.extents()), stride_(blocks.stride()), blocks_(blocks.blocks().size()) {
  core::copy_async(blocks_.data(), blocks.blocks().data(), blocks_.size(), stream);
  stream.synchronize();
}

void GpuBlocks7::multiply(const double* x, double* y, const core::Stream& stream) const {
  Problem mesh;
  mesh.extents = extents_;
  const Medium m = medium_of(mesh);
  const auto grid = static_cast<unsigned>(core::blocks_for(m.stride, threads));
  multiply_blocks<<<grid, threads, 0, stream.get()>>>({m, blocks_.data()}, {x, m.stride}, y);
  core::check(cudaGetLastError());
}

}  // namespace speedwell::blast_wave
