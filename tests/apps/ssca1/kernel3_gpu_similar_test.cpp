// GpuSimilar with mains that are long enough for its filter and for its sample, against the CPU.
#include "speedwell/apps/ssca1/kernel3_gpu_similar.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "speedwell/core/cuda.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

class Ssca1GpuSimilar : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  /// Twice, since a run leaves nothing that the next depends on. Returns the queries left to the host.
  static std::size_t expect_same(const Sequence& main, const std::vector<Codes>& queries, const Scoring& s,
                                 const SimilarRules& rules = {}) {
    const core::Stream stream;
    GpuSimilar similar(main, queries, s, rules);
    similar.upload(stream);
    const auto expected = locate_similar(main, queries, s, rules);
    for (int repeat = 0; repeat < 2; ++repeat) {
      similar.run(stream);
      EXPECT_EQ(similar.regions(), expected);
    }
    return similar.on_host();
  }
  static void scatter(Random& random, Sequence& main, const Sequence& query, std::size_t copies, std::size_t within) {
    for (; copies > 0; --copies) {
      Sequence copy = random.relative(query);
      const std::size_t at = random.below(within - query.size() * 2);
      copy.resize(std::min(copy.size(), query.size() * 2));
      std::copy(copy.begin(), copy.end(), main.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
};

TEST_F(Ssca1GpuSimilar, FilteredQueriesOfAllPresetsLong) {
  Random random(1);
  for (const Preset preset : {Preset::dissertation, Preset::ssca1, Preset::ornl})
    for (const std::size_t length : {262144, 300001, 524293}) {
      const Scoring s = scoring(preset, Alphabet::codons);
      Sequence main = random_sequence(random, length, 64);
      std::vector<Sequence> made;
      for (std::size_t q = 0; q < 50; ++q) {
        made.push_back(random_sequence(random, q < 40 ? 1 + q / 2 : 20 + random.below(60), 64));
        scatter(random, main, made.back(), 40, length);
      }
      const std::vector<Codes> queries(made.begin(), made.end());
      const SimilarRules rules{
          .minimum_score = random.between(5, 20), .separation = random.between(0, 7), .count = 20 + random.below(100)};
      expect_same(main, queries, s, rules);
    }
}

// The smallest problem that is filtered, for tools that check every access.
TEST_F(Ssca1GpuSimilar, AFewFilteredQueries) {
  Random random(4);
  constexpr std::size_t length = 262144;
  Sequence main = random_sequence(random, length, 64);
  std::vector<Sequence> made;
  for (const std::size_t symbols : {6, 9, 12, 20}) {
    made.push_back(random_sequence(random, symbols, 64));
    scatter(random, main, made.back(), 30, length);
  }
  expect_same(main, {made.begin(), made.end()}, scoring(Preset::ssca1, Alphabet::codons), {.minimum_score = 12});
}

// Chunks beyond the capacity of the buffers, in some queries or in all.
TEST_F(Ssca1GpuSimilar, NothingToFilterLong) {
  Random random(2);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  const Sequence one(9, 3), other = random_sequence(random, 9, 64);
  Sequence half = random_sequence(random, 400000, 64);
  std::fill_n(half.begin(), 200000, std::uint8_t{3});
  expect_same(half, {other, one, other}, s);
  EXPECT_EQ(expect_same(half, {other}, s), 0u);
  expect_same(Sequence(300000, 3), {one, other}, s);
}

// The sample has all good regions, some of them, or none.
TEST_F(Ssca1GpuSimilar, GuessesOfAllKindsLarge) {
  Random random(3);
  const Scoring s = scoring(Preset::ssca1, Alphabet::codons);
  constexpr std::size_t length = (std::size_t{1} << 22) + 77;
  Sequence main = random_sequence(random, length, 64);
  std::vector<Sequence> made;
  for (std::size_t q = 0; q < 24; ++q) {
    made.push_back(random_sequence(random, 6 + q % 12, 64));
    scatter(random, main, made.back(), 60, q % 3 == 0 ? length / 64 : length);
  }
  const std::vector<Codes> queries(made.begin(), made.end());
  EXPECT_EQ(expect_same(main, queries, s), 0u);
  EXPECT_EQ(expect_same(main, queries, s, {.separation = 0, .count = 300}), 0u);
}

}  // namespace
}  // namespace speedwell::ssca1
