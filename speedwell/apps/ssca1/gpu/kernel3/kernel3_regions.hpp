// Kernel 3 on a GPU: the work of one thread with two queries and a section of main, or with one query and two chunks of
// main. The scores of the two are the halves of each word, with the arithmetic of Pair11 (alignment/gpu/cell.hpp). Both
// queries end in the last row; the rows above a shorter one have score 0 and do not change its results. A column of the
// table is in registers, R rows, and main's symbols are read one after the other.
//
// With T the minimum score and M the highest score of a pair, V(x,y) after a symbol of the query does not matter below
// T - M (L - 1), with L the length of the query. Scores are stored as H = V + bias, where bias = M (L - 1) - T + 1 or
// 0, so that the clamp of a local alignment, H >= 0, changes no score that matters. A section starts so many columns
// early that all paths with a score of T are inside (cpu/kernel3_similar.cpp): the results are exact and independent of
// the sections.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/cells.hpp"

namespace speedwell::ssca1 {

inline constexpr int max_query_rows = 64;
inline constexpr int score_bins = 2048;  // numbers of possible scores H in Pair11

struct DeviceQuery {
  std::int32_t offset = 0, length = 0;  // range of its codes in RegionSearch::codes
  std::int32_t bias = 0;
  std::int32_t minimum = 0, maximum = 0;  // range of H
  std::int32_t overlap = 0;               // columns that a path may have before its last
  std::int32_t max_span = 0;              // maximum columns of a region
};

/// A region before its begin is known: numbers in the order of the selection, by descending H, then by the column in
/// which the region ends.
using FoundRegion = std::uint64_t;
namespace region_detail {
inline constexpr int column_bits = 48;
SPEEDWELL_HD
constexpr FoundRegion found_region(std::int32_t h, std::int64_t column) {
  return static_cast<FoundRegion>(score_bins - 1 - h) << column_bits | static_cast<FoundRegion>(column);
}
SPEEDWELL_HD
constexpr std::int32_t bin_of(FoundRegion region) { return static_cast<std::int32_t>(region >> column_bits); }
SPEEDWELL_HD
constexpr std::int32_t h_of(FoundRegion region) { return score_bins - 1 - bin_of(region); }
SPEEDWELL_HD
constexpr std::int64_t column_of(FoundRegion region) {
  return static_cast<std::int64_t>(region & ((FoundRegion{1} << column_bits) - 1));
}
/// The encoding of a number between -2048 and 2048 as an operand of Pair11.
SPEEDWELL_HD
constexpr std::uint32_t half(std::int32_t value) {
  return static_cast<std::uint32_t>(value < 0 ? 0x8000 | -value : value);
}
/// Increases *count by one, atomically, and returns what it was: the index of a new entry of a list.
SPEEDWELL_HD
inline std::uint32_t next_region(std::uint32_t* count) {
#ifdef __CUDA_ARCH__
  return atomicAdd(count, 1u);
#else
  return std::atomic_ref(*count)++;
#endif
}
}  // namespace region_detail

/// The operands of the search, in the memory of who executes it: the device or, in tests, the host.
struct RegionSearch {
  const std::uint8_t* main = nullptr;  // aligned to 16 bytes, with 16 bytes of padding after the end
  std::int64_t columns = 0;
  const std::uint8_t* codes = nullptr;
  const DeviceQuery* queries = nullptr;
  const std::int32_t* scores = nullptr;  // scores[query symbol * symbols + main symbol]
  std::int32_t symbols = 0, gap_open = 0, gap_extend = 0;
  FoundRegion* found = nullptr;     // `capacity` per query
  std::uint32_t* counts = nullptr;  // per query; may exceed the capacity
  std::uint32_t capacity = 0;
};

/// Two queries of up to R symbols, or one and -1.
struct QueryPair {
  std::int32_t query[2] = {-1, -1};
};

/// The profile of a block in shared memory: for each symbol of main and each row a word with Pair11's operand, score
/// plus cost of opening a gap, of the two queries. Four rows are contiguous, 16 bytes, and there are eight adjacent
/// copies of them: thread t reads copy t % 8, so that the eight threads of a 128-byte transaction access different
/// banks whatever their symbols are.
template <int R>
struct PairTable {
  static_assert(R % 4 == 0 && R <= max_query_rows);
  static constexpr int bytes_per_symbol = R / 4 * 128;
};
constexpr int pair_table_bytes(int rows, int symbols) { return rows / 4 * 128 * symbols; }

/// Fills `table`, pair_table_bytes(R, symbols) bytes. Called by `threads` threads with their index `thread`; the caller
/// places a barrier before the table is read.
template <int R>
SPEEDWELL_HD
void build_pair_table(char* table, const RegionSearch& search, const QueryPair& pair, int thread, int threads) {
  const std::int32_t open = search.gap_open + search.gap_extend;
  const auto score = [&](std::int32_t query, int row, int symbol) -> std::int32_t {
    if (query < 0) return 0;
    const DeviceQuery& q = search.queries[query];
    const int x = row - (R - q.length);
    return x < 0 ? 0 : search.scores[static_cast<int>(search.codes[q.offset + x]) * search.symbols + symbol];
  };
  for (int i = thread; i < search.symbols * R; i += threads) {
    const int symbol = i / R, row = i % R;
    const std::uint32_t word = region_detail::half(score(pair.query[0], row, symbol) + open) |
                               region_detail::half(score(pair.query[1], row, symbol) + open) << 16;
    char* at = table + symbol * PairTable<R>::bytes_per_symbol + row / 4 * 128 + row % 4 * 4;
    for (int copy = 0; copy < 8; ++copy) *reinterpret_cast<std::uint32_t*>(at + copy * 16) = word;
  }
}

/// A column of the table, for a pair of queries or for one query in two parts of main: G = H - open - extend and E of
/// each row, in registers.
template <int R>
class PairColumn {
 public:
  /// The column before main, with which every section starts: gaps from the first symbol of the query on.
  SPEEDWELL_HD
  PairColumn(const RegionSearch& search, const QueryPair& pair)
      : constants_(Pair11::constants(search.gap_open, search.gap_extend)) {
    const std::int32_t open = search.gap_open + search.gap_extend;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int32_t query = pair.query[half];
      const DeviceQuery q = query < 0 ? DeviceQuery{.minimum = 0x8000} : search.queries[query];
      top_ |= region_detail::half(q.bias - open) << (16 * half);
      limit_ |= static_cast<std::uint32_t>(q.minimum - 1) << (16 * half);
      lead_ = q.overlap > lead_ ? q.overlap : lead_;
#pragma unroll
      for (int row = 0; row < R; ++row) {
        const std::int32_t used = row + 1 - (R - q.length);
        const std::int32_t h = used > 0 ? q.bias - search.gap_open - used * search.gap_extend : q.bias;
        const std::uint32_t value = region_detail::half((h > 0 ? h : 0) - open);
        g_[row] = half == 0 ? value : g_[row] | value << 16;
        e_[row] = 0;
      }
    }
  }
  /// The number of columns that have to be computed before the first in which a region may end, a multiple of 16.
  SPEEDWELL_HD
  std::int32_t lead() const { return (lead_ + 15) / 16 * 16; }

