#include "speedwell/apps/ssca1/kernel1/kernel1_section.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/cpu/kernel1_candidates.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"

namespace speedwell::ssca1 {

std::vector<TableSection> divide_table(std::int64_t main_length, std::int64_t match_length, const Scoring& scoring,
                                       const EndpointRules& rules, int parts) {
  if (parts < 1) throw std::invalid_argument(std::to_string(parts) + " sections of a table");
  std::vector<TableSection> sections(static_cast<std::size_t>(parts));
  std::int64_t overlap = main_length;
  if (match_length > 0 && rules.minimum_score > 0)
    overlap = std::min(main_length, required_overlap(scoring, match_length, rules.minimum_score).value_or(main_length));
  // All own `even` columns, and the first one as many more as the others compute in their overlap.
  const std::int64_t rest = main_length - overlap, even = rest / parts, longer = rest % parts;
  std::int64_t owned = 0;
  for (int part = 0; part < parts; ++part) {
    const std::int64_t end = owned + (part == 0 ? overlap : 0) + even + (part < longer ? 1 : 0);
    TableSection& section = sections[static_cast<std::size_t>(part)];
    if (end > owned) {
      section.first = std::max<std::int64_t>(0, owned - overlap);
      section.last = std::min(main_length, end + 1);
      section.owned = {owned - section.first + 1, end - section.first};
    }
    owned = end;
  }
  return sections;
}

Endpoints merge_sections(std::span<const SectionCandidates> sections, const EndpointRules& rules) {
  Candidates all(rules);
  std::int64_t found = 0;
  for (const SectionCandidates& section : sections) {
    for (const Endpoint& endpoint : section.kept) all.add(endpoint);
    found += section.found;
  }
  Endpoints merged = all.finish();
  merged.candidates = rules.count_candidates ? found : -1;
  return merged;
}

}  // namespace speedwell::ssca1
