// What is measured of a flow on several GPUs between steps: each GPU reduces its slab, and the ranks a few numbers.
#include <array>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/ranks/distributed_parts.hpp"
#include "speedwell/apps/incompressible_flow/gpu/values.hpp"
#include "speedwell/comm/sums.hpp"

namespace speedwell::incompressible_flow {

// A rank may overwrite its neighbours' ghost planes in the next step. That no neighbour still reads them here follows
// from the reductions over ranks after the kernels have ended.

template <class T>
double DistributedGpuSolver<T>::convection_rate(const core::Stream& stream) {
  Parts& p = *parts_;
  p.complete_third_velocity(stream);
  const double of_slab =
      gpu::convection_rate<T>(p.shape, p.metrics, {p.present(0), p.present(1), p.present(2)}, p.largest, stream);
  return p.slab.maximum(of_slab);
}

template <class T>
Statistics DistributedGpuSolver<T>::statistics(const core::Stream& stream) {
  Parts& p = *parts_;
  p.complete_velocities(stream);
  Largest largest;
  auto sums = gpu::integrals<T>(*p.cells, p.shape, p.metrics, {p.present(0), p.present(1), p.present(2)},
                                {nullptr, nullptr, nullptr}, largest, p.largest, stream);
  comm::sum_in_order(p.ranks, sums);
  largest.divergence = p.slab.maximum(largest.divergence);
  largest.fastest = p.slab.maximum(largest.fastest);
  return statistics_from(sums, largest, p.problem.viscosity, p.choice.order);
}

template <class T>
double DistributedGpuSolver<T>::Parts::mean_pressure(const core::Stream& stream) {
  auto sums = gpu::pressure_integral<T>(*cells, shape, metrics, source.data(), stream);
  comm::sum_in_order(ranks, sums);
  return sums[0] / sums[1];
}

template <class T>
std::vector<T> DistributedGpuSolver<T>::values(std::span<const CellValue> cells, const core::Stream& stream) {
  Parts& p = *parts_;
  const std::vector<CellValue> own = p.slabs.own_cells(cells);
  std::vector<const T*> from;
  for (const CellValue& value : own) {
    const auto [i, j, k] = value.cell;
    if (value.array < 3)
      from.push_back(p.present(value.array) + i + j * p.layout.row + k * p.layout.plane);
    else if (p.implicit)
      from.push_back(p.implicit->pressure() + p.shape.cell(i, j, k));
    else
      from.push_back(p.source.data() + p.pressure_index(i, j, k));
  }
  std::vector<T> mine = gpu::read(from, stream);
  const double mean = p.implicit ? 0 : p.mean_pressure(stream);  // implicit diffusion has subtracted it
  for (std::size_t n = 0; n < own.size(); ++n)
    if (own[n].array == 3) mine[n] = static_cast<T>(mine[n] - mean);
  return p.slabs.gather_values(cells, mine);
}

template <class T>
void DistributedGpuSolver<T>::keep_velocity(const core::Stream& stream) {
  Parts& p = *parts_;
  if (p.kept[2].size() == 0) {
    p.require_memory(static_cast<double>(3 * p.layout.size * sizeof(T)));
    for (auto& kept : p.kept) kept = core::DeviceBuffer<T>(p.layout.size);
  }
  for (int c = 0; c < 3; ++c)
    core::copy_async(p.kept[c].data(), static_cast<const T*>(p.field(p.now, c)), p.layout.size, stream);
}

template <class T>
VelocityChange DistributedGpuSolver<T>::velocity_change(const core::Stream& stream) {
  Parts& p = *parts_;
  if (p.kept[2].size() == 0) throw std::logic_error("no velocities were kept");
  const VelocityChange of_slab = gpu::velocity_change<T>(
      *p.cells, p.shape, {p.cell(p.kept[0].data()), p.cell(p.kept[1].data()), p.cell(p.kept[2].data())},
      {p.present(0), p.present(1), p.present(2)}, p.largest, stream);
  const double change = p.slab.maximum(of_slab.change);
  return {change, p.slab.maximum(of_slab.largest)};
}

#define SPEEDWELL_DISTRIBUTED_MEASURES(T)                                                                   \
  template double DistributedGpuSolver<T>::convection_rate(const core::Stream&);                            \
  template Statistics DistributedGpuSolver<T>::statistics(const core::Stream&);                             \
  template double DistributedGpuSolver<T>::Parts::mean_pressure(const core::Stream&);                       \
  template std::vector<T> DistributedGpuSolver<T>::values(std::span<const CellValue>, const core::Stream&); \
  template void DistributedGpuSolver<T>::keep_velocity(const core::Stream&);                                \
  template VelocityChange DistributedGpuSolver<T>::velocity_change(const core::Stream&);
SPEEDWELL_DISTRIBUTED_MEASURES(float)
SPEEDWELL_DISTRIBUTED_MEASURES(double)
#undef SPEEDWELL_DISTRIBUTED_MEASURES

}  // namespace speedwell::incompressible_flow
