// Verification of kernel 3.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/verify/verify_checks.hpp"

namespace speedwell::ssca1 {
namespace {

/// The score of the global alignment of a query with a part of main.
std::int64_t global_score(Codes query, Codes part, const Scoring& scoring) {
  constexpr std::int64_t never = INT64_MIN / 4;
  const std::int64_t open = scoring.gap_open(), extend = scoring.gap_extend();
  std::vector<std::int64_t> v(part.size() + 1), f(part.size() + 1, never);
  for (std::size_t y = 0; y < v.size(); ++y) v[y] = y == 0 ? 0 : -open - static_cast<std::int64_t>(y) * extend;
  for (std::size_t x = 1; x <= query.size(); ++x) {
    std::int64_t diagonal = v[0], e = never;
    v[0] = -open - static_cast<std::int64_t>(x) * extend;
    for (std::size_t y = 1; y < v.size(); ++y) {
      e = std::max(e, v[y - 1] - open) - extend;
      f[y] = std::max(f[y], v[y] - open) - extend;
      const std::int64_t paired = diagonal + scoring.score(query[x - 1], part[y - 1]);
      diagonal = v[y];
      v[y] = std::max({paired, e, f[y]});
    }
  }
  return v.back();
}

}  // namespace

void verify_kernel3(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                    const SimilarOracle& oracle, const std::vector<std::vector<SimilarRegion>>& found,
                    Findings& findings) {
  const Sequences s(problem, data);
  const SimilarRules& rules = problem.similar;
  findings.expect(found.size() == queries.size(), "not one set of regions for each query");
  for (std::size_t k = 0; k < std::min(found.size(), queries.size()); ++k) {
    const std::vector<SimilarRegion>& set = found[k];
    const std::string name = "set " + std::to_string(k + 1);
    findings.expect(set.size() <= rules.count, name + " has more regions than wanted");
    for (std::size_t p = 0; p < set.size(); ++p) {
      const SimilarRegion& region = set[p];
      const std::int64_t span = region.end - region.begin + 1;
      const bool inside = region.begin >= 1 && region.end <= s.n() && span >= 0;
      const bool short_enough =
          inside && static_cast<double>(span) <= rules.span_factor * static_cast<double>(queries[k].size());
      findings.expect(short_enough, name + " has a region outside main or too long");
      findings.expect(region.score >= rules.minimum_score, name + " has a region with too small a score");
      for (std::size_t o = 0; o < p; ++o)
        findings.expect(!in_conflict(set[o], region, rules), name + " has regions in conflict");
      findings.expect(p == 0 || comes_before(set[p - 1], region), name + " is out of order");
      if (!short_enough) continue;
      const Codes part = s.main.subspan(static_cast<std::size_t>(region.begin - 1), static_cast<std::size_t>(span));
      findings.expect(global_score(queries[k], part, s.scoring) == region.score,
                      name + " has a region with another score");
    }
    findings.expect(agrees_in_windows(set, oracle.candidates[k], oracle.windows, &SimilarRegion::end, rules),
                    name + " is not that of the reference");
  }
}

}  // namespace speedwell::ssca1
