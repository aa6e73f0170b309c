// The filter of kernel 3 on a GPU: the chunks of main in which a region may end, by a bound on the errors of its path,
// bit-parallel for 32 columns per word.
//
// The loss of a region is M L - score, with M the highest score of a pair and L the length of the query. In units of u
//   a pair that scores above zero        costs at least 0,
//   any other pair                       1   if u <= M - (the largest score that is not positive),
//   a gap in match of k symbols of main  1 + floor((k - 1) / 8)   if u <= open + extend and u <= 8 extend,
//   a gap in main of k symbols           open + k (extend + M): at least k, or k - floor((k - 2) / 4), with a slack.
// So a region with score T has at most (M L - T + slack) / u errors, and a table H of the minimum number of errors of a
// path excludes columns in which no region ends. Neighbouring cells of H differ by -1, 0 or 1, so that bits suffice
// (Myers 1999), and a word has the same cell of 32 sections of main:
//   H(x,y) = H(x-1,y-1) + (0 if the pair is positive, or a gap that ends here makes it so; otherwise 1).
// Gaps cost 1 per symbol, with two exceptions. A gap in match costs nothing to extend while `gap` is set: from the
// column in which it was opened to the end of the next strip of eight columns. A gap in main of two symbols or more
// costs nothing to extend in the cells with x = y modulo 4, for queries for which that matters (allowed_errors in
// kernel3_errors_plan.hpp).
//
// Proof that H is a bound: it suffices that H increases along a gap by at most the cost of the gap.
//
// Gaps in match: H(x,b) <= H(x,a) + 1 if b - a <= 9. If not, take the first such row, in it the last a before b with
// H(x,a) =: h and the first b with H(x,b) = h + 2. Then H = h + 1 in between, a gap was opened in a + 1 and lasts until
// a + 9 at least, and what raised H in b nevertheless is H(x-1,b-1) = h + 2. But H(x-1,a-1) <= h, and so
// H(x-1,b-1) <= h + 1 in the row above, a contradiction.
//
// Gaps in main: H(b,y) <= H(a,y) + c(a,b,y), which is b - a less the cells of rows a + 3 ... b with x = y modulo 4. If
// not, take the first such column and its first b. Its cell is one of these, H(b-1,y) = H(a,y) + c, and H rises by one
// to row b - 2 and to row b - 1: the gap may be extended for nothing, and what raised H nevertheless is
// H(b-1,y-1) = H(b-1,y) + 1. But H(a-1,y-1) <= H(a,y), and so H(b-1,y-1) <= H(a,y) + c in the column before, where the
// same cells of the diagonals count: a contradiction.
//
// Before a section's first column H has the values of gaps in main alone, for which all this holds.
#pragma once

#include <bit>
#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_regions.hpp"

namespace speedwell::ssca1 {

inline constexpr int strip_columns = 8;
inline constexpr int chunk_columns = 16;
inline constexpr int max_match_classes = 64;
/// Maximum length of a query: the planes of the last row's errors represent -16 … 15.
inline constexpr int error_planes = 5;

/// The layout of a thread's columns: bit j of its words is section 32 * thread + j of main. A section starts `lead`
/// columns early.
struct MatchLayout {
  std::int64_t columns = 0;             // columns of main
  std::int32_t section = 16, lead = 0;  // columns, multiples of 16
  std::int32_t classes = 0;             // classes of symbols of queries that match the same symbols of main

  SPEEDWELL_HD
  std::int64_t threads() const { return (columns + 32 * std::int64_t{section} - 1) / (32 * std::int64_t{section}); }
  SPEEDWELL_HD
  std::int64_t warps() const { return (threads() + 31) / 32; }
  SPEEDWELL_HD
  std::int64_t words() const { return warps() * (lead + section) * classes * 32; }
  /// The index of the word of a class and of a column, counted from the start of the lead.
  SPEEDWELL_HD
  std::int64_t word(std::int64_t thread, std::int32_t column, std::int32_t match_class) const {
    const std::int64_t strip = thread / 32 * ((lead + section) / strip_columns) + column / strip_columns;
    return ((strip * classes + match_class) * strip_columns + column % strip_columns) * 32 + thread % 32;
  }
};

namespace errors_detail {
/// Transposes 32 x 32 bits: bit i of word j becomes bit j of word i.
SPEEDWELL_HD
inline void transpose(std::uint32_t (&words)[32]) {
  std::uint32_t low = 0x0000ffffu;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if (k & distance) continue;
      const std::uint32_t a = words[k], b = words[k + distance];
      words[k] = (a & low) | (b & low) << distance;
      words[k + distance] = (a >> distance & low) | (b & ~low);
    }
    low ^= low << (distance / 2);
  }
}
}  // namespace errors_detail

