// Kernels 2 to 5 on the GPU against the CPU, which agrees with the reference. Tests whose name ends in Large take long
// under the sanitizers, those in Long under racecheck.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"
#include "speedwell/apps/ssca1/kernel2_gpu_traces.hpp"
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"
#include "speedwell/apps/ssca1/kernel4_gpu_differences.hpp"
#include "speedwell/apps/ssca1/kernel5_gpu_stars.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

/// A run, and the least milliseconds of three more.
template <class Solver>
double run(Solver& solver) {
  const core::Stream stream;
  solver.upload(stream);
  solver.run(stream);
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto began = std::chrono::steady_clock::now();
    solver.run(stream);
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  }
  return best;
}

class Ssca1GpuKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  static Traced trace(Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& ends,
                      const TraceRules& rules = {}) {
    GpuTraces traces(main, match, scoring, ends, rules);
    run(traces);
    return traces.traced();
  }
  static std::vector<std::vector<SimilarRegion>> find(Codes main, const std::vector<Codes>& queries,
                                                      const Scoring& scoring, const SimilarRules& rules = {}) {
    GpuSimilar similar(main, queries, scoring, rules);
    run(similar);
    return similar.regions();
  }
  static std::vector<Differences> compare(const std::vector<Members>& sets, const DifferenceCosts& costs = {}) {
    GpuDifferences differences(sets, costs);
    run(differences);
    return differences.differences();
  }
  static std::vector<StarAlignment> align(const std::vector<Members>& sets, const std::vector<Differences>& differences,
                                          const DifferenceCosts& costs = {}) {
    GpuStars stars(sets, differences, costs);
    run(stars);
    return stars.stars();
  }
  /// All four on the GPU's own results, each compared with that of the CPU. Milliseconds of each.
  static std::array<double, 4> expect_same(Codes main, Codes match, const Scoring& scoring, Alphabet alphabet,
                                           const std::vector<Endpoint>& ends) {
    std::array<double, 4> milliseconds{};
    GpuTraces traces(main, match, scoring, ends);
    milliseconds[0] = run(traces);
    EXPECT_EQ(traces.traced(), scan_backward(main, match, scoring, ends));
    const std::vector<Codes> queries = match_parts(match, traces.traced().alignments);
    GpuSimilar similar(main, queries, scoring);
    milliseconds[1] = run(similar);
    EXPECT_EQ(similar.regions(), locate_similar(main, queries, scoring));
    EXPECT_EQ(similar.on_host(), 0u);
    std::vector<Members> sets;
    for (const auto& regions : similar.regions()) sets.push_back(members(main, regions, alphabet));
    GpuDifferences differences(sets);
    milliseconds[2] = run(differences);
    const auto found = differences.differences();
    EXPECT_EQ(found, global_align(sets));
    EXPECT_EQ(differences.on_host(), 0u);
    GpuStars stars(sets, found);
    milliseconds[3] = run(stars);
    EXPECT_EQ(stars.stars(), multiple_align(sets, found));
    EXPECT_EQ(stars.on_host(), 0u);
    return milliseconds;
  }
};

TEST_F(Ssca1GpuKernels, GoldenCodonsAndTheFamily) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::int64_t length : {512, 2048}) {
    const Data data = golden_data(length);
    const auto ends = pairwise_align(data.main.span(), data.match.span(), codons).accepted;
    expect_same(data.main.span(), data.match.span(), codons, Alphabet::codons, ends);
  }
  const Sequence query = parse_codons(family_query), main = parse_codons(family_main);
  const auto regions = find(main, {query}, codons);
  EXPECT_EQ(regions[0], (std::vector<SimilarRegion>{
                            {60, 15, 26}, {52, 41, 52}, {51, 119, 130}, {50, 91, 104}, {40, 67, 76}, {38, 145, 155}}));
  auto in_order = regions[0];
  std::sort(in_order.begin(), in_order.end(),
            [](const SimilarRegion& a, const SimilarRegion& b) { return a.begin < b.begin; });
  const std::vector<Members> sets = {members(main, in_order, Alphabet::codons)};
  for (const DifferenceCosts costs : {DifferenceCosts{20, 30}, DifferenceCosts{1, 2}}) {
    const auto differences = compare(sets, costs);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_EQ(differences[0](i, j), costs.space == 30 ? family_differences[i][j] : family_differences_1_2[i][j]);
    EXPECT_EQ(align(sets, differences, costs)[0].sum_of_pairs, costs.space == 30 ? 3030 : 189);
  }
}

TEST_F(Ssca1GpuKernels, AlignmentsOfRandomDataLong) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const int symbols = round % 2 ? 64 : 4;
    const Scoring s = random_scoring(random, symbols, -8, 6, random.between(0, 9), random.between(0, 3));
    const Sequence match = random_sequence(random, 30 + random.below(round % 5 ? 300 : 5000), symbols);
    const Sequence main = with_relatives(random, match, 50 + random.below(6000), symbols);
    const auto ends = pairwise_align(main, match, s, {.minimum_score = 8, .separation = 3, .count = 300}).accepted;
    const TraceRules rules{.separation = random.between(0, 6), .count = random.below(200)};
    EXPECT_EQ(trace(main, match, s, ends, rules), scan_backward(main, match, s, ends, rules)) << "round " << round;
  }
}

// Diagonals that do not fit into shared memory, a box beyond what is kept, and a path that is left to the host.
TEST_F(Ssca1GpuKernels, ALongAlignmentLarge) {
  Random random(2);
  const Scoring s = flat_scoring(20, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 6000, 20), main = random.relative(match);
  const auto ends = pairwise_align(main, match, s, {.count = 3}).accepted;
  GpuTraces traces(main, match, s, ends);
  run(traces);
  EXPECT_EQ(traces.traced(), scan_backward(main, match, s, ends));
  EXPECT_GT(traces.paths_on_host(), 0u);
}

