// The application's operations in device memory. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/operation.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus {

/// Enqueues out = the operation on `operands`, with vectors in `layout`. Chains are one kernel. Throws
/// std::invalid_argument as require_grid(), core::DeviceError.
template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, const core::Stream& stream);

}  // namespace speedwell::vector_calculus
