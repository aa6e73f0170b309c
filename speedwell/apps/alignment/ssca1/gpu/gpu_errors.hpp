// The filter of kernel 3 on a GPU: which chunks of main may hold the end of a place, by a bound on the errors of its
// path, for 32 columns in the bits of a word.
//
// A place's loss is M L - score, with M the highest score of a pair and L the query's length. In units of u
//   a pair that scores above zero        costs at least 0,
//   any other pair                       1   if u <= M - (the largest score that is not positive),
//   a gap in match of k symbols of main  1 + floor((k - 1) / 8)   if u <= open + extend and u <= 8 extend,
//   a gap in main of k symbols           open + k (extend + M): at least k, or k - floor((k - 2) / 4), with a slack.
// So a place with score T has at most (M L - T + slack) / u errors, and a table H of the least errors of a path knows
// columns in which no place ends. Neighbouring cells of H differ by -1, 0 or 1, bits are enough for that (Myers 1999),
// and a word has the same cell of 32 sections of main:
//   H(x,y) = H(x-1,y-1) + (0 if the pair is positive, or a gap that ends here makes it so; otherwise 1).
// Gaps cost 1 for each symbol, with two exceptions. In match a gap costs nothing to extend while `gap` says so: from
// the column in which it was opened to the end of the next strip of eight columns. In main a gap of two symbols or more
// costs nothing to extend in the cells with x = y modulo 4, for queries to which that matters (allowed_errors in
// gpu_errors_plan.hpp).
//
// Why H is a bound. It is enough that it grows by no more than a gap costs, along the gap.
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

#include "speedwell/apps/alignment/ssca1/gpu/gpu_places.hpp"

namespace speedwell::alignment::ssca1 {

inline constexpr int strip_columns = 8;
inline constexpr int chunk_columns = 16;
inline constexpr int most_match_classes = 64;
/// Of a query: the planes of the last row's errors hold -16 … 15.
inline constexpr int error_planes = 5;

/// Where a thread's columns lie: bit j of its words is section 32 * thread + j of main. A section begins `lead` columns
/// early.
struct MatchLayout {
  std::int64_t columns = 0;             // of main
  std::int32_t section = 16, lead = 0;  // columns, multiples of 16
  std::int32_t classes = 0;             // of symbols of queries that match the same symbols of main

