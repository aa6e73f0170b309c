// A pass over lines of a smooth length. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/device/smooth.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"

namespace speedwell::fft::gpu {

template <class T>
void transform_smooth(const SmoothLine& line, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                      const core::Stream& stream);
template <class T>
void transform_smooth(const SmoothLine& line, const Pass<T>& pass, const FromMemory<T>& in,
                      const ToMemoryWithTwiddles<T>& out, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
