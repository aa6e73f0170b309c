// The filter of kernel 3 on a GPU: which chunks of main may hold the end of a place, by a bound on the errors of its
// path, for 32 columns in the bits of a word.
//
// A place's loss is M L - score, with M the highest score of a pair and L the query's length. In units of u
//   a pair that scores above zero          costs at least 0,
//   any other pair                         1   if u <= M - (the largest score that is not positive),
//   a gap in match of k symbols of main    1 + floor((k - 1) / 8)   if u <= open + extend and u <= 8 extend,
//   a gap in main of k symbols             open + k (extend + M), at least k after `slack` is added once (most_errors).
// So a place with score T has at most (M L - T + slack) / u errors, and a table H of the least errors of a path, with
// unit costs, knows a chunk without places. Neighbouring cells of H differ by -1, 0 or 1, bits are enough for that
// (Myers 1999), and a word has the same cell of 32 sections of main:
//   H(x,y) = H(x-1,y-1) + (0 if the pair is positive, or H falls from there to (x-1,y) or to (x,y-1), or (x,y-1) lies
//   in
//            a gap of match and as high as (x-1,y-1); otherwise 1).
// A gap in match costs nothing to extend while `gap` says so: from the column in which it was opened to the end of the
// next strip of eight columns.
//
// Why H is a bound. All steps of a path but gaps in match raise H by no more than they cost, by the rule above. For
// these it is enough that H(x,b) <= H(x,a) + 1 if b - a <= 9. If not, take the first such row, in it the last a before
// b with H(x,a) =: h and the first b with H(x,b) = h + 2. Then H = h + 1 in between, a gap was opened in a + 1 and
// lasts beyond a + 9, and what raised H in b nevertheless is H(x-1,b-1) > H(x,b-1). But H(x-1,a-1) <= h, and so
// H(x-1,b-1) <= h + 1 in the row above, a contradiction. (Before the section's first column H(x,y) = x, likewise.)
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
    return ((thread / 32 * (lead + section) + column) * classes + match_class) * 32 + thread % 32;
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

/// A row between two strips: where H is more, and less, than in the row above; where a gap was opened in the last
/// strip; and the first word of the row's class.
struct alignas(16) ErrorRow {
  std::uint32_t more, less, opened, word;
};

/// A query as the filter takes it.
struct ErrorQuery {
  std::int32_t query = 0;        // of PlaceSearch
  std::int32_t most_errors = 0;  // of a place
};

struct ErrorSearch {
  MatchLayout layout;
  const std::uint32_t* matches = nullptr;
  const std::uint8_t* classes = nullptr;  // of each of PlaceSearch's codes
  std::uint32_t* chunks = nullptr;        // found, `capacity` for each query
  std::uint32_t* chunk_counts = nullptr;  // of each query; may pass the capacity
  std::uint32_t capacity = 0;
};

/// The differences of H along a row, eight columns of it.
struct StripBorder {
  std::uint32_t more[strip_columns] = {}, less[strip_columns] = {};
};

/// One row of a strip: `border` is that of the row above and becomes the row's own.
SPEEDWELL_HD
inline void count_row(ErrorRow& row, const std::uint32_t (&match)[strip_columns], StripBorder& border) {
  std::uint32_t more = row.more, less = row.less, gap = row.opened, opened = 0;
#pragma unroll
  for (int c = 0; c < strip_columns; ++c) {
    const std::uint32_t above_more = border.more[c], above_less = border.less[c];
    const std::uint32_t same = match[c] | above_less | less | (gap & ~more);  // as H(x-1,y-1)
    const std::uint32_t rises = less | ~(same | more), falls = same & more;
    more = above_less | ~(same | above_more);
    less = same & above_more;
    gap = rises | (gap & ~falls);
    opened = rises | (opened & ~falls);
    border.more[c] = rises;
    border.less[c] = falls;
  }
  row.more = more;
  row.less = less;
  row.opened = opened;
}

/// Errors of the last row less most_errors + 1, in planes of two's complement.
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

/// The chunks of a thread's sections in which a place of the query may end. `rows`: `stride` apart, for each of its
/// symbols.
SPEEDWELL_HD
inline void find_chunks(const PlaceSearch& search, const ErrorSearch& errors, const ErrorQuery& wanted,
                        std::int64_t thread, ErrorRow* rows, int stride) {
  const MatchLayout& layout = errors.layout;
  const DeviceQuery& q = search.queries[wanted.query];
  const std::int32_t length = q.length;
  for (std::int32_t x = 0; x < length; ++x)
    rows[x * stride] = {~0u, 0, 0, static_cast<std::uint32_t>(errors.classes[q.offset + x]) * 32};
  ErrorPlanes last_row(length - wanted.most_errors - 1);
  const std::int32_t lead = (q.overlap + chunk_columns - 1) / chunk_columns * chunk_columns;
  std::uint32_t few = 0;
  for (std::int32_t column = layout.lead - lead; column < layout.lead + layout.section; column += strip_columns) {
    const std::uint32_t* const matches = errors.matches + layout.word(thread, column, 0);
    StripBorder border;
#pragma unroll 1
    for (std::int32_t x = 0; x < length; ++x) {
      ErrorRow row = rows[x * stride];
      std::uint32_t match[strip_columns];
#pragma unroll
      for (int c = 0; c < strip_columns; ++c) match[c] = matches[row.word + c * layout.classes * 32];
      count_row(row, match, border);
      rows[x * stride] = row;
    }
#pragma unroll
    for (int c = 0; c < strip_columns; ++c) few |= last_row.step(border.more[c], border.less[c]);
    if ((column + strip_columns) % chunk_columns != 0) continue;
    for (std::uint32_t left = column < layout.lead ? 0 : few; left != 0; left &= left - 1) {
#ifdef __CUDA_ARCH__
      const int bit = __ffs(static_cast<int>(left)) - 1;
#else
      const int bit = std::countr_zero(left);
#endif
      const std::int64_t first =
          (thread * 32 + bit) * layout.section + (column - layout.lead) / chunk_columns * chunk_columns;
      if (first >= layout.columns) continue;
      const std::uint32_t place = place_detail::next_place(errors.chunk_counts + wanted.query);
      if (place < errors.capacity)
        errors.chunks[static_cast<std::int64_t>(wanted.query) * errors.capacity + place] =
            static_cast<std::uint32_t>(first / chunk_columns);
    }
    few = 0;
  }
}

}  // namespace speedwell::alignment::ssca1
