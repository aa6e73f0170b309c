// Selection of the kernels for an instruction set.
#include <stdexcept>

#include "speedwell/numerics/fft/cpu/line_kernel.hpp"

namespace speedwell::fft {

#define SPEEDWELL_LINE_KERNELS(isa) \
  namespace isa {                   \
  LineKernel<float> complex_f32;    \
  LineKernel<double> complex_f64;   \
  RealLineKernel<float> real_f32;   \
  RealLineKernel<double> real_f64;  \
  int lanes_f32();                  \
  int lanes_f64();                  \
  }
SPEEDWELL_LINE_KERNELS(baseline)
#if defined(__x86_64__)
SPEEDWELL_LINE_KERNELS(avx2)
SPEEDWELL_LINE_KERNELS(avx512)
#endif
#undef SPEEDWELL_LINE_KERNELS

/// The kernels in T of one namespace.
#define SPEEDWELL_KERNELS_OF(isa)                                               \
  [] {                                                                          \
    if constexpr (sizeof(T) == sizeof(float))                                   \
      return LineKernels<T>{isa::complex_f32, isa::real_f32, isa::lanes_f32()}; \
    else                                                                        \
      return LineKernels<T>{isa::complex_f64, isa::real_f64, isa::lanes_f64()}; \
  }()

template <class T>
LineKernels<T> line_kernels(core::Isa isa) {
  if (isa > core::best_isa()) throw std::invalid_argument("fft: the processor does not have this instruction set");
  switch (isa) {
#if defined(__x86_64__)
    case core::Isa::avx512:
      return SPEEDWELL_KERNELS_OF(avx512);
    case core::Isa::avx2:
      return SPEEDWELL_KERNELS_OF(avx2);
#endif
    default:
      return SPEEDWELL_KERNELS_OF(baseline);
  }
}
#undef SPEEDWELL_KERNELS_OF

template LineKernels<float> line_kernels(core::Isa);
template LineKernels<double> line_kernels(core::Isa);

}  // namespace speedwell::fft