  /// H in the last row of the next column. scores(chunk): the operands of rows 4 chunk … 4 chunk + 3.
  template <class Scores>
  SPEEDWELL_HD
  std::uint32_t next(const Scores& scores) {
    std::uint32_t diagonal = top_, above = top_, f = 0, h = 0;
#pragma unroll
    for (int chunk = 0; chunk < R / 4; ++chunk) {
      const Words4 s = scores(chunk);
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int row = chunk * 4 + r;
        const std::uint32_t left = g_[row];
        e_[row] = Pair11::add_max(e_[row], constants_.minus_extend, left);
        f = Pair11::add_max(f, constants_.minus_extend, above);
        h = Pair11::max3(Pair11::add(diagonal, s.w[r]), e_[row], f);
        above = g_[row] = Pair11::add(h, constants_.minus_open);
        diagonal = left;
      }
    }
    return h;
  }
  /// Whether one of the halves of `h`, of the last row, exceeds its limit.
  SPEEDWELL_HD
  bool may_be_region(std::uint32_t h) const { return Pair11::max3(h, limit_, limit_) != limit_; }
  /// Appends the region of one half that ends in `column`, if there is one; beyond the capacity it is only counted.
  SPEEDWELL_HD
  void add_region(const RegionSearch& search, std::int32_t query, std::uint32_t h, int half,
                  std::int64_t column) const {
    const std::int32_t score = Pair11::score(h, half);
    if (score <= Pair11::score(limit_, half)) return;
    const std::uint32_t region = region_detail::next_region(search.counts + query);
    if (region < search.capacity)
      search.found[static_cast<std::int64_t>(query) * search.capacity + region] =
          region_detail::found_region(score, column);
  }

 private:
  CellConstants constants_;
  std::uint32_t g_[R], e_[R];
  std::uint32_t top_ = 0, limit_ = 0;  // G above the first row, and the highest H in the last row that is no region
  std::int32_t lead_ = 0;              // the larger overlap
};

