#include "speedwell/apps/alignment/verify/reference.hpp"

#include <algorithm>

namespace speedwell::alignment::reference {
namespace {

// Below every score, and far enough above the least integer that costs can be taken from it.
constexpr std::int64_t no_gap = INT64_MIN / 4;

}  // namespace

Table table(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject, const Scoring& scoring) {
  const std::int64_t open = scoring.gap_open, extend = scoring.gap_extend;
  Table t;
  t.rows = query.size() + 1;
  t.columns = subject.size() + 1;
  t.h.assign(t.rows * t.columns, 0);
  t.e.assign(t.rows * t.columns, no_gap);
  t.f.assign(t.rows * t.columns, no_gap);
  for (std::size_t i = 1; i < t.rows; ++i)
    for (std::size_t j = 1; j < t.columns; ++j) {
      const std::size_t here = i * t.columns + j, left = here - 1, above = here - t.columns, diagonal = above - 1;
      t.e[here] = std::max(t.h[left] - open - extend, t.e[left] - extend);
      t.f[here] = std::max(t.h[above] - open - extend, t.f[above] - extend);
      const std::int64_t paired = t.h[diagonal] + scoring.matrix.score(query[i - 1], subject[j - 1]);
      t.h[here] = std::max({std::int64_t{0}, paired, t.e[here], t.f[here]});
    }
  return t;
}

Best best(std::span<const std::uint8_t> query, std::span<const std::uint8_t> subject, const Scoring& scoring) {
  const std::int64_t open = scoring.gap_open, extend = scoring.gap_extend;
  std::vector<std::int64_t> h_above(subject.size() + 1, 0), h(subject.size() + 1, 0);
  std::vector<std::int64_t> f(subject.size() + 1, no_gap);
  Best found;
  for (std::size_t i = 1; i <= query.size(); ++i) {
    std::int64_t e = no_gap;
    for (std::size_t j = 1; j <= subject.size(); ++j) {
      e = std::max(h[j - 1] - open - extend, e - extend);
      f[j] = std::max(h_above[j] - open - extend, f[j] - extend);
      const std::int64_t paired = h_above[j - 1] + scoring.matrix.score(query[i - 1], subject[j - 1]);
      h[j] = std::max({std::int64_t{0}, paired, e, f[j]});
      if (h[j] > found.score) found = {h[j], i, j};
    }
    std::swap(h_above, h);
  }
  return found;
}

}  // namespace speedwell::alignment::reference
