// The fields of operands as an array, for code that allocates, copies or distributes all of them alike.
#pragma once

#include <array>

#include "speedwell/apps/vector_calculus/operations/operation.hpp"

namespace speedwell::vector_calculus {

/// The fields in the order f, g, a, b, c, d; null where the operation does not read one.
template <class T>
std::array<const T*, 6> fields_of(const Operands<T>& operands) {
  return {operands.f, operands.g, operands.a, operands.b, operands.c, operands.d};
}

/// `operands` with the fields in other memory: six buffers in the same order.
template <class T, class Buffers>
Operands<T> with_fields(Operands<T> operands, const Buffers& buffers) {
  operands.f = buffers[0].data();
  operands.g = buffers[1].data();
  operands.a = buffers[2].data();
  operands.b = buffers[3].data();
  operands.c = buffers[4].data();
  operands.d = buffers[5].data();
  return operands;
}

}  // namespace speedwell::vector_calculus
