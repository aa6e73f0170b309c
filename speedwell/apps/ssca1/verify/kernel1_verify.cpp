// Verification of kernel 1, and the golden values.
#include <algorithm>
#include <optional>
#include <string>

#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "speedwell/apps/ssca1/verify/verify_checks.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr Golden golden[] = {{512, 237, 93, 6}, {2048, 208, 88, 13}};

/// Recomputes H of endpoints, from zeros in a box before the endpoint that grows until the score is reached: there is
/// then a path with this score to the endpoint.
class Boxes {
 public:
  Boxes(const Sequences& s, double cells) : s_(s), left_(cells) {}
  /// Returns none if the budget of cells is exhausted before a box reaches the score.
  std::optional<bool> has_score(const Endpoint& e, bool by_a_pair) {
    const std::int64_t max_columns = std::min(e.main, longest_span(s_.scoring, e.match, e.score).value_or(e.main));
    for (std::int64_t reach = 64;; reach *= 2) {
      const std::int64_t rows = std::min(reach, e.match), columns = std::min(reach, max_columns);
      left_ -= static_cast<double>(rows) * static_cast<double>(columns);
      if (left_ < 0) return std::nullopt;
      const auto part = [](Codes codes, std::int64_t end, std::int64_t length) {
        return codes.subspan(static_cast<std::size_t>(end - length), static_cast<std::size_t>(length));
      };
      const reference::Table t =
          reference::table(part(s_.main, e.main, columns), part(s_.match, e.match, rows), s_.scoring);
      const std::int64_t h = t.h.back();
      if (h < e.score && (rows < e.match || columns < max_columns)) continue;
      return h == e.score && (!by_a_pair || t.at(t.h, rows - 1, columns - 1) + s_.pair(e.match, e.main) == h);
    }
  }

 private:
  const Sequences& s_;
  double left_;
};

}  // namespace

bool is_meaningful(const Problem& problem, const Embedded& string) {
  return !string.needs_similar || problem.preset != Preset::dissertation;
}

const Golden* golden_of(const Problem& problem) {
  const DataOptions &d = problem.data, defaults;
  const EndpointRules& e = problem.endpoints;
  const bool theirs = d.alphabet == Alphabet::codons && d.validation_strings && d.main_seed == defaults.main_seed &&
                      d.match_seed == defaults.match_seed && d.main_length == d.match_length &&
                      problem.preset == Preset::ssca1 && e.mode == EndpointRules::Mode::peaks &&
                      e.minimum_score == 20 && e.separation == 5 && e.count == 200 && problem.traces.separation == 5 &&
                      problem.traces.count == 100;
  for (const Golden& g : golden)
    if (theirs && g.length == d.main_length) return &g;
  return nullptr;
}

void verify_kernel1(const Problem& problem, const Data& data, const EndpointOracle& oracle, const Endpoints& endpoints,
                    Findings& findings) {
  const Sequences s(problem, data);
  const EndpointRules& rules = problem.endpoints;
  const std::vector<Endpoint>& found = endpoints.accepted;
  const bool peaks = rules.mode == EndpointRules::Mode::peaks;
  findings.expect(found.size() <= rules.count, "more endpoints than wanted");
  Boxes boxes(s, oracle.box_cells);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Endpoint& e = found[k];
    const std::string name = "endpoint " + std::to_string(k + 1);
    findings.expect(s.holds(e), name + " is outside the table");
    findings.expect(e.score >= rules.minimum_score, name + " has too small a score");
    findings.expect(k == 0 || comes_before(found[k - 1], e), name + " is out of order");
    if (!s.holds(e)) continue;
    // Random codons have short alignments: a score that the boxes do not reach is wrong. Those of nucleotides may be
    // long.
    const bool unreached_is_right = problem.data.alphabet == Alphabet::nucleotides || oracle.whole.has_value();
    findings.expect(boxes.has_score(e, peaks).value_or(unreached_is_right), name + " has another score");
    if (!peaks) continue;
    findings.expect(s.pair(e.match, e.main) > 0, name + " ends with a pair that is not positive");
    findings.expect(e.main == s.n() || e.match == s.m() || s.pair(e.match + 1, e.main + 1) <= 0, name + " could go on");
    for (std::size_t other = 0; other < k; ++other)
      findings.expect(!in_conflict(found[other], e, rules),
                      name + " is in conflict with endpoint " + std::to_string(other + 1));
  }
  // The end of a validation string is an endpoint, or in conflict with a better one.
  for (const Embedded& string : data.strings) {
    if (!peaks || !is_meaningful(problem, string) || string.score < rules.minimum_score ||
        is_full(found, rules.count, string.score))
      continue;
    const Endpoint end{string.score, string.main_end, string.match_end};
    const bool there = std::any_of(found.begin(), found.end(), [&](const Endpoint& e) {
      const bool same = e.main == end.main && e.match == end.match;
      return e.score >= end.score && (same || in_conflict(e, end, rules));
    });
    findings.expect(there, "validation string " + std::to_string(string.string) + " has no endpoint");
  }
  const std::int64_t count = endpoints.candidates;
  if (const Golden* g = golden_of(problem)) {
    findings.expect(!rules.count_candidates || count == g->candidates,
                    "the number of candidates is not the golden one");
    findings.expect(std::ssize(found) == g->accepted, "the number of endpoints is not the golden one");
  }
  if (!rules.count_candidates) findings.expect(count == -1, "candidates were not to be counted");
  if (oracle.whole) {
    findings.expect(found == oracle.whole->accepted, "the endpoints are not those of the reference");
    findings.expect(!rules.count_candidates || count == oracle.whole->candidates,
                    std::to_string(count) + " candidates and not " + std::to_string(oracle.whole->candidates));
    return;
  }
  findings.expect(agrees_in_windows(found, oracle.candidates, oracle.windows, &Endpoint::main, rules),
                  "the endpoints are not those of the reference in some window");
  const std::int64_t minimum = std::max(std::ssize(found), std::ssize(oracle.candidates));
  const double cells = static_cast<double>(s.n()) * static_cast<double>(s.m());
  findings.expect(!rules.count_candidates || (count >= minimum && static_cast<double>(count) <= cells),
                  std::to_string(count) + " candidates are too few or too many");
}

}  // namespace speedwell::ssca1
