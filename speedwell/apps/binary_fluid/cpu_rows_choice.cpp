#include <stdexcept>

#include "speedwell/apps/binary_fluid/cpu_moments.hpp"
#include "speedwell/apps/binary_fluid/cpu_rows.hpp"

namespace speedwell::binary_fluid {

#define SPEEDWELL_KERNELS(isa)                  \
  namespace isa {                               \
  RowKernels<double, double> kernels_f64();     \
  RowKernels<float, float> kernels_f32();       \
  RowKernels<float, double> kernels_mixed();    \
  MomentKernels<double, double> moments_f64();  \
  MomentKernels<float, float> moments_f32();    \
  MomentKernels<float, double> moments_mixed(); \
  }
SPEEDWELL_KERNELS(baseline)
#if defined(__x86_64__)
SPEEDWELL_KERNELS(avx2)
SPEEDWELL_KERNELS(avx512)
#endif
#undef SPEEDWELL_KERNELS

#define SPEEDWELL_KERNELS_OF(isa, kind) \
  [] {                                  \
    if constexpr (sizeof(S) == 8)       \
      return isa::kind##_f64();         \
    else if constexpr (sizeof(R) == 8)  \
      return isa::kind##_mixed();       \
    else                                \
      return isa::kind##_f32();         \
  }()

namespace {
void require_here(core::Isa isa) {
  if (isa > core::best_isa()) throw std::invalid_argument("the processor does not have this instruction set");
}
}  // namespace

template <class S, class R>
RowKernels<S, R> row_kernels(core::Isa isa) {
  require_here(isa);
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return SPEEDWELL_KERNELS_OF(avx512, kernels);
  if (isa == core::Isa::avx2) return SPEEDWELL_KERNELS_OF(avx2, kernels);
#endif
  return SPEEDWELL_KERNELS_OF(baseline, kernels);
}
template <class S, class R>
MomentKernels<S, R> moment_kernels(core::Isa isa) {
  require_here(isa);
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return SPEEDWELL_KERNELS_OF(avx512, moments);
  if (isa == core::Isa::avx2) return SPEEDWELL_KERNELS_OF(avx2, moments);
#endif
  return SPEEDWELL_KERNELS_OF(baseline, moments);
}
#undef SPEEDWELL_KERNELS_OF

template RowKernels<double, double> row_kernels(core::Isa);
template RowKernels<float, float> row_kernels(core::Isa);
template RowKernels<float, double> row_kernels(core::Isa);
template MomentKernels<double, double> moment_kernels(core::Isa);
template MomentKernels<float, float> moment_kernels(core::Isa);
template MomentKernels<float, double> moment_kernels(core::Isa);

}  // namespace speedwell::binary_fluid
