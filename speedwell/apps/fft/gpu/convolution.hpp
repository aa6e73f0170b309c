// Lines whose convolution a block holds, in one way through memory. Included by CUDA sources alone.
#pragma once

#include "speedwell/apps/fft/gpu/memory.hpp"
#include "speedwell/apps/fft/gpu/pass_of_lines.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft::gpu {

/// What lines of n points are convolved with, over 2^log_longer points.
template <class T>
struct Convolution {
  int n, log_longer;
  const Complex<T>* chirp;  // chirp_table()
  const Complex<T>* table;  // convolution_table()
};

constexpr int least_log_convolution = 6;

/// least_log_convolution <= log_longer <= most_log; the pass's table is that of 2^log_longer points.
template <class T>
void convolve(const Convolution<T>& convolution, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
              const core::Stream& stream);

}  // namespace speedwell::fft::gpu
