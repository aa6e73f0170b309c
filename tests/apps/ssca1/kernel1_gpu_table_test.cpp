// Kernel 1 on the GPU against the reference and against the CPU, which agrees with the reference. Tests whose name ends
// in Large take long under the sanitizers, those in Long under racecheck.
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/ssca1/empty_and_refusals.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

class Ssca1Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  static Endpoints find(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules) {
    const core::Stream stream;
    GpuTable table(main, match, scoring, rules);
    table.upload(stream);
    table.run(stream);
    const Endpoints first = table.endpoints();
    table.run(stream);
    EXPECT_EQ(table.endpoints().accepted, first.accepted) << "a second run";
    return first;
  }
  static void expect_same(const Endpoints& got, const Endpoints& expected, const EndpointRules& rules) {
    EXPECT_EQ(got.accepted, expected.accepted);
    EXPECT_EQ(got.candidates, rules.count_candidates ? expected.candidates : -1);
  }
  /// Random data with up to so many symbols.
  static void try_rounds(int rounds, std::size_t longest_match, std::size_t longest_main) {
    Random random(1);
    for (int round = 0; round < rounds; ++round) {
      const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 200;
      const Scoring s = random_scoring(random, symbols, -8, 9, random.between(0, 9), random.between(0, 2));
      const Sequence match =
          random_sequence(random, 1 + random.below(round % 5 == 0 ? longest_match : longest_match / 6), symbols);
      const Sequence main = with_relatives(random, match, 1 + random.below(longest_main), symbols);
      const EndpointRules rules{.mode = round % 4 ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
                                .minimum_score = random.between(5, 40),
                                .count = 1 + random.below(200),
                                .count_candidates = round % 5 != 0};
      expect_same(find(main, match, s, rules), reference::pairwise_align(main, match, s, rules), rules);
    }
  }
};

TEST_F(Ssca1Gpu, GoldenCodonsAndTheWorkedExample) {
  for (const std::int64_t length : {512, 2048}) {
    const Data data = golden_data(length);
    const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
    const Endpoints found = find(data.main.span(), data.match.span(), codons, {});
    EXPECT_EQ(found.candidates, length == 512 ? 237 : 208);
    EXPECT_EQ(found.accepted.size(), length == 512 ? 93u : 88u);
    expect_same(found, reference::pairwise_align(data.main.span(), data.match.span(), codons, {}), {});
  }
  const auto main = base_codes(example_main), match = base_codes(example_match);
  const Scoring flat = scoring(Preset::dissertation, Alphabet::nucleotides);
  const EndpointRules rules{.minimum_score = 1};
  expect_same(find(main, match, flat, rules), reference::pairwise_align(main, match, flat, rules), rules);
}

TEST_F(Ssca1Gpu, AgreesWithTheReferenceOnShortRandomData) { try_rounds(8, 1200, 800); }
TEST_F(Ssca1Gpu, AgreesWithTheReferenceOnRandomDataLong) { try_rounds(30, 2500, 6000); }

TEST_F(Ssca1Gpu, ScoresBeyond16Bits) {
  Random random(2);
  const Sequence match = random_sequence(random, 300, 20), main = random.relative(match);
  const Scoring s = flat_scoring(20, 1000, -900, 400, 7);
  expect_same(find(main, match, s, {}), reference::pairwise_align(main, match, s, {}), {});
}

// The main shape, and many sections on every multiprocessor.
TEST_F(Ssca1Gpu, AgreesWithTheCpuOnMillionsOfCodonsLarge) {
  const Data data = make_data({.main_length = 3000000, .match_length = 1024});
  for (const Preset preset : {Preset::dissertation, Preset::ssca1, Preset::ornl}) {
    const Scoring codons = scoring(preset, Alphabet::codons);
    for (const EndpointRules& rules : {EndpointRules{}, EndpointRules{.count_candidates = false},
                                       EndpointRules{.count = 3000, .count_candidates = false}})
      expect_same(find(data.main.span(), data.match.span(), codons, rules),
                  pairwise_align(data.main.span(), data.match.span(), codons, rules), rules);
  }
}

TEST_F(Ssca1Gpu, MatchesOfSeveralTilesLarge) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::int64_t length : {1025 - 163, 5000}) {
    const Data data = make_data({.main_length = 300000, .match_length = length});
    for (const bool counted : {false, true}) {
      const EndpointRules rules{.count_candidates = counted};
      expect_same(find(data.main.span(), data.match.span(), codons, rules),
                  pairwise_align(data.main.span(), data.match.span(), codons, rules), rules);
    }
  }
}

// More columns than fit one round.
TEST_F(Ssca1Gpu, ALongMainInSeveralRoundsLarge) {
  const Data data = make_data({.main_length = 120000000, .match_length = 12, .validation_strings = false});
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const EndpointRules rules{.count_candidates = false};
  expect_same(find(data.main.span(), data.match.span(), codons, rules),
              pairwise_align(data.main.span(), data.match.span(), codons, rules), rules);
}

// More than the list holds.
TEST_F(Ssca1Gpu, CandidatesInNearlyEveryCell) {
  Random random(3);
  const Scoring nucleotides = scoring(Preset::ssca1, Alphabet::nucleotides);
  const Sequence match = random_sequence(random, 900, 4), main = random_sequence(random, 1500, 4);
  for (const auto mode : {EndpointRules::Mode::peaks, EndpointRules::Mode::plain})
    for (const bool counted : {false, true}) {
      const EndpointRules rules{.mode = mode, .minimum_score = 1, .count_candidates = counted};
      expect_same(find(main, match, nucleotides, rules), reference::pairwise_align(main, match, nucleotides, rules),
                  rules);
    }
}

TEST_F(Ssca1Gpu, EmptySequencesAndWhatItRefuses) {
  expect_empty_and_refusals([](const auto&... arguments) { return find(arguments...); });
  const Sequence some = {0, 1, 2};
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  EXPECT_THROW(GpuTable(some, some, flat, {}, 1000), core::Unavailable);
}

}  // namespace
}  // namespace speedwell::ssca1
