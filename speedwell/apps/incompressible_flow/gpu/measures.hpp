// Reductions of a flow between steps. For CUDA sources only.
#pragma once

#include <array>
#include <optional>

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/apps/incompressible_flow/gpu/ranks/rank_sums.hpp"
#include "speedwell/apps/incompressible_flow/statistics/statistics_sums.hpp"
#include "speedwell/apps/incompressible_flow/statistics/steadiness.hpp"

namespace speedwell::incompressible_flow::gpu {

/// The same as Solver::convection_rate(); waits for the result. u: pointers to cell (0,0,0), with filled ghost cells.
/// `workspace`: two numbers.
template <class T>
double convection_rate(const Shape& shape, const MeshMetrics<T>& metrics, const T* const (&u)[3],
                       core::DeviceBuffer<double>& workspace, const core::Stream& stream);
/// Integrals over the cells of a box, or of one slab of it, in the mesh's order of axes, and maxima; waits for the
/// results. Ghost cells are filled, of a slab also the planes of the slabs beside it. `wall_drag` as in Momentum.
/// `workspace`: two numbers.
template <class T>
std::array<double, statistics_sums> integrals(Cells& cells, const Shape& shape, const MeshMetrics<T>& metrics,
                                              const T* const (&u)[3], const T* const (&wall_drag)[3], Largest& largest,
                                              core::DeviceBuffer<double>& workspace, const core::Stream& stream);
/// How far the velocities of all cells are from those `before`, which are as `u`; waits for the result. `workspace`:
/// two numbers.
template <class T>
VelocityChange velocity_change(Cells& cells, const Shape& shape, const T* const (&before)[3], const T* const (&u)[3],
                               core::DeviceBuffer<double>& workspace, const core::Stream& stream);
/// Enqueues the computation of bulk_change, the difference to the mean velocities, and of bulk_force, to which it is
/// added unless `first`. Gradients along periodic axes have no mean, so that this may precede the projection. For boxes
/// without solids. `ranks`: of a slab, whose integrals and volumes are added to those of the others; else null.
template <class T>
void enqueue_bulk_change(Cells& cells, const Shape& shape, const MeshMetrics<T>& metrics, const T* const (&u)[3],
                         const std::array<std::optional<double>, 3>& bulk, bool first, StepValues* values,
                         const core::Stream& stream, const RankSums* ranks = nullptr);

}  // namespace speedwell::incompressible_flow::gpu