  SPEEDWELL_HD
  std::int64_t threads() const { return (columns + 32 * std::int64_t{section} - 1) / (32 * std::int64_t{section}); }
  SPEEDWELL_HD
  std::int64_t warps() const { return (threads() + 31) / 32; }
  SPEEDWELL_HD
  std::int64_t words() const { return warps() * (lead + section) * classes * 32; }
  /// Of a class and the column that many after the begin of the lead.
  SPEEDWELL_HD
  std::int64_t word(std::int64_t thread, std::int32_t column, std::int32_t match_class) const {
    const std::int64_t strip = thread / 32 * ((lead + section) / strip_columns) + column / strip_columns;
    return ((strip * classes + match_class) * strip_columns + column % strip_columns) * 32 + thread % 32;
  }
};

namespace errors_detail {
/// Bit i of word j becomes bit j of word i.
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

/// The words of four columns from `column` on, for one thread. `masks`: for each symbol of main the classes that it
/// matches, 32 to a word, the second word `symbols` on.
SPEEDWELL_HD
inline void build_matches(const MatchLayout& layout, const std::uint8_t* main, const std::uint32_t* masks, int symbols,
                          std::int64_t thread, std::int32_t column, std::uint32_t* matches) {
  std::uint32_t letters[32];
#pragma unroll
  for (int bit = 0; bit < 32; ++bit) {
    const std::int64_t at = (thread * 32 + bit) * layout.section + column - layout.lead;
    letters[bit] = at < 0 || at >= layout.columns ? 0 : *reinterpret_cast<const std::uint32_t*>(main + at);
  }
#pragma unroll 1
  for (int c = 0; c < 4; ++c) {
#pragma unroll 1
    for (int half = 0; half * 32 < layout.classes; ++half) {
      std::uint32_t words[32];
#pragma unroll
      for (int bit = 0; bit < 32; ++bit) words[bit] = masks[half * symbols + static_cast<int>(letters[bit] & 0xffu)];
      errors_detail::transpose(words);
#pragma unroll
      for (int k = 0; k < 32; ++k)
        if (half * 32 + k < layout.classes) matches[layout.word(thread, column + c, half * 32 + k)] = words[k];
    }
#pragma unroll
    for (int bit = 0; bit < 32; ++bit) letters[bit] >>= 8;
  }
}

/// Rows that the filter is compiled for.
inline constexpr int most_filter_rows = 20;

/// A row between two strips: where H is more, and less, than in the row above, and where a gap was opened in the last
/// strip.
struct ErrorRow {
  std::uint32_t more, less, opened;
};

/// What a place may have.
struct AllowedErrors {
  std::int32_t most = 0;
  std::int32_t long_gaps = 0;  // 1: counted so that gaps in main may be extended for nothing
};

/// A query as the filter takes it.
struct ErrorQuery {
  std::int32_t query = 0;  // of PlaceSearch
  AllowedErrors allowed;
};

struct ErrorSearch {
  MatchLayout layout;
  const std::uint32_t* matches = nullptr;
  const std::uint8_t* classes = nullptr;  // of each of PlaceSearch's codes
  std::uint32_t* chunks = nullptr;        // found, `capacity` for each query
  std::uint32_t* chunk_counts = nullptr;  // of each query; may pass the capacity
  std::uint32_t capacity = 0;
};

/// What a row of a strip hands to the row below: the differences of H along it; and above the cells that may extend a
/// gap in main for nothing, whether it rises to the row, and to that and the row above.
struct StripBorder {
  std::uint32_t more[strip_columns] = {}, less[strip_columns] = {};
  std::uint32_t rises[2] = {}, rises_twice[2] = {};
};

/// One row of a strip, `Phase` its number modulo 4: `border` is that of the row above and becomes the row's own.
/// `long_gaps`: whether gaps in main may be extended for nothing, in all bits.
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

/// Errors of the last row less one more than allowed, in planes of two's complement.
struct ErrorPlanes {
  std::uint32_t plane[error_planes];

  SPEEDWELL_HD
  explicit ErrorPlanes(std::int32_t value) {
#pragma unroll
    for (int k = 0; k < error_planes; ++k) plane[k] = value >> k & 1 ? ~0u : 0u;
  }
  /// Whether they are few enough after a step.
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

/// The rows of one query, of R symbols at most, in a thread's registers.
template <int R>
class ErrorTable {
 public:
  /// The column before the sections' leads: gaps in main alone.
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

  /// The last row's differences in the next strip, whose words begin at `matches`.
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

  static_assert(R % 4 == 0 && R <= most_filter_rows);
  std::int32_t length_;
  std::uint32_t long_gaps_;
  ErrorRow rows_[R];
  std::uint32_t classes_[R / 4];
};

/// Adds the chunks from `column` of a thread's sections on whose bits are set.
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
    const std::uint32_t place = place_detail::next_place(errors.chunk_counts + query);
    if (place < errors.capacity)
      errors.chunks[static_cast<std::int64_t>(query) * errors.capacity + place] =
          static_cast<std::uint32_t>(first / chunk_columns);
  }
}

/// The chunks of a thread's sections in which a place of the query, of R symbols at most, may end.
template <int R>
SPEEDWELL_HD
void find_chunks(const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery& wanted, std::int64_t thread) {
  const MatchLayout& layout = errors.layout;
  const DeviceQuery& q = search.queries[wanted.query];
  ErrorTable<R> table(errors.classes + q.offset, q.length, wanted.allowed.long_gaps != 0);
  ErrorPlanes last_row(table.first_errors() - wanted.allowed.most - 1);
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
/// The same for a query of up to most_filter_rows symbols.
SPEEDWELL_HD
inline void find_chunks(const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery& wanted,
                        std::int64_t thread) {
  const std::int32_t length = search.queries[wanted.query].length;
  if (length <= 8) return find_chunks<8>(search, errors, wanted, thread);
  if (length <= 12) return find_chunks<12>(search, errors, wanted, thread);
  find_chunks<most_filter_rows>(search, errors, wanted, thread);
}

}  // namespace speedwell::alignment::ssca1
