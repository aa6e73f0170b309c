// Twiddles for the kernels, made on the host: correctly rounded, or products of two such.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "speedwell/apps/fft/gpu/smooth.hpp"

namespace speedwell::fft::gpu {

/// As table_size() of line.hpp describes it.
template <class T>
std::vector<std::complex<T>> line_table(int log_n);

/// e^{-2 pi i j / n} for j < n.
template <class T>
std::vector<std::complex<T>> roots_of_unity(std::int64_t n);

/// As table_before() of cluster_tile.hpp describes it.
template <class T, class Tile>
std::vector<std::complex<T>> tile_table();

/// The passes of a smooth length above 1, and their table.
SmoothLine smooth_line(std::int64_t n);
template <class T>
std::vector<std::complex<T>> smooth_table(const SmoothLine& line);

/// e^{-2 pi i j / n} in two tables, whose products are all roots: 2^log_low low ones, then every 2^log_low-th.
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
/// The transform of the chirp's conjugate, wrapped around `longer` points, over their number.
template <class T>
std::vector<std::complex<T>> convolution_table(std::int64_t n, std::int64_t longer);

}  // namespace speedwell::fft::gpu
