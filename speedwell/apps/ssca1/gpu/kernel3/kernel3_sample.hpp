// An estimate of the minimum score that a query's regions need, from the regions found in the first columns of main,
// scaled by the length. It affects only the time: if enough regions with this score are selected it is confirmed,
// otherwise the query is repeated (kernel3_similar.cu).
#pragma once

#include <cstdint>

#include "speedwell/apps/ssca1/gpu/kernel3/kernel3_regions.hpp"

namespace speedwell::ssca1 {

/// Shorter mains are searched for all scores at once.
inline constexpr std::int64_t sampled_columns = std::int64_t{1} << 22;
inline constexpr std::int64_t sample_share = 64;

/// The number of regions of the sample that must have the score: it corresponds to five times the requested ones in
/// main, so that neither conflicts nor fluctuations leave too few.
SPEEDWELL_HD
constexpr std::int64_t sample_regions(std::int64_t count) {
  const std::int64_t regions = 5 * count / sample_share;
  return regions < 8 ? 8 : regions;
}

/// score[query] from the regions found; the minimum score of the query's plan if there are fewer than `wanted`.
template <class Block>
SPEEDWELL_HD
void guess_score(const Block& block, const RegionSearch& search, std::int64_t wanted, std::int32_t query,
                 std::uint32_t (&bins)[score_bins], std::int32_t* score) {
  using namespace region_detail;
  const DeviceQuery q = search.queries[query];
  const FoundRegion* const found = search.found + static_cast<std::int64_t>(query) * search.capacity;
  const std::uint32_t count = search.counts[query] < search.capacity ? search.counts[query] : search.capacity;
  block.each([&](int thread) {
    for (int bin = thread; bin < score_bins; bin += block.threads()) bins[bin] = 0;
  });
  block.each([&](int thread) {
    for (auto i = static_cast<std::uint32_t>(thread); i < count; i += static_cast<std::uint32_t>(block.threads()))
      next_region(&bins[bin_of(found[i])]);
  });
  block.each([&](int thread) {
    if (thread != 0) return;
    std::int32_t h = q.maximum;
    std::int64_t better = bins[score_bins - 1 - h];
    while (better < wanted && h > q.minimum) better += bins[score_bins - 1 - --h];
    score[query] = h - q.bias;
  });
}

}  // namespace speedwell::ssca1
