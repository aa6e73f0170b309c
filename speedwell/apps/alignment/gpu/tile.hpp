// The tile that one pass of a warp computes: a group of 8 or 32 lanes holds `lanes * R` query rows in registers, R per
// lane, and the columns of its subjects stream through it, two per step, each lane one step behind the lane above. Two
// subjects share a word (cell.hpp). The bottom border of a lane is passed to the next lane one step later by a shuffle;
// that of the last lane is the border under the tile, stored in memory for the pass over the query's next tile. Two
// columns per step give a lane two chains of dependent instructions, one row apart, and halve the overhead of a step.
//
// `Warp` is the hardware warp of the kernel or, in tests, 32 lanes that host code executes one after the other
// (warp.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"

namespace speedwell::alignment {

/// The borders of two columns: 16 bytes, one access.
struct alignas(16) Borders {
  Border column[2];
};

/// The query profile of a tile: for every subject residue a row with the scores of the tile's query rows, 16 bits each.
/// Row r of lane `rank` is in chunk r / 8; in a chunk the lanes are contiguous, 16 bytes each, so that the lanes of a
/// 128-byte access use different banks for any residues.
template <int R>
struct ProfileLayout {
  static_assert(R % 4 == 0 && R > 0);
  static constexpr int bytes_per_chunk = 512;  // 32 lanes; groups of 8 leave three quarters unused
  static constexpr int bytes_per_residue = (R + 7) / 8 * bytes_per_chunk;
  /// Byte offset of rows r and r + 1 (r even) of lane `rank` in a residue's row.
  static SPEEDWELL_HD
  constexpr int offset(int rank, int r) { return r / 8 * bytes_per_chunk + rank * 16 + r % 8 * 2; }
};

/// Rows of a profile: the residues, one for codes outside of the alphabet, and one for columns after a subject's end.
SPEEDWELL_HD
constexpr int profile_rows(int alphabet_size) { return alphabet_size + 2; }
SPEEDWELL_HD
constexpr int padding_residue(int alphabet_size) { return alphabet_size + 1; }
/// Bytes of a tile's profile, with lanes of `strip_rows` rows.
constexpr int profile_bytes(int strip_rows, int alphabet_size) {
  return (alphabet_size + 2) * ((strip_rows + 7) / 8) * ProfileLayout<8>::bytes_per_chunk;
}
/// The score of padding, as a row or as a column. A path through padding never returns to the table, and no step in it
/// increases the score, so that any score that is not positive leaves the maximum unchanged.
inline constexpr int padding_score = -128;

/// Fills the profile of the query rows first_row ... first_row + lanes * R - 1 of a query of `query_length` residues.
/// `profile`: profile_bytes(R, alphabet_size) bytes at a multiple of 16. `scores`: 32 x 32, query residue by subject
/// residue. Called by `threads` threads with their index `thread`; the caller places a barrier before the profile is
/// read.
template <class Arithmetic, int R>
SPEEDWELL_HD
void build_profile(char* profile, const std::uint8_t* query, int query_length, int first_row, int lanes,
                   const std::int8_t* scores, int alphabet_size, const CellConstants& k, int thread, int threads) {
  const int words = lanes * (R / 2);  // a word has two rows of a lane
  for (int i = thread; i < words; i += threads) {
    const int rank = i & (lanes - 1), r = i / lanes * 2;
    const int row = first_row + rank * R + r;
    const int code0 = row < query_length ? query[row] & 31 : -1;
    const int code1 = row + 1 < query_length ? query[row + 1] & 31 : -1;
    char* word = profile + ProfileLayout<R>::offset(rank, r);
    for (int residue = 0; residue < profile_rows(alphabet_size); ++residue) {
      const bool padding = residue == padding_residue(alphabet_size);
      const int s0 = padding || code0 < 0 ? padding_score : scores[code0 * 32 + residue];
      const int s1 = padding || code1 < 0 ? padding_score : scores[code1 * 32 + residue];
      *reinterpret_cast<std::uint32_t*>(word + residue * ProfileLayout<R>::bytes_per_residue) =
          Arithmetic::profile_half(s0, k) | static_cast<std::uint32_t>(Arithmetic::profile_half(s1, k)) << 16;
    }
  }
}

/// The profile rows of the residues of some columns, for one lane.
template <int Columns>
struct ProfileRows {
  const char *first[Columns], *second[Columns];  // of the first and the second subject
};

/// R query rows of one lane, in registers: H (or G, see cell.hpp) and E of the last computed column.
template <class Arithmetic, int R>
struct Strip {
  std::uint32_t h[R], e[R];

