// A single transform that is too long for one SIMD lane, by Bailey's four-step algorithm (1990), or by Bluestein's
// convolution of four-step transforms if its length has a large prime factor.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/numerics/fft/cpu/line_plan.hpp"
#include "speedwell/numerics/fft/cpu/team.hpp"

namespace speedwell::fft {

inline constexpr int whole_team = -1;

/// The first factor of n = first * second, both near sqrt(n) and multiples of `lanes` if possible; 1 if n is prime. n
/// is smooth.
std::int64_t first_factor(std::int64_t n, int lanes);

template <class T>
class LongLine {
 public:
  /// Reserves the buffers that it needs in the team.
  LongLine(std::int64_t n, Team<T>& team);
  std::int64_t points() const { return n_; }
  /// Complex numbers of the work space of one execution.
  std::int64_t work_points() const { return longer_ ? 2 * longer_->n_ : n_; }
  /// in and out are identical or disjoint. Executed by `thread` within a parallel region, or by the whole team outside
  /// of one.
  void execute(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;

 private:
  void four_steps(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;
  void convolve(Team<T>& team, const T* in, T* out, T* work, bool backward, T scale, int thread) const;
  void plan_twiddles(int lanes);
  void plan_convolution(Team<T>& team);

  std::int64_t n_;
  std::unique_ptr<LinePlan<T>> first_, second_;
  std::vector<T> high_, low_, lanes_;
  int bits_ = 0;
  std::unique_ptr<LongLine<T>> longer_;
  std::vector<T> chirp_, spectrum_;
};

}  // namespace speedwell::fft
