// The slabs of several GPUs: which planes each has, and that what a kernel stores for a neighbour lands in the halo
// plane that stands for it.
#include "speedwell/apps/blast_wave/ranks/planes.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace speedwell::blast_wave {
namespace {

std::vector<PlaneSlab> slabs_of(const Problem& problem, int ranks) {
  std::vector<PlaneSlab> all;
  for (int r = 0; r < ranks; ++r) all.emplace_back(problem, ranks, r);
  return all;
}

/// The plane of the whole box that plane k of the slab's mesh is, or is a copy of.
std::int64_t plane_of_box(const PlaneSlab& slab, std::int64_t k, std::int64_t nz) {
  return (slab.planes().begin + k - halo_planes + nz) % nz;
}

TEST(BlastWavePlanes, CoverTheBoxAndKeepItsSpacing) {
  for (const int ranks : {2, 3, 4, 5}) {
    const Problem problem{.extents = {5, 7, 11}};
    const Medium whole = medium_of(problem);
    std::int64_t next = 0;
    for (const PlaneSlab& slab : slabs_of(problem, ranks)) {
      EXPECT_EQ(slab.planes().begin, next);
      EXPECT_GE(slab.planes().size(), halo_planes);
      EXPECT_LE(slab.planes().size(), (11 + ranks - 1) / ranks);
      next = slab.planes().end;
      const Medium& m = slab.medium();
      EXPECT_EQ(m.extent[2], slab.planes().size() + 2 * halo_planes);
      EXPECT_EQ(m.points, 35 * m.extent[2]);
      EXPECT_EQ(m.stride % tile, 0);
      EXPECT_GE(m.stride, m.points);
      for (int d = 0; d < 3; ++d) EXPECT_EQ(m.per[d], whole.per[d]);
      EXPECT_EQ(slab.here(slab.points().begin), 2 * 35);
      EXPECT_EQ(slab.here(slab.points().end - 1), m.points - 2 * 35 - 1);
    }
    EXPECT_EQ(next, 11);
  }
}

TEST(BlastWavePlanes, WhatIsStoredForANeighbourLandsInItsCopy) {
  for (const std::int64_t nz : {5, 8, 11})
    for (int ranks = 2; ranks <= nz / halo_planes; ++ranks) {
      const Problem problem{.extents = {6, 5, nz}};
      const std::vector<PlaneSlab> slabs = slabs_of(problem, ranks);
      for (int r = 0; r < ranks; ++r) {
        const PlaneSlab &own = slabs[static_cast<std::size_t>(r)],
                        &below = slabs[static_cast<std::size_t>((r + ranks - 1) % ranks)],
                        &above = slabs[static_cast<std::size_t>((r + 1) % ranks)];
        for (int at = own.first(); at < own.first() + halo_planes * own.plane(); ++at) {
          const int there = at + own.shift_below(below);
          EXPECT_GE(there, below.first() + below.count());
          EXPECT_LT(there, below.medium().points);
          EXPECT_EQ(there % below.plane(), at % own.plane());
          EXPECT_EQ(plane_of_box(below, there / below.plane(), nz), plane_of_box(own, at / own.plane(), nz));
        }
        const int end = own.first() + own.count();
        for (int at = end - halo_planes * own.plane(); at < end; ++at) {
          const int there = at + own.shift_above();
          EXPECT_GE(there, 0);
          EXPECT_LT(there, above.first());
          EXPECT_EQ(there % above.plane(), at % own.plane());
          EXPECT_EQ(plane_of_box(above, there / above.plane(), nz), plane_of_box(own, at / own.plane(), nz));
        }
      }
    }
}

TEST(BlastWavePlanes, AreRefusedWhereARankHasFewerThanTwo) {
  const Extents e{8, 8, 9};
  EXPECT_NO_THROW(require_planes(e, 1));
  EXPECT_NO_THROW(require_planes(e, 4));
  EXPECT_THROW(PlaneSlab({.extents = e}, 5, 0), std::invalid_argument);
  try {
    require_planes(e, 5);
    ADD_FAILURE();
  } catch (const std::invalid_argument& refused) {
    EXPECT_EQ(std::string(refused.what()),
              "blast_wave: 9 planes along z among 5 GPUs; each needs 2, so that 4 are the most");
  }
}

TEST(BlastWavePlanes, NeedMemoryForAVectorAndFourPlanesMore) {
  const Extents e{128, 128, 128};
  const double one = distributed_gpu_bytes(e, 1, 10), two = distributed_gpu_bytes(e, 2, 10);
  EXPECT_EQ(one, gpu_bytes(e, BlockSource::recomputed, 10));
  EXPECT_NEAR(two / (one * 68 / 128 * 465 / 425), 1, 0.01);  // bytes per point: 465 with the vector, 425 without
}

}  // namespace
}  // namespace speedwell::blast_wave
