// gpu_apply() for one precision: two files include this, so that they compile in parallel, and its kernels are in four
// more (best_planes.hpp). For CUDA sources only.
#pragma once

#include <vector>

#include "speedwell/apps/vector_calculus/gpu/best_planes.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/halo_fields.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"

namespace speedwell::vector_calculus {

template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out,
               const device::PlaneRange<T>& planes, const core::Stream& stream) {
  if (layout == Layout::aos)
    device::apply_to_planes<Layout::aos>(operation, operands, out, planes, stream);
  else
    device::apply_to_planes<Layout::soa>(operation, operands, out, planes, stream);
}

template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, const core::Stream& stream) {
  require_grid(*operands.grid, info(operation).reach);
  gpu_apply(operation, layout, operands, out, device::all_planes<T>(*operands.grid), stream);
}

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

template <class T>
void gpu_prepare(DistributedGpuGrid& grid, Operation operation, Layout layout, const Operands<T>& operands) {
  const std::vector<TileField<T>> fields = differentiated_fields(grid, operation, layout, operands);
  grid.prepare<T>(fields);
}

}  // namespace speedwell::vector_calculus