/// Computes the words of four columns from `column` on for one thread. `masks`: for each symbol of main the classes
/// that it matches, 32 per word; the second word is `symbols` entries later.
SPEEDWELL_HD
inline void build_matches(const MatchLayout& layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                          std::int64_t thread, std::int32_t column, std::uint32_t* matches) {
  std::uint32_t codes[32];
#pragma unroll
  for (int bit = 0; bit < 32; ++bit) {
    const std::int64_t at = (thread * 32 + bit) * layout.section + column - layout.lead;
    codes[bit] = at < 0 || at >= layout.columns ? 0 : *reinterpret_cast<const std::uint32_t*>(main + at);
  }
#pragma unroll 1
  for (int c = 0; c < 4; ++c) {
#pragma unroll 1
    for (int half = 0; half * 32 < layout.classes; ++half) {
      std::uint32_t words[32];
#pragma unroll
      for (int bit = 0; bit < 32; ++bit) words[bit] = masks[half * symbols + static_cast<int>(codes[bit] & 0xffu)];
      errors_detail::transpose(words);
#pragma unroll
      for (int k = 0; k < 32; ++k)
        if (half * 32 + k < layout.classes) matches[layout.word(thread, column + c, half * 32 + k)] = words[k];
    }
#pragma unroll
    for (int bit = 0; bit < 32; ++bit) codes[bit] >>= 8;
  }
}

/// The numbers of rows for which the filter is compiled.
inline constexpr int max_filter_rows = 20;

/// The state of a row between two strips: where H is larger, and smaller, than in the row above, and where a gap was
/// opened in the last strip.
struct ErrorRow {
  std::uint32_t more, less, opened;
};

/// The errors that a region may have.
struct AllowedErrors {
  std::int32_t maximum = 0;
  std::int32_t long_gaps = 0;  // 1: gaps in main may be extended without cost in some cells
};

/// The input of the filter for a query.
struct ErrorQuery {
  std::int32_t query = 0;  // index in RegionSearch
  AllowedErrors allowed;
};

struct ErrorSearch {
  MatchLayout layout;
  const std::uint32_t* matches = nullptr;
  const std::uint8_t* classes = nullptr;  // for each code of RegionSearch
  std::uint32_t* chunks = nullptr;        // the result, `capacity` per query
  std::uint32_t* chunk_counts = nullptr;  // per query; may exceed the capacity
  std::uint32_t capacity = 0;
};

/// The border between a row of a strip and the row below: the differences of H along it; and, above cells that may
/// extend a gap in main without cost, whether H increases to this row, and to both this row and the one above.
struct StripBorder {
  std::uint32_t more[strip_columns] = {}, less[strip_columns] = {};
  std::uint32_t rises[2] = {}, rises_twice[2] = {};
};

/// Computes one row of a strip, `Phase` its number modulo 4: `border` is that of the row above and is replaced by that
/// of the row. `long_gaps`: whether gaps in main may be extended without cost, in all bits.
template <int Phase>
SPEEDWELL_HD
void count_row(ErrorRow& row, const std::uint32_t (&match)[strip_columns], std::uint32_t long_gaps,
               StripBorder& border) {
  std::uint32_t more = row.more, less = row.less, gap = row.opened, opened = 0;
  const StripBorder above = border;
#pragma unroll
  for (int c = 0; c < strip_columns; ++c) {
    std::uint32_t same = match[c] | above.less[c] | less | (gap & ~more);  // as H(x-1,y-1)
    if (c % 4 == Phase) same |= above.rises_twice[c / 4] & ~above.more[c];
    const std::uint32_t rises = less | ~(same | more), falls = same & more;
    more = above.less[c] | ~(same | above.more[c]);
    less = same & above.more[c];
    gap = rises | (gap & ~falls);
    opened = rises | (opened & ~falls);
    border.more[c] = rises;
    border.less[c] = falls;
    if (c % 4 == (Phase + 2) % 4) border.rises[c / 4] = more & long_gaps;
    if (c % 4 == (Phase + 1) % 4) border.rises_twice[c / 4] = above.rises[c / 4] & more;
  }
  row.more = more;
  row.less = less;
  row.opened = opened;
}

/// Errors in the last row minus the allowed ones minus 1, as bit planes in two's complement.
struct ErrorPlanes {
  std::uint32_t plane[error_planes];

  SPEEDWELL_HD
  explicit ErrorPlanes(std::int32_t value) {
#pragma unroll
    for (int k = 0; k < error_planes; ++k) plane[k] = value >> k & 1 ? ~0u : 0u;
  }
  /// Updates the errors by a step and returns in which bits there are few enough.
  SPEEDWELL_HD
  std::uint32_t step(std::uint32_t more, std::uint32_t less) {
    std::uint32_t carry = more | less;
#pragma unroll
    for (int k = 0; k < error_planes; ++k) {
      const std::uint32_t before = plane[k];
      plane[k] = before ^ carry;
      carry &= before ^ less;
    }
    return plane[error_planes - 1];
  }
};

