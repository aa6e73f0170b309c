// Plans are arithmetic on the host: that they cover the stream and the table, and that numbers fit where kernels put
// them.
#include "speedwell/apps/gups/gpu_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "speedwell/apps/gups/ladder.hpp"

namespace speedwell::gups {
namespace {

constexpr Method methods[] = {Method::direct, Method::windows, Method::regions, Method::binned, Method::parts};
constexpr Machine machines[] = {{132, 2048}, {1, 1024}, {108, 2048}, {132, 2048, 140e9}};

std::vector<Problem> all_sizes() {
  std::vector<Problem> all;
  for (int k = 0; k <= 34; ++k)
    for (const std::uint64_t updates :
         {std::uint64_t{1}, std::uint64_t{4} << k, (std::uint64_t{3} << k) + 1, std::uint64_t{1} << 36})
      all.push_back({std::uint64_t{1} << k, updates});
  return all;
}

TEST(GupsPlan, SharesEveryBatchAmongItsThreads) {
  for (const Problem& problem : all_sizes())
    for (const Method method : methods)
      for (const Machine& machine : machines) {
        const Plan plan = plan_of(method, problem, Rule::any, machine);
        ASSERT_GE(plan.batch, 1u);
        EXPECT_GE(plan.batches * plan.batch, problem.updates);
        EXPECT_LT((plan.batches - 1) * plan.batch, problem.updates);
        const std::uint64_t threads =
            static_cast<std::uint64_t>(plan.blocks) * static_cast<std::uint64_t>(plan.threads);
        EXPECT_GE(threads * plan.updates_per_thread, plan.batch);
        EXPECT_LT((threads - static_cast<std::uint64_t>(plan.threads)) * plan.updates_per_thread, plan.batch)
            << "a block has nothing";
        EXPECT_GE(plan.blocks, 1);
        EXPECT_LE(plan.threads, 1024);
      }
}

TEST(GupsPlan, WindowsAndRegionsCoverTheTable) {
  for (const Problem& problem : all_sizes()) {
    const Plan windows = plan_of(Method::windows, problem), regions = plan_of(Method::regions, problem);
    EXPECT_EQ(windows.windows * (problem.words / windows.windows), problem.words);
    EXPECT_LE(problem.words / windows.windows, std::uint64_t{1} << log2_window_words);
    EXPECT_EQ(regions.regions * regions.region_words(), problem.words);
    EXPECT_EQ(regions.blocks_per_region, regions.blocks);
  }
}

TEST(GupsPlan, BinsAreRegionsWithCapacityForTheirUpdates) {
  for (const Problem& problem : all_sizes())
    for (const Machine& machine : machines) {
      const Plan plan = plan_of(Method::binned, problem, Rule::any, machine);
      EXPECT_EQ(plan.coarse_bins() * plan.fine_bins() * plan.region_words(), problem.words);
      EXPECT_LE(plan.log2_coarse, log2_max_bins);
      EXPECT_LE(plan.log2_fine, log2_max_bins);
      EXPECT_LE(plan.batch, machine.free_bytes > 0 ? 2 * max_batch : max_batch);
      EXPECT_EQ(plan.fine_capacity % 16, 0u) << "bins begin on lines";
      EXPECT_EQ(plan.coarse_capacity % 16, 0u);
      EXPECT_GE(plan.fine_capacity * plan.coarse_bins() * plan.fine_bins(), plan.batch);
      EXPECT_LT(plan.fine_capacity, std::uint64_t{1} << 32) << "places are 32-bit numbers";
      EXPECT_LT(plan.coarse_capacity, std::uint64_t{1} << 32);
      EXPECT_EQ(plan.updates_per_thread % static_cast<std::uint64_t>(plan.tuning.updates_per_thread), 0u);
      if (plan.coarse()) {
        EXPECT_GE(plan.coarse_capacity * plan.coarse_bins(), plan.batch);
      }
      EXPECT_LE(plan.coarse_group, plan.coarse_bins());
      EXPECT_GE(plan.blocks_per_region, 1);
      EXPECT_LT(plan.fine_bins() * plan.coarse_group * static_cast<std::uint64_t>(plan.blocks_per_region),
                std::uint64_t{1} << 31);
    }
}

TEST(GupsPlan, StoresAtMost1024UpdatesForEachThreadWhereTheRuleSaysSo) {
  const Machine machine{132, 2048};
  const std::uint64_t most = 1024ull * 132 * 2048;
  EXPECT_EQ(plan_of(Method::binned, {1 << 25, 1 << 27}, Rule::thread, machine).batches, 1u)
      << "the dissertation's problem";
  const Plan large = plan_of(Method::binned, {std::uint64_t{1} << 29, std::uint64_t{1} << 31}, Rule::thread, machine);
  EXPECT_EQ(large.batches, 8u);
  EXPECT_LE(large.batch, most);
  EXPECT_EQ(plan_of(Method::binned, {std::uint64_t{1} << 29, std::uint64_t{1} << 31}, Rule::any, machine).batches, 1u);
}

TEST(GupsPlan, PartsOfRanksCoverTheTable) {
  for (const Problem& problem : all_sizes())
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 16}) {
      std::uint64_t next_part = 0, words = 0, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Parts parts = parts_of_rank(problem, ranks, rank);
        EXPECT_EQ(parts.first, next_part);
        next_part += parts.count;
        if (parts.count == 0) continue;
        const Plan plan = plan_of(parts, problem);
        words += plan.words();
        most = std::max(most, plan.words());
        EXPECT_EQ(plan.coarse_bins() * plan.fine_bins() * plan.region_words() * parts.count, plan.words());
        EXPECT_GE(plan.fine_capacity * plan.coarse_bins() * plan.fine_bins(), plan.stored_updates());
        if (problem.words <= std::uint64_t{1} << 31) {
          EXPECT_FALSE(plan.coarse());
        }
      }
      EXPECT_EQ(words, problem.words);
      if (problem.words >= 256) {
        EXPECT_LE(static_cast<double>(most) * ranks, 1.13 * static_cast<double>(problem.words)) << ranks;
      }
    }
  EXPECT_THROW(plan_of(Parts{4, 0, 0}, {1 << 10, 1}), std::invalid_argument);
}

