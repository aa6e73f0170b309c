#include "speedwell/apps/wavefront/cpu/kernels.hpp"

#include <algorithm>

#include "speedwell/core/simd/isa_choice.hpp"

namespace speedwell::wavefront {

SPEEDWELL_IN_EACH_ISA(PlaneGroupKernel<float> sweep_f32; PlaneGroupKernel<double> sweep_f64; int lanes_f32();
                      int lanes_f64();)

template <class T>
Kernels<T> kernels_of(core::Isa isa) {
  core::require_available(isa);
  if constexpr (sizeof(T) == sizeof(float))
    return {SPEEDWELL_OF_ISA(isa, sweep_f32), SPEEDWELL_OF_ISA(isa, lanes_f32())};
  else
    return {SPEEDWELL_OF_ISA(isa, sweep_f64), SPEEDWELL_OF_ISA(isa, lanes_f64())};
}

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
