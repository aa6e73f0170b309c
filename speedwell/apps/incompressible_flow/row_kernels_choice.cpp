#include <stdexcept>

#include "speedwell/apps/incompressible_flow/row_kernels.hpp"

namespace speedwell::incompressible_flow {

#define SPEEDWELL_KERNELS(isa)      \
  namespace isa {                   \
  RowKernels<float> kernels_f32();  \
  RowKernels<double> kernels_f64(); \
  }
SPEEDWELL_KERNELS(baseline)
#if defined(__x86_64__)
SPEEDWELL_KERNELS(avx2)
SPEEDWELL_KERNELS(avx512)
#endif
#undef SPEEDWELL_KERNELS

#define SPEEDWELL_KERNELS_OF(isa) \
  [] {                            \
    if constexpr (sizeof(T) == 4) \
      return isa::kernels_f32();  \
    else                          \
      return isa::kernels_f64();  \
  }()

template <class T>
RowKernels<T> row_kernels(core::Isa isa) {
  if (isa > core::best_isa()) throw std::invalid_argument("the processor does not have this instruction set");
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return SPEEDWELL_KERNELS_OF(avx512);
  if (isa == core::Isa::avx2) return SPEEDWELL_KERNELS_OF(avx2);
#endif
  return SPEEDWELL_KERNELS_OF(baseline);
}
#undef SPEEDWELL_KERNELS_OF

template RowKernels<float> row_kernels(core::Isa);
template RowKernels<double> row_kernels(core::Isa);

}  // namespace speedwell::incompressible_flow