  SPEEDWELL_HD
  void clear(const CellConstants& k) {
#pragma unroll
    for (int r = 0; r < R; ++r) h[r] = Arithmetic::top(k).h, e[r] = 0;
  }

  /// Computes the next one or two columns. `at` are the borders above them, which are replaced by those below;
  /// `diagonal` is the h above the previous column.
  template <int Columns>
  SPEEDWELL_HD
  void columns(Border (&at)[Columns], std::uint32_t diagonal, const ProfileRows<Columns>& profile,
               const CellConstants& k, std::uint32_t& best) {
    std::uint32_t diagonals[Columns] = {diagonal};
    if constexpr (Columns == 2) diagonals[1] = at[0].h;
    if constexpr (R >= 8) {
#pragma unroll
      for (int r = 0; r < R / 8 * 8; r += 8) rows<Words4, 8>(r, at, diagonals, profile, k, best);
    }
    if constexpr (R % 8 != 0) rows<Words2, 4>(R / 8 * 8, at, diagonals, profile, k, best);
  }

 private:
  template <class Words, int N, int Columns>
  SPEEDWELL_HD
  void rows(int begin, Border (&at)[Columns], std::uint32_t (&diagonals)[Columns], const ProfileRows<Columns>& profile,
            const CellConstants& k, std::uint32_t& best) {
    Words a[Columns], b[Columns];
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      b[c] = a[c] = *reinterpret_cast<const Words*>(profile.first[c] + ProfileLayout<R>::offset(0, begin));
      if constexpr (Arithmetic::subjects == 2)
        b[c] = *reinterpret_cast<const Words*>(profile.second[c] + ProfileLayout<R>::offset(0, begin));
    }
#pragma unroll
    for (int i = 0; i < N; i += 2) {
      typename Arithmetic::Scores scores[Columns];
#pragma unroll
      for (int c = 0; c < Columns; ++c) scores[c] = Arithmetic::scores(a[c].w[i / 2], b[c].w[i / 2], k);
      std::uint32_t found[2][Columns];  // H of two rows
      cells<0>(begin + i, at, diagonals, scores, k, found[0]);
      cells<1>(begin + i + 1, at, diagonals, scores, k, found[1]);
      if constexpr (Columns == 2) {
        best = Arithmetic::max3(best, found[0][0], found[0][1]);
        best = Arithmetic::max3(best, found[1][0], found[1][1]);
      } else {
        best = Arithmetic::max3(best, found[0][0], found[1][0]);
      }
    }
  }

  // Row r of all columns. `at` is the border above the row and becomes that below; `diagonals` are the h above and to
  // the left, which become the h to the left, the diagonals of the next row. `found` are the cells' H.
  template <int Row, int Columns>
  SPEEDWELL_HD
  void cells(int r, Border (&at)[Columns], std::uint32_t (&diagonals)[Columns],
             const typename Arithmetic::Scores (&scores)[Columns], const CellConstants& k,
             std::uint32_t (&found)[Columns]) {
    std::uint32_t left = h[r];
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      at[c].h = Arithmetic::template cell<Row>(e[r], at[c].f, left, at[c].h, diagonals[c], scores[c], k, found[c]);
      diagonals[c] = left;
      left = at[c].h;
    }
    h[r] = left;
  }
};

/// The subject pair of one group.
struct Subjects {
  const std::uint8_t* residues = nullptr;  // two bytes per column
  Border* border = nullptr;                // one per column; not accessed unless the pass reads or writes it
  int columns = 0;                         // a multiple of two
};

