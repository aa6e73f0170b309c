// Tables for complex and real lines of one length.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/numerics/fft/cpu/line_kernel.hpp"

namespace speedwell::fft {

/// Whether n has no prime factors other than 2, 3, 5, 7, 11 and 13, for which there are butterflies.
bool is_smooth(std::int64_t n);
/// The smallest number >= n whose only prime factors are 2, 3 and 5: the length of a convolution.
std::int64_t convolution_length(std::int64_t n);

/// e^{-pi i j^2 / n} for j < n, complex.
template <class T>
std::vector<T> chirp(std::int64_t n);

/// Tables for lines of n >= 1 points: passes if n is smooth, otherwise Bluestein's convolution.
template <class T>
class LinePlan {
 public:
  explicit LinePlan(std::int64_t n);
  LinePlan(const LinePlan&) = delete;
  LinePlan& operator=(const LinePlan&) = delete;
  const LineTables<T>& tables() const { return tables_; }

 private:
  void plan_passes();
  void plan_convolution();

  LineTables<T> tables_;
  std::vector<std::vector<T>> twiddles_;
  std::vector<T> chirp_, spectrum_;
  std::unique_ptr<LinePlan<T>> longer_;
};

/// Tables for real lines of n >= 1 points.
template <class T>
class RealLinePlan {
 public:
  explicit RealLinePlan(std::int64_t n);
  const RealTables<T>& tables() const { return tables_; }
  /// Points per lane of each of the two buffers.
  std::int64_t buffer_points() const;

 private:
  LinePlan<T> half_;
  std::vector<T> unpack_;
  RealTables<T> tables_;
};

/// e^{-2 pi i k / n} for k <= n / 4, complex: the table that unpacks n reals.
template <class T>
std::vector<T> unpack_table(std::int64_t n);

}  // namespace speedwell::fft
