#include "speedwell/apps/binary_fluid/cpu/cpu_moments.hpp"
#include "speedwell/apps/binary_fluid/cpu/cpu_rows.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::binary_fluid {

SPEEDWELL_IN_EACH_ISA(RowKernels<double, double> kernels_f64(); RowKernels<float, float> kernels_f32();
                      RowKernels<float, double> kernels_mixed(); MomentKernels<double, double> moments_f64();
                      MomentKernels<float, float> moments_f32(); MomentKernels<float, double> moments_mixed();)

template <class S, class R>
RowKernels<S, R> row_kernels(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(S) == 8)
    return SPEEDWELL_OF_ISA(isa, kernels_f64());
  else if constexpr (sizeof(R) == 8)
    return SPEEDWELL_OF_ISA(isa, kernels_mixed());
  else
    return SPEEDWELL_OF_ISA(isa, kernels_f32());
}
template <class S, class R>
MomentKernels<S, R> moment_kernels(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(S) == 8)
    return SPEEDWELL_OF_ISA(isa, moments_f64());
  else if constexpr (sizeof(R) == 8)
    return SPEEDWELL_OF_ISA(isa, moments_mixed());
  else
    return SPEEDWELL_OF_ISA(isa, moments_f32());
}

template RowKernels<double, double> row_kernels(core::Isa);
template RowKernels<float, float> row_kernels(core::Isa);
template RowKernels<float, double> row_kernels(core::Isa);
template MomentKernels<double, double> moment_kernels(core::Isa);
template MomentKernels<float, float> moment_kernels(core::Isa);
template MomentKernels<float, double> moment_kernels(core::Isa);

}  // namespace speedwell::binary_fluid
