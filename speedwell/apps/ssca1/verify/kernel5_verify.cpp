// Verification of kernel 5.
#include <algorithm>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/verify/verify_checks.hpp"

namespace speedwell::ssca1 {
namespace {

std::int64_t cost(const std::vector<std::int16_t>& a, const std::vector<std::int16_t>& b,
                  const DifferenceCosts& costs) {
  if (a.size() != b.size()) return -1;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != b[k]) sum += a[k] == space_symbol || b[k] == space_symbol ? costs.space : costs.mismatch;
  return sum;
}

}  // namespace

void verify_kernel5(const Problem& problem, const std::vector<Members>& sets,
                    const std::vector<Differences>& differences, const StarOracle& oracle,
                    const std::vector<StarAlignment>& found, Findings& findings) {
  findings.expect(found.size() == sets.size(), "not one multiple alignment for each set");
  for (std::size_t k = 0; k < std::min({found.size(), differences.size(), sets.size()}); ++k) {
    const StarAlignment& star = found[k];
    const Differences& d = differences[k];
    const Members& set = sets[k];
    const std::string name = "multiple alignment " + std::to_string(k + 1);
    if (!is_shaped(d, set.size())) continue;  // an error of kernel 4
    if (set.size() < 2) {
      findings.expect(star == StarAlignment{}, name + " of fewer than two members is not empty");
      continue;
    }
    std::vector<std::size_t> order = star.order;
    std::sort(order.begin(), order.end());
    bool right = star.rows.size() == set.size() && order.size() == set.size();
    for (std::size_t i = 0; right && i < order.size(); ++i) right = order[i] == i;
    findings.expect(right, name + " has not one row for each member");
    if (!right) continue;
    std::vector<std::int64_t> sums(set.size(), 0);
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = 0; j < set.size(); ++j) sums[i] += d(i, j);
    findings.expect(
        star.order[0] == static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin()),
        name + " has another centre");
    std::int64_t all_pairs = 0;
    for (std::size_t r = 0; r < set.size(); ++r) {
      std::vector<std::int16_t> without_spaces;
      for (const std::int16_t symbol : star.rows[r])
        if (symbol != space_symbol) without_spaces.push_back(symbol);
      const std::vector<std::uint8_t>& member = set[star.order[r]];
      findings.expect(std::equal(without_spaces.begin(), without_spaces.end(), member.begin(), member.end()),
                      name + " has a row that is not its member");
      findings.expect(cost(star.rows[0], star.rows[r], problem.costs) == d(star.order[0], star.order[r]),
                      name + " has a row that is not best aligned with the centre");
      for (std::size_t o = 0; o < r; ++o) all_pairs += cost(star.rows[o], star.rows[r], problem.costs);
    }
    std::int64_t minimum = 0;
    for (const std::int32_t value : d.upper) minimum += value;
    findings.expect(star.sum_of_pairs == all_pairs, name + " has another sum of pairs");
    findings.expect(all_pairs >= minimum, name + " is better than its pairs can be");
  }
  for (std::size_t q = 0; q < oracle.sets.size(); ++q)
    if (oracle.sets[q] < found.size())
      findings.expect(found[oracle.sets[q]] == oracle.stars[q],
                      "multiple alignment " + std::to_string(oracle.sets[q] + 1) + " is not that of the reference");
}

}  // namespace speedwell::ssca1
