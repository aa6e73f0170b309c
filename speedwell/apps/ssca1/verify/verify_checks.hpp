// Checks that the verification of several kernels needs.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "speedwell/apps/ssca1/verify/verify.hpp"

namespace speedwell::ssca1 {

/// The two sequences, with positions counted from 1.
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

inline bool in_conflict(const Endpoint& a, const Endpoint& b, const EndpointRules& rules) {
  return rules.mode == EndpointRules::Mode::peaks && std::abs(a.main - b.main) < rules.separation &&
         std::abs(a.match - b.match) < rules.separation;
}
inline bool in_conflict(const SimilarRegion& a, const SimilarRegion& b, const SimilarRules& rules) {
  return std::abs(a.end - b.end) < rules.separation || std::abs(a.begin - b.begin) < rules.separation;
}
inline bool comes_before(const SimilarRegion& a, const SimilarRegion& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.end != b.end ? a.end < b.end : a.begin < b.begin;
}

/// Whether `found` is the greedy selection according to the candidates of the windows; see verify.hpp. `column` is the
/// member that decides whether an element belongs to a window.
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
    const auto it = std::lower_bound(sorted.begin(), sorted.end(), element, before);
    if (it == sorted.end() || !(*it == element)) return false;
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

/// Whether the list is full with scores that are at least as large, so that this score may be left out.
template <class List>
bool is_full(const List& list, std::size_t count, std::int32_t score) {
  return list.size() == count && (list.empty() || list.back().score >= score);
}

inline std::size_t pairs_of(std::size_t members) { return members == 0 ? 0 : members * (members - 1) / 2; }

inline bool is_shaped(const Differences& d, std::size_t members) {
  return d.members == members && d.upper.size() == pairs_of(members);
}

}  // namespace speedwell::ssca1
