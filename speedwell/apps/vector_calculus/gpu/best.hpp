// gpu_apply() of one precision: two files have it, so that they compile side by side. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/gpu/operations.hpp"
#include "speedwell/apps/vector_calculus/operation_expression.hpp"

namespace speedwell::vector_calculus {

template <class T>
void gpu_apply(Operation operation, Layout layout, const Operands<T>& operands, T* out, const core::Stream& stream) {
  require_grid(*operands.grid, info(operation).reach);
  with_operation(operation, layout, [&]<Operation o, Layout l>() {
    device::evaluate<operations[static_cast<int>(o)].components, l>(expression_of<o, l, MemorySpace::device>(operands),
                                                                    out, *operands.grid, stream);
  });
}

}  // namespace speedwell::vector_calculus
