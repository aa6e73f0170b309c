// What is asked of a flow between steps. Included by CUDA sources alone.
#pragma once

#include <array>
#include <optional>

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"
#include "speedwell/apps/incompressible_flow/statistics_sums.hpp"

namespace speedwell::incompressible_flow::gpu {

/// As Solver::convection_rate(); waits for it. u: at cell (0,0,0), with their layer.
template <class T>
double convection_rate(const Shape& shape, const MeshMetrics<T>& metrics, const T* const (&u)[3],
                       core::DeviceBuffer<double>& place, const core::Stream& stream);
/// Integrals over the box, in the mesh's order of axes, and maxima; waits for them. friction as in Momentum. place: two
/// numbers to work with.
template <class T>
std::array<double, statistics_sums> integrals(Cells& cells, const Shape& shape, const MeshMetrics<T>& metrics,
                                              const T* const (&u)[3], const T* const (&friction)[3], Largest& largest,
                                              core::DeviceBuffer<double>& place, const core::Stream& stream);
/// What is missing to mean velocities, without a wait: bulk_change, and bulk_force, to which it is added unless
/// `first`. Gradients along axes that are periodic have no mean, so that this may come before the projection. No
/// solids.
template <class T>
void enqueue_bulk_change(Cells& cells, const Shape& shape, const MeshMetrics<T>& metrics, const T* const (&u)[3],
                         const std::array<std::optional<double>, 3>& bulk, bool first, StepValues* values,
                         const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu
