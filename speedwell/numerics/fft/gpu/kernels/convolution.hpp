// Convolutions of lines in one block, in a single pass over memory. Included by CUDA sources only.
#pragma once

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/fft/gpu/kernels/memory.hpp"
#include "speedwell/numerics/fft/gpu/kernels/pass_of_lines.hpp"

namespace speedwell::fft::gpu {

/// The tables of convolutions of lines of n points, over 2^log_longer points.
template <class T>
struct Convolution {
  int n, log_longer;
  const Complex<T>* chirp;  // chirp_table()
  const Complex<T>* table;  // convolution_table()
};

constexpr int min_log_convolution = 6;

/// Requires min_log_convolution <= log_longer <= max_log; the table of the pass is that of 2^log_longer points.
template <class T>
void convolve(const Convolution<T>& convolution, const Pass<T>& pass, const FromMemory<T>& in, const ToMemory<T>& out,
              const core::Stream& stream);

}  // namespace speedwell::fft::gpu
