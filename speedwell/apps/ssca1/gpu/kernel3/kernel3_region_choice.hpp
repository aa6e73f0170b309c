// Kernel 3 on a GPU: the work of a block with the regions of one query. It sorts them, finds their begins and selects.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_regions.hpp"

namespace speedwell::ssca1 {

inline constexpr int max_device_regions = 512;  // maximum number of regions that a query may request
inline constexpr int band_capacity = 4096;      // regions of a query that are sorted together

/// The number of columns of the region that ends in `column`: the recurrence is repeated over the columns that its
/// paths can have, with the begin of each path in addition to its score. A value consists of H, the preference for
/// equal scores, and the begin. R is at least the query's length, so that rows stay in registers.
template <int R>
SPEEDWELL_HD
std::int32_t span_in_rows(const RegionSearch& search, const DeviceQuery& q, std::int64_t column) {
  using alignment::detail::larger;
  constexpr std::int32_t one = 1 << 18, preferred = 1 << 16;  // a unit of H, and of the preference
  constexpr std::int32_t rest = ~(3 * preferred);
  const std::int32_t open = (search.gap_open + search.gap_extend) * one, extend = search.gap_extend * one;
  std::int32_t v[R], e[R], scores[R];
#pragma unroll
  for (std::int32_t x = 0; x < R; ++x) {
    const std::int32_t h = q.bias - search.gap_open - (x + 1) * search.gap_extend;
    v[x] = h > 0 ? h * one : 0;
    e[x] = 0;
    scores[x] = x < q.length ? static_cast<std::int32_t>(search.codes[q.offset + x]) * search.symbols : 0;
  }
  const auto columns = static_cast<std::int32_t>(column < q.overlap ? column : q.overlap) + 1;
  const std::uint8_t* const main = search.main + (column - columns + 1);
  std::int32_t last = 0;
#pragma unroll 1
  for (std::int32_t y = 0; y < columns; ++y) {
    const std::int32_t symbol = main[y];
    std::int32_t diagonal = q.bias * one + y, above = diagonal + 1, f = 0;
#pragma unroll
    for (std::int32_t x = 0; x < R; ++x) {
      if (x >= q.length) break;
      const std::int32_t left = v[x];
      const std::int32_t s = search.scores[scores[x] + symbol] * one;
      e[x] = larger(larger(left - open + preferred, e[x] - extend) & rest, 0);
      f = larger(larger(above - open + preferred, f - extend) & rest, 0);
      above = larger(larger(diagonal + s + 2 * preferred, e[x] + preferred), f) & rest;
      v[x] = above;
      diagonal = left;
    }
    last = above;
  }
  return columns - (last & (preferred - 1));
}
SPEEDWELL_HD
inline std::int32_t span_of_region(const RegionSearch& search, const DeviceQuery& q, std::int64_t column) {
  if (q.length <= 8) return span_in_rows<8>(search, q, column);
  if (q.length <= 16) return span_in_rows<16>(search, q, column);
  return span_in_rows<max_query_rows>(search, q, column);
}

struct ChosenRegion {
  std::int64_t column = 0;
  std::int32_t h = 0, span = 0;
};
struct RegionChoice {
  std::int64_t separation = 0;
  std::int32_t count = 0;
  ChosenRegion* chosen = nullptr;         // `count` per query
  std::int32_t* chosen_counts = nullptr;  // per query; -1: not selected here
};

/// The shared memory of a block.
struct ChoiceMemory {
  FoundRegion band[band_capacity];
  std::int32_t spans[band_capacity];
  ChosenRegion chosen[max_device_regions];
  std::int32_t bins[score_bins];
  // The band: bins and, for a bin with more regions than the band's capacity, a part of main.
  std::int32_t first_bin, last_bin;
  std::int64_t first_column, last_column, part;
  std::uint32_t gathered;
  std::int32_t taken;
};

/// The regions to sort next, about as many as are `missing`; first_bin is score_bins if there are none.
SPEEDWELL_HD
inline void next_band(ChoiceMemory& memory, std::int64_t columns, std::int32_t missing) {
  memory.gathered = 0;
  if (memory.last_column < columns) {
    memory.first_column = memory.last_column;
    memory.last_column += memory.part;
    return;
  }
  std::int32_t bin = memory.last_bin, size = 0;
  while (bin < score_bins && memory.bins[bin] == 0) ++bin;
  memory.first_bin = bin;
  // Few regions are in conflict; computing the begins of more than are needed would be in vain.
  const std::int32_t enough = missing + missing / 4 + 32;
  while (bin < score_bins && size < enough && (size == 0 || size + memory.bins[bin] <= band_capacity))
    size += memory.bins[bin++];
  memory.last_bin = bin;
  // Parts that use a quarter of the capacity if regions are distributed evenly.
  const std::int64_t parts = size <= band_capacity ? 1 : size / (band_capacity / 4) + 1;
  memory.part = (columns + parts - 1) / parts;
  memory.first_column = 0;
  memory.last_column = memory.part;
}

/// Selects from the regions of a band in their order, up to the requested number including the `taken` ones.
template <class Block>
SPEEDWELL_HD
void take_regions(const Block& block, const RegionChoice& choice, const DeviceQuery& q, std::int32_t size,
                  ChosenRegion* chosen, std::int32_t taken, ChoiceMemory& memory) {
  using namespace region_detail;
  for (std::int32_t i = 0; i < size && taken < choice.count; ++i) {
    const std::int64_t end = column_of(memory.band[i]);
    const std::int32_t span = memory.spans[i];
    if (span > q.max_span) continue;
    const bool conflict = block.any([&](int thread) {
      bool near = false;
      for (std::int32_t c = thread; c < taken; c += static_cast<std::int32_t>(block.threads())) {
        const std::int64_t ends = end - memory.chosen[c].column;
        const std::int64_t begins = ends - (span - memory.chosen[c].span);
        near |= (ends < 0 ? -ends : ends) < choice.separation || (begins < 0 ? -begins : begins) < choice.separation;
      }
      return near;
    });
    if (conflict) continue;
    block.each([&](int thread) {
      if (thread == 0) memory.chosen[taken] = chosen[taken] = {end, h_of(memory.band[i]), span};
    });
    ++taken;
  }
  block.each([&](int thread) {
    if (thread == 0) memory.taken = taken;
  });
}

/// The selection of one query's regions: one band of scores after the other, each sorted. `Block` has threads; each(f)
/// calls f(thread) on all of them, followed by a barrier, any(f) returns whether it was true on any of them, and few(f)
/// calls f(block) with a subset that synchronises cheaply. A query with more regions than were stored, or too many of
/// one score close together, is computed on the host.
template <class Block>
SPEEDWELL_HD
void choose_regions(const Block& block, const RegionSearch& search, const RegionChoice& choice, std::int32_t query,
                    ChoiceMemory& memory) {
  using namespace region_detail;
  const DeviceQuery q = search.queries[query];
  const FoundRegion* const found = search.found + static_cast<std::int64_t>(query) * search.capacity;
  const std::uint32_t count = search.counts[query];
  const auto threads = static_cast<std::uint32_t>(block.threads());
  ChosenRegion* const chosen = choice.chosen + static_cast<std::int64_t>(query) * choice.count;
  const auto finish = [&](std::int32_t taken) {
    block.each([&](int thread) {
      if (thread == 0) choice.chosen_counts[query] = taken;
    });
  };
  if (count > search.capacity) return finish(-1);
  block.each([&](int thread) {
    for (int bin = thread; bin < score_bins; bin += static_cast<int>(threads)) memory.bins[bin] = 0;
    if (thread == 0) {
      memory.taken = 0;
      memory.last_bin = score_bins - 1 - q.maximum;
      memory.last_column = search.columns;
    }
  });
  block.each([&](int thread) {
    for (auto i = static_cast<std::uint32_t>(thread); i < count; i += threads)
      next_region(reinterpret_cast<std::uint32_t*>(&memory.bins[bin_of(found[i])]));
  });
  while (true) {
    const std::int32_t taken = memory.taken;
    if (taken >= choice.count) break;
    block.each([&](int thread) {
      if (thread == 0) next_band(memory, search.columns, choice.count - taken);
    });
    if (memory.first_bin == score_bins) break;
    block.each([&](int thread) {
      for (auto i = static_cast<std::uint32_t>(thread); i < count; i += threads) {
        const std::int32_t bin = bin_of(found[i]);
        const std::int64_t column = column_of(found[i]);
        if (bin < memory.first_bin || bin >= memory.last_bin || column < memory.first_column ||
            column >= memory.last_column)
          continue;
        const std::uint32_t region = next_region(&memory.gathered);
        if (region < band_capacity) memory.band[region] = found[i];
      }
    });
    if (memory.gathered > band_capacity) return finish(-1);
    const auto size = static_cast<std::int32_t>(memory.gathered);
    std::int32_t padded = 1;
    while (padded < size) padded *= 2;
    block.each([&](int thread) {
      for (std::int32_t i = size + thread; i < padded; i += static_cast<std::int32_t>(threads))
        memory.band[i] = ~FoundRegion{0};
    });
    // Batcher's bitonic sorting network.
    for (std::int32_t run = 2; run <= padded; run *= 2)
      for (std::int32_t distance = run / 2; distance > 0; distance /= 2)
        block.each([&](int thread) {
          for (std::int32_t i = thread; i < padded; i += static_cast<std::int32_t>(threads)) {
            const std::int32_t j = i ^ distance;
            if (j < i || (memory.band[i] > memory.band[j]) != ((i & run) == 0)) continue;
            const FoundRegion other = memory.band[i];
            memory.band[i] = memory.band[j];
            memory.band[j] = other;
          }
        });
    block.each([&](int thread) {
      for (std::int32_t i = thread; i < size; i += static_cast<std::int32_t>(threads))
        memory.spans[i] = span_of_region(search, q, column_of(memory.band[i]));
    });
    block.few([&](const auto& some) { take_regions(some, choice, q, size, chosen, taken, memory); });
  }
  finish(memory.taken);
}

}  // namespace speedwell::ssca1
