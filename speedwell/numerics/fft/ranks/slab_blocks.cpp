#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"

#include <algorithm>

namespace speedwell::fft::gpu {

using comm::Range;

std::int64_t SlabDivision::largest_slab() const { return std::max(array_points(0), spectrum_points(0)); }

std::int64_t SlabDivision::points_sent(int rank, bool backward) const {
  return (backward ? spectrum_points(rank) : array_points(rank)) -
         planes_of(rank).size() * layers_of(rank).size() * inner;
}

SlabBlock SlabDivision::forward_block(int sender, int receiver, Range planes) const {
  const Range layers = layers_of(receiver);
  return {.rows = planes.size(),
          .run = layers.size() * inner,
          .from = (planes.begin * second + layers.begin) * inner,
          .from_pitch = second * inner,
          .to = (planes_of(sender).begin + planes.begin) * layers.size() * inner,
          .to_pitch = layers.size() * inner};
}

SlabBlock SlabDivision::backward_block(int sender, int receiver, Range layers) const {
  const Range planes = planes_of(receiver), of_sender = layers_of(sender);
  return {.rows = planes.size(),
          .run = layers.size() * inner,
          .from = (planes.begin * of_sender.size() + layers.begin) * inner,
          .from_pitch = of_sender.size() * inner,
          .to = (of_sender.begin + layers.begin) * inner,
          .to_pitch = second * inner};
}

SlabBlocks SlabDivision::all_blocks(int rank, bool backward) const {
  const auto whole = [&](int of) { return Range{0, backward ? layers_of(of).size() : planes_of(of).size()}; };
  SlabBlocks all;
  for (int r = 0; r < ranks; ++r) {
    all.sent.push_back(block(backward, rank, r, whole(rank)));
    all.received.push_back(block(backward, r, rank, whole(r)));
  }
  return all;
}

std::vector<SlabDivision::PlaneOwner> SlabDivision::plane_owners() const {
  std::vector<PlaneOwner> owners;
  for (int r = 0; r < ranks; ++r)
    for (std::int64_t i = 0; i < planes_of(r).size(); ++i) owners.push_back({r, i});
  return owners;
}

}  // namespace speedwell::fft::gpu
