// Verification, the same for all variants.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::binary_fluid {

/// The precisions of storage and arithmetic.
enum class Precision { f64, f32, mixed };  // mixed: stored in f32, computed in f64

/// A compensated sum (Neumaier, ZAMM 54 (1974) 39): the sums of two states that should be equal differ by less than one
/// unit in the last place of either.
class LongSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  /// `sign` is 1 or -1.
  void add(const LongSum& other, int sign = 1) {
    add(sign * other.sum_);
    lost_ += sign * other.lost_;
  }
  double minus(const LongSum& other) const { return (sum_ - other.sum_) + (lost_ - other.lost_); }

 private:
  double sum_ = 0, lost_ = 0;
};

/// The oracle's result: the state of the whole box after the problem's steps if it is at most `max_kept` bytes;
/// otherwise verify() computes it slab by slab, each with the planes that it depends on. And the sums that all steps
/// conserve.
struct Expected {
  Beginning beginning;
  std::optional<State> whole;
  double max_kept = 0;
  LongSum mass, phi;
  std::array<LongSum, 3> momentum;  // only for a box without walls
  bool walls = false;
};
inline constexpr double max_kept_bytes = 8e9;  // 295^3 sites
/// `start` is initial(problem, beginning).
Expected expected(const Problem& problem, const Beginning& beginning, const State& start,
                  double max_kept = max_kept_bytes);

/// The error per site of the sums of mass, phi and the momentum's largest component (0 if there are walls).
struct Drift {
  double mass = 0, phi = 0, momentum = 0;
};
Drift drift(const Expected& expected, const State& got);

/// Compares every population of every site with the oracle. Throws std::invalid_argument if the extents of the state
/// are not the problem's.
core::Verdict verify(const Problem& problem, const Expected& expected, Precision precision, const State& got);

}  // namespace speedwell::binary_fluid
