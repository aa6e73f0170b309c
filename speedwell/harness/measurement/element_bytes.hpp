// Bytes of one element of a run's output.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::harness {

inline std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::f64:
    case ElementType::i64:
      return 8;
    case ElementType::f32:
    case ElementType::i32:
      return 4;
    case ElementType::u8:
      return 1;
  }
  throw std::logic_error("an element type without a size");
}

}  // namespace speedwell::harness