/// Finds the regions of a pair of queries that end in columns first … last - 1 <= columns - 1; `first` is a multiple of
/// 16. `table`: the thread's copy of the table, which is its address plus 16 (thread % 8). Main is read 16 columns at a
/// time, one load ahead: loads begin at multiples of 16 before `last`, so that the padding after main suffices. Columns
/// from `last` on are computed with whatever symbols are there, which no column before them depends on.
template <int R>
SPEEDWELL_HD
void find_in_section(const RegionSearch& search, const QueryPair& pair, std::int64_t first, std::int64_t last,
                     const char* table) {
  PairColumn<R> cells(search, pair);
  std::int64_t column = first - cells.lead();
  if (column < 0) column = 0;
  Words4 next = *reinterpret_cast<const Words4*>(search.main + column);
  for (; column < last; column += 16) {
    const Words4 loaded = next;
    if (column + 16 < last) next = *reinterpret_cast<const Words4*>(search.main + column + 16);
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      std::uint32_t four = loaded.w[word];
#pragma unroll 1
      for (int part = 0; part < 4; ++part, four >>= 8) {
        const char* const rows = table + (four & 0xffu) * PairTable<R>::bytes_per_symbol;
        const std::uint32_t h =
            cells.next([&](int chunk) { return *reinterpret_cast<const Words4*>(rows + chunk * 128); });
        if (!cells.may_be_region(h)) continue;
        const std::int64_t here = column + word * 4 + part;
        if (here < first || here >= last) continue;
#pragma unroll
        for (int half = 0; half < 2; ++half) cells.add_region(search, pair.query[half], h, half, here);
      }
    }
  }
}

/// Finds the regions of one query that end in two chunks of 16 columns, given by their first columns, multiples of 16;
/// the second only if `second` is not negative. `table`: as above, with the query twice: one access for each half. Main
/// is read four columns at a time.
template <int R>
SPEEDWELL_HD
void find_in_chunks(const RegionSearch& search, std::int32_t query, std::int64_t first, std::int64_t second,
                    const char* table) {
  PairColumn<R> cells(search, {{query, second < 0 ? -1 : query}});
  const std::int64_t chunks[2] = {first, second < 0 ? first : second};
  const std::int32_t steps = cells.lead() + 16;
  std::int64_t begins[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) begins[half] = chunks[half] < cells.lead() ? 0 : chunks[half] - cells.lead();
#pragma unroll 1
  for (std::int32_t step = 0; step < steps; step += 4) {
    std::uint32_t four[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t at = begins[half] + step;
      four[half] = at < search.columns ? *reinterpret_cast<const std::uint32_t*>(search.main + at) : 0;
    }
#pragma unroll 1
    for (int part = 0; part < 4; ++part) {
      const char* const low = table + (four[0] & 0xffu) * PairTable<R>::bytes_per_symbol;
      const char* const high = table + (four[1] & 0xffu) * PairTable<R>::bytes_per_symbol;
      four[0] >>= 8;
      four[1] >>= 8;
      const std::uint32_t h = cells.next([&](int chunk) {
        Words4 s = *reinterpret_cast<const Words4*>(low + chunk * 128);
        const Words4 t = *reinterpret_cast<const Words4*>(high + chunk * 128);
#pragma unroll
        for (int r = 0; r < 4; ++r) s.w[r] = (s.w[r] & 0xffffu) | (t.w[r] & 0xffff0000u);
        return s;
      });
      if (!cells.may_be_region(h)) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t here = begins[half] + step + part;
        if (here >= chunks[half] && here < chunks[half] + 16 && here < search.columns)
          cells.add_region(search, query, h, half, here);
      }
    }
  }
}

}  // namespace speedwell::ssca1
