// A guess of the least score that a query's places need: from the places found in the first columns of main, as many
// times fewer as these are of all. Only time depends on it: whether enough places are chosen from those with the score
// proves it, or the query is searched again (gpu_similar.cu).
#pragma once

#include <cstdint>

#include "speedwell/apps/alignment/ssca1/gpu/gpu_places.hpp"

namespace speedwell::alignment::ssca1 {

/// Mains shorter than this are searched for all scores at once.
inline constexpr std::int64_t sampled_columns = std::int64_t{1} << 22;
inline constexpr std::int64_t sample_share = 64;

/// Places of the sample that have the score: five times as many in main as are wanted, so that neither those in
/// conflict nor chance leave too few.
SPEEDWELL_HD
constexpr std::int64_t sample_places(std::int64_t count) {
  const std::int64_t places = 5 * count / sample_share;
  return places < 8 ? 8 : places;
}

/// score[query] from the places found; that of the query's plan if there are fewer than `wanted`.
template <class Block>
SPEEDWELL_HD
void guess_score(const Block& block, const PlaceSearch& search, std::int64_t wanted, std::int32_t query,
                 std::uint32_t (&bins)[score_bins], std::int32_t* score) {
  using namespace place_detail;
  const DeviceQuery q = search.queries[query];
  const FoundPlace* const found = search.found + static_cast<std::int64_t>(query) * search.capacity;
  const std::uint32_t count = search.counts[query] < search.capacity ? search.counts[query] : search.capacity;
  block.each([&](int thread) {
    for (int bin = thread; bin < score_bins; bin += block.threads()) bins[bin] = 0;
  });
  block.each([&](int thread) {
    for (auto i = static_cast<std::uint32_t>(thread); i < count; i += static_cast<std::uint32_t>(block.threads()))
      next_place(&bins[bin_of(found[i])]);
  });
  block.each([&](int thread) {
    if (thread != 0) return;
    std::int32_t h = q.most;
    std::int64_t better = bins[score_bins - 1 - h];
    while (better < wanted && h > q.least) better += bins[score_bins - 1 - --h];
    score[query] = h - q.bias;
  });
}

}  // namespace speedwell::alignment::ssca1
