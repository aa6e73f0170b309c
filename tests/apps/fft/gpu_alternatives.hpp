// Alternatives to the blocks of the GPU's passes, for their times alone.
#pragma once

#include <vector>

#include "speedwell/apps/fft/gpu/pass_of_lines.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::fft {

/// Threads of a block with which there are rows, or columns, of 2^log_n points.
template <class T>
std::vector<int> alternative_threads(int log_n, bool columns);
template <class T>
void run_alternative(int log_n, bool columns, int threads, const gpu::Pass<T>& pass, const gpu::Complex<T>* in,
                     gpu::Complex<T>* out, const core::Stream& stream);

}  // namespace speedwell::fft
