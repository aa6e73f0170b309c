// The order of a band's cells: by descending H, then by row, then by column.
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/gpu_pair/band_problem.hpp"

namespace speedwell::alignment {

SPEEDWELL_HD
inline bool comes_before(const BandBest& a, const BandBest& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

/// The first of the cells that the lanes found, with lanes in the order of their rows; no cell if no score is positive.
/// `shared`: 96 words that all lanes access.
template <class Warp>
SPEEDWELL_HD
BandBest first_best(Warp& warp, const typename Warp::template Per<BandBest>& found, std::uint32_t* shared) {
  warp.each([&](int lane) {
    shared[lane] = static_cast<std::uint32_t>(found[lane].score);
    shared[32 + lane] = static_cast<std::uint32_t>(found[lane].row);
    shared[64 + lane] = static_cast<std::uint32_t>(found[lane].column);
  });
  warp.synchronize();
  BandBest best;
  for (int lane = 0; lane < 32; ++lane) {
    const auto score = static_cast<std::int32_t>(shared[lane]);
    if (score > best.score)
      best = {score, static_cast<std::int32_t>(shared[32 + lane]), static_cast<std::int32_t>(shared[64 + lane])};
  }
  warp.synchronize();
  return best;
}

}  // namespace speedwell::alignment
