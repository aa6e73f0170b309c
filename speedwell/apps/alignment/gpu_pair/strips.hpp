// The inner part of the sweep of one huge pair (band.hpp): 64 strips of R rows, two per lane, are swept through a chunk
// of columns. A step is two columns; a strip is two columns behind the one above it, so that its inputs from there were
// computed one step before: by the same lane for the high halves, by the previous lane, through shared memory, for the
// low ones.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_scores.hpp"

namespace speedwell::alignment {

/// The shared memory of a warp. `exchange` is [parity of the step][H, F of column 0, H, F of column 1][slot]. Lane l
/// reads slot l of the first 32, which lane l - 1 wrote in the previous step; lane 0 reads the slots of top() and lane
/// 31 writes those of out(), one slot per two steps. The high half of a word is passed.
template <int R>
struct BandMemory {
  static constexpr int slots = 32 + chunk_steps;
  static constexpr int state_words = 2 * R + 5, exchange_words = 8 * slots / 32;  // per lane
  static constexpr int saved_words = (state_words + exchange_words) * 32;         // the initial state of a chunk
  std::uint32_t exchange[exchange_words * 32];
  std::uint32_t saved[state_words * 32];
  SPEEDWELL_HD
  std::uint32_t* top() { return exchange + 32; }
  SPEEDWELL_HD
  std::uint32_t* out() { return exchange + 32 + chunk_steps / 2; }
  static SPEEDWELL_HD
  constexpr int at(int parity, int word, int slot) { return (4 * parity + word) * slots + slot; }
};

namespace detail {
SPEEDWELL_HD
inline std::uint32_t upper_half(const std::uint32_t* p) {
#ifdef __CUDA_ARCH__
  return reinterpret_cast<const std::uint16_t*>(p)[1];
#else
  return *p >> 16;
#endif
}
}  // namespace detail

/// The gap costs of a problem at run time, in registers.
struct AnyCosts {
  static SPEEDWELL_HD
  CellConstants of(const CellConstants& k) { return k; }
};
/// Compile-time gap costs: they are immediates, so that instructions read one register less.
template <int open, int extend>
struct KnownCosts {
  static SPEEDWELL_HD
  CellConstants of(const CellConstants& k) {
    CellConstants known = Pair16::constants(open, extend);
    known.one = k.one;  // these remain unknown
    known.up16 = k.up16;
    return known;
  }
};

/// The two strips of a lane. With o = open + extend, and scores that have o added, a cell is
///   H = max(max(H(i-1,j-1) + (s + o), o), E, F) - o
/// which is the recurrence of Pair16 (cell.hpp) with the subtraction at the end: it saves an addition in the chain down
/// a column. No half borrows from the other, because none is below o before.
template <class Scores, int R>
struct Strips {
  std::uint32_t h[R], e[R];
  std::uint32_t diagonal;   // H above the strips, one column before those of the next step
  std::uint32_t bottom[4];  // H, F below the strips, of both columns of the previous step
  typename Scores::Row row[R];

  /// Calls f(word) for all words that hold scores.
  template <class F>
  SPEEDWELL_HD
  void each_word(F&& f) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      f(h[r]);
      f(e[r]);
    }
    f(diagonal);
#pragma unroll
    for (int i = 0; i < 4; ++i) f(bottom[i]);
  }

  /// Computes two columns. `from_above`: the values below the strips of the lane above, in the order of `bottom`.
  /// seen(r, h0, h1) is called with H of every row.
  template <class Seen>
  SPEEDWELL_HD
  void step(const std::uint32_t (&from_above)[4], typename Scores::Column column0, typename Scores::Column column1,
            const char* table, const CellConstants& k, Seen&& seen) {
    // The bottom of the low strip is above the high strip.
    std::uint32_t h0 = bottom[0] * k.up16 + from_above[0], f0 = bottom[1] * k.up16 + from_above[1];
    std::uint32_t h1 = bottom[2] * k.up16 + from_above[2], f1 = bottom[3] * k.up16 + from_above[3];
    std::uint32_t before = diagonal;
    diagonal = h1;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const std::uint32_t score0 = Scores::get(table, row[r], column0, k);
      const std::uint32_t score1 = Scores::get(table, row[r], column1, k);
      const std::uint32_t left = h[r];
      const std::uint32_t above = h0;
      e[r] = Pair16::add_max(e[r], k.minus_extend, left);
      f0 = Pair16::add_max(f0, k.minus_extend, h0);
      h0 = Pair16::max3(Pair16::add_max(before, score0, k.floor), e[r], f0) * k.one + k.minus_open;
      e[r] = Pair16::add_max(e[r], k.minus_extend, h0);
      f1 = Pair16::add_max(f1, k.minus_extend, h1);
      h1 = Pair16::max3(Pair16::add_max(above, score1, k.floor), e[r], f1) * k.one + k.minus_open;
      before = left;
      h[r] = h1;
      seen(r, h0, h1);
    }
    bottom[0] = h0;
    bottom[1] = f0;
    bottom[2] = h1;
    bottom[3] = f1;
  }
};

/// Sweeps the strips of a warp through a chunk. seen(lane, step, r, h0, h1) is called with every H.
template <class Scores, int R, class Warp, class Seen>
SPEEDWELL_HD
void sweep_chunk(Warp& warp, typename Warp::template Per<Strips<Scores, R>>& strips, const std::uint16_t* columns,
                 BandMemory<R>& memory, const char* table, const CellConstants& k, Seen&& seen) {
  using Memory = BandMemory<R>;
  typename Warp::template Per<const std::uint32_t*> in;
  typename Warp::template Per<std::uint32_t*> out;
  typename Warp::template Per<const std::uint16_t*> next;
  typename Warp::template Per<typename Scores::Column> column0, column1;
  warp.each([&](int lane) {
    in[lane] = lane == 0 ? memory.top() : memory.exchange + lane;
    out[lane] = lane == 31 ? memory.out() : memory.exchange + lane + 1;
    next[lane] = columns - 4 * lane;
    column0[lane] = Scores::column(next[lane]);
    column1[lane] = Scores::column(next[lane] + 1);
    if (lane < 31) {
#pragma unroll
      for (int i = 0; i < 4; ++i) memory.exchange[Memory::at(0, i, lane + 1)] = strips[lane].bottom[i];
    }
  });
  warp.synchronize();
  const auto advance = [&](int step, int parity) {
    warp.each([&](int lane) {
      std::uint32_t from_above[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) from_above[i] = detail::upper_half(in[lane] + Memory::at(parity, i, 0));
      const typename Scores::Column now0 = column0[lane], now1 = column1[lane];
      column0[lane] = Scores::column(next[lane] + 2 * (parity + 1));
      column1[lane] = Scores::column(next[lane] + 2 * (parity + 1) + 1);
      strips[lane].step(from_above, now0, now1, table, k,
                        [&](int r, std::uint32_t h0, std::uint32_t h1) { seen(lane, step, r, h0, h1); });
#pragma unroll
      for (int i = 0; i < 4; ++i) out[lane][Memory::at(1 - parity, i, 0)] = strips[lane].bottom[i];
    });
    warp.synchronize();
  };
#pragma unroll 1
  for (int step = 0; step < chunk_steps; step += 2) {
    advance(step, 0);
    advance(step + 1, 1);
    warp.each([&](int lane) {
      in[lane] += lane == 0;
      out[lane] += lane == 31;
      next[lane] += 4;
    });
  }
}

}  // namespace speedwell::alignment
