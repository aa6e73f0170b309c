// A problem and its inputs.
#pragma once

#include <cstdint>
#include <span>

namespace speedwell::new_application {

struct Problem {
  std::int64_t n = 0;  // elements of each vector
  double a = 2.5;      // the factor, rounded to the precision of the vectors
  std::uint64_t seed = 1;
};

/// Writes the inputs of the problem, n elements each, uniform in [-1, 1). They depend on the seed and the index alone,
/// so that any number of threads makes the same. T is double or float.
template <class T>
void fill(const Problem& problem, std::span<T> x, std::span<T> y);

}  // namespace speedwell::new_application
