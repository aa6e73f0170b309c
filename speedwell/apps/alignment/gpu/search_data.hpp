// The arrays of a search in device memory, and the parts of its kernels that do not depend on the launch: the pairs of
// a warp, the locations of their residues and borders, and the order of tiles. For host and device, so that the search
// can also be executed on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu/search_plan.hpp"
#include "speedwell/apps/alignment/gpu/tile.hpp"

namespace speedwell::alignment {

/// The residues of a query are codes[begin] ... codes[begin + length - 1].
struct QuerySpan {
  std::uint64_t begin;
  std::int32_t length;
};

struct SearchData {
  // database
  const std::uint8_t* residues = nullptr;          // two bytes per column, see PairedSubjects
  const std::uint64_t* first_column = nullptr;     // pairs + 1
  const std::uint32_t* order = nullptr;            // 2 * pairs
  const std::uint32_t* sorted_position = nullptr;  // subjects
  std::size_t subjects = 0;
  // queries
  const std::uint8_t* query_codes = nullptr;
  const QuerySpan* queries = nullptr;            // in the input's order
  const std::uint32_t* longest_first = nullptr;  // indices of queries
  std::uint32_t query_count = 0;
  // scoring
  const std::int8_t* scores = nullptr;  // 32 x 32, query residue by subject residue
  int alphabet_size = 0;
  std::int64_t gap_open = 0, gap_extend = 0;
  bool eleven_bits = false;                  // pairs in Pair11, otherwise in Pair16
  bool costs_in_code = false;                // whether a kernel with compile-time gap costs may be used
  CellConstants constants{}, constants32{};  // for that arithmetic, and for Single32
  std::int32_t limit = 0;                    // a higher score has to be recomputed in 32 bits
  // work
  const Chunk* chunks = nullptr;
  std::uint32_t chunk_count = 0;
  unsigned long long* next_item = nullptr;  // index in chunk_count * query_count items
  Border* scratch = nullptr;
  std::uint64_t scratch_columns = 0;    // per block
  std::uint64_t scratch_columns32 = 0;  // per block of the 32-bit kernel
  std::uint32_t* wide_list = nullptr;   // wide_window entries: results to compute in 32 bits
  unsigned int* wide_count = nullptr;
  std::int32_t* results = nullptr;  // query_count x subjects
};

/// The mark of a result that needs 32 bits. It differs from 0xff bytes, so that a result that was never written is
/// detected.
inline constexpr std::int32_t needs_32_bits = static_cast<std::int32_t>(0x80000000u);
/// Rows per lane in a 32-bit tile.
inline constexpr int wide_strip = 16;

/// Sets the fields of the scoring, with Pair11 if it is requested and suitable.
inline void set_scoring(SearchData& data, const Scoring& scoring, bool eleven_bits = true) {
  data.gap_open = scoring.gap_open;
  data.gap_extend = scoring.gap_extend;
  data.eleven_bits = eleven_bits && Pair11::serves(scoring.gap_open, scoring.gap_extend);
  const auto set = [&]<class Arithmetic>(Arithmetic) {
    data.constants = Arithmetic::constants(scoring.gap_open, scoring.gap_extend);
    data.limit = Arithmetic::limit(scoring.matrix.highest());
  };
  data.eleven_bits ? set(Pair11{}) : set(Pair16{});
  data.constants32 = Single32::constants(scoring.gap_open, scoring.gap_extend);
}

/// Calls f.operator()<R>() for R == strip.
template <class F>
SPEEDWELL_HD
void with_strip(int strip, F&& f) {
  switch (strip) {
    case 4:
      f.template operator()<4>();
      break;
    case 8:
      f.template operator()<8>();
      break;
    case 12:
      f.template operator()<12>();
      break;
    case 16:
      f.template operator()<16>();
      break;
    case 20:
      f.template operator()<20>();
      break;
    case 24:
      f.template operator()<24>();
      break;
    case 28:
      f.template operator()<28>();
      break;
    default:
      f.template operator()<max_strip>();
      break;
  }
}

/// The share of one warp in a chunk, under the tile of `lanes * R` rows from `first_row` with the given profile:
/// updates best[p] for pair p of the chunk. `scratch` has a border for every column of the chunk.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void sweep_pairs(Warp& warp, const SearchData& data, const CellConstants& constants, const Chunk& chunk,
                 int query_length, int first_row, const char* profile, Border* scratch, int warp_of_block,
                 std::uint32_t* best) {
  const int lanes = static_cast<int>(chunk.lanes);
  const int groups = 32 / lanes, pairs = static_cast<int>(chunk.pairs);
  const auto padding = static_cast<std::uint32_t>(padding_residue(data.alphabet_size));
  Pass pass{.profile = profile,
            .lanes = lanes,
            .padding = padding * 0x01010101u,
            .reads_border = first_row > 0,
            .writes_border = std::int64_t{first_row} + lanes * R < query_length};

  for (int first = warp_of_block * groups; first < pairs; first += warps_per_block * groups) {
    const std::uint64_t* bounds = data.first_column + chunk.first_pair + first;
    pass.steps = pass_steps(static_cast<int>(bounds[1] - bounds[0]), lanes);  // the first pair is the longest
    typename Warp::template Per<Subjects> work{};
    typename Warp::template Per<std::uint32_t> value{};
    warp.each([&](int lane) {
      const int group = lane / lanes;
      if (first + group >= pairs) return;
      work[lane] = {.residues = data.residues + 2 * bounds[group],
                    .border = scratch + (bounds[group] - data.first_column[chunk.first_pair]),
                    .columns = static_cast<int>(bounds[group + 1] - bounds[group])};
    });
    sweep<Arithmetic, R>(warp, pass, work, constants, value);
    warp.template largest_of_group<Arithmetic>(value, lanes);
    warp.each([&](int lane) {
      const int pair = first + lane / lanes;
      if (lane % lanes == 0 && pair < pairs) best[pair] = Arithmetic::max3(best[pair], value[lane], value[lane]);
    });
  }
}

