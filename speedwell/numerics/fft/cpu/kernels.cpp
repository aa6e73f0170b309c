// Selection of the kernels for an instruction set.
#include "speedwell/core/simd/isa_choice.hpp"
#include "speedwell/numerics/fft/cpu/line_kernel.hpp"

namespace speedwell::fft {

SPEEDWELL_IN_EACH_ISA(LineKernel<float> complex_f32; LineKernel<double> complex_f64; RealLineKernel<float> real_f32;
                      RealLineKernel<double> real_f64; int lanes_f32(); int lanes_f64();)

template <class T>
LineKernels<T> line_kernels(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(T) == sizeof(float))
    return {SPEEDWELL_OF_ISA(isa, complex_f32), SPEEDWELL_OF_ISA(isa, real_f32), SPEEDWELL_OF_ISA(isa, lanes_f32())};
  else
    return {SPEEDWELL_OF_ISA(isa, complex_f64), SPEEDWELL_OF_ISA(isa, real_f64), SPEEDWELL_OF_ISA(isa, lanes_f64())};
}

template LineKernels<float> line_kernels(core::Isa);
template LineKernels<double> line_kernels(core::Isa);

}  // namespace speedwell::fft
