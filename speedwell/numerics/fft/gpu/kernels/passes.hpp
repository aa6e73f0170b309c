// The passes over memory of plain transforms of 2^k points, 0 <= k <= max_log. Included by CUDA sources only.
#pragma once

#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass.hpp"

namespace speedwell::fft::gpu {

/// Lines of contiguous points.
template <class T>
void transform_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                    const core::Stream& stream);
/// Columns: the same point of neighbouring lines is contiguous.
template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                       const core::Stream& stream);
template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemoryWithTwiddles<T>& out,
                       const core::Stream& stream);
/// Rows are read and stored as columns.
template <class T>
void transpose_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                    const core::Stream& stream);

}  // namespace speedwell::fft::gpu
