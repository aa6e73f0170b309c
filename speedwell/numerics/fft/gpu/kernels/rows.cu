#include "speedwell/numerics/fft/gpu/kernels/passes.hpp"

namespace speedwell::fft::gpu {

template <class T>
void transform_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                    const core::Stream& stream) {
  run_pass<T, Lines::rows>(log_n, pass, in, out, stream);
}

template void transform_rows(int, const Pass<float>&, const FromMemory<float>&, const ToMemory<float>&,
                             const core::Stream&);
template void transform_rows(int, const Pass<double>&, const FromMemory<double>&, const ToMemory<double>&,
                             const core::Stream&);

}  // namespace speedwell::fft::gpu
