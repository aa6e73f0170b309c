// The borders of a band of one huge pair: the rows of H and F that it takes from the band above and leaves to the band
// below, in global memory. All lanes of the warp load and store them, for a whole chunk of columns at a time; in the
// chunk lane 0 takes the upper row from the warp's exchange memory, and lane 31 leaves the lower one there.
//
// A word of a border is H in the low half and F in the high half, relative to the base of its chunk. A chunk that was
// pruned has the base `pruned_base`, and its values count as 0.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu/cell.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_memory.hpp"
#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"
#include "speedwell/apps/alignment/gpu_pair/largest_of_lanes.hpp"
#include "speedwell/apps/alignment/gpu_pair/strips.hpp"

namespace speedwell::alignment {

template <int R, class Warp>
class BandBorders {
 public:
  SPEEDWELL_HD
  BandBorders(Warp& warp, const BandProblem& problem, std::int64_t band, BandMemory<R>& memory)
      : warp_(warp), problem_(problem), band_(band), memory_(memory) {}

  /// Lane l reads what steps l, l + 32, … of lane 0 need of the row above. Returns the largest H of it.
  SPEEDWELL_HD
  std::int32_t read_top(std::int64_t chunk) {
    if (band_ == 0) {
      warp_.each([&](int lane) { top_[lane] = Top{}; });
      return 0;
    }
    Per<std::uint32_t> maximum;
    warp_.each([&](int lane) {
      std::int32_t best = 0;
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        TopPart& top = top_[lane].part[p];
        const std::int64_t column = chunk * chunk_columns + 64 * p + 2 * lane, last = problem_.subject_length - 1;
        const std::int64_t from = column < last ? column : last;
        top.base = detail::load_border(problem_.border_base + (from + band_lag) / chunk_columns);
        if (column < last) {
          const Words2 words = detail::load_border2(problem_.border + column);
          top.words[0] = words.w[0];
          top.words[1] = words.w[1];
        } else {  // after the end, the row above is continued by its last values
          top.words[0] = top.words[1] = detail::load_border(problem_.border + last);
        }
      }
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        TopPart& top = top_[lane].part[p];
        if (top.base == pruned_base) top = {{0, 0}, 0};
        const std::int32_t h = detail::larger(detail::low(top.words[0]), detail::low(top.words[1]));
        best = detail::larger(best, top.base + h);
      }
      maximum[lane] = static_cast<std::uint32_t>(best);
    });
    return largest_of_lanes(warp_, maximum);
  }

  /// Stores the result of read_top() for lane 0, relative to the band's base.
  SPEEDWELL_HD
  void pass_top(std::int32_t base) {
    warp_.each([&](int lane) {
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        const TopPart& top = top_[lane].part[p];
        std::uint32_t* to = memory_.top() + Memory::at(lane & 1, 0, 16 * p + (lane >> 1));
        const std::int32_t difference = top.base - base;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          // Values below the base occur only next to pruned chunks.
          const std::int32_t h = detail::larger(detail::low(top.words[i]) + difference, 0);
          const std::int32_t f = detail::larger(detail::high(top.words[i]) + difference, 0);
          to[Memory::at(0, 2 * i, 0)] = static_cast<std::uint32_t>(h) << 16;
          to[Memory::at(0, 2 * i + 1, 0)] = static_cast<std::uint32_t>(f) << 16;
        }
      }
    });
    warp_.synchronize();
  }

  /// Lane l stores the results of steps l, l + 32, … of lane 31.
  SPEEDWELL_HD
  void store_bottom(std::int64_t chunk, std::int32_t base) {
    const std::int64_t special = kept_row();
    const bool checked = problem_.checks.sums != nullptr;
    Per<std::uint32_t> sum;
    warp_.each([&](int lane) {
      sum[lane] = 0;
#pragma unroll
      for (int p = 0; p < parts; ++p) {
        const std::int64_t column = chunk * chunk_columns - band_lag + 64 * p + 2 * lane;
        const std::uint32_t* out = memory_.out() + Memory::at(1 - (lane & 1), 0, 16 * p + (lane >> 1));
        Words2 words;
#pragma unroll
        for (int i = 0; i < 2; ++i)
          words.w[i] = (out[Memory::at(0, 2 * i, 0)] >> 16) | (out[Memory::at(0, 2 * i + 1, 0)] & 0xffff0000u);
        if (column >= 0) detail::store_border2(problem_.border_below + column, words);
        if (special >= 0 && column >= 0) detail::store_border2(problem_.special.row(special) + column, words);
        if (checked) {
#pragma unroll
          for (int i = 0; i < 2; ++i)
            if (column + i >= 0 && column + i < problem_.subject_length) {
              // The word has F of this row, before the gap's first residue is subtracted.
              const std::int32_t h = base + detail::low(words.w[i]), f = base + detail::high(words.w[i]);
              const std::int32_t next_f = detail::larger(h, f - problem_.gap_next) - problem_.gap_first;
              sum[lane] += border_hash(column + i, h, detail::larger(next_f, 0));
            }
        }
      }
      if (lane == 0) problem_.border_base_below[chunk] = base;
      if (lane == 0 && special >= 0) problem_.special.base(special)[chunk] = base;
    });
    if (!checked) return;
    warp_.sum_of_warp(sum);
    warp_.each([&](int lane) {
      if (lane == 0) detail::add_to(problem_.checks.sums + check_of(chunk), sum[lane]);
    });
  }

  /// The check that this band's chunk belongs to.
  SPEEDWELL_HD
  std::int64_t check_of(std::int64_t chunk) const {
    return band_ * check_blocks + BandChecks::block_of(chunk, problem_.chunks, problem_.checks.chunks_of_block);
  }

  /// The special row as which this band's last row is stored, or -1.
  SPEEDWELL_HD
  std::int64_t kept_row() const {
    const std::int64_t every = problem_.special.every;
    if (every == 0 || (band_ + 1) % every != 0) return -1;
    const std::int64_t k = (band_ + 1) / every - 1;
    return k < problem_.special.rows ? k : -1;
  }

 private:
  using Memory = BandMemory<R>;
  template <class T>
  using Per = typename Warp::template Per<T>;

  static constexpr int parts = chunk_steps / 32;
  struct TopPart {
    std::uint32_t words[2] = {0, 0};
    std::int32_t base = 0;
  };
  struct Top {
    TopPart part[parts];
  };

  Warp& warp_;
  const BandProblem& problem_;
  std::int64_t band_;
  Memory& memory_;
  Per<Top> top_;
};

}  // namespace speedwell::alignment
