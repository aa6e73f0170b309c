// Transforms along an axis that is not contiguous, of a part of an array: what a distributed transform does to the axis
// that its planes do not have.
#pragma once

#include <complex>
#include <cstdint>

#include "speedwell/numerics/fft/cpu/line_plan.hpp"
#include "speedwell/numerics/fft/cpu/team.hpp"

namespace speedwell::fft {

/// Lines of an array: `blocks` blocks of `count` neighbouring lines each. Strides are in complex numbers.
struct Columns {
  std::int64_t blocks = 1, count = 1;
  std::int64_t element = 1;  // between the points of a line
  std::int64_t block = 0;    // between the first lines of two blocks
};

/// Complex transforms of lines of n points, with the kernels of Plan: the bits are those of its transforms along an
/// axis before the last one.
template <class T>
class ColumnPlan {
 public:
  using Complex = std::complex<T>;

  /// threads: at least 1.
  ColumnPlan(std::int64_t n, int threads);

  /// `in` and `out` point to the first point of the first line, and have as many lines, which are identical or
  /// disjoint. Results are multiplied by `scale`. Without lines it does nothing. `array_bytes`: of all that `in` and
  /// `out` are parts of; disjoint lines bypass the caches where these are much smaller.
  /// `weights`: a factor for each point of a line, with which the input is multiplied, or null.
  void transform(const Complex* in, const Columns& of_in, Complex* out, const Columns& of_out, bool backward, T scale,
                 std::int64_t array_bytes, const T* weights = nullptr);
  double bytes() const { return team_.buffer_bytes(); }

 private:
  LinePlan<T> line_;
  Team<T> team_;
};

extern template class ColumnPlan<float>;
extern template class ColumnPlan<double>;

}  // namespace speedwell::fft
