// The lines of one pass over memory.
#pragma once

#include <cstdint>

#include "speedwell/apps/fft/gpu/complex.hpp"
#include "speedwell/apps/fft/gpu/place.hpp"

namespace speedwell::fft::gpu {

/// The lines of a pass. In and out may be the same memory where both places are the same.
template <class T>
struct Pass {
  std::int64_t lines = 0;
  Place in, out;
  const Complex<T>* table = nullptr;  // line_table() on the device
};

}  // namespace speedwell::fft::gpu