TEST_F(Ssca1GpuKernels, RegionsOfRandomQueriesLong) {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 200;
    const Scoring s = random_scoring(random, symbols, -8, 6, random.between(0, 9), random.between(round % 7 > 0, 3));
    std::vector<Sequence> made;
    Sequence main = random_sequence(random, random.below(3000), symbols);
    for (std::size_t q = random.below(40); q > 0; --q) {
      made.push_back(random_sequence(random, random.below(round % 4 == 0 ? 90 : 25), symbols));
      const Sequence copies = with_relatives(random, made.back(), random.below(500), symbols);
      main.insert(main.end(), copies.begin(), copies.end());
    }
    const std::vector<Codes> queries(made.begin(), made.end());
    const SimilarRules rules{.minimum_score = round % 5 == 0 ? random.between(-60, 0) : random.between(1, 30),
                             .separation = random.between(0, 7),
                             .count = random.below(round % 6 == 0 ? 600 : 120),
                             .span_factor = random.below(2) ? 2.0 : 1.1};
    EXPECT_EQ(find(main, queries, s, rules), locate_similar(main, queries, s, rules)) << "round " << round;
  }
}

TEST_F(Ssca1GpuKernels, SetsOfEverySizeLong) {
  Random random(4);
  for (int round = 0; round < 6; ++round) {
    std::vector<Members> sets(40);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const std::size_t size = s < 4 ? s : s == 4 ? 100 : random.below(60), longest = 1 + random.below(110);
      while (sets[s].size() < size)
        sets[s].push_back(sets[s].empty() || random.below(3) == 0
                              ? random_sequence(random, random.below(longest + 1), 4)
                              : random.relative(sets[s][random.below(sets[s].size())]));
      for (auto& member : sets[s])
        for (auto& symbol : member) symbol &= s == 7 ? 255 : 3;
    }
    sets[8] = {{4, 5, 6}, {4, 6}, {1, 2}};  // left to the host
    const DifferenceCosts costs =
        round % 2 ? DifferenceCosts{} : DifferenceCosts{random.between(0, 400), random.between(0, 300)};
    const auto differences = compare(sets, costs);
    EXPECT_EQ(differences, global_align(sets, costs)) << "round " << round;
    EXPECT_EQ(align(sets, differences, costs), multiple_align(sets, differences, costs)) << "round " << round;
  }
}

// The main shape.
TEST_F(Ssca1GpuKernels, AgreeOnMillionsOfCodonsLarge) {
  const Data data = make_data({.main_length = std::int64_t{1} << 24, .match_length = 1024});
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  GpuTable table(data.main.span(), data.match.span(), codons);
  const double first = run(table);
  const auto times =
      expect_same(data.main.span(), data.match.span(), codons, Alphabet::codons, table.endpoints().accepted);
  std::printf("milliseconds of kernels 1 to 5: %.3f %.3f %.3f %.3f %.3f\n", first, times[0], times[1], times[2],
              times[3]);
}

TEST_F(Ssca1GpuKernels, NothingAndWhatTheyRefuse) {
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  const Sequence some = {0, 1, 2}, one = {0}, none, wrong = {9};
  EXPECT_EQ(trace(some, some, flat, {}), Traced{});
  EXPECT_EQ(trace(none, some, flat, {}), Traced{});
  EXPECT_EQ(trace(one, one, flat, {{5, 1, 1}}).single_pairs, 1);
  EXPECT_TRUE(find(some, {}, flat).empty());
  EXPECT_EQ(find(some, {none, some, Sequence(500, 1)}, flat),
            locate_similar(some, std::vector<Codes>{none, some, Sequence(500, 1)}, flat));
  EXPECT_EQ(find(none, {some}, flat), std::vector<std::vector<SimilarRegion>>(1));
  EXPECT_EQ(find(some, {one}, flat, {.minimum_score = 5}),
            locate_similar(some, std::vector<Codes>{one}, flat, {.minimum_score = 5}));
  EXPECT_TRUE(compare({}).empty());
  EXPECT_TRUE(align({}, {}).empty());
  const std::vector<Members> sets = {{}, {some}, {none, none}};
  EXPECT_EQ(compare(sets), global_align(sets));
  EXPECT_EQ(align(sets, compare(sets)), multiple_align(sets, global_align(sets)));

  EXPECT_THROW(trace(some, some, flat, {{5, 4, 1}}), std::invalid_argument);
  EXPECT_THROW(trace(wrong, some, flat, {}), std::invalid_argument);
  EXPECT_THROW(find(some, {wrong}, flat), std::invalid_argument);
  EXPECT_THROW(find(wrong, {some}, flat), std::invalid_argument);
  EXPECT_THROW(find(some, {some}, flat, {.separation = -1}), std::invalid_argument);
  EXPECT_THROW(compare(sets, {-1, 2}), std::invalid_argument);
  EXPECT_THROW(align(sets, {}), std::invalid_argument);
  EXPECT_THROW(GpuTraces(some, some, flat, {}, {}, 1000), core::Unavailable);
  EXPECT_THROW(GpuSimilar(some, {}, flat, {}, 1000), core::Unavailable);
  EXPECT_THROW(GpuDifferences({}, {}, 1000), core::Unavailable);
  EXPECT_THROW(GpuStars({}, {}, {}, 1000), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::ssca1
