// The application's operations in device memory. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/gpu_distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus {

/// Enqueues out = the operation on `operands`, with vectors in `layout`. Chains are one kernel. Throws
/// std::invalid_argument as require_grid(), core::DeviceError.
template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, const core::Stream& stream);

/// Collective. The same on the slabs of ranks: `operands` and `out` are arrays of DistributedGpuGrid. The halos of
/// operands that are differentiated are overwritten; that of `out` keeps its values. The bits are those of one GPU.
/// Throws std::invalid_argument for more nested derivatives than grid.depth(), core::DeviceError.
template <class T>
void gpu_apply(DistributedGpuGrid& grid, Operation operation, Layout layout, const Operands<T>& operands, T* out,
               const core::Stream& stream, HaloUpdate update = HaloUpdate::overlapped);
/// Collective. Makes what the first gpu_apply() would make.
template <class T>
void gpu_prepare(DistributedGpuGrid& grid, Operation operation, Layout layout, const Operands<T>& operands);

}  // namespace speedwell::vector_calculus
