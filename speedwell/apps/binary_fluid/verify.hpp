// The one judge of all variants.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "speedwell/apps/binary_fluid/initial.hpp"
#include "speedwell/apps/binary_fluid/problem.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::binary_fluid {

/// What numbers are kept in and computed in.
enum class Precision { f64, f32, mixed };  // mixed: kept in f32, computed in f64

/// A sum with what its additions rounded off beside it (Neumaier, ZAMM 54 (1974) 39): the sums of two states that
/// should be equal differ by less than a last place of either.
class LongSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double minus(const LongSum& other) const { return (sum_ - other.sum_) + (lost_ - other.lost_); }

 private:
  double sum_ = 0, lost_ = 0;
};

/// What the oracle knows: the state of the whole box after the problem's steps, where it is no more than `max_kept`
/// bytes; otherwise verify() computes it again slab by slab, each with the planes that it depends on. And the sums that
/// all steps conserve.
struct Expected {
  Beginning beginning;
  std::optional<State> whole;
  double max_kept = 0;
  LongSum mass, phi;
  std::array<LongSum, 3> momentum;  // only of a box without walls
  bool walls = false;
};
inline constexpr double max_kept_bytes = 8e9;  // 295^3 sites
/// `begun` is initial(problem, beginning).
Expected expected(const Problem& problem, const Beginning& beginning, const State& begun,
                  double max_kept = max_kept_bytes);

/// How far the sums are from what they must be, a site: of mass, phi and the momentum's largest component (0 where
/// there are walls).
struct Drift {
  double mass = 0, phi = 0, momentum = 0;
};
Drift drift(const Expected& expected, const State& got);

/// Holds every population of every site against the oracle. Throws std::invalid_argument for a state of another size.
core::Verdict verify(const Problem& problem, const Expected& expected, Precision precision, const State& got);

}  // namespace speedwell::binary_fluid
