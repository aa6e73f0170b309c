// The judges of kernels 1, 2 and 3; those of 4 and 5 are in judges_of_sets.cpp.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>

#include "speedwell/apps/alignment/ssca1/reference.hpp"
#include "speedwell/apps/alignment/ssca1/verify.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

constexpr Golden golden[] = {{512, 237, 93, 6}, {2048, 208, 88, 13}};

/// The two sequences, with positions from 1.
struct Sequences {
  Scoring scoring;
  Codes main, match;

  Sequences(const Problem& problem, const Data& data)
      : scoring(problem.scoring()), main(data.main.span()), match(data.match.span()) {}
  std::int64_t n() const { return static_cast<std::int64_t>(main.size()); }
  std::int64_t m() const { return static_cast<std::int64_t>(match.size()); }
  std::int32_t pair(std::int64_t i, std::int64_t j) const {
    return scoring.score(match[static_cast<std::size_t>(i - 1)], main[static_cast<std::size_t>(j - 1)]);
  }
  bool holds(const Endpoint& e) const { return e.main >= 1 && e.match >= 1 && e.main <= n() && e.match <= m(); }
};

bool in_conflict(const Endpoint& a, const Endpoint& b, const EndpointRules& rules) {
  return rules.mode == EndpointRules::Mode::peaks && std::abs(a.main - b.main) < rules.separation &&
         std::abs(a.match - b.match) < rules.separation;
}
bool in_conflict(const Place& a, const Place& b, const SimilarRules& rules) {
  return std::abs(a.end - b.end) < rules.separation || std::abs(a.begin - b.begin) < rules.separation;
}
bool comes_before(const Place& a, const Place& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.end != b.end ? a.end < b.end : a.begin < b.begin;
}

/// Whether `found` is the greedy choice as far as the candidates of the windows tell: see verify.hpp. `column` is the
/// member by which an element belongs to a window.
template <class Element, class Rules>
bool agrees_in_windows(const std::vector<Element>& found, const std::vector<Element>& candidates,
                       const std::vector<Window>& windows, std::int64_t Element::*column, const Rules& rules) {
  const auto before = [](const Element& a, const Element& b) { return comes_before(a, b); };
  std::vector<Element> sorted = candidates;
  std::sort(sorted.begin(), sorted.end(), before);
  for (const Element& element : found) {
    const bool seen = std::any_of(windows.begin(), windows.end(),
                                  [&](const Window& window) { return window.holds(element.*column); });
    if (!seen) continue;
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), element, before);
    if (place == sorted.end() || !(*place == element)) return false;
  }
  const bool full = found.size() >= rules.count;
  for (const Element& candidate : sorted) {
    if (full && (found.empty() || !comes_before(candidate, found.back()))) break;
    const bool accounted_for = std::any_of(found.begin(), found.end(), [&](const Element& element) {
      return element == candidate || (comes_before(element, candidate) && in_conflict(element, candidate, rules));
    });
    if (!accounted_for) return false;
  }
  return true;
}

/// Computes H of endpoints again, from zeros in boxes before them that grow until the score is reached: a path to the
/// endpoint has it then.
class Boxes {
 public:
  Boxes(const Sequences& s, double cells) : s_(s), left_(cells) {}
  /// None where no cells are left before a box has the score.
  std::optional<bool> has_score(const Endpoint& e, bool by_a_pair) {
    const std::int64_t most_columns = std::min(e.main, longest_span(s_.scoring, e.match, e.score).value_or(e.main));
    for (std::int64_t reach = 64;; reach *= 2) {
      const std::int64_t rows = std::min(reach, e.match), columns = std::min(reach, most_columns);
      left_ -= static_cast<double>(rows) * static_cast<double>(columns);
      if (left_ < 0) return std::nullopt;
      const auto part = [](Codes codes, std::int64_t end, std::int64_t length) {
        return codes.subspan(static_cast<std::size_t>(end - length), static_cast<std::size_t>(length));
      };
      const reference::Table t =
          reference::table(part(s_.main, e.main, columns), part(s_.match, e.match, rows), s_.scoring);
      const std::int64_t h = t.h.back();
      if (h < e.score && (rows < e.match || columns < most_columns)) continue;
      return h == e.score && (!by_a_pair || t.at(t.h, rows - 1, columns - 1) + s_.pair(e.match, e.main) == h);
    }
  }

