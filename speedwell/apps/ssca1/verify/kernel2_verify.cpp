// Verification of kernel 2.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/ssca1/verify/verify_checks.hpp"

namespace speedwell::ssca1 {

void verify_kernel2(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
                    const TraceOracle& oracle, const Traced& traced, Findings& findings) {
  const Sequences s(problem, data);
  const TraceRules& rules = problem.traces;
  const std::vector<LocalAlignment>& found = traced.alignments;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> ends;
  for (const Endpoint& e : endpoints) ends[{e.main, e.match}] = e.score;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const LocalAlignment& a = found[k];
    const std::string name = "alignment " + std::to_string(k + 1);
    try {
      findings.expect(rescore(s.main, s.match, s.scoring, a) == a.score, name + " has another score");
      const bool inside = s.holds({0, a.main_begin, a.match_begin}) && s.holds({0, a.main_end, a.match_end});
      findings.expect(inside && s.pair(a.match_begin, a.main_begin) > 0 && s.pair(a.match_end, a.main_end) > 0,
                      name + " has a first or last pair that is not positive");
    } catch (const std::invalid_argument& error) {
      findings.expect(false, name + ": " + error.what());
    }
    const auto end = ends.find({a.main_end, a.match_end});
    findings.expect(end != ends.end() && end->second == a.score, name + " does not end at an endpoint of its score");
    for (std::size_t other = 0; other < k; ++other)
      findings.expect(std::abs(found[other].main_begin - a.main_begin) >= rules.separation ||
                          std::abs(found[other].match_begin - a.match_begin) >= rules.separation,
                      name + " starts near alignment " + std::to_string(other + 1));
  }
  findings.expect(found.size() <= rules.count, "more alignments than wanted");
  for (const Endpoint& e : traced.close_starts)
    findings.expect(ends.contains({e.main, e.match}), "an alignment that was dropped ends at no endpoint");
  // The kernel stops after `count` alignments, so that some endpoints may not have been traced.
  const std::int64_t looked_at = std::ssize(found) + std::ssize(traced.close_starts);
  const std::int64_t dropped =
      std::max<std::int64_t>(0, traced.without_path) + std::max<std::int64_t>(0, traced.single_pairs);
  findings.expect(traced.without_path >= 0 && traced.single_pairs >= 0 &&
                      (looked_at + dropped == std::ssize(endpoints) ||
                       (found.size() == rules.count && looked_at + dropped < std::ssize(endpoints))),
                  "the endpoints do not add up");
  for (const Embedded& string : data.strings) {
    // The string has its score at its position, or is part of a better alignment that its random neighbours extend.
    const bool there = std::any_of(found.begin(), found.end(), [&](const LocalAlignment& a) {
      return a.score >= string.score && a.main_begin <= string.main_begin && a.main_end >= string.main_end &&
             a.match_begin <= string.match_begin && a.match_end >= string.match_end;
    });
    const bool left_out = string.score < problem.endpoints.minimum_score || is_full(found, rules.count, string.score) ||
                          is_full(endpoints, problem.endpoints.count, string.score) ||
                          problem.endpoints.mode == EndpointRules::Mode::plain;
    findings.expect(there || left_out || !is_meaningful(problem, string),
                    "validation string " + std::to_string(string.string) + " was not found");
  }
  if (const Golden* g = golden_of(problem))
    findings.expect(std::ssize(found) == g->alignments, "the number of alignments is not the golden one");
  if (oracle.whole) findings.expect(traced == *oracle.whole, "the alignments are not those of the reference");
}

}  // namespace speedwell::ssca1
