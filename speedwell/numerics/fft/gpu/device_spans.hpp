// Checks of spans of device memory, and their conversion. Included by CUDA sources only.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "speedwell/numerics/fft/gpu/device/complex.hpp"
#include "speedwell/numerics/fft/spans.hpp"

namespace speedwell::fft::gpu {

/// Requires `expected` elements, aligned for complex numbers in T.
template <class T, class Element>
void require_span(std::span<Element> span, std::int64_t expected, const char* what) {
  require_size(span.size(), expected, what);
  if (reinterpret_cast<std::uintptr_t>(span.data()) % alignof(Complex<T>) != 0)
    throw std::invalid_argument("fft: an array begins where no complex number may");
}

template <class T>
Complex<T>* device(std::complex<T>* z) {
  return reinterpret_cast<Complex<T>*>(z);
}
template <class T>
const Complex<T>* device(const std::complex<T>* z) {
  return reinterpret_cast<const Complex<T>*>(z);
}

}  // namespace speedwell::fft::gpu
