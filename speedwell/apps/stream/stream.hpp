// The STREAM kernels on host memory: copy, scale, add, triad (McCalpin, 1995) and the dot product that BabelStream
// added. Each touches every element once, so that its speed is the memory's. `cuda.hpp` has the same on device memory.
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
  sequence,  // STREAM's own order: copy, scale, add, triad on three arrays, sequence_repeats times
};

/// STREAM 5.10's constants: the scalar, the repetitions, and the values that the arrays start with. The timing
/// calibration doubles `a` once before the first repetition; the published validation depends on it.
inline constexpr double stream_scalar = 3.0;
inline constexpr int sequence_repeats = 10;
inline constexpr double sequence_a = 2 * 1.0;

/// How stores go to memory.
enum class Stores {
  automatic,  // streaming when the arrays are larger than this system's share of the last-level cache
  temporal,   // through the caches: the line is read before it is written
  streaming,  // past the caches, without reading the line first; temporal where the processor has no such store
};

struct HostOptions {
  int threads = 0;  // 0: as many as OpenMP offers
  Stores stores = Stores::automatic;
};

/// out[i] = x[i], and so on, for all i. Arrays are equally long; they may be the same array, but must not overlap in
/// part. T is double or float. Throws std::invalid_argument for unequal lengths, overlap in part or negative threads.
template <class T>
void copy(std::span<const T> x, std::span<T> out, const HostOptions& options = {});
template <class T>
void scale(T scalar, std::span<const T> x, std::span<T> out, const HostOptions& options = {});
template <class T>
void add(std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options = {});
/// The product is rounded before the addition or not, as the processor's instructions have it.
template <class T>
void triad(T scalar, std::span<const T> x, std::span<const T> y, std::span<T> out, const HostOptions& options = {});

/// The sum of x[i] y[i], accumulated in f64 for both types, in blocks whose order does not depend on the threads: equal
/// bits for any number of them. |error| <= gamma(additions(n)) sum |x[i] y[i]|, see verify.hpp. 0 for empty arrays.
template <class T>
double dot(std::span<const T> x, std::span<const T> y, const HostOptions& options = {});

/// One repetition of STREAM's four kernels: c = a, b = scalar c, c = a + b, a = b + scalar c.
template <class T>
void sequence(std::span<T> a, std::span<T> b, std::span<T> c, const HostOptions& options = {});

/// Whether Stores::automatic means streaming for a kernel that touches `working_set_bytes` in all.
bool streaming_wins(std::int64_t working_set_bytes);

/// The same on one core in plain loops, nothing hidden from the reader or the compiler: what `serial` means here.
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
