// Twiddles for the kernels, made on the host: correctly rounded, or products of two such.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace speedwell::fft::gpu {

/// As table_size() of line.hpp describes it.
template <class T>
std::vector<std::complex<T>> line_table(int log_n);

}  // namespace speedwell::fft::gpu
