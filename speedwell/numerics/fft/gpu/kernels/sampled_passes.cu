// Compiles the first and the last pass of GpuSampledPlan: columns along the slowest axis with weighted loads, and rows
// of which only samples are stored. The pass between them is an ordinary pass of columns.
#include "speedwell/numerics/fft/gpu/kernels/sampled_passes.hpp"

namespace speedwell::fft::gpu {

template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const Weighted<T>& in, const ToMemory<T>& out,
                       const core::Stream& stream) {
  run_pass<T, Lines::columns>(log_n, pass, in, out, stream);
}
template <class T>
void transform_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToSamples<T>& out,
                    const core::Stream& stream) {
  run_pass<T, Lines::rows>(log_n, pass, in, out, stream);
}

#define SPEEDWELL_SAMPLED_PASSES(T)                                                                                  \
  template void transform_columns(int, const Pass<T>&, const Weighted<T>&, const ToMemory<T>&, const core::Stream&); \
  template void transform_rows(int, const Pass<T>&, const FromMemory<T>&, const ToSamples<T>&, const core::Stream&);
SPEEDWELL_SAMPLED_PASSES(float)
SPEEDWELL_SAMPLED_PASSES(double)
#undef SPEEDWELL_SAMPLED_PASSES

}  // namespace speedwell::fft::gpu
