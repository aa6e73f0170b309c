// An operation on a range of planes: the kernels of gpu_apply(), which take a compiler minutes, for one layout and
// precision in each of four files. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/gpu/plane_range.hpp"
#include "speedwell/apps/vector_calculus/operations/operation.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::vector_calculus::device {

/// Enqueues out = the operation on `operands` at the points of `planes`, with vectors in the layout `l`.
template <Layout l, class T>
void apply_to_planes(Operation operation, const Operands<T>& operands, T* out, const PlaneRange<T>& planes,
                     const core::Stream& stream);

}  // namespace speedwell::vector_calculus::device