/// The rows of one query of at most R symbols, in a thread's registers.
template <int R>
class ErrorTable {
 public:
  /// Initialises the column before the sections' leads, which has only gaps in main.
  SPEEDWELL_HD
  ErrorTable(const std::uint8_t* classes, std::int32_t length, bool long_gaps)
      : length_(length), long_gaps_(long_gaps ? ~0u : 0) {
#pragma unroll
    for (int x = 0; x < R; ++x) {
      rows_[x] = {x % 4 == 3 ? ~long_gaps_ : ~0u, 0, 0};
      if (x % 4 == 0) classes_[x / 4] = 0;
      if (x < length) classes_[x / 4] |= static_cast<std::uint32_t>(classes[x]) << x % 4 * 8;
    }
  }
  SPEEDWELL_HD
  std::int32_t first_errors() const { return long_gaps_ != 0 ? length_ - length_ / 4 : length_; }

  /// Returns the differences of the last row in the next strip, whose words begin at `matches`.
  SPEEDWELL_HD
  StripBorder next(const std::uint32_t* matches) {
    StripBorder border;
#pragma unroll
    for (int x = 0; x < R; x += 4) {
      count_row_at<0>(x, matches, border);
      if (x + 1 >= length_) break;
      count_row_at<1>(x + 1, matches, border);
      if (x + 2 >= length_) break;
      count_row_at<2>(x + 2, matches, border);
      if (x + 3 >= length_) break;
      count_row_at<3>(x + 3, matches, border);
      if (x + 4 >= length_) break;
    }
    return border;
  }

 private:
  template <int Phase>
  SPEEDWELL_HD
  void count_row_at(int x, const std::uint32_t* matches, StripBorder& border) {
    const std::uint32_t word = (classes_[x / 4] >> Phase * 8 & 0xffu) * strip_columns * 32;
    std::uint32_t match[strip_columns];
#pragma unroll
    for (int c = 0; c < strip_columns; ++c) match[c] = matches[word + static_cast<unsigned>(c) * 32];
    count_row<Phase>(rows_[x], match, long_gaps_, border);
  }

  static_assert(R % 4 == 0 && R <= max_filter_rows);
  std::int32_t length_;
  std::uint32_t long_gaps_;
  ErrorRow rows_[R];
  std::uint32_t classes_[R / 4];
};

/// Appends the chunks whose bits are set, from `column` of a thread's sections on.
SPEEDWELL_HD
inline void add_chunks(const ErrorSearch& errors, std::int32_t query, std::int64_t thread, std::int32_t column,
                       std::uint32_t bits) {
  for (; bits != 0; bits &= bits - 1) {
#ifdef __CUDA_ARCH__
    const int bit = __ffs(static_cast<int>(bits)) - 1;
#else
    const int bit = std::countr_zero(bits);
#endif
    const std::int64_t first = (thread * 32 + bit) * errors.layout.section + column;
    if (first >= errors.layout.columns) return;
    const std::uint32_t region = region_detail::next_region(errors.chunk_counts + query);
    if (region < errors.capacity)
      errors.chunks[static_cast<std::int64_t>(query) * errors.capacity + region] =
          static_cast<std::uint32_t>(first / chunk_columns);
  }
}

/// Appends the chunks of a thread's sections in which a region of the query, of at most R symbols, may end.
template <int R>
SPEEDWELL_HD
void find_chunks(const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery& wanted, std::int64_t thread) {
  const MatchLayout& layout = errors.layout;
  const DeviceQuery& q = search.queries[wanted.query];
  ErrorTable<R> table(errors.classes + q.offset, q.length, wanted.allowed.long_gaps != 0);
  ErrorPlanes last_row(table.first_errors() - wanted.allowed.maximum - 1);
  const std::int32_t lead = (q.overlap + chunk_columns - 1) / chunk_columns * chunk_columns;
  std::uint32_t few = 0;
#pragma unroll 1
  for (std::int32_t column = layout.lead - lead; column < layout.lead + layout.section; column += strip_columns) {
    const StripBorder border = table.next(errors.matches + layout.word(thread, column, 0));
#pragma unroll
    for (int c = 0; c < strip_columns; ++c) few |= last_row.step(border.more[c], border.less[c]);
    if ((column + strip_columns) % chunk_columns != 0) continue;
    if (column >= layout.lead)
      add_chunks(errors, wanted.query, thread, (column - layout.lead) / chunk_columns * chunk_columns, few);
    few = 0;
  }
}
/// As above for a query of up to max_filter_rows symbols.
SPEEDWELL_HD
inline void find_chunks(const RegionSearch& search, const ErrorSearch& errors, const ErrorQuery& wanted,
                        std::int64_t thread) {
  const std::int32_t length = search.queries[wanted.query].length;
  if (length <= 8) return find_chunks<8>(search, errors, wanted, thread);
  if (length <= 12) return find_chunks<12>(search, errors, wanted, thread);
  find_chunks<max_filter_rows>(search, errors, wanted, thread);
}

}  // namespace speedwell::ssca1
