// Kernel 5 of SSCA#1, star alignments, by the function template of the GPU's blocks, run on the host, compared with the
// reference.
#include <gtest/gtest.h>

#include "speedwell/apps/ssca1/gpu/kernel5_stars_plan.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/host_block.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

/// Aligns sets as GpuStars does, but for those that it leaves to the host: their stars stay empty, and their number is
/// returned. Memory is filled with values that are not valid (-7, 77), since GpuStars does not initialise its own.
/// `capacity`: symbols in the rows of all sets; `max_cells`: cells in the tables of all sets.
std::size_t align(const std::vector<Members>& sets, const std::vector<Differences>& differences,
                  const DifferenceCosts& costs, std::vector<StarAlignment>& stars,
                  unsigned long long capacity = 1 << 24, std::int64_t max_cells = 1 << 26, bool real_threads = false) {
  const StarsPlan plan = plan_stars(sets, differences, max_cells);
  const auto positions = static_cast<std::size_t>(plan.positions);
  std::vector<std::int64_t> sums(plan.members.size(), -7);
  std::vector<std::int32_t> row_costs(positions, -7), before(positions, -7), widths(positions, -7),
      order(sums.size(), -7);
  std::vector<std::uint8_t> under(positions, 77), directions(static_cast<std::size_t>(plan.cells), 77),
      rows(capacity, 77);
  std::vector<StarFound> found(plan.sets.size());
  unsigned long long used = 0;
  const StarProblem problem{plan.symbols.data(),
                            plan.members.data(),
                            plan.sets.data(),
                            plan.differences.data(),
                            costs.mismatch,
                            costs.space,
                            sums.data(),
                            row_costs.data(),
                            before.data(),
                            under.data(),
                            widths.data(),
                            directions.data(),
                            order.data(),
                            found.data(),
                            rows.data(),
                            &used,
                            capacity};
  stars.assign(sets.size(), {});
  std::size_t on_host = plan.on_host.size();
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    on_block(real_threads, [&](const auto& block) { align_set(block, problem, static_cast<std::int64_t>(s)); });
    if (found[s].first < 0)
      ++on_host;
    else
      stars[plan.numbers[s]] =
          to_star(found[s], plan.sets[s], order.data() + plan.sets[s].first_member, rows.data() + found[s].first);
  }
  EXPECT_LE(used, static_cast<unsigned long long>(plan.max_rows));
  return on_host;
}

TEST(Ssca1GpuCenters, RandomSetsAgree) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    std::vector<Members> sets(8);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::size_t size = s < 3 ? s : s == 3 && round == 0 ? 100 : random.below(40);
      while (sets[s].size() < size)
        sets[s].push_back(sets[s].empty() || random.below(3) == 0
                              ? random_sequence(random, random.below(60), 4)
                              : random.relative(sets[s][random.below(sets[s].size())]));
      for (auto& member : sets[s])
        for (auto& symbol : member) symbol &= 3;
    }
    const DifferenceCosts costs =
        round % 2 ? DifferenceCosts{} : DifferenceCosts{random.between(0, 9), random.between(0, 9)};
    const auto differences = global_align(sets, costs);
    std::vector<StarAlignment> stars;
    EXPECT_EQ(align(sets, differences, costs, stars, 1 << 24, 1 << 26, round % 2 == 1), 0u);
    for (std::size_t s = 0; s < sets.size(); ++s)
      EXPECT_EQ(stars[s], reference::align_star(sets[s], costs)) << "round " << round << ", set " << s;
  }
}

TEST(Ssca1GpuCenters, TheGoldenFamilyAgrees) {
  const Sequence query = parse_codons(family_query), main = parse_codons(family_main);
  const auto positions = locate_similar(main, std::vector<Codes>{query}, scoring(Preset::ssca1, Alphabet::codons));
  const std::vector<Members> sets = {members(main, positions[0], Alphabet::codons)};
  for (const DifferenceCosts costs : {DifferenceCosts{20, 30}, DifferenceCosts{1, 2}}) {
    std::vector<StarAlignment> stars;
    EXPECT_EQ(align(sets, global_align(sets, costs), costs, stars), 0u);
    EXPECT_EQ(stars[0].sum_of_pairs, costs.mismatch == 20 ? 3030 : 189);
    EXPECT_EQ(stars[0], reference::align_star(sets[0], costs));
  }
}

TEST(Ssca1GpuCenters, SetsWithAmbiguousSymbolsOrTooLittleMemoryAreLeftToTheHost) {
  const Sequence any = {0, 1, 2, 3}, ambiguous = {0, 4, 1};
  const std::vector<Members> sets = {{any, ambiguous}, {any, any, any}, {any}, {}, {any, any}};
  const auto differences = global_align(sets);
  std::vector<StarAlignment> stars;
  EXPECT_EQ(align(sets, differences, {}, stars), 1u);
  EXPECT_EQ(align(sets, differences, {}, stars, 12), 2u);  // no capacity for the rows of the last set
  EXPECT_EQ(stars[1], align_star(sets[1], differences[1]));
  EXPECT_TRUE(stars[4].rows.empty());
  EXPECT_EQ(align(sets, differences, {}, stars, 100, 75), 2u);  // and none for its tables
  EXPECT_THROW(plan_stars(sets, std::span(differences).first(2), 100), std::invalid_argument);
  EXPECT_THROW(plan_stars(std::span(sets).first(2), std::span(differences).last(2), 100), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::ssca1