 private:
  const Sequences& s_;
  double left_;
};

/// The best score of all of a query with all of a part of main: a path between two corners.
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

/// Whether the rules leave out what has this score, rightly: so many better ones.
template <class List>
bool is_full(const List& list, std::size_t count, std::int32_t score) {
  return list.size() == count && (list.empty() || list.back().score >= score);
}

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

void judge_endpoints(const Problem& problem, const Data& data, const EndpointOracle& oracle, const Endpoints& endpoints,
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
    // Random codons have short alignments: a score that the boxes do not reach is wrong. Letters may have long ones.
    const bool unreached_is_right = problem.data.alphabet == Alphabet::letters || oracle.whole.has_value();
    findings.expect(boxes.has_score(e, peaks).value_or(unreached_is_right), name + " has another score");
    if (!peaks) continue;
    findings.expect(s.pair(e.match, e.main) > 0, name + " ends with a pair that is not positive");
    findings.expect(e.main == s.n() || e.match == s.m() || s.pair(e.match + 1, e.main + 1) <= 0, name + " could go on");
    for (std::size_t other = 0; other < k; ++other)
      findings.expect(!in_conflict(found[other], e, rules),
                      name + " is in conflict with endpoint " + std::to_string(other + 1));
  }
  // A string's end is an endpoint, or in conflict with a better one.
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
  const std::int64_t least = std::max(std::ssize(found), std::ssize(oracle.candidates));
  const double cells = static_cast<double>(s.n()) * static_cast<double>(s.m());
  findings.expect(!rules.count_candidates || (count >= least && static_cast<double>(count) <= cells),
                  std::to_string(count) + " candidates are too few or too many");
}

void judge_traces(const Problem& problem, const Data& data, const std::vector<Endpoint>& endpoints,
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
  // Nothing is looked at once there are enough.
  const std::int64_t looked_at = std::ssize(found) + std::ssize(traced.close_starts);
  const std::int64_t dropped =
      std::max<std::int64_t>(0, traced.without_path) + std::max<std::int64_t>(0, traced.single_pairs);
  findings.expect(traced.without_path >= 0 && traced.single_pairs >= 0 &&
                      (looked_at + dropped == std::ssize(endpoints) ||
                       (found.size() == rules.count && looked_at + dropped < std::ssize(endpoints))),
                  "the endpoints do not add up");
  for (const Embedded& string : data.strings) {
    // With its score at its place, or inside a better alignment where neighbours happen to add to it.
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

void judge_places(const Problem& problem, const Data& data, const std::vector<Codes>& queries,
                  const SimilarOracle& oracle, const std::vector<std::vector<Place>>& found, Findings& findings) {
  const Sequences s(problem, data);
  const SimilarRules& rules = problem.similar;
  findings.expect(found.size() == queries.size(), "not one set of places for each query");
  for (std::size_t k = 0; k < std::min(found.size(), queries.size()); ++k) {
    const std::vector<Place>& set = found[k];
    const std::string name = "set " + std::to_string(k + 1);
    findings.expect(set.size() <= rules.count, name + " has more places than wanted");
    for (std::size_t p = 0; p < set.size(); ++p) {
      const Place& place = set[p];
      const std::int64_t span = place.end - place.begin + 1;
      const bool inside = place.begin >= 1 && place.end <= s.n() && span >= 0;
      const bool short_enough =
          inside && static_cast<double>(span) <= rules.span_factor * static_cast<double>(queries[k].size());
      findings.expect(short_enough, name + " has a place outside main or too long");
      findings.expect(place.score >= rules.minimum_score, name + " has a place with too small a score");
      for (std::size_t o = 0; o < p; ++o)
        findings.expect(!in_conflict(set[o], place, rules), name + " has places in conflict");
      findings.expect(p == 0 || comes_before(set[p - 1], place), name + " is out of order");
      if (!short_enough) continue;
      const Codes part = s.main.subspan(static_cast<std::size_t>(place.begin - 1), static_cast<std::size_t>(span));
      findings.expect(global_score(queries[k], part, s.scoring) == place.score,
                      name + " has a place with another score");
    }
    findings.expect(agrees_in_windows(set, oracle.candidates[k], oracle.windows, &Place::end, rules),
                    name + " is not that of the reference");
  }
}

}  // namespace speedwell::alignment::ssca1
