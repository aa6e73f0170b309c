// gpu_apply() and gpu_prepare() of operations.hpp for one precision. best_f32.cu and best_f64.cu include this, so that
// they compile in parallel; the kernels, which take a compiler minutes, are in four more files (best_planes.hpp). For
// CUDA sources only.
#pragma once

#include <vector>

#include "speedwell/apps/vector_calculus/gpu/best_planes.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/halo_fields.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"

namespace speedwell::vector_calculus {

/// Enqueues out = the operation on `operands` at the points of `planes` as one kernel. Arrays are in device memory,
/// vectors in `layout`. The arguments are not checked here.
template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out,
               const device::PlaneRange<T>& planes, const core::Stream& stream) {
  if (layout == Layout::aos)
    device::apply_to_planes<Layout::aos>(operation, operands, out, planes, stream);
  else
    device::apply_to_planes<Layout::soa>(operation, operands, out, planes, stream);
}

/// The same at all points of a grid. Throws std::invalid_argument if the grid is too small for the operation's
/// derivatives.
template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, const core::Stream& stream) {
  require_grid(*operands.grid, info(operation).reach);
  gpu_apply(operation, layout, operands, out, device::all_planes<T>(*operands.grid), stream);
}

/// The operands whose neighbouring planes the operation reads, so that their halos have to be exchanged.
template <class T>
std::vector<TileField<T>> differentiated_fields(const DistributedGpuGrid& grid, Operation operation, Layout layout,
                                                const Operands<T>& operands) {
  Operands<T> slabs = operands;
  slabs.grid = &grid.local();
  std::vector<TileField<T>> fields;
  with_operation(operation, layout, [&]<Operation o, Layout l>() {
    fields = host::differentiated_fields<T>(expression_of<o, l, MemorySpace::device>(slabs));
  });
  return fields;
}

/// Collective. The same on the planes of this rank's slab. With HaloUpdate::overlapped the planes that read no halo are
/// computed while the halos travel, and the others by a kernel for each range of them; otherwise one kernel computes
/// all planes, after the exchange or without one.
template <class T>
void gpu_apply(DistributedGpuGrid& grid, Operation operation, Layout layout, const Operands<T>& operands, T* out,
               const core::Stream& stream, HaloUpdate update) {
  const std::vector<TileField<T>> fields = differentiated_fields(grid, operation, layout, operands);
  grid.for_planes<T>(
      fields, info(operation).reach, update,
      [&](comm::Range planes, const core::Stream& on) {
        gpu_apply(operation, layout, operands, out, grid.range_of<T>(planes), on);
      },
      stream);
}

/// Collective. Allocates what the exchange of the operation's halos needs, which otherwise its first gpu_apply() does.
template <class T>
void gpu_prepare(DistributedGpuGrid& grid, Operation operation, Layout layout, const Operands<T>& operands) {
  const std::vector<TileField<T>> fields = differentiated_fields(grid, operation, layout, operands);
  grid.prepare<T>(fields);
}

}  // namespace speedwell::vector_calculus
