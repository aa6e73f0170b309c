// z = a x + y on device memory. For CUDA sources only.
#pragma once

#include <cstdint>
#include <string_view>

#include "speedwell/core/cuda.hpp"

namespace speedwell::new_application {

/// The operands of every GPU variant. All pointers are to device memory.
template <class T>
struct Operands {
  T a = 0;
  const T* x = nullptr;  // n elements
  const T* y = nullptr;  // n elements
  T* z = nullptr;        // n elements, overwritten
  std::int64_t n = 0;    // at most 2^31 - 1 blocks of 256
};

/// Enqueues z = a x + y on `stream`. Every GPU variant is one function of this type. Operands are not checked. Throws
/// core::DeviceError if the launch fails.
template <class T>
using Launch = void(const Operands<T>& operands, const core::Stream& stream);

/// The function of the step of this name in ladder.hpp. Throws std::logic_error for another name. T is double or float.
template <class T>
Launch<T>* launch_of(std::string_view step);

}  // namespace speedwell::new_application
