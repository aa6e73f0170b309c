// What the answer is to be, and the one verdict on every variant.
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

/// The official checksums where the problem is a class's, else what reference() says.
Expected expect(const Problem& problem);

/// The benchmark's own bound on the relative error of each checksum.
constexpr double tolerance = 1e-12;

/// The error is the largest of all time steps, |got - expected| / |expected|, to be at most `tolerance`; infinite where
/// there are not as many. A NaN fails.
core::Verdict verify(const Expected& expected, const Checksums& got);

}  // namespace speedwell::npb::ft
