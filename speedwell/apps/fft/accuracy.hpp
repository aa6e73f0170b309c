// How far a transform is from the oracle, and how far it may be.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "speedwell/apps/fft/reference.hpp"

namespace speedwell::fft {

/// Relative to the oracle's norms. A NaN among what was got makes both NaN.
struct Errors {
  double l2 = 0;    // ||got - expected||_2 / ||expected||_2
  double linf = 0;  // the same of the largest magnitudes
};

template <class T>
Errors errors(std::span<const reference::Complex> expected, std::span<const std::complex<T>> got);

/// What the L2 error of a good transform of N points in T may be: 2 epsilon sqrt(log2 N). Errors of fast transforms
/// with accurate twiddles grow like sqrt(log N) for random input (Schatzman, SIAM J. Sci. Comput. 17, 1996); those of
/// recurrences for twiddles like N.
template <class T>
double tolerance(std::int64_t points);

/// sum |x|^2, in extended precision.
template <class T>
long double energy(std::span<const std::complex<T>> x);

}  // namespace speedwell::fft
