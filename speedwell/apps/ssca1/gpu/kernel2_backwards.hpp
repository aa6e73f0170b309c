// Kernel 2 on a GPU: the work of one block for an endpoint. The recurrence of cpu/kernel2_traces.cpp runs backwards,
// one anti-diagonal after the other, over the cells that a path with a positive score reaches; the threads share the
// cells of a diagonal. The origins of each cell's values are stored as long as there is room, and one thread traces the
// path; longer paths are traced on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/atomic_extremes.hpp"
#include "speedwell/core/host_device.hpp"

namespace speedwell::ssca1 {

struct DeviceEndpoint {
  std::int64_t main = 0, match = 0;
  std::int32_t score = 0;
};
/// Columns of main and symbols of match from the start to the endpoint, 0 if there is no start.
struct TracedStart {
  std::int64_t x = 0, y = 0;
  std::int32_t runs = 0;  // runs of the path; -1: unknown
};
/// The stored cells of a diagonal: those from x = first on, at `offset`.
struct KeptDiagonal {
  std::int64_t first = 0;
  std::int64_t offset = 0;
};

// The origins of a cell's values.
enum : std::uint8_t { came_by_pair = 0, came_by_e = 1, came_by_f = 2, came_by = 3, e_opens = 4, f_opens = 8 };

struct TraceProblem {
  const std::uint8_t *main = nullptr, *match = nullptr;
  const std::int32_t* scores = nullptr;  // scores[match symbol * symbols + main symbol]
  std::int32_t symbols = 0, gap_open = 0, gap_extend = 0;
  const DeviceEndpoint* endpoints = nullptr;
  TracedStart* starts = nullptr;
  std::uint32_t* runs = nullptr;  // max_runs per endpoint, in the order of the alignment; see run_of()
  std::int32_t max_runs = 0;
  std::int64_t ring = 0;  // a power of two that is larger than the number of cells of any diagonal
  std::int64_t max_cells = 0, max_diagonals = 0;
};
/// The memory of one block.
struct TraceMemory {
  std::int32_t* values = nullptr;  // 7 * ring
  std::uint8_t* cells = nullptr;
  KeptDiagonal* diagonals = nullptr;
  std::int32_t* shared = nullptr;  // 3 words that all threads access
};

/// A run of a path: 2 bits for the operation, 30 for its length.
inline constexpr char run_operations[] = {'=', 'X', 'D', 'I'};

namespace backwards_detail {
inline constexpr std::int32_t unreachable = INT32_MIN / 2;
SPEEDWELL_HD
inline std::int32_t larger(std::int32_t a, std::int32_t b) { return a > b ? a : b; }
using atomic_extremes::lower;
using atomic_extremes::raise;
/// The cells x = first … end - 1 of a diagonal whose value is positive; none if end <= first.
struct Range {
  std::int64_t first = 0, end = 0;
  SPEEDWELL_HD
  bool empty() const { return end <= first; }
  SPEEDWELL_HD
  bool has(std::int64_t x) const { return x >= first && x < end; }
};

/// Traces the path from the start to the endpoint. Returns the number of runs, or -1 if there are too many.
SPEEDWELL_HD
inline std::int32_t read_cigar(const TraceProblem& problem, const TraceMemory& memory, const DeviceEndpoint& end,
                               std::int64_t x, std::int64_t y, std::uint32_t* runs) {
  std::int32_t count = 0;
  bool full = false;
  const auto append = [&](std::uint32_t operation) {
    if (count > 0 && runs[count - 1] >> 30 == operation) {
      ++runs[count - 1];
    } else if (count < problem.max_runs) {
      runs[count++] = operation << 30 | 1u;
    } else {
      full = true;
    }
  };
  std::uint8_t state = came_by_pair;
  while (!full) {
    const KeptDiagonal& diagonal = memory.diagonals[x + y - 2];
    const std::uint8_t here = memory.cells[diagonal.offset + x - diagonal.first];
    if (state == came_by_pair) state = here & came_by;
    if (state == came_by_pair) {
      append(problem.main[end.main - x] == problem.match[end.match - y] ? 0 : 1);
      if (x == 1 && y == 1) break;
      --x, --y;
    } else if (state == came_by_e) {
      append(2);
      if (here & e_opens) state = came_by_pair;
      --x;
    } else {
      append(3);
      if (here & f_opens) state = came_by_pair;
      --y;
    }
  }
  return full ? -1 : count;
}
}  // namespace backwards_detail

/// Computes the start and the path of one endpoint. `Block`: see kernel3_regions.hpp.
template <class Block>
SPEEDWELL_HD
void trace_endpoint(const Block& block, const TraceProblem& problem, const TraceMemory& memory, std::int64_t endpoint) {
  using namespace backwards_detail;
  const DeviceEndpoint end = problem.endpoints[endpoint];
  const std::int64_t mask = problem.ring - 1;
  std::int32_t *v_made = memory.values, *v_before = v_made + problem.ring, *v_two_before = v_before + problem.ring;
  std::int32_t *e_made = v_two_before + problem.ring, *e_before = e_made + problem.ring;
  std::int32_t *f_made = e_before + problem.ring, *f_before = f_made + problem.ring;
  std::int32_t *const start = memory.shared, *const reached_first = start + 1, *const reached_end = start + 2;
  const auto finish = [&](const TracedStart& found) {
    block.each([&](int thread) {
      if (thread == 0) problem.starts[endpoint] = found;
    });
  };

  Range before, two_before;
  std::int64_t kept_cells = 0;
  bool keeps = true;  // whether all diagonals so far are stored, which the path needs
  for (std::int64_t d = 2;; ++d) {
    Range range;
    if (d == 2) {
      range = {1, 2};
    } else if (!before.empty() || !two_before.empty()) {
      range.first = before.empty() || (!two_before.empty() && two_before.first + 1 < before.first)
                        ? two_before.first + 1
                        : before.first;
      range.end =
          1 + (before.empty() || (!two_before.empty() && two_before.end > before.end) ? two_before.end : before.end);
    }
    if (range.first < d - end.match) range.first = d - end.match;
    if (range.end > end.main + 1) range.end = end.main + 1;
    const auto width = static_cast<std::int32_t>(range.empty() ? 0 : range.end - range.first);
    keeps = keeps && kept_cells + width <= problem.max_cells && d - 2 < problem.max_diagonals;
    block.each([&](int thread) {
      if (thread != 0) return;
      *start = *reached_first = width;
      *reached_end = 0;
      if (keeps) memory.diagonals[d - 2] = {range.first, kept_cells};
    });
    block.each([&](int thread) {
      for (std::int32_t k = thread; k < width; k += block.threads()) {
        const std::int64_t x = range.first + k, y = d - x, at = x & mask, left = (x - 1) & mask;
        const bool has_left = before.has(x - 1), has_below = before.has(x);
        const std::int32_t s =
            problem
                .scores[static_cast<int>(problem.match[end.match - y]) * problem.symbols + problem.main[end.main - x]];
        const std::int32_t paired = d == 2 ? s : (two_before.has(x - 1) ? v_two_before[left] : unreachable) + s;
        const std::int32_t open_e = (has_left ? v_before[left] : unreachable) - problem.gap_open;
        const std::int32_t open_f = (has_below ? v_before[at] : unreachable) - problem.gap_open;
        const std::int32_t longer_e = has_left ? e_before[left] : unreachable,
                           longer_f = has_below ? f_before[at] : unreachable;
        const std::int32_t e = larger(open_e, longer_e) - problem.gap_extend;
        const std::int32_t f = larger(open_f, longer_f) - problem.gap_extend;
        const std::int32_t v = larger(paired, larger(e, f));
        const bool reached = v > 0;  // other cells are not part of a best alignment
        v_made[at] = reached ? v : unreachable;
        e_made[at] = reached ? larger(e, unreachable) : unreachable;
        f_made[at] = reached ? larger(f, unreachable) : unreachable;
        if (keeps)
          memory.cells[kept_cells + k] =
              static_cast<std::uint8_t>((v == paired ? came_by_pair
                                         : v == e    ? came_by_e
                                                     : came_by_f) |
                                        (open_e >= longer_e ? e_opens : 0) | (open_f >= longer_f ? f_opens : 0));
        if (!reached) continue;
        lower(reached_first, k);
        raise(reached_end, k + 1);
        if (v == end.score && v == paired) lower(start, k);
      }
    });
    if (keeps) kept_cells += width;
    if (*start < width) {
      const std::int64_t x = range.first + *start;
      TracedStart found{x, d - x, -1};
      block.each([&](int thread) {
        if (thread == 0 && keeps)
          found.runs = read_cigar(problem, memory, end, found.x, found.y, problem.runs + endpoint * problem.max_runs);
      });
      return finish(found);
    }
    const Range made{range.first + *reached_first, range.first + *reached_end};
    if (d > 2 && made.empty() && before.empty()) return finish({});
    two_before = before;
    before = made;
    std::int32_t* const free = v_two_before;
    v_two_before = v_before;
    v_before = v_made;
    v_made = free;
    std::int32_t* const e_free = e_before;
    e_before = e_made;
    e_made = e_free;
    std::int32_t* const f_free = f_before;
    f_before = f_made;
    f_made = f_free;
    block.each([](int) {});  // a barrier, because the next diagonal resets shared values
  }
}

}  // namespace speedwell::ssca1
