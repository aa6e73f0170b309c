#include "speedwell/apps/wavefront/kernels.hpp"

#include <algorithm>
#include <stdexcept>

namespace speedwell::wavefront {

#define SPEEDWELL_KERNELS(isa)        \
  namespace isa {                     \
  PlaneGroupKernel<float> sweep_f32;  \
  PlaneGroupKernel<double> sweep_f64; \
  int lanes_f32();                    \
  int lanes_f64();                    \
  }
SPEEDWELL_KERNELS(baseline)
#if defined(__x86_64__)
SPEEDWELL_KERNELS(avx2)
SPEEDWELL_KERNELS(avx512)
#endif
#undef SPEEDWELL_KERNELS

namespace {

template <class T>
constexpr bool single = sizeof(T) == sizeof(float);

/// The kernels of one instruction set in precision T.
#define SPEEDWELL_KERNELS_OF(isa)                          \
  [] {                                                     \
    if constexpr (single<T>)                               \
      return Kernels<T>{isa::sweep_f32, isa::lanes_f32()}; \
    else                                                   \
      return Kernels<T>{isa::sweep_f64, isa::lanes_f64()}; \
  }()

}  // namespace

template <class T>
Kernels<T> kernels_of(core::Isa isa) {
  if (isa > core::best_isa()) throw std::invalid_argument("the processor does not support this instruction set");
#if defined(__x86_64__)
  if (isa == core::Isa::avx512) return SPEEDWELL_KERNELS_OF(avx512);
  if (isa == core::Isa::avx2) return SPEEDWELL_KERNELS_OF(avx2);
#endif
  return SPEEDWELL_KERNELS_OF(baseline);
}
#undef SPEEDWELL_KERNELS_OF

template <class T>
KernelRecurrence<T> kernel_recurrence(const Recurrence<T>& r) {
  return {.loops = r.loops,
          .c = r.c,
          .tc = r.tc,
          .td = r.td,
          .nc = r.nc,
          .nd = r.nd,
          .wc = r.wc,
          .wd = r.wd,
          .rc = r.rc,
          .rd = r.rd,
          .fused = r.rounding == Rounding::fused,
          .remainder = remainder_of(r)};
}

std::int64_t group_period(std::int64_t cells, int planes, int lanes) {
  const std::int64_t steps = std::max<std::int64_t>({cells, 2 * lanes, lanes + planes - 1});
  return (steps + lanes - 1) / lanes * lanes;
}

template Kernels<float> kernels_of(core::Isa);
template Kernels<double> kernels_of(core::Isa);
template KernelRecurrence<float> kernel_recurrence(const Recurrence<float>&);
template KernelRecurrence<double> kernel_recurrence(const Recurrence<double>&);

}  // namespace speedwell::wavefront
