// Twiddles of the kernels, computed on the host: correctly rounded, or products of two correctly rounded numbers.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/numerics/fft/gpu/device/smooth.hpp"

namespace speedwell::fft::gpu {

/// The table described at table_size() of line.hpp.
template <class T>
std::vector<std::complex<T>> line_table(int log_n);

/// e^{-2 pi i j / n} for j < n.
template <class T>
std::vector<std::complex<T>> roots_of_unity(std::int64_t n);

/// The table described at table_before() of cluster_tile.hpp.
template <class T, class Tile>
std::vector<std::complex<T>> tile_table();

/// The passes of a smooth length above 1, and the table of their twiddles.
SmoothLine smooth_line(std::int64_t n);
template <class T>
std::vector<std::complex<T>> smooth_table(const SmoothLine& line);

/// e^{-2 pi i j / n} as products of entries of two tables: 2^log_low consecutive roots, and every 2^log_low-th root.
template <class T>
struct RootTables {
  int log_low = 0;
  std::vector<std::complex<T>> low, high;
};
template <class T>
RootTables<T> root_tables(std::int64_t n);

/// e^{-pi i j^2 / n} for j < n, as std::complex.
template <class T>
std::vector<std::complex<T>> chirp_table(std::int64_t n);
/// The transform of the conjugate chirp, wrapped around `longer` points, divided by their number.
template <class T>
std::vector<std::complex<T>> convolution_table(std::int64_t n, std::int64_t longer);

}  // namespace speedwell::fft::gpu
