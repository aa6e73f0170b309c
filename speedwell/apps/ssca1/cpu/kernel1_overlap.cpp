#include "speedwell/apps/ssca1/cpu/kernel1_overlap.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/apps/ssca1/cpu/parallel.hpp"

namespace speedwell::ssca1 {

std::optional<std::int64_t> required_overlap(const Scoring& scoring, std::int64_t match_length,
                                             std::int32_t minimum_score) {
  const std::int64_t left =
      std::int64_t{std::max(0, scoring.highest())} * match_length - scoring.gap_open() - minimum_score;
  if (left < 0) return match_length - 1;
  if (scoring.gap_extend() == 0) return std::nullopt;
  return match_length + left / scoring.gap_extend() - 1;
}

Endpoints overlapped_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                           const OverlapOptions& options) {
  require_valid(main, match, scoring, rules);
  if (options.sections < 0) throw std::invalid_argument("a negative number of sections");
  const TableProblem table{main, match, scoring, rules};
  if (table.rows() == 0 || table.columns() == 0) return Candidates(rules).finish();
  const auto required = required_overlap(scoring, table.rows(), rules.minimum_score);
  const std::int64_t by_itself = required ? core::resolve_threads(options.threads) : 1;
  const std::int64_t sections = std::min(options.sections > 0 ? options.sections : by_itself, table.columns());
  if (sections > 1 && !required)
    throw std::invalid_argument("no overlap of sections is enough where a longer gap costs nothing; one section is");
  const std::int64_t overlap = options.overlap.value_or(required.value_or(0));
  if (sections > 1 && overlap < *required)
    throw std::invalid_argument("an overlap of " + std::to_string(overlap) + " columns: with " +
                                std::to_string(table.rows()) + " symbols of match and scores from " +
                                std::to_string(rules.minimum_score) + " it must be at least " +
                                std::to_string(*required));

  std::vector<Candidates> found(static_cast<std::size_t>(sections), Candidates(rules));
  for_each_item(sections, options.threads, [&](std::int64_t s) {
    // floor(n s / sections), computed without overflow
    const auto border = [&](std::int64_t k) {
      return table.columns() / sections * k + table.columns() % sections * k / sections;
    };
    const std::int64_t owned = border(s), last = border(s + 1), first = std::max<std::int64_t>(0, owned - overlap);
    ColumnState state(table.rows());
    scan_block(table, 0, table.rows(), first, owned, state.h.data(), state.e.data(), nullptr, nullptr, 0, nullptr);
    scan_block(table, 0, table.rows(), owned, last, state.h.data(), state.e.data(), nullptr, nullptr, 0,
               &found[static_cast<std::size_t>(s)]);
  });
  Candidates all(rules);
  for (const Candidates& f : found) all.add(f);
  return all.finish();
}

Endpoints overlap_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                        const Options& options) {
  OverlapOptions with;
  static_cast<Options&>(with) = options;
  return overlapped_table(main, match, scoring, rules, with);
}

}  // namespace speedwell::ssca1
