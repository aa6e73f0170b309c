// What the answer is to be, and the one verdict on every variant.
#pragma once

#include <optional>
#include <string>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/apps/npb/ep/ep.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::npb::ep {

Problem problem_of(Class c);
/// The class with so many pairs, if there is one.
std::optional<Class> class_of(const Problem& problem);

struct Expected {
  double sum_x = 0;
  double sum_y = 0;
  std::optional<std::array<std::int64_t, annuli>> counts;
  std::string oracle;
};

/// The official sums of a class and its counts, of class F the sums alone; where m is no class's, what reference()
/// says.
Expected expect(const Problem& problem);

/// The benchmark's own bound on the relative error of each sum.
constexpr double tolerance = 1e-8;

/// The error is the larger relative error of the two sums, to be at most `tolerance`; infinite where a count differs,
/// which the benchmark's own verification does not look at. A NaN fails.
core::Verdict verify(const Expected& expected, const Result& got);

}  // namespace speedwell::npb::ep
