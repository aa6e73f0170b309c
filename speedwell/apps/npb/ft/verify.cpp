#include "speedwell/apps/npb/ft/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "speedwell/apps/npb/ft/official.hpp"
#include "speedwell/apps/npb/ft/reference.hpp"

namespace speedwell::npb::ft {

Problem problem_of(Class c) {
  return std::find_if(official().begin(), official().end(), [&](const Official& o) { return o.c == c; })->problem;
}

Expected expect(const Problem& problem) {
  require_valid(problem);
  for (const Official& o : official())
    if (o.problem == problem) return {o.checksums, std::string("official checksums of class ") + letter(o.c)};
  return {reference(problem), "heat kernels in extended precision, checksums"};
}

core::Verdict verify(const Expected& expected, const Checksums& got) {
  std::string oracle = expected.oracle + ", largest relative error";
  if (got.size() != expected.checksums.size())
    return core::Verdict::from_error(
        std::numeric_limits<double>::infinity(), tolerance,
        oracle + "; there are " + std::to_string(got.size()) + " of " + std::to_string(expected.checksums.size()));
  double largest = 0;
  for (std::size_t t = 0; t < got.size(); ++t) {
    const double error = std::abs((got[t] - expected.checksums[t]) / expected.checksums[t]);
    if (!(error <= largest)) largest = error;  // a NaN is kept, because no comparison with it is true
    if (std::isnan(largest)) break;
  }
  return core::Verdict::from_error(largest, tolerance, std::move(oracle));
}

}  // namespace speedwell::npb::ft
