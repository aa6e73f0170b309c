#include <algorithm>
#include <utility>

#include "speedwell/apps/incompressible_flow/gpu/moving_mesh.hpp"

namespace speedwell::incompressible_flow::gpu {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void move_kernel(typename MovingMesh<T>::Tables mesh, const StepValues* values, int stage) {
  const typename MovingMesh<T>::Table t = mesh.table[blockIdx.y];
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i >= t.count) return;
  const double stretch = values->stretch[stage][t.axis];
  const double factor = t.power == 1 ? stretch : t.power == -1 ? 1 / stretch : 1 / (stretch * stretch);
  t.now[i] = static_cast<T>(factor * static_cast<double>(t.rest[i]));
}

}  // namespace

template <class T>
MovingMesh<T>::MovingMesh(core::DeviceBuffer<T> (&widths)[3], core::DeviceBuffer<T>& lambda_x,
                          core::DeviceBuffer<T>& lambda_y, core::DeviceBuffer<T>& low, core::DeviceBuffer<T>& high,
                          const core::Stream& stream) {
  for (int d = 0; d < 3; ++d) {
    T* const now = widths[d].data();
    const T* const rest = keep(widths[d], stream);
    const std::size_t all = widths[d].size(), cells = all / 4;
    add(rest, now, cells, d, 1);
    add(rest + cells, now + cells, all - cells, d, -1);
  }
  const auto squares = [&](core::DeviceBuffer<T>& table, int axis) {
    add(keep(table, stream), table.data(), table.size(), axis, -2);
  };
  squares(lambda_x, 0);
  squares(lambda_y, 1);
  squares(low, 2);
  squares(high, 2);
}

template <class T>
const T* MovingMesh<T>::keep(core::DeviceBuffer<T>& table, const core::Stream& stream) {
  core::DeviceBuffer<T>& rest = rest_[kept_++];
  rest = core::DeviceBuffer<T>(table.size());
  core::copy_async(rest.data(), std::as_const(table).data(), table.size(), stream);
  return std::as_const(rest).data();
}

template <class T>
void MovingMesh<T>::add(const T* rest, T* now, std::size_t count, int axis, int power) {
  const int n = static_cast<int>(count);
  tables_.table[tables_.count++] = {rest, now, n, axis, power};
  tables_.longest = std::max(tables_.longest, n);
}

template <class T>
void MovingMesh<T>::enqueue(const StepValues* values, int stage, const core::Stream& stream) const {
  const dim3 blocks(static_cast<unsigned>(core::blocks_for(tables_.longest, threads)),
                    static_cast<unsigned>(tables_.count));
  move_kernel<T><<<blocks, threads, 0, stream.get()>>>(tables_, values, stage);
  core::check(cudaGetLastError());
}

void set_stretch(StepValues& values, const StrainStep& step) {
  for (std::size_t n = 0; n < step.stretch.size(); ++n) std::copy_n(step.stretch[n].data(), 3, values.stretch[n]);
  for (std::size_t n = 0; n < step.shrink.size(); ++n) std::copy_n(step.shrink[n].data(), 3, values.shrink[n]);
}

template class MovingMesh<float>;
template class MovingMesh<double>;

}  // namespace speedwell::incompressible_flow::gpu
