// Single numbers of a flow on a GPU between steps, and the mean that its pressure is without. For CUDA sources only.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/incompressible_flow/gpu/cells.hpp"

namespace speedwell::incompressible_flow::gpu {

/// Copies the numbers at addresses in device memory, in their order, to the host; waits.
template <class T>
std::vector<T> read(const std::vector<const T*>& from, const core::Stream& stream);
/// The integral of a pressure over the cells of `shape`, a box or a slab, and their volume; waits. `pressure` is in
/// device memory, in the order of Divergence::out; `cells` are those of the shape.
template <class T>
std::array<double, 2> pressure_integral(Cells& cells, const Shape& shape, const MeshMetrics<T>& metrics,
                                        const T* pressure, const core::Stream& stream);

}  // namespace speedwell::incompressible_flow::gpu
