// Gotoh's recurrence in one row of H and F, one cell after another. E and F are cut off at 0, where they no longer
// matter.
#include "speedwell/apps/alignment/cpu/serial.hpp"

#include <algorithm>
#include <limits>

namespace speedwell::alignment {

EndPoint find_end_by_cells(Codes query, Codes subject, const Scoring& scoring) {
  require_exact(scoring, scoring.matrix.alphabet(), scoring.matrix.alphabet(), query.size(), subject.size());
  // A gap that costs as much as any score is never taken: larger costs are the same.
  const auto first = static_cast<std::int32_t>(std::min<std::int64_t>(
      std::int64_t{scoring.gap_open} + scoring.gap_extend, std::numeric_limits<std::int32_t>::max()));
  const std::int32_t next = scoring.gap_extend;
  std::vector<std::int32_t> h(subject.size()), f(subject.size());
  EndPoint end;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const std::int8_t* const scores = scoring.matrix.data() + query[i] * code_limit;
    std::int32_t diagonal = 0, left = 0, e = 0;
    for (std::size_t j = 0; j < subject.size(); ++j) {
      const std::int32_t above = h[j];
      e = std::max({e - next, left - first, 0});
      f[j] = std::max({f[j] - next, above - first, 0});
      left = h[j] = std::max({diagonal + scores[subject[j]], e, f[j]});
      if (left > end.score) end = {left, static_cast<std::int32_t>(i + 1), static_cast<std::int32_t>(j + 1)};
      diagonal = above;
    }
  }
  return end;
}

}  // namespace speedwell::alignment
