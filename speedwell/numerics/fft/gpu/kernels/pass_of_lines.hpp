// The lines of one pass over memory.
#pragma once

#include <cstdint>

#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/gpu/device/line_layout.hpp"

namespace speedwell::fft::gpu {

/// The lines of a pass. in and out may be the same memory if both layouts are equal.
template <class T>
struct Pass {
  std::int64_t lines = 0;
  LineLayout in, out;
  const Complex<T>* table = nullptr;  // line_table() on the device
};

}  // namespace speedwell::fft::gpu
