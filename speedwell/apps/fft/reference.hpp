// The oracle: discrete Fourier transforms in extended precision (long double), of their definition alone. It shares no
// code with what it judges. X[k] = sum_n x[n] e^{-2 pi i k n / N}, unscaled; backward has the other sign.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

namespace speedwell::fft::reference {

using Real = long double;
using Complex = std::complex<long double>;

/// e^{-2 pi i j / n} for 0 <= j < n; the angle is reduced to the first octant in integers.
Complex root(std::int64_t j, std::int64_t n);

/// All sums as they stand: O(N^2).
std::vector<Complex> direct(std::span<const Complex> x);
/// X[k] alone, as it stands: O(N).
Complex direct_bin(std::span<const Complex> x, std::int64_t k);

/// The same in O(N log N) for any N: a recursion over the prime factors, chirps where one is large. Tests hold it
/// against direct sums.
std::vector<Complex> forward(std::span<const Complex> x);
std::vector<Complex> backward(std::span<const Complex> x);

/// Along every axis of a row-major array, the last of which is contiguous, or of as many such arrays as x holds.
void forward(std::span<Complex> x, std::span<const std::int64_t> extents);
void backward(std::span<Complex> x, std::span<const std::int64_t> extents);

}  // namespace speedwell::fft::reference
