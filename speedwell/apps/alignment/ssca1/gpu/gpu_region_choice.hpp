// Kernel 3 on a GPU: what a block of threads does with the places of one query. It puts them in order, finds their
// begins and chooses.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_places.hpp"

namespace speedwell::alignment::ssca1 {

inline constexpr int most_device_places = 512;  // that a query may want
inline constexpr int band_capacity = 4096;      // places of a query that are put in order together

/// Columns of the place that ends in `column`: the recurrence again over the columns that its paths can have, with
/// each path's begin beside its score. A value is H, what it is preferred for where scores are equal, and the begin.
/// R: at least the query's length, so that rows stay in registers.
template <int R>
SPEEDWELL_HD
std::int32_t span_in_rows(const PlaceSearch& search, const DeviceQuery& q, std::int64_t column) {
  using detail::larger;
  constexpr std::int32_t one = 1 << 18, preferred = 1 << 16;  // of H; of preference
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
    const std::int32_t letter = main[y];
    std::int32_t diagonal = q.bias * one + y, above = diagonal + 1, f = 0;
#pragma unroll
    for (std::int32_t x = 0; x < R; ++x) {
      if (x >= q.length) break;
      const std::int32_t left = v[x];
      const std::int32_t s = search.scores[scores[x] + letter] * one;
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
inline std::int32_t span_of_place(const PlaceSearch& search, const DeviceQuery& q, std::int64_t column) {
  if (q.length <= 8) return span_in_rows<8>(search, q, column);
  if (q.length <= 16) return span_in_rows<16>(search, q, column);
  return span_in_rows<most_query_rows>(search, q, column);
}

struct ChosenPlace {
  std::int64_t column = 0;
  std::int32_t h = 0, span = 0;
};
struct PlaceChoice {
  std::int64_t separation = 0;
  std::int32_t count = 0;
  ChosenPlace* chosen = nullptr;          // `count` for each query
  std::int32_t* chosen_counts = nullptr;  // of each query; -1: not chosen here
};

/// What a block of threads shares.
struct ChoiceMemory {
  FoundPlace band[band_capacity];
  std::int32_t spans[band_capacity];
  ChosenPlace chosen[most_device_places];
  std::int32_t bins[score_bins];
  // The band: bins, and of a bin with more places than a band has room for, a part of main.
  std::int32_t first_bin, last_bin;
  std::int64_t first_column, last_column, part;
  std::uint32_t gathered;
  std::int32_t taken;
};

/// The places to put in order next, about as many as are `missing`; first_bin is score_bins if there are no more.
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
  // Few are in conflict with others; begins of more than are taken would be found for nothing.
  const std::int32_t enough = missing + missing / 4 + 32;
  while (bin < score_bins && size < enough && (size == 0 || size + memory.bins[bin] <= band_capacity))
    size += memory.bins[bin++];
  memory.last_bin = bin;
  // Parts that hold a quarter of the room if places are spread evenly.
  const std::int64_t parts = size <= band_capacity ? 1 : size / (band_capacity / 4) + 1;
  memory.part = (columns + parts - 1) / parts;
  memory.first_column = 0;
  memory.last_column = memory.part;
}

/// Takes the places of a band in their order, as many as are wanted with those `taken` before.
template <class Block>
SPEEDWELL_HD
void take_places(const Block& block, const PlaceChoice& choice, const DeviceQuery& q, std::int32_t size,
                 ChosenPlace* chosen, std::int32_t taken, ChoiceMemory& memory) {
  using namespace place_detail;
  for (std::int32_t i = 0; i < size && taken < choice.count; ++i) {
    const std::int64_t end = column_of(memory.band[i]);
    const std::int32_t span = memory.spans[i];
    if (span > q.most_span) continue;
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

/// The choice of one query's places: band after band of scores, each put in order. `Block` has threads; each(f) calls
/// f(thread) for all of them and waits, any(f) tells whether it was true for one, few(f) calls f(block) with as many of
/// them as wait for each other cheaply. A query with more places than were kept, or too many of one score close
/// together, is left to the host.
template <class Block>
SPEEDWELL_HD
void choose_places(const Block& block, const PlaceSearch& search, const PlaceChoice& choice, std::int32_t query,
                   ChoiceMemory& memory) {
  using namespace place_detail;
  const DeviceQuery q = search.queries[query];
  const FoundPlace* const found = search.found + static_cast<std::int64_t>(query) * search.capacity;
  const std::uint32_t count = search.counts[query];
  const auto threads = static_cast<std::uint32_t>(block.threads());
  ChosenPlace* const chosen = choice.chosen + static_cast<std::int64_t>(query) * choice.count;
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
      memory.last_bin = score_bins - 1 - q.most;
      memory.last_column = search.columns;
    }
  });
  block.each([&](int thread) {
    for (auto i = static_cast<std::uint32_t>(thread); i < count; i += threads)
      next_place(reinterpret_cast<std::uint32_t*>(&memory.bins[bin_of(found[i])]));
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
        const std::uint32_t place = next_place(&memory.gathered);
        if (place < band_capacity) memory.band[place] = found[i];
      }
    });
    if (memory.gathered > band_capacity) return finish(-1);
    const auto size = static_cast<std::int32_t>(memory.gathered);
    std::int32_t padded = 1;
    while (padded < size) padded *= 2;
    block.each([&](int thread) {
      for (std::int32_t i = size + thread; i < padded; i += static_cast<std::int32_t>(threads))
        memory.band[i] = ~FoundPlace{0};
    });
    // Batcher's bitonic network.
    for (std::int32_t run = 2; run <= padded; run *= 2)
      for (std::int32_t distance = run / 2; distance > 0; distance /= 2)
        block.each([&](int thread) {
          for (std::int32_t i = thread; i < padded; i += static_cast<std::int32_t>(threads)) {
            const std::int32_t j = i ^ distance;
            if (j < i || (memory.band[i] > memory.band[j]) != ((i & run) == 0)) continue;
            const FoundPlace other = memory.band[i];
            memory.band[i] = memory.band[j];
            memory.band[j] = other;
          }
        });
    block.each([&](int thread) {
      for (std::int32_t i = thread; i < size; i += static_cast<std::int32_t>(threads))
        memory.spans[i] = span_of_place(search, q, column_of(memory.band[i]));
    });
    block.few([&](const auto& some) { take_places(some, choice, q, size, chosen, taken, memory); });
  }
  finish(memory.taken);
}

}  // namespace speedwell::alignment::ssca1
