#include "speedwell/apps/incompressible_flow/cpu/measure_rows.hpp"
#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/cpu/vector_rows.hpp"
#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::incompressible_flow {

SPEEDWELL_IN_EACH_ISA(RowKernels<float> kernels_f32(); RowKernels<double> kernels_f64();
                      MeasureRows<float> measures_f32(); MeasureRows<double> measures_f64();
                      VectorRows<float> vectors_f32(); VectorRows<double> vectors_f64();)

// Defines name<T>(isa), which returns what `of_isa` of that instruction set does.
#define SPEEDWELL_CHOICE(Kernels, T, name, of_isa) \
  template <>                                      \
  Kernels<T> name(core::Isa isa) {                 \
    core::require_available(isa);                  \
    return SPEEDWELL_OF_ISA(isa, of_isa());        \
  }
SPEEDWELL_CHOICE(RowKernels, float, row_kernels, kernels_f32)
SPEEDWELL_CHOICE(RowKernels, double, row_kernels, kernels_f64)
SPEEDWELL_CHOICE(MeasureRows, float, measure_rows, measures_f32)
SPEEDWELL_CHOICE(MeasureRows, double, measure_rows, measures_f64)
SPEEDWELL_CHOICE(VectorRows, float, vector_rows, vectors_f32)
SPEEDWELL_CHOICE(VectorRows, double, vector_rows, vectors_f64)
#undef SPEEDWELL_CHOICE

}  // namespace speedwell::incompressible_flow
