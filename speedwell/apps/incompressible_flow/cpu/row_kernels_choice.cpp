#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"
#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/cpu/vector_rows.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::incompressible_flow {

SPEEDWELL_IN_EACH_ISA(RowKernels<float> kernels_f32(); RowKernels<double> kernels_f64();
                      MeasureRows<float> measures_f32(); MeasureRows<double> measures_f64();
                      VectorRows<float> vectors_f32(); VectorRows<double> vectors_f64();)

template <>
RowKernels<float> row_kernels(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, kernels_f32());
}
template <>
RowKernels<double> row_kernels(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, kernels_f64());
}
template <>
MeasureRows<float> measure_rows(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, measures_f32());
}
template <>
MeasureRows<double> measure_rows(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, measures_f64());
}
template <>
VectorRows<float> vector_rows(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, vectors_f32());
}
template <>
VectorRows<double> vector_rows(core::Isa isa) {
  core::require_available(isa);
  return SPEEDWELL_OF_ISA(isa, vectors_f64());
}

}  // namespace speedwell::incompressible_flow
