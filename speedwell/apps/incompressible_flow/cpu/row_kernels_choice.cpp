#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"
#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::incompressible_flow {

SPEEDWELL_IN_EACH_ISA(RowKernels<float> kernels_f32(); RowKernels<double> kernels_f64();
                      MeasureRows<float> measures_f32(); MeasureRows<double> measures_f64();)

template <class T>
RowKernels<T> row_kernels(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(T) == sizeof(float))
    return SPEEDWELL_OF_ISA(isa, kernels_f32());
  else
    return SPEEDWELL_OF_ISA(isa, kernels_f64());
}

template <class T>
MeasureRows<T> measure_rows(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(T) == sizeof(float))
    return SPEEDWELL_OF_ISA(isa, measures_f32());
  else
    return SPEEDWELL_OF_ISA(isa, measures_f64());
}

template RowKernels<float> row_kernels(core::Isa);
template RowKernels<double> row_kernels(core::Isa);
template MeasureRows<float> measure_rows(core::Isa);
template MeasureRows<double> measure_rows(core::Isa);

}  // namespace speedwell::incompressible_flow