/// Stores the results of pair `pair` of a chunk and a query from its two scores.
SPEEDWELL_HD
inline void store_pair(const SearchData& data, const Chunk& chunk, std::uint32_t query, std::uint32_t pair,
                       std::uint32_t best) {
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t subject = data.order[2 * (static_cast<std::size_t>(chunk.first_pair) + pair) + half];
    if (subject == PairedSubjects::none) continue;
    const std::int32_t score = Pair16::score(best, half);
    data.results[query * data.subjects + subject] = score > data.limit ? needs_32_bits : score;
  }
}

/// Computes result number `result` in 32 bits by one warp; `profile` has room for a tile of wide_strip rows per lane,
/// `scratch` for the subject's columns.
template <class Warp>
SPEEDWELL_HD
std::int32_t sweep_wide(Warp& warp, const SearchData& data, std::size_t result, char* profile, Border* scratch) {
  const QuerySpan query = data.queries[result / data.subjects];
  const std::uint32_t sorted_position = data.sorted_position[result % data.subjects];
  const std::uint64_t* bounds = data.first_column + sorted_position / 2;
  const Subjects subject{.residues = data.residues + 2 * bounds[0] + sorted_position % 2,
                         .border = scratch,
                         .columns = static_cast<int>(bounds[1] - bounds[0])};
  typename Warp::template Per<Subjects> work{};
  typename Warp::template Per<std::uint32_t> value{};
  warp.each([&](int lane) { work[lane] = subject; });
  constexpr int tile = 32 * wide_strip;
  for (std::int64_t row = 0; row < query.length; row += tile) {
    warp.each([&](int lane) {
      build_profile<Single32, wide_strip>(profile, data.query_codes + query.begin, query.length, static_cast<int>(row),
                                          32, data.scores, data.alphabet_size, data.constants32, lane, 32);
    });
    warp.synchronize();
    const Pass pass{.profile = profile,
                    .lanes = 32,
                    .steps = pass_steps(subject.columns, 32),
                    .padding = static_cast<std::uint32_t>(padding_residue(data.alphabet_size)) * 0x01010101u,
                    .reads_border = row > 0,
                    .writes_border = row + tile < query.length};
    sweep<Single32, wide_strip>(warp, pass, work, data.constants32, value);
    warp.synchronize();
  }
  warp.template largest_of_group<Single32>(value, 32);
  return Single32::score(value[0], 0);
}

/// The packed database of one search: `codes` of subject i from offsets[i].
struct PackSource {
  const std::uint8_t* codes;
  const std::uint64_t* offsets;
  const std::uint64_t* first_column;
  const std::uint32_t* order;
  std::size_t pairs;
  int alphabet_size;
};

/// The residues of four columns from `column` (a multiple of four) on, those of both subjects interleaved, with padding
/// after the end.
SPEEDWELL_HD
inline std::uint64_t pack_columns(const PackSource& source, std::uint64_t column) {
  std::size_t pair = 0, end = source.pairs;  // the last pair whose first column is at most `column`
  while (end - pair > 1) {
    const std::size_t middle = pair + (end - pair) / 2;
    (source.first_column[middle] <= column ? pair : end) = middle;
  }
  std::uint64_t word = 0;
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t subject = source.order[2 * pair + half];
    const bool there = subject != PairedSubjects::none;
    const std::uint64_t begin = there ? source.offsets[subject] : 0;
    const std::uint64_t length = there ? source.offsets[subject + 1] - begin : 0;
    for (int c = 0; c < 4; ++c) {
      const std::uint64_t at = column + static_cast<std::uint64_t>(c) - source.first_column[pair];
      int residue = padding_residue(source.alphabet_size);
      if (at < length) {
        const int code = source.codes[begin + at];
        residue = code < source.alphabet_size ? code : source.alphabet_size;
      }
      word |= static_cast<std::uint64_t>(residue) << (16 * c + 8 * half);
    }
  }
  return word;
}

}  // namespace speedwell::alignment
