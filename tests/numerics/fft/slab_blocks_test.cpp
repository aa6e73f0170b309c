// The division in slabs: the blocks of an exchange move every point from where it is to where it belongs.
#include "speedwell/numerics/fft/ranks/slab_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace speedwell::fft::gpu {
namespace {

using Slabs = std::vector<std::vector<std::int64_t>>;  // of each rank, the index of each point in the whole array

Slabs array_slabs(const SlabDivision& d) {
  Slabs all;
  std::int64_t next = 0;
  for (int r = 0; r < d.ranks; ++r) {
    all.emplace_back();
    for (std::int64_t i = 0; i < d.array_points(r); ++i) all.back().push_back(next++);
  }
  return all;
}
Slabs spectrum_slabs(const SlabDivision& d) {
  Slabs all;
  for (int r = 0; r < d.ranks; ++r) {
    all.emplace_back();
    for (std::int64_t i = 0; i < d.first; ++i)
      for (std::int64_t j = d.layers_of(r).begin; j < d.layers_of(r).end; ++j)
        for (std::int64_t k = 0; k < d.inner; ++k) all.back().push_back((i * d.second + j) * d.inner + k);
  }
  return all;
}

const std::vector<SlabDivision> divisions = {{1, 1, 1, 1},  {8, 4, 2, 1}, {8, 4, 2, 2},  {8, 4, 2, 3},
                                             {16, 8, 1, 5}, {7, 9, 3, 4}, {32, 16, 4, 8}};

TEST(SlabBlocks, MoveEveryPointWhereItBelongs) {
  for (const SlabDivision& d : divisions)
    for (const bool backward : {false, true}) {
      const Slabs from = backward ? spectrum_slabs(d) : array_slabs(d);
      const Slabs expected = backward ? array_slabs(d) : spectrum_slabs(d);
      Slabs to;
      for (const auto& slab : expected) {
        to.emplace_back(slab.size(), -1);
        EXPECT_LE(static_cast<std::int64_t>(slab.size()), d.largest_slab());
      }
      for (int sender = 0; sender < d.ranks; ++sender) {
        const SlabBlocks sent = d.all_blocks(sender, backward);
        std::int64_t to_others = 0;
        for (int receiver = 0; receiver < d.ranks; ++receiver) {
          const SlabBlock& b = sent.sent[static_cast<std::size_t>(receiver)];
          const SlabBlock same = d.all_blocks(receiver, backward).received[static_cast<std::size_t>(sender)];
          EXPECT_EQ(b.points(), same.points());
          EXPECT_EQ(b.to, same.to);
          if (receiver != sender) to_others += b.points();
          for (std::int64_t row = 0; row < b.rows; ++row)
            for (std::int64_t i = 0; i < b.run; ++i)
              to[static_cast<std::size_t>(receiver)].at(static_cast<std::size_t>(b.to + row * b.to_pitch + i)) =
                  from[static_cast<std::size_t>(sender)].at(static_cast<std::size_t>(b.from + row * b.from_pitch + i));
        }
        EXPECT_EQ(to_others, d.points_sent(sender, backward)) << d.ranks;
      }
      EXPECT_EQ(to, expected) << d.first << " x " << d.second << " x " << d.inner << " on " << d.ranks;
    }
}

// A store of point (z, y, x) into plane z of its owner is where the slab of the array has it.
TEST(SlabBlocks, PlanesHaveOwners) {
  for (const SlabDivision& d : divisions) {
    const Slabs slabs = array_slabs(d);
    const auto owners = d.plane_owners();
    ASSERT_EQ(static_cast<std::int64_t>(owners.size()), d.first);
    const std::int64_t plane = d.second * d.inner;
    for (std::int64_t z = 0; z < d.first; ++z) {
      const auto [rank, index] = owners[static_cast<std::size_t>(z)];
      EXPECT_EQ(slabs.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(index * plane)), z * plane);
      EXPECT_LT(index, d.planes_of(rank).size());
    }
  }
}

}  // namespace
}  // namespace speedwell::fft::gpu
