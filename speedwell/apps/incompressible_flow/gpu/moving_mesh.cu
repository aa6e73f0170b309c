#include "speedwell/apps/incompressible_flow/gpu/moving_mesh.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void move_kernel(MovingMesh<T> mesh, const StepValues* values, int stage) {
  const typename MovingMesh<T>::Table t = mesh.table[blockIdx.y];
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= t.count) return;
  const double stretch = values->stretch[stage][t.axis];
  const double factor = t.power == 1 ? stretch : t.power == -1 ? 1 / stretch : 1 / (stretch * stretch);
  t.now[i] = static_cast<T>(factor * static_cast<double>(t.rest[i]));
}

}  // namespace

template <class T>
void enqueue(const MovingMesh<T>& mesh, const StepValues* values, int stage, const core::Stream& stream) {
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(mesh.longest, threads)), static_cast<unsigned>(mesh.tables));
  move_kernel<<<blocks, threads, 0, stream.get()>>>(mesh, values, stage);
  core::check(cudaGetLastError());
}

template void enqueue(const MovingMesh<float>&, const StepValues*, int, const core::Stream&);
template void enqueue(const MovingMesh<double>&, const StepValues*, int, const core::Stream&);

}  // namespace speedwell::incompressible_flow::gpu
