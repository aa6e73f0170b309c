// The generated data of the application, the oracle's result for them, and the verification of every variant.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/apps/fft/reference.hpp"
#include "speedwell/core/large_vector.hpp"
#include "speedwell/core/verdict.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::fft {

/// complex: points uniform in [-1/2, 1/2) x [-1/2, 1/2). real: reals of that distribution for forward transforms, and
/// for backward ones their spectrum, computed by the oracle and rounded.
enum class Data { complex, real };

struct Problem {
  Shape shape;
  Data data = Data::complex;
  Direction direction = Direction::forward;
  std::uint64_t seed = 1;
};

/// Points of the whole batch, and reals that a transform reads and writes.
std::int64_t points(const Problem& problem);
std::int64_t input_reals(const Problem& problem);
std::int64_t output_reals(const Problem& problem);
/// Bytes that expect() allocates in addition to the input.
double oracle_bytes(const Problem& problem);

template <class T>
void fill(const Problem& problem, std::span<T> in);

/// Points of a whole problem in the oracle's precision.
using Points = core::LargeVector<reference::Complex>;

/// The oracle's transform of `in` as complex points; real outputs have imaginary parts of zero.
template <class T>
Points expect(const Problem& problem, std::span<const T> in);

/// Whether the L2 error of `out` is within tolerance<T>() of accuracy.hpp.
template <class T>
core::Verdict verify(const Problem& problem, std::span<const reference::Complex> expected, std::span<const T> out);

}  // namespace speedwell::fft
