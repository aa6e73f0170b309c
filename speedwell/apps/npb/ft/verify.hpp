// The expected result, and the verification of every variant.
#pragma once

#include <string>

#include "speedwell/apps/npb/classes.hpp"
#include "speedwell/apps/npb/ft/ft.hpp"
#include "speedwell/core/verdict.hpp"

namespace speedwell::npb::ft {

Problem problem_of(Class c);

struct Expected {
  Checksums checksums;
  std::string oracle;
};

/// The official checksums if the problem is a class, otherwise the result of reference().
Expected expect(const Problem& problem);

/// The benchmark's tolerance for the relative error of each checksum.
constexpr double tolerance = 1e-12;

/// The error is the maximum over all time steps of |got - expected| / |expected| and must be at most `tolerance`; it is
/// infinite if the number of checksums differs. A NaN fails.
core::Verdict verify(const Expected& expected, const Checksums& got);

}  // namespace speedwell::npb::ft
