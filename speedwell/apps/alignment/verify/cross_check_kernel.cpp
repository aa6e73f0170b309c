// Gotoh's recurrence down a column of each lane's table, then the next column. H and E of every row wait in memory; F
// goes down the column. The compiler cuts the 64-byte vectors into those that the processor has.
#include "speedwell/apps/alignment/verify/cross_check_kernel.hpp"

namespace speedwell::alignment::cross_check::SPEEDWELL_ISA {
namespace {

template <class Cell>
void score_queue(const LaneQueue& queue) {
  typedef Cell Cells __attribute__((vector_size(vector_bytes)));
  constexpr int lanes = static_cast<int>(vector_bytes / sizeof(Cell));
  const auto raise = [](Cells& value, const Cells& minimum) { value = value > minimum ? value : minimum; };
  Cells* const h = reinterpret_cast<Cells*>(queue.state);
  Cells* const e = h + queue.row_count;
  const Cells zero = {};
  const Cells first = zero + static_cast<Cell>(queue.gap_first), next = zero + static_cast<Cell>(queue.gap_next);

  // A sequence of no columns scores 0 and takes no lane.
  std::size_t taken = 0, left = 0;
  const std::uint8_t* at[lanes];
  const std::uint8_t* end[lanes];
  std::size_t in_lane[lanes];
  Cells best = zero;
  const auto take_next = [&](int lane) {
    while (taken < queue.queued && queue.column_counts[taken] == 0) queue.results[taken++] = 0;
    at[lane] = end[lane] = nullptr;
    if (taken == queue.queued) return;
    at[lane] = queue.columns[taken];
    end[lane] = at[lane] + queue.column_counts[taken];
    in_lane[lane] = taken++;
    ++left;
  };
  for (std::size_t i = 0; i < queue.row_count; ++i) h[i] = e[i] = zero;
  for (int lane = 0; lane < lanes; ++lane) take_next(lane);

  Cells profile[32];
  while (left > 0) {
    for (int k = 0; k < queue.row_symbol_count; ++k) {
      const std::int8_t* const of_symbol = queue.scores + queue.row_symbols[k] * 32;
      Cells scores = zero;  // scores of a lane without a sequence, whose values are not used
      for (int lane = 0; lane < lanes; ++lane)
        if (at[lane]) scores[lane] = of_symbol[*at[lane]];
      profile[queue.row_symbols[k]] = scores;
    }
    Cells diagonal = zero, f = zero;
    for (std::size_t i = 0; i < queue.row_count; ++i) {
      const Cells before = h[i];
      Cells gap = e[i] - next, here = diagonal + profile[queue.rows[i]];
      raise(gap, before - first);
      raise(here, zero);
      raise(here, gap);
      raise(here, f);
      raise(best, here);
      f -= next;
      raise(f, here - first);
      diagonal = before;
      h[i] = here;
      e[i] = gap;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      if (!at[lane] || ++at[lane] < end[lane]) continue;
      queue.results[in_lane[lane]] = best[lane];
      --left;
      best[lane] = 0;
      for (std::size_t i = 0; i < queue.row_count; ++i) h[i][lane] = e[i][lane] = 0;
      take_next(lane);
    }
  }
}

}  // namespace

extern const QueueKernels queue_kernels = {score_queue<std::int16_t>, score_queue<std::int32_t>};

}  // namespace speedwell::alignment::cross_check::SPEEDWELL_ISA
