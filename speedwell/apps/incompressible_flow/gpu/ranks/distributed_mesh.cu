// A moving mesh on several GPUs: every rank has the tables of the whole box, and moves them.
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_parts.hpp"

namespace speedwell::incompressible_flow {

template <class T>
void DistributedGpuSolver<T>::Parts::allocate_moving_mesh(const core::Stream& stream) {
  int count = 0;
  const auto kept = [&](Buffer& table) {
    Buffer& at_rest = rest[count++];
    at_rest = Buffer(table.size());
    core::copy_async(at_rest.data(), std::as_const(table).data(), table.size(), stream);
    return std::as_const(at_rest).data();
  };
  for (int d = 0; d < 3; ++d) {
    const T* const before = kept(tables[d]);
    const int all = static_cast<int>(tables[d].size()), widths = all / 4;
    moving.add(before, tables[d].data(), widths, d, 1);
    moving.add(before + widths, tables[d].data() + widths, all - widths, d, -1);
  }
  const auto squares = [&](Buffer& table, int axis) {
    moving.add(kept(table), table.data(), static_cast<int>(table.size()), axis, -2);
  };
  squares(direct->lambda_x, 0);
  squares(direct->lambda_y, 1);
  squares(direct->low, 2);
  squares(direct->high, 2);
}

// The stretch factors at the ends of a step's parts, and the factors by which velocities shrink in each.
template <class T>
void DistributedGpuSolver<T>::Parts::set_step(double dt, const core::Stream& stream) {
  host_values.dt = dt;
  if (problem.strain) {
    const auto ends = part_ends(options.method.scheme, dt);
    for (std::size_t n = 0; n < ends.size(); ++n) {
      const auto stretch = problem.strain->stretch(time + ends[n]);
      for (std::size_t d = 0; d < 3; ++d) {
        host_values.stretch[n][d] = stretch[d];
        if (n > 0) host_values.shrink[n - 1][d] = host_values.stretch[n - 1][d] / stretch[d];
      }
    }
  }
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
  gpu::enqueue(moving, values.data(), stage, stream);
  direct->update(stream);
}

#define SPEEDWELL_DISTRIBUTED_MESH(T)                                                      \
  template void DistributedGpuSolver<T>::Parts::allocate_moving_mesh(const core::Stream&); \
  template void DistributedGpuSolver<T>::Parts::set_step(double, const core::Stream&);     \
  template void DistributedGpuSolver<T>::Parts::update_mesh(const core::Stream&);          \
  template void DistributedGpuSolver<T>::Parts::move_mesh(int, const core::Stream&);
SPEEDWELL_DISTRIBUTED_MESH(float)
SPEEDWELL_DISTRIBUTED_MESH(double)
#undef SPEEDWELL_DISTRIBUTED_MESH

}  // namespace speedwell::incompressible_flow
