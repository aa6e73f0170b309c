// The expected result, and the verification of every variant.
#pragma once

#include <optional>
#include <string>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::npb::ep {

Problem problem_of(Class c);
/// The class with this number of pairs, if there is one.
std::optional<Class> class_of(const Problem& problem);

struct Expected {
  double sum_x = 0;
  double sum_y = 0;
  std::optional<std::array<std::int64_t, annuli>> counts;
  std::string oracle;
};

/// The official sums and the counts of a class (only the sums for class F); for problems that are not a class, the
/// result of reference().
Expected expect(const Problem& problem);

/// The benchmark's tolerance for the relative error of each sum.
constexpr double tolerance = 1e-8;

/// The error is the larger relative error of the two sums and must be at most `tolerance`; it is infinite if a count
/// differs, which the benchmark's own verification does not check. A NaN fails.
core::Verdict verify(const Expected& expected, const Result& got);

}  // namespace speedwell::npb::ep
