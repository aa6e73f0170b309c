// A moving mesh on several GPUs: every rank has the tables of the whole box, and moves them.
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_parts.hpp"

namespace speedwell::incompressible_flow {

template <class T>
void DistributedGpuSolver<T>::Parts::set_step(double dt, const core::Stream& stream) {
  host_values.dt = dt;
  if (problem.strain) gpu::set_stretch(host_values, strain_step(*problem.strain, options.method.scheme, time, dt));
  core::copy_async(values.data(), &std::as_const(host_values), 1, stream);
}

/// To the time of the flow.
template <class T>
void DistributedGpuSolver<T>::Parts::update_mesh(const core::Stream& stream) {
  if (!problem.strain) return;
  const auto stretch = problem.strain->stretch(time);
  core::copy_async(values.data()->stretch[0], stretch.data(), 3, stream);
  move_mesh(0, stream);
}

template <class T>
void DistributedGpuSolver<T>::Parts::move_mesh(int stage, const core::Stream& stream) {
  if (!problem.strain) return;
  moving.enqueue(values.data(), stage, stream);
  direct->update(stream);
}

#define SPEEDWELL_DISTRIBUTED_MESH(T)                                                  \
  template void DistributedGpuSolver<T>::Parts::set_step(double, const core::Stream&); \
  template void DistributedGpuSolver<T>::Parts::update_mesh(const core::Stream&);      \
  template void DistributedGpuSolver<T>::Parts::move_mesh(int, const core::Stream&);
SPEEDWELL_DISTRIBUTED_MESH(float)
SPEEDWELL_DISTRIBUTED_MESH(double)
#undef SPEEDWELL_DISTRIBUTED_MESH

}  // namespace speedwell::incompressible_flow
