// Verification of kernel 4.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/verify/verify_checks.hpp"

namespace speedwell::ssca1 {
namespace {

/// The cost of two members without gaps before the end of the shorter one.
std::int64_t plain_cost(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b,
                        const DifferenceCosts& costs) {
  const std::size_t common = std::min(a.size(), b.size());
  std::int64_t sum = static_cast<std::int64_t>(std::max(a.size(), b.size()) - common) * costs.space;
  for (std::size_t k = 0; k < common; ++k) sum += a[k] == b[k] ? 0 : costs.mismatch;
  return sum;
}

}  // namespace

void verify_kernel4(const Problem& problem, const std::vector<Members>& sets, const DifferenceOracle& oracle,
                    const std::vector<Differences>& found, Findings& findings) {
  findings.expect(found.size() == sets.size(), "not one table of differences for each set");
  for (std::size_t k = 0; k < std::min(found.size(), sets.size()); ++k) {
    const Members& set = sets[k];
    const std::string name = "differences of set " + std::to_string(k + 1);
    findings.expect(is_shaped(found[k], set.size()), name + " are too many or too few");
    if (!is_shaped(found[k], set.size())) continue;
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = i + 1; j < set.size(); ++j) {
        const std::int64_t longer = std::abs(std::ssize(set[i]) - std::ssize(set[j]));
        const std::int32_t d = found[k](i, j);
        findings.expect(d >= longer * problem.costs.space && d <= plain_cost(set[i], set[j], problem.costs),
                        name + " are outside their bounds");
      }
  }
  for (const auto& [k, i, j, difference] : oracle.pairs)
    if (k < found.size() && is_shaped(found[k], sets[k].size()))
      findings.expect(found[k](i, j) == difference, "differences of set " + std::to_string(k + 1) + " are wrong");
}

}  // namespace speedwell::ssca1
