// z = a x + y on host memory, for vectors in double or single precision: the public interface. cuda.hpp has the same on
// device memory.
#pragma once

#include <span>

namespace speedwell::new_application {

/// z[i] = a x[i] + y[i] for all i, on `threads` threads (0: OpenMP's default). The vectors have equal lengths; z is
/// overwritten, may be x or y, and must not overlap them partially. Whether the product is rounded before the sum
/// depends on the instructions of the processor: |z[i] - exact| <= 2 u (|a x[i]| + |y[i]|) (1 + u), with the unit
/// roundoff u of T, double or float. Throws std::invalid_argument for unequal lengths or negative threads.
template <class T>
void axpy(T a, std::span<const T> x, std::span<const T> y, std::span<T> z, int threads = 0);

/// The same in a plain loop on one thread.
template <class T>
void axpy_serially(T a, std::span<const T> x, std::span<const T> y, std::span<T> z);

}  // namespace speedwell::new_application
