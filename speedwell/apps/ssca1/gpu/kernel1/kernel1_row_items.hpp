// cuda-rows: the consecutive columns of a thread in a row, in its registers. Host code executes the same in tests.
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_decaying_maximum.hpp"

namespace speedwell::ssca1 {

template <int N>
struct RowItems {
  std::int32_t above[N], gaps[N];  // H of the row above, and F of it, which is replaced
  std::int32_t corner = 0;         // H of the row above in the column before the first
  std::int32_t cells[N];           // H~, then H

  /// Equation 4.3; score(k) is that of the pair of column k. Returns T of the columns.
  template <class Score>
  SPEEDWELL_HD
  std::int32_t from_above(std::int32_t open, std::int32_t extend, Score&& score) {
    const DecayingMaximum scan{extend};
    std::int32_t all = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      cells[k] = from_row_above(gaps[k], diagonal(k), above[k], score(k), open, extend);
      all = scan.combine(all, cells[k], 1);
    }
    return all;
  }
  /// Equation 4.5; `before` is T of all columns before the first. Returns the largest H.
  SPEEDWELL_HD
  std::int32_t along(std::int32_t before, std::int32_t open, std::int32_t extend) {
    const DecayingMaximum scan{extend};
    std::int32_t best = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      const std::int32_t h_row = cells[k];
      cells[k] = along_row(h_row, before, open, extend);
      before = scan.combine(before, h_row, 1);
      best = scan_detail::larger(best, cells[k]);
    }
    return best;
  }
  /// H of the row above in the column before column k.
  SPEEDWELL_HD
  std::int32_t diagonal(int k) const { return k > 0 ? above[k - 1] : corner; }
};

/// T of all columns before a thread, from T of those before its tile, of the tile's warps before its own, and of the
/// warp's lanes before its own, each of `items` columns.
SPEEDWELL_HD
constexpr std::int32_t before_thread(const DecayingMaximum& scan, std::int32_t before_tile, std::int32_t before_warp,
                                     std::int32_t before_lane, int thread, int items) {
  const std::int32_t in_tile = scan.combine(before_warp, before_lane, thread % 32 * items);
  return scan.combine(before_tile, in_tile, thread * items);
}

}  // namespace speedwell::ssca1
