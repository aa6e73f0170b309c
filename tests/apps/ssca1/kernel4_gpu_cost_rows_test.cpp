// Kernel 4 as the GPU computes it, thread by thread on the host: the same template as in the kernel, against the CPU,
// which agrees with the reference.
#include <gtest/gtest.h>

#include "speedwell/apps/ssca1/gpu/kernel4_differences_plan.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

template <int N>
void compute(const PairCosts& costs, const DeviceSet& set, std::int64_t first) {
  const std::int64_t pairs = std::int64_t{set.members} * (set.members - 1) / 2;
  for (std::int64_t p = first; p < std::min(pairs, first + pairs_per_task); p += 2)
    difference_of_pairs<N>(costs, set, p, p + 1 < pairs);
}

/// Does what GpuDifferences does; expects the CPU's differences of every set that is not left to the host.
DifferencesPlan expect_same(const std::vector<Members>& sets, const DifferenceCosts& costs) {
  const DifferencesPlan plan = plan_differences(sets, costs);
  std::vector<std::uint16_t> made(static_cast<std::size_t>(plan.pairs), 0xdead);
  const PairCosts problem{plan.words.data(), plan.members.data(),         plan.sets.data(), made.data(), costs.mismatch,
                          costs.space,       symbol_shift(costs.mismatch)};
  for (const DifferencesPlan::Group& group : plan.groups)
    for (std::size_t t = group.first; t < group.first + group.count; ++t) {
      const DeviceSet& set = plan.sets[static_cast<std::size_t>(plan.tasks[t].set)];
      switch (group.columns) {
        case 24:
          compute<24>(problem, set, plan.tasks[t].first);
          break;
        case 32:
          compute<32>(problem, set, plan.tasks[t].first);
          break;
        case 48:
          compute<48>(problem, set, plan.tasks[t].first);
          break;
        case 64:
          compute<64>(problem, set, plan.tasks[t].first);
          break;
        default:
          compute<96>(problem, set, plan.tasks[t].first);
      }
    }
  const auto expected = global_align(sets, costs);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const DeviceSet& set = plan.sets[s];
    for (std::int64_t p = 0; p < std::int64_t{set.members} * (set.members - 1) / 2; ++p)
      EXPECT_EQ(made[static_cast<std::size_t>(set.first_pair + p)], expected[s].upper[static_cast<std::size_t>(p)])
          << "set " << s << ", pair " << p;
  }
  return plan;
}

TEST(Ssca1GpuCostRows, RandomSetsOfEverySizeAndLength) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    std::vector<Members> sets(12);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::size_t size = s < 4 ? s : s == 4 ? 100 : random.below(30), longest = 1 + random.below(97);
      while (sets[s].size() < size)
        sets[s].push_back(sets[s].empty() || random.below(3) == 0
                              ? random_sequence(random, random.below(longest + 1), round % 3 ? 4 : 2)
                              : random.relative(sets[s][random.below(sets[s].size())]));
      for (auto& member : sets[s])
        for (auto& symbol : member) symbol &= 3;
    }
    const DifferenceCosts costs = round % 3 == 0   ? DifferenceCosts{}
                                  : round % 3 == 1 ? DifferenceCosts{1, 2}
                                                   : DifferenceCosts{random.between(0, 99), random.between(0, 90)};
    EXPECT_GT(expect_same(sets, costs).pairs, 4000);
  }
}

TEST(Ssca1GpuCostRows, TheFamily) {
  const Sequence query = parse_codons(family_query), main = parse_codons(family_main);
  const auto regions = locate_similar(main, std::vector<Codes>{query}, scoring(Preset::ssca1, Alphabet::codons));
  const std::vector<Members> sets = {members(main, regions[0], Alphabet::codons)};
  EXPECT_EQ(expect_same(sets, {}).pairs, 15);
  EXPECT_EQ(expect_same(sets, {1, 2}).pairs, 15);
}

TEST(Ssca1GpuCostRows, WhatIsLeftToTheHost) {
  const Sequence any = {0, 1, 2, 3}, ambiguous = {0, 4, 1}, longest(96, 1), longer(97, 1), none;
  EXPECT_EQ(expect_same({{any, ambiguous}, {any, longer}, {any, longest}, {none, none}, {}, {longer}}, {}).on_host,
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(expect_same({{any, longest}}, {20, 1000}).on_host.size(), 1u);
  EXPECT_EQ(expect_same({{any, longest}}, {8192, 100}).on_host.size(), 0u);
  EXPECT_EQ(expect_same({{any, any}}, {8193, 100}).on_host.size(), 1u);
  EXPECT_EQ(expect_same({{longest, any, Sequence(96, 0)}}, {0, 168}).on_host.size(), 0u);
}

TEST(Ssca1GpuCostRows, PairsOfLargeSetsAreFound) {
  for (const std::int64_t k : {2, 3, 100, 4097}) {
    std::int64_t pair = 0;
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = i + 1; j < k; ++j, ++pair) {
        const auto found = cost_detail::pair_of(pair, k);
        if (found.i != i || found.j != j) FAIL() << "pair " << pair << " of " << k;
      }
  }
}

}  // namespace
}  // namespace speedwell::ssca1