/// Steps of a pass over `columns` columns, an even number: the last lane ends lanes - 1 steps after the first.
SPEEDWELL_HD
constexpr int pass_steps(int columns, int lanes) { return (columns / 2 + lanes + 1) / 2 * 2; }

/// One pass of a warp over the subjects of its groups.
struct Pass {
  const char* profile = nullptr;
  int lanes = 32;              // lanes of a group: a power of two
  int steps = 0;               // of two columns: even, and at least half the maximum columns of a group plus lanes - 1
  std::uint32_t padding = 0;   // the residues of two columns after the end
  bool reads_border = false;   // there is a tile above
  bool writes_border = false;  // there is a tile below
};

/// Sweeps the subjects of the groups through the tile and updates `best`, one value per lane, with the maximum of H.
/// The border in memory is replaced in place: the first lane of a group reads the border of two columns `lanes` steps
/// before the last lane overwrites it. The caller synchronises the warp between two passes.
///
/// pass.steps suffice for the longest subjects of the groups; a group with shorter ones continues with padding, which
/// does not change the maximum.
template <class Arithmetic, int R, class Warp>
SPEEDWELL_HD
void sweep(Warp& warp, const Pass& pass, const typename Warp::template Per<Subjects>& work,
           const CellConstants& constants, typename Warp::template Per<std::uint32_t>& best) {
  typename Warp::template Per<Strip<Arithmetic, R>> strip;
  typename Warp::template Per<Borders> below, read;
  typename Warp::template Per<std::uint32_t> diagonal, residues;
  const Border top = Arithmetic::top(constants);

  // Residues and the borders above are loaded one step before their use.
  const auto fetch = [&](int lane, int column) {
    const int rank = lane & (pass.lanes - 1);
    const Subjects& subjects = work[lane];
    const bool inside = static_cast<unsigned>(column) < static_cast<unsigned>(subjects.columns);
    residues[lane] =
        inside ? Arithmetic::residues(subjects.residues + 2 * static_cast<std::size_t>(column)) : pass.padding;
    if (pass.reads_border)
      read[lane] =
          inside && rank == 0 ? *reinterpret_cast<const Borders*>(subjects.border + column) : Borders{{top, top}};
  };

  warp.each([&](int lane) {
    strip[lane].clear(constants);
    below[lane] = read[lane] = Borders{{top, top}};
    diagonal[lane] = top.h;
    fetch(lane, -2 * (lane & (pass.lanes - 1)));
  });
  const auto advance = [&](int step) {
    const typename Warp::template Per<Borders> from_lane_above = warp.shift_up(below);
    warp.each([&](int lane) {
      const int rank = lane & (pass.lanes - 1);
      const int column = 2 * (step - rank);
      Borders at = rank == 0 ? read[lane] : from_lane_above[lane];
      const char* lane_profile = pass.profile + rank * 16;
      const auto row_of = [&](int byte) {
        return lane_profile + (residues[lane] >> (8 * byte) & 0xffu) * ProfileLayout<R>::bytes_per_residue;
      };
      const ProfileRows<2> rows{{row_of(0), row_of(2)}, {row_of(1), row_of(3)}};
      fetch(lane, column + 2);
      const std::uint32_t before = diagonal[lane];
      diagonal[lane] = at.column[1].h;
      strip[lane].columns(at.column, before, rows, constants, best[lane]);
      below[lane] = at;
      if (pass.writes_border && rank == pass.lanes - 1 &&
          static_cast<unsigned>(column) < static_cast<unsigned>(work[lane].columns))
        *reinterpret_cast<Borders*>(work[lane].border + column) = below[lane];
    });
  };
  // A new H is written to the register of the H of the row above, so that rows move through the registers. With two
  // steps per iteration, the moves that restore the order are halved.
  for (int step = 0; step < pass.steps; step += 2) {
    advance(step);
    advance(step + 1);
  }
}

}  // namespace speedwell::alignment
