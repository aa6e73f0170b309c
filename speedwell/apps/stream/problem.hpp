// A stream problem and its input data, which are a function of the index: the verifier recomputes them instead of
// keeping a second copy of arrays that fill the memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/stream/stream.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::stream {

struct Problem {
  Kernel kernel = Kernel::triad;
  std::int64_t n = 0;        // elements per array
  bool f32 = false;          // otherwise f64
  std::int64_t repeats = 1;  // kernel executions per execute; 1 for sequence, which has its own repetitions
  std::uint64_t seed = 1;

  std::size_t element_bytes() const { return f32 ? sizeof(float) : sizeof(double); }
  bool reads_y() const { return kernel == Kernel::add || kernel == Kernel::triad || kernel == Kernel::dot; }
};

/// Element i of input `array` (0: x, 1: y): of either sign, 0.5 <= |value| <= 1.5, uniform, all mantissa bits random.
/// No product of two elements is small, so that a dot product that misses one element is off by at least a quarter.
template <class T>
T input(std::uint64_t seed, int array, std::uint64_t i) {
  const std::uint64_t bits = core::random_bits(2 * seed + static_cast<std::uint64_t>(array), i);
  const double magnitude = 0.5 + static_cast<double>(bits >> 11) * 0x1p-53;
  return static_cast<T>(bits & 1 ? -magnitude : magnitude);
}

/// The input arrays of a problem's kernel: x, and y if the kernel has one. A sequence starts from x = a only, because b
/// and c are written before they are read. Initialised by all threads.
template <class T>
struct Inputs {
  core::HostBuffer<T> x, y;
};
template <class T>
Inputs<T> make_inputs(const Problem& problem);
/// Elements [first, first + count) of them.
template <class T>
Inputs<T> make_inputs(const Problem& problem, std::int64_t first, std::int64_t count);

}  // namespace speedwell::stream
