// Real rows of n = 2^(k+1) points in one pass over memory: transformed as 2^k pairs, unpacked in shared memory.
// Included by CUDA sources only.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass_of_lines.hpp"

namespace speedwell::fft::gpu {

/// Transforms pairs of reals to spectra, 1 <= log_pairs <= max_log; both layouts are rows.
template <class T>
void transform_real_rows(int log_pairs, const Pass<T>& pass, const FromMemory<T>& pairs, const ToMemory<T>& spectrum,
                         const Roots<T>& roots, const core::Stream& stream);
/// Transforms spectra to pairs of reals.
template <class T>
void transform_spectrum_rows(int log_pairs, const Pass<T>& pass, const FromMemory<T>& spectrum,
                             const ToMemory<T>& pairs, const Roots<T>& roots, const core::Stream& stream);

}  // namespace speedwell::fft::gpu
