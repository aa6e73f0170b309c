// What best_planes.hpp declares. For CUDA sources only.
#pragma once

#include "speedwell/apps/vector_calculus/gpu/best_planes.hpp"
#include "speedwell/apps/vector_calculus/gpu/evaluate.hpp"
#include "speedwell/apps/vector_calculus/operations/operation_expression.hpp"

namespace speedwell::vector_calculus::device {

template <Layout l, class T>
void apply_to_planes(Operation operation, const Operands<T>& operands, T* out, const PlaneRange<T>& planes,
                     const core::Stream& stream) {
  with_operation(operation, l, [&]<Operation o, Layout any>() {
    if constexpr (any == l)
      evaluate<operations[static_cast<int>(o)].components, l>(expression_of<o, l, MemorySpace::device>(operands), out,
                                                              planes, stream);
  });
}

}  // namespace speedwell::vector_calculus::device
