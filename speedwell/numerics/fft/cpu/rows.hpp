// Transforms along the contiguous axis: complex or real rows, one per SIMD lane, or one at a time if they are long or
// few.
#pragma once

#include <optional>

#include "speedwell/numerics/fft/cpu/long_real.hpp"

namespace speedwell::fft {

enum class Kind { complex, real };

/// Whether rows are transformed one at a time. Shorter lines than min_split are not worth splitting; the lane buffers
/// of lines longer than max_in_lanes exceed the second-level cache.
inline bool rows_are_long(std::int64_t n, std::int64_t rows, int lanes) {
  constexpr std::int64_t min_split = 64, max_in_lanes = 8192;
  return n > max_in_lanes || (n >= min_split && rows < lanes);
}

template <class T>
class Rows {
 public:
  Rows(Kind kind, std::int64_t n, std::int64_t rows, Team<T>& team);
  bool are_long() const { return long_line_ || long_real_; }
  double work_bytes() const {
    return 2.0 * sizeof(T) * static_cast<double>(work_spaces_) * static_cast<double>(work_points_);
  }
  void allocate() { work_ = core::HostBuffer<T>(2 * work_spaces_ * work_points_); }

  /// Rows transformed in lanes, `rows_per_block` to a block.
  LineSet<T> lines(const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch, std::int64_t rows_per_block,
                   bool backward, T scale) const;
  /// Transforms long rows one at a time.
  void transform(Team<T>& team, const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch, bool backward,
                 T scale);

 private:
  void transform_row(Team<T>& team, const T* in, T* out, int thread, bool backward, T scale);

  std::int64_t rows_;
  std::optional<LinePlan<T>> line_;
  std::optional<RealLinePlan<T>> real_;
  std::optional<LongLine<T>> long_line_;
  std::optional<LongReal<T>> long_real_;
  std::int64_t work_spaces_ = 0, work_points_ = 0;
  core::HostBuffer<T> work_;
};

}  // namespace speedwell::fft
