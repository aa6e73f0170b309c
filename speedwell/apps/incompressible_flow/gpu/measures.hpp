// What is asked of a flow between steps. Included by CUDA sources alone.
#pragma once

#include <array>

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

}  // namespace speedwell::incompressible_flow::gpu
