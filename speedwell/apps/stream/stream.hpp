// The STREAM kernels on host memory: copy, scale, add, triad (McCalpin, 1995) and the dot product that BabelStream
// added. Each accesses every element once and is therefore bound by memory bandwidth. `cuda.hpp` has the kernels on
// device memory.
#pragma once

#include <cstdint>
#include <span>

namespace speedwell::stream {

enum class Kernel {
  copy,      // out = x
  scale,     // out = scalar x
  add,       // out = x + y
  triad,     // out = x + scalar y
  dot,       // sum of x y
  sequence,  // the original order of STREAM: copy, scale, add, triad on three arrays, sequence_repeats times
};

/// Constants of STREAM 5.10: the scalar, the repetitions, and the initial values of the arrays. The timing calibration
/// doubles `a` once before the first repetition; the published validation depends on it.
inline constexpr double stream_scalar = 3.0;
inline constexpr int sequence_repeats = 10;
inline constexpr double sequence_a = 2 * 1.0;

/// Kind of stores.
enum class Stores {
  automatic,  // streaming if core::streaming_wins() is true of the bytes of all arrays that the kernel accesses
  temporal,   // through the caches: the line is read before it is written (write-allocate)
  streaming,  // non-temporal, without reading the line first; temporal if the processor has no such store
};

struct HostOptions {
  int threads = 0;  // 0: the OpenMP default
  Stores stores = Stores::automatic;
};

/// out[i] = x[i], and so on, for all i. Arrays must have equal lengths; they may be identical, but must not overlap
/// partially. T is double or float. Throws std::invalid_argument for unequal lengths, partial overlap or negative
/// threads.
template <class T>
void copy(std::span<const T> x, std::span<T> out, const HostOptions& options = {});
template <class T>
void scale(T scalar, std::span<const T> x, std::span<T> out, const HostOptions& options = {});
template <class T>
void add(std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options = {});
/// Whether the product is rounded before the addition depends on the processor's instructions.
template <class T>
void triad(T scalar, std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options = {});

/// The sum of x[i] y[i], accumulated in f64 for both types, in blocks whose order does not depend on the threads, so
/// that the bits are equal for any number of them. |error| <= gamma(additions(n)) sum |x[i] y[i]|, see verify.hpp. 0
/// for empty arrays.
template <class T>
double dot(std::span<const T> x, std::span<const T> y, const HostOptions& options = {});

/// One repetition of STREAM's four kernels: c = a, b = scalar c, c = a + b, a = b + scalar c.
template <class T>
void sequence(std::span<T> a, std::span<T> b, std::span<T> c, const HostOptions& options = {});

/// The kernels on one core in plain loops: the implementation of variant `serial`.
namespace serial {
template <class T>
void copy(std::span<const T> x, std::span<T> out);
template <class T>
void scale(T scalar, std::span<const T> x, std::span<T> out);
template <class T>
void add(std::span<const T> x, std::span<const T> y, std::span<T> out);
template <class T>
void triad(T scalar, std::span<const T> x, std::span<const T> y, std::span<T> out);
template <class T>
double dot(std::span<const T> x, std::span<const T> y);
}  // namespace serial

}  // namespace speedwell::stream
