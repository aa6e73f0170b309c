// The passes over memory of plain transforms of 2^k points, 0 <= k <= most_log. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/fft/gpu/memory.hpp"
#include "speedwell/apps/fft/gpu/pass.hpp"

namespace speedwell::fft::gpu {

/// Lines whose points are neighbours.
template <class T>
void transform_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                    const core::Stream& stream);
/// Lines that are neighbours.
template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                       const core::Stream& stream);
template <class T>
void transform_columns(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemoryTurned<T>& out,
                       const core::Stream& stream);
/// Points that are neighbours, to lines that are.
template <class T>
void transpose_rows(int log_n, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
                    const core::Stream& stream);

}  // namespace speedwell::fft::gpu
