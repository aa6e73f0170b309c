// Kernel 1 by anti-diagonals: the cells with the same i + j depend only on the two previous diagonals, so that all
// threads share each diagonal. Dissertation of 2012, section 4.3, and its figures for the Tilera. The index of a row in
// the arrays is the same on every diagonal; index 0 is the upper border of the table.
#include <algorithm>
#include <vector>

#include "speedwell/apps/ssca1/cpu/kernel1_table.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/team_member.hpp"

namespace speedwell::ssca1 {
namespace {

constexpr std::int64_t min_part = 256;  // rows per thread; with fewer, the barrier costs more than it saves

struct Lines {
  std::vector<std::int32_t> h[3], e, f[2], match_rows;
  std::vector<std::uint8_t> reversed;

  explicit Lines(const TableProblem& table)
      : e(table.match.size() + 1, 0), reversed(table.main.rbegin(), table.main.rend()) {
    for (auto& line : h) line.assign(table.match.size() + 1, 0);
    for (auto& line : f) line.assign(table.match.size() + 1, 0);
    for (const std::uint8_t code : table.match) match_rows.push_back(code * table.scoring.symbols());
  }
};

/// Computes rows first … last - 1 of diagonal d.
void compute(const TableProblem& table, Lines& lines, std::int64_t d, std::int64_t first, std::int64_t last,
             Candidates& found) {
  const std::int32_t open = table.scoring.gap_open(), extend = table.scoring.gap_extend();
  const std::int32_t* const h1 = lines.h[(d + 2) % 3].data();
  const std::int32_t* const h2 = lines.h[(d + 1) % 3].data();
  const std::int32_t* const f1 = lines.f[(d + 1) % 2].data();
  std::int32_t *const h0 = lines.h[d % 3].data(), *const f0 = lines.f[d % 2].data(), *const e = lines.e.data();
  const std::int32_t *const rows = lines.match_rows.data(), *const scores = table.scoring.scores().data();
  // Row r is in column d - r of main; `first` and `last` keep it inside the table.
  const std::uint8_t* const main = lines.reversed.data();
  const std::int64_t shift = table.columns() - 1 - d;
  std::int32_t best = 0;
#pragma omp simd reduction(max : best)
  for (std::int64_t r = first; r < last; ++r) {
    const std::int32_t gap_e = std::max(e[r + 1], h1[r + 1] - open) - extend;
    const std::int32_t gap_f = std::max(f1[r], h1[r] - open) - extend;
    const std::int32_t paired = h2[r] + scores[rows[r] + main[r + shift]];
    const std::int32_t h = std::max(std::max(paired, gap_e), std::max(gap_f, 0));
    e[r + 1] = gap_e;
    f0[r + 1] = gap_f;
    h0[r + 1] = h;
    best = std::max(best, h);
  }
  if (best < found.threshold()) return;
  for (std::int64_t r = first; r < last; ++r) table.look_at(r, d - r, h0[r + 1], h2[r], found);
}

}  // namespace

Endpoints anti_diagonal_table(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                              const Options& options) {
  require_valid(main, match, scoring, rules);
  const TableProblem table{main, match, scoring, rules};
  const std::int64_t m = table.rows(), n = table.columns();
  Candidates all(rules);
  if (m == 0 || n == 0) return all.finish();
  const std::int64_t threads =
      std::clamp<std::int64_t>(std::min(m, n) / min_part, 1, core::resolve_threads(options.threads));
  Lines lines(table);
  std::vector<Candidates> found(static_cast<std::size_t>(threads), Candidates(rules));
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const auto [rank, ranks] = core::team_member();
    for (std::int64_t d = 0; d < m + n - 1; ++d) {
      const std::int64_t first = std::max<std::int64_t>(0, d - n + 1), count = std::min(m - 1, d) - first + 1;
      compute(table, lines, d, first + count * rank / ranks, first + count * (rank + 1) / ranks,
              found[static_cast<std::size_t>(rank)]);
#pragma omp barrier
    }
  }
  for (const Candidates& f : found) all.add(f);
  return all.finish();
}

}  // namespace speedwell::ssca1
