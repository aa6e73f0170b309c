// The error of a transform relative to the oracle, and its tolerance.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "speedwell/apps/fft/reference.hpp"

namespace speedwell::fft {

/// Errors relative to the norms of the oracle's result. A NaN in the tested result makes both NaN.
struct Errors {
  double l2 = 0;    // ||got - expected||_2 / ||expected||_2
  double linf = 0;  // the same with the maximum norm
};

template <class T>
Errors errors(std::span<const reference::Complex> expected, std::span<const std::complex<T>> got);

/// The tolerance of the L2 error of a transform of N points in T: 2 epsilon sqrt(log2 N). For random input, errors of
/// fast transforms with accurate twiddles grow like sqrt(log N) (Schatzman, SIAM J. Sci. Comput. 17, 1996); with
/// twiddles from recurrences they grow like N.
template <class T>
double tolerance(std::int64_t points);

/// sum |x|^2, in extended precision.
template <class T>
long double energy(std::span<const std::complex<T>> x);

}  // namespace speedwell::fft