TEST(GupsPlan, TakesNoMoreMemoryThanTheTableAndItsUpdates) {
  for (const Problem& problem : all_sizes()) {
    const Plan plan = plan_of(Method::binned, problem);
    const double updates = 8.0 * static_cast<double>(plan.batch);
    EXPECT_LE(plan.scratch_bytes(), 1.1 * updates + 2.6e9 + 16384.0 * (1 << log2_max_bins) + 1e5 + (1 << 24));
    EXPECT_LE(plan_of(Method::direct, problem).scratch_bytes(), 1e5);
  }
  const Plan huge = plan_of(Method::binned, {std::uint64_t{1} << 32, std::uint64_t{1} << 34});
  EXPECT_LT(huge.scratch_bytes() + 34.4e9, 80e9);
}

TEST(GupsPlan, StoresTwiceTheUpdatesWhereMemoryIsKnownToSuffice) {
  const Problem problem{std::uint64_t{1} << 32, std::uint64_t{1} << 34};
  EXPECT_EQ(plan_of(Method::binned, problem).batches, 4u);
  EXPECT_EQ(plan_of(Method::binned, problem, Rule::any, {.free_bytes = 80e9}).batches, 4u);
  const Plan large = plan_of(Method::binned, problem, Rule::any, {.free_bytes = 140e9});
  EXPECT_EQ(large.batches, 2u);
  EXPECT_LT(large.scratch_bytes() + 34.4e9, 0.95 * 140e9);
  EXPECT_GT(large.scratch_bytes() + 34.4e9, 80e9);
}

TEST(GupsPlan, HasTwoBlocksAMultiprocessorWhereTheTableIsInTheCache) {
  EXPECT_EQ(plan_of(Method::binned, {1 << 22, 1 << 24}).threads, 512);
  EXPECT_EQ(plan_of(Method::binned, {1 << 23, 1 << 25}).threads, 1024);
  EXPECT_EQ(plan_of(Method::binned, {1 << 22, 1 << 24}, Rule::any, {}, Tuning{}).threads, 1024);
}

TEST(GupsPlan, TheBestMethodDependsOnTheTable) {
  EXPECT_EQ(best_method({1, 1}), Method::direct);
  EXPECT_EQ(best_method({1 << 11, 1}), Method::direct);
  EXPECT_EQ(best_method({1 << 12, 1}), Method::regions);
  EXPECT_EQ(best_method({1 << 18, 1}), Method::regions);
  EXPECT_EQ(best_method({1 << 19, 1}), Method::binned);
  EXPECT_EQ(best_method({1 << 25, 1}), Method::binned);
  EXPECT_EQ(best_method({std::uint64_t{1} << 32, 1}), Method::binned);
}

}  // namespace
}  // namespace speedwell::gups
