// The contiguous axis: complex or real rows, side by side in lanes, or one at a time where they are long or too few.
#pragma once

#include <optional>

#include "speedwell/apps/fft/long_real.hpp"

namespace speedwell::fft {

enum class Kind { complex, real };

/// Whether rows go one at a time. Below the first length a line is too short to be halved; above the second its buffers
/// leave the second-level cache.
inline bool rows_are_long(std::int64_t n, std::int64_t rows, int lanes) {
  constexpr std::int64_t least = 64, most_in_lanes = 8192;
  return n > most_in_lanes || (n >= least && rows < lanes);
}

template <class T>
class Rows {
 public:
  Rows(Kind kind, std::int64_t n, std::int64_t rows, Team<T>& team);
  bool are_long() const { return long_line_ || long_real_; }
  double work_bytes() const {
    return 2.0 * sizeof(T) * static_cast<double>(works_) * static_cast<double>(work_points_);
  }
  void allocate() { work_ = core::HostBuffer<T>(2 * works_ * work_points_); }

  /// Rows in lanes, `rows_of_block` to a block.
  LineSet<T> lines(const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch, std::int64_t rows_of_block,
                   bool backward, T scale) const;
  /// Long rows.
  void transform(Team<T>& team, const T* in, std::int64_t in_pitch, T* out, std::int64_t out_pitch, bool backward,
                 T scale);

 private:
  void transform_row(Team<T>& team, const T* in, T* out, int thread, bool backward, T scale);

  std::int64_t rows_;
  std::optional<LinePlan<T>> line_;
  std::optional<RealLinePlan<T>> real_;
  std::optional<LongLine<T>> long_line_;
  std::optional<LongReal<T>> long_real_;
  std::int64_t works_ = 0, work_points_ = 0;
  core::HostBuffer<T> work_;
};

}  // namespace speedwell::fft
