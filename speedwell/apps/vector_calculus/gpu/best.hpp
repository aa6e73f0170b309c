// gpu_apply() for one precision: two files include this, so that they compile in parallel. For CUDA sources only.
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
