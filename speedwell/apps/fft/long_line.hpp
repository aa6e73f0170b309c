// A single transform that is too long for a lane: by four steps (Bailey 1990), or where it has a large prime factor by
// Bluestein's convolution of such.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/apps/fft/line_plan.hpp"
#include "speedwell/apps/fft/team.hpp"

namespace speedwell::fft {

inline constexpr int whole_team = -1;

/// The first factor of n = first * second, both near sqrt(n), multiples of `lanes` where that can be; 1 if n is prime.
/// n is smooth.
std::int64_t first_factor(std::int64_t n, int lanes);

template <class T>
class LongLine {
 public:
  /// Announces to the team what buffers it needs.
  LongLine(std::int64_t n, Team<T>& team);
  std::int64_t points() const { return n_; }
  /// Complex numbers that one execution works in.
  std::int64_t work_points() const { return longer_ ? 2 * longer_->n_ : n_; }
  /// in and out are equal or apart. On `thread` of a parallel region, or outside of one by the whole team.
  void execute(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;

 private:
  void four_steps(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;
  void convolve(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;
  void plan_twist(int lanes);
  void plan_convolution(Team<T>& team);

  std::int64_t n_;
  std::unique_ptr<LinePlan<T>> first_, second_;
  std::vector<T> high_, low_, lanes_;
  int bits_ = 0;
  std::unique_ptr<LongLine<T>> longer_;
  std::vector<T> chirp_, spectrum_;
};

}  // namespace speedwell::fft
