// Time that is not the harness's own: what a run's functions take. Everything else counts as overhead.
#pragma once

#include <chrono>

#include "speedwell/harness/measurement/lockstep.hpp"

namespace speedwell::harness {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

class Stopwatch {
 public:
  explicit Stopwatch(const Lockstep& ranks) : ranks_(ranks) {}

  template <class Call>
  double time(Call&& call) {
    const auto begin = Clock::now();
    call();
    const double s = seconds_between(begin, Clock::now());
    total_ += s;
    return s;
  }
  /// The time of the slowest rank, counted from when all are there.
  template <class Call>
  double time_all(Call&& call) {
    double reduce_max = 0;
    time([&] {
      ranks_.barrier();
      const auto begin = Clock::now();
      call();
      reduce_max = ranks_.reduce_max(seconds_between(begin, Clock::now()));
    });
    return reduce_max;
  }
  double total() const { return total_; }

 private:
  const Lockstep& ranks_;
  double total_ = 0;
};

}  // namespace speedwell::harness
