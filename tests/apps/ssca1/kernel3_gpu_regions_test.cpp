// Kernel 3 as the GPU computes it, thread by thread on the host: the same templates as in the kernels, against the
// reference and the CPU.
#include <gtest/gtest.h>

#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/kernel3_host_regions.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

struct Found {
  std::vector<std::vector<SimilarRegion>> regions;
  std::vector<std::size_t> on_host;  // and what was left to it
};

/// Does what GpuSimilar does without its filter. `section`: columns, a multiple of 16.
Found find(const Sequence& main, const std::vector<Codes>& queries, const Scoring& scoring, const SimilarRules& rules,
           std::int64_t section, std::uint32_t capacity = 1 << 16, bool real_threads = false) {
  HostRegions host(main, queries, scoring, rules, capacity);
  host.sweep(section);
  Found found{std::vector<std::vector<SimilarRegion>>(queries.size()), host.plan.on_host};
  for (std::size_t q = 0; q < host.plan.queries.size(); ++q)
    if (host.choose(q, found.regions[host.plan.numbers[q]], real_threads) < 0)
      found.on_host.push_back(host.plan.numbers[q]);
  return found;
}

TEST(Ssca1GpuRegions, RandomQueriesInSectionsOfEveryLength) {
  Random random(1);
  std::size_t on_device = 0, some = 0;
  for (int round = 0; round < 60; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 20;
    const Scoring s = symbols == 64 && round % 2
                          ? scoring(round % 4 == 1 ? Preset::ssca1 : Preset::ornl, Alphabet::codons)
                          : random_scoring(random, symbols, -8, 6, random.between(0, 9), random.between(0, 3));
    std::vector<Sequence> made;
    for (std::size_t q = 1 + random.below(5); q > 0; --q)
      made.push_back(random_sequence(random, random.below(round % 4 == 0 ? 80 : 20), symbols));
    Sequence main = random_sequence(random, random.below(40), symbols);
    for (const Sequence& query : made) {
      const Sequence copies = with_relatives(random, query, random.below(700), symbols);
      main.insert(main.end(), copies.begin(), copies.end());
    }
    const std::vector<Codes> queries(made.begin(), made.end());
    const SimilarRules rules{.minimum_score = round % 5 == 0 ? random.between(-60, 0) : random.between(1, 30),
                             .separation = random.between(0, 7),
                             .count = random.below(30),
                             .span_factor = random.below(2) ? 2.0 : 1.1};
    const Found found = find(main, queries, s, rules, 16 * random.between(1, 12), 1 << 16, round % 8 == 3);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (std::count(found.on_host.begin(), found.on_host.end(), q)) continue;
      const auto expected = reference::locate_similar(main, queries[q], s, rules);
      EXPECT_EQ(found.regions[q], expected) << "round " << round << ", query of " << queries[q].size();
      ++on_device;
      some += !expected.empty();
    }
  }
  EXPECT_GT(on_device, 100u);
  EXPECT_GT(some, 50u);
}

// Gaps that cost little, so that many paths have the same score and only their preference decides the begin.
TEST(Ssca1GpuRegions, BeginsOfEqualPaths) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const Scoring s = flat_scoring(2, 1 + round % 3, -1 - round % 2, round % 4 == 0, 1);
    const Sequence query = random_sequence(random, 2 + random.below(10), 2),
                   main = random_sequence(random, 60 + random.below(60), 2);
    const SimilarRules rules{.minimum_score = random.between(-3, 3), .separation = 0, .count = 300, .span_factor = 9};
    const Found found = find(main, {query}, s, rules, 32);
    EXPECT_EQ(found.on_host.size(), 0u);
    EXPECT_EQ(found.regions[0], reference::locate_similar(main, query, s, rules)) << "round " << round;
  }
}

TEST(Ssca1GpuRegions, TheFamilyAndTheCodonData) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence query = parse_codons(family_query), main = parse_codons(family_main);
  EXPECT_EQ(find(main, {query}, codons, {}, 16).regions[0],
            (std::vector<SimilarRegion>{
                {60, 15, 26}, {52, 41, 52}, {51, 119, 130}, {50, 91, 104}, {40, 67, 76}, {38, 145, 155}}));
  const Data data = golden_data(2048);
  const Sequence all(data.main.begin(), data.main.end());
  const Codes match = data.match.span();
  const auto ends = pairwise_align(all, match, codons).accepted;
  const auto queries = match_parts(match, scan_backward(all, match, codons, ends).alignments);
  ASSERT_EQ(queries.size(), 13u);
  EXPECT_EQ(find(all, queries, codons, {}, 512).regions, locate_similar(all, queries, codons));
}

// Many more regions of a score than are put in order together.
TEST(Ssca1GpuRegions, OneScoreInAllColumns) {
  const Scoring s = flat_scoring(4, 5, -3, 8, 1);
  const Sequence query(6, 3), main(9000, 3);
  for (const std::size_t count : {100, 512}) {
    const SimilarRules rules{.count = count};
    const Found found = find(main, {query}, s, rules, 1024);
    EXPECT_EQ(found.on_host.size(), 0u);
    EXPECT_EQ(found.regions[0], reference::locate_similar(main, query, s, rules));
  }
}

// Many of a score close together, more of all than are kept, and a query that wants many.
TEST(Ssca1GpuRegions, WhatIsLeftToTheHost) {
  Random random(2);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons), dear = flat_scoring(4, 1000, -900, 400, 7);
  Sequence crowded = random_sequence(random, 60000, 64);
  const Sequence one(9, 3), same(6000, 3), query = random_sequence(random, 9, 64);
  const Sequence main = with_relatives(random, query, 5000, 64);
  std::fill_n(crowded.begin() + 100, 8000, std::uint8_t{3});
  EXPECT_EQ(find(crowded, {one}, s, {}, 1024).on_host.size(), 1u);
  EXPECT_EQ(find(main, {query}, s, {}, 1024).on_host.size(), 0u);
  EXPECT_EQ(find(main, {query}, s, {}, 1024, 10).on_host.size(), 1u);
  EXPECT_EQ(find(main, {query}, s, {.count = 2000}, 1024).on_host.size(), 1u);
  EXPECT_EQ(find(same, {one}, dear, {}, 1024).on_host.size(), 1u);
  EXPECT_EQ(find(same, {one}, flat_scoring(4, 5, -3, 8, 0), {}, 1024).on_host.size(), 1u);
  EXPECT_EQ(find(same, {one}, s, {.minimum_score = 46}, 1024).regions[0].size(), 0u);  // more than it can score
  EXPECT_EQ(find({}, {one}, s, {}, 1024).regions[0].size(), 0u);
}

// Every score that eleven bits hold, and the first that they do not.
TEST(Ssca1GpuRegions, ScoresUpToTheLimit) {
  Random random(3);
  for (const auto& [length, minimum] : std::vector<std::pair<std::size_t, int>>{{64, 1000}, {64, 1500}, {60, 1200}}) {
    const Scoring s = flat_scoring(4, 24, -20, 30, 3);
    const Sequence query = random_sequence(random, length, 4), main = with_relatives(random, query, 3000, 4);
    const SimilarRules rules{.minimum_score = minimum};
    const Found found = find(main, {query}, s, rules, 256);
    EXPECT_EQ(found.on_host.size(), 24 * length + 24 * (length - 1) - static_cast<std::size_t>(minimum) + 1 > 2047);
    if (!found.on_host.empty()) continue;
    EXPECT_EQ(found.regions[0], reference::locate_similar(main, query, s, rules));
  }
}

}  // namespace
}  // namespace speedwell::ssca1
