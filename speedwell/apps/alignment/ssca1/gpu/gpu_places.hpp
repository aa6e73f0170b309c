// Kernel 3 on a GPU: what one thread does with two queries and a section of main, and what a block does with the places
// of one query. Two queries share each word, in the cells of the search (cell.hpp); they end in the last row, and rows
// before a shorter one cost nothing.
//
// With T the least score wanted and M the highest of a pair, V(x,y) with a symbol of the query used is of no use below
// T - M (L - 1). Scores are kept as H = V + bias, where bias = M (L - 1) - T + 1 or 0, so that the clamp of a local
// alignment, H >= 0, changes no score that is wanted. A section begins so many columns early that all paths with a
// score of T lie inside (similar.cpp): what is found is exact, and the same for any sections.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment::ssca1 {

inline constexpr int most_query_rows = 64;
inline constexpr int most_device_places = 512;  // that a query may want
inline constexpr int band_capacity = 4096;      // places of a query that are put in order together
inline constexpr int score_bins = 2048;         // of Pair11

struct DeviceQuery {
  std::int32_t offset = 0, length = 0;  // its codes
  std::int32_t bias = 0;
  std::int32_t least = 0, most = 0;  // of H
  std::int32_t overlap = 0;          // columns that a path may have before its last
  std::int32_t most_span = 0;        // columns of a place
};

/// A place before its begin is known, in the order in which places are chosen: greatest H first, then by end.
using FoundPlace = std::uint64_t;
namespace place_detail {
inline constexpr int column_bits = 48;
SPEEDWELL_HD
constexpr FoundPlace found_place(std::int32_t h, std::int64_t column) {
  return static_cast<FoundPlace>(score_bins - 1 - h) << column_bits | static_cast<FoundPlace>(column);
}
SPEEDWELL_HD
constexpr std::int32_t bin_of(FoundPlace place) { return static_cast<std::int32_t>(place >> column_bits); }
SPEEDWELL_HD
constexpr std::int32_t h_of(FoundPlace place) { return score_bins - 1 - bin_of(place); }
SPEEDWELL_HD
constexpr std::int64_t column_of(FoundPlace place) {
  return static_cast<std::int64_t>(place & ((FoundPlace{1} << column_bits) - 1));
}
/// A number below 2048 as Pair11 adds it.
SPEEDWELL_HD
constexpr std::uint32_t half(std::int32_t value) {
  return static_cast<std::uint32_t>(value < 0 ? 0x8000 | -value : value);
}
SPEEDWELL_HD
inline std::uint32_t next_place(std::uint32_t* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1u);
#else
  return std::atomic_ref(*count)++;
#endif
}
}  // namespace place_detail

struct PlaceSearch {
  const std::uint8_t* main = nullptr;  // aligned to 16 bytes, with 16 bytes to spare behind
  std::int64_t columns = 0;
  const std::uint8_t* codes = nullptr;
  const DeviceQuery* queries = nullptr;
  const std::int32_t* scores = nullptr;  // scores[query symbol * symbols + main symbol]
  std::int32_t symbols = 0, gap_open = 0, gap_extend = 0;
  FoundPlace* found = nullptr;      // `capacity` for each query
  std::uint32_t* counts = nullptr;  // of each query; may pass the capacity
  std::uint32_t capacity = 0;
};

/// Two queries of up to R symbols, or one and -1.
struct QueryPair {
  std::int32_t query[2] = {-1, -1};
};

/// A word for each row and symbol of main: what Pair11 adds for the two queries. Four rows stand together, eight times
/// side by side, so that threads that load them meet different banks whatever their symbols are.
template <int R>
struct PairTable {
  static_assert(R % 4 == 0 && R <= most_query_rows);
  static constexpr int bytes_per_symbol = R / 4 * 128;
};
constexpr int pair_table_bytes(int rows, int symbols) { return rows / 4 * 128 * symbols; }

/// Called by `threads` threads with their `thread`.
template <int R>
SPEEDWELL_HD
void build_pair_table(char* table, const PlaceSearch& search, const QueryPair& pair, int thread, int threads) {
  const std::int32_t open = search.gap_open + search.gap_extend;
  const auto score = [&](std::int32_t query, int row, int symbol) -> std::int32_t {
    if (query < 0) return 0;
    const DeviceQuery& q = search.queries[query];
    const int x = row - (R - q.length);
    return x < 0 ? 0 : search.scores[static_cast<int>(search.codes[q.offset + x]) * search.symbols + symbol];
  };
  for (int i = thread; i < search.symbols * R; i += threads) {
    const int symbol = i / R, row = i % R;
    const std::uint32_t word = place_detail::half(score(pair.query[0], row, symbol) + open) |
                               place_detail::half(score(pair.query[1], row, symbol) + open) << 16;
    char* at = table + symbol * PairTable<R>::bytes_per_symbol + row / 4 * 128 + row % 4 * 4;
    for (int copy = 0; copy < 8; ++copy) *reinterpret_cast<std::uint32_t*>(at + copy * 16) = word;
  }
}

