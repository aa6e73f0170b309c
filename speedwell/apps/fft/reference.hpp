// The oracle: discrete Fourier transforms in extended precision (long double), by a recursion over the prime factors
// that tests hold against the sums of the definition. It shares no code with the implementations that it verifies.
// X[k] = sum_n x[n] e^{-2 pi i k n / N}, unscaled; backward has the opposite sign.
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

/// The sums of the definition: O(N^2).
std::vector<Complex> direct(std::span<const Complex> x);
/// The single bin X[k], as in the definition: O(N).
Complex direct_bin(std::span<const Complex> x, std::int64_t k);

/// The transform in O(N log N) for any N: a recursion over the prime factors, with Bluestein's algorithm for large
/// ones. Tests compare it with the direct sums.
std::vector<Complex> forward(std::span<const Complex> x);
std::vector<Complex> backward(std::span<const Complex> x);

/// Transforms along every axis of a row-major array whose last extent is contiguous, or of all such arrays that x
/// holds.
void forward(std::span<Complex> x, std::span<const std::int64_t> extents);
void backward(std::span<Complex> x, std::span<const std::int64_t> extents);

}  // namespace speedwell::fft::reference
