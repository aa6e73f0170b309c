// Single-threaded loops, compiled once per instruction set: simd.cpp defines these tables and cpu.cpp selects one. Raw
// pointers and no inline functions, because simd.cpp is compiled several times (see core/isa.hpp).
#pragma once

#include <cstddef>

namespace speedwell::stream {

/// Loops over n elements. `streaming` selects non-temporal stores. Pointers need only the alignment of T.
template <class T>
struct HostKernels {
  using Elementwise = void(T scalar, const T* x, const T* y, T* out, std::size_t n, bool streaming);
  Elementwise* copy;   // y is not read
  Elementwise* scale;  // y is not read
  Elementwise* add;
  Elementwise* triad;
  double (*dot)(const T* x, const T* y, std::size_t n);
};

namespace baseline {
extern const HostKernels<double> kernels_f64;
extern const HostKernels<float> kernels_f32;
}  // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
extern const HostKernels<double> kernels_f64;
extern const HostKernels<float> kernels_f32;
}  // namespace avx2
namespace avx512 {
extern const HostKernels<double> kernels_f64;
extern const HostKernels<float> kernels_f32;
}  // namespace avx512
#endif

}  // namespace speedwell::stream
