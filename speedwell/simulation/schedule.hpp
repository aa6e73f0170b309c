// Output times: multiples of an interval, and given times.
#pragma once

#include <vector>

namespace speedwell::simulation {

/// Multiples of an interval, counted from 0, and increasing times; in units of time or, for solvers that count in
/// steps, of steps (up to 1e12).
class Schedule {
 public:
  Schedule() : Schedule(0) {}
  /// An interval of 0 means none.
  explicit Schedule(double interval, std::vector<double> times = {});
  /// Whether there is an interval.
  bool has_interval() const { return interval_ > 0; }
  bool empty() const { return !has_interval() && times_.empty(); }
  /// The first time after t; infinity if there is none. Multiples have 15 digits, so that 3 times 0.1 is 0.3.
  double next(double t) const;
  bool due(double t) const;

 private:
  double interval_;
  std::vector<double> times_;
};

}  // namespace speedwell::simulation