/// The places of a pair of queries that end in columns first … last - 1; `first` is a multiple of 16. `table`: the
/// thread's copy of the table, that is its address plus 16 (thread % 8).
template <int R>
SPEEDWELL_HD
void find_in_section(const PlaceSearch& search, const QueryPair& pair, std::int64_t first, std::int64_t last,
                     const char* table) {
  const CellConstants k = Pair11::constants(search.gap_open, search.gap_extend);
  const std::int32_t open = search.gap_open + search.gap_extend;
  std::uint32_t g[R], e[R];
  std::uint32_t top = 0, limit = 0;
  std::int32_t lead = 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::int32_t query = pair.query[half];
    const DeviceQuery q = query < 0 ? DeviceQuery{.least = 0x8000} : search.queries[query];
    top |= place_detail::half(q.bias - open) << (16 * half);
    limit |= static_cast<std::uint32_t>(q.least - 1) << (16 * half);
    lead = q.overlap > lead ? q.overlap : lead;
    // The column before main, which every section begins with: gaps from the first symbol of the query on.
#pragma unroll
    for (int row = 0; row < R; ++row) {
      const std::int32_t used = row + 1 - (R - q.length);
      const std::int32_t h = used > 0 ? q.bias - search.gap_open - used * search.gap_extend : q.bias;
      const std::uint32_t value = place_detail::half((h > 0 ? h : 0) - open);
      g[row] = half == 0 ? value : g[row] | value << 16;
      e[row] = 0;
    }
  }
  std::int64_t column = first - (lead + 15) / 16 * 16;
  if (column < 0) column = 0;
  Words4 next = *reinterpret_cast<const Words4*>(search.main + column);
  for (; column < last; column += 16) {
    const Words4 letters = next;
    if (column + 16 < last) next = *reinterpret_cast<const Words4*>(search.main + column + 16);
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      std::uint32_t four = letters.w[word];
#pragma unroll 1
      for (int part = 0; part < 4; ++part, four >>= 8) {
        const char* const rows = table + (four & 0xffu) * PairTable<R>::bytes_per_symbol;
        std::uint32_t diagonal = top, above = top, f = 0, h = 0;
#pragma unroll
        for (int chunk = 0; chunk < R / 4; ++chunk) {
          const Words4 s = *reinterpret_cast<const Words4*>(rows + chunk * 128);
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            const int row = chunk * 4 + r;
            const std::uint32_t left = g[row];
            e[row] = Pair11::add_max(e[row], k.minus_extend, left);
            f = Pair11::add_max(f, k.minus_extend, above);
            h = Pair11::max3(Pair11::add(diagonal, s.w[r]), e[row], f);
            above = g[row] = Pair11::add(h, k.minus_open);
            diagonal = left;
          }
        }
        if (Pair11::max3(h, limit, limit) == limit) continue;
        const std::int64_t here = column + word * 4 + part;
        if (here < first || here >= last) continue;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::int32_t score = Pair11::score(h, half);
          if (score <= Pair11::score(limit, half)) continue;
          const std::int32_t query = pair.query[half];
          const std::uint32_t place = place_detail::next_place(search.counts + query);
          if (place < search.capacity)
            search.found[static_cast<std::int64_t>(query) * search.capacity + place] =
                place_detail::found_place(score, here);
        }
      }
    }
  }
}

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

/// The places to put in order next; first_bin is score_bins if there are no more.
SPEEDWELL_HD
inline void next_band(ChoiceMemory& memory, std::int64_t columns) {
  memory.gathered = 0;
  if (memory.last_column < columns) {
    memory.first_column = memory.last_column;
    memory.last_column += memory.part;
    return;
  }
  std::int32_t bin = memory.last_bin, size = 0;
  while (bin < score_bins && memory.bins[bin] == 0) ++bin;
  memory.first_bin = bin;
  // A few hundred are enough for most queries.
  while (bin < score_bins && size < band_capacity / 8 && (size == 0 || size + memory.bins[bin] <= band_capacity))
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
      if (thread == 0) next_band(memory, search.columns);
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
