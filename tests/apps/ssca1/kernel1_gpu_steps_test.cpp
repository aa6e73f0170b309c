// Kernel 1 on the GPU by the steps before GpuTable, against the reference, and against GpuTable where that takes long.
// Tests whose name ends in Large take long under the sanitizers, those in Long under racecheck.
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_table.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/ssca1/empty_and_refusals.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

class Ssca1GpuSteps : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  static Endpoints find(Codes main, Codes match, const Scoring& scoring, const EndpointRules& rules,
                        std::int64_t* passes = nullptr) {
    const core::Stream stream;
    GpuTableStep table(GetParam(), main, match, scoring, rules);
    table.upload(stream);
    table.run(stream);
    const Endpoints first = table.endpoints();
    table.run(stream);
    EXPECT_EQ(table.endpoints().accepted, first.accepted) << "a second run";
    if (!main.empty() && !match.empty()) {
      EXPECT_GE(table.launches(), 1);
    }
    if (passes) *passes = table.passes();
    return first;
  }
  static void expect_reference(const Sequence& main, const Sequence& match, const Scoring& scoring,
                               const EndpointRules& rules, std::int64_t* passes = nullptr) {
    const Endpoints got = find(main, match, scoring, rules, passes);
    const Endpoints expected = reference::pairwise_align(main, match, scoring, rules);
    EXPECT_EQ(got.accepted, expected.accepted) << main.size() << " x " << match.size();
    EXPECT_EQ(got.candidates, rules.count_candidates ? expected.candidates : -1)
        << main.size() << " x " << match.size();
  }
};

TEST_P(Ssca1GpuSteps, GoldenCodonsAndTheWorkedExample) {
  for (const std::int64_t length : {512, 2048}) {
    const Data data = golden_data(length);
    const Sequence main(data.main.begin(), data.main.end()), match(data.match.begin(), data.match.end());
    expect_reference(main, match, scoring(Preset::ssca1, Alphabet::codons), {});
  }
  expect_reference(base_codes(example_main), base_codes(example_match),
                   scoring(Preset::dissertation, Alphabet::nucleotides), {.minimum_score = 1});
}

TEST_P(Ssca1GpuSteps, AgreesAtEveryAwkwardLengthLong) {
  Random random(1);
  const Scoring flat = flat_scoring(64, 5, -3, 8, 4), codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::size_t m : {1, 7, 31, 32, 33, 511, 512, 513, 1000})
    for (const std::size_t n : {1, 7, 31, 32, 33, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4100}) {
      const Sequence match = random_sequence(random, m, 64), main = with_relatives(random, match, n, 64);
      expect_reference(main, match, n % 2 ? flat : codons, {.minimum_score = n < 50 ? 5 : 20});
    }
}

// Gaps that cost nothing or more than any score, alphabets of every size, both modes.
TEST_P(Ssca1GpuSteps, AgreesOnRandomDataLong) {
  Random random(2);
  for (int round = 0; round < 24; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 256;
    const int extend = round % 8 == 7 ? 1 << 24 : random.between(0, 2);
    const Scoring s = random_scoring(random, symbols, -8, 9, random.between(0, 9), extend);
    const Sequence match = random_sequence(random, 1 + random.below(round % 5 == 0 ? 1500 : 200), symbols);
    const Sequence main = with_relatives(random, match, 1 + random.below(6000), symbols);
    expect_reference(main, match, s,
                     {.mode = round % 4 ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
                      .minimum_score = random.between(5, 40),
                      .separation = random.between(0, 7),
                      .count = 1 + random.below(200),
                      .count_candidates = round % 5 != 0});
  }
}

TEST_P(Ssca1GpuSteps, ScoresBeyond16Bits) {
  Random random(3);
  const Sequence match = random_sequence(random, 300, 20), main = random.relative(match);
  expect_reference(main, match, flat_scoring(20, 1000, -900, 400, 7), {});
}

// One alignment along all of main, in a row of many tiles: every tile of a row waits for the prefix of those before.
TEST_P(Ssca1GpuSteps, AGapAcrossManyTilesLarge) {
  Sequence match, main;
  for (std::uint8_t symbol = 0; symbol < 64; ++symbol) match.push_back(symbol);
  main.assign(match.begin(), match.begin() + 32);
  main.insert(main.end(), 150000, 70);
  main.insert(main.end(), match.begin() + 32, match.end());
  main.insert(main.end(), 5000, 71);
  expect_reference(main, match, flat_scoring(80, 16000, -9000, 100, 3), {.minimum_score = 20});
  expect_reference(main, match, flat_scoring(80, 5, -3, 8, 0), {.minimum_score = 20});
}

// Many blocks on every multiprocessor, and rows of three levels of sweeps. Diagonals would take seconds.
TEST_P(Ssca1GpuSteps, AgreesWithGpuTableOnMillionsOfCodonsLarge) {
  const bool slow = GetParam() == "cuda-diagonals";
  const Data data = make_data({.main_length = slow ? 100000 : 2500000, .match_length = 1024});
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const EndpointRules& rules : {EndpointRules{}, EndpointRules{.count = 3000, .count_candidates = false}}) {
    const core::Stream stream;
    GpuTable table(data.main.span(), data.match.span(), codons, rules);
    table.upload(stream);
    table.run(stream);
    const Endpoints got = find(data.main.span(), data.match.span(), codons, rules);
    EXPECT_EQ(got.accepted, table.endpoints().accepted);
    EXPECT_EQ(got.candidates, table.endpoints().candidates);
  }
}

// More candidates than the list holds.
TEST_P(Ssca1GpuSteps, CandidatesInNearlyEveryCellTakeSeveralPasses) {
  Random random(4);
  const Scoring nucleotides = scoring(Preset::ssca1, Alphabet::nucleotides);
  const Sequence match = random_sequence(random, 900, 4), main = random_sequence(random, 1500, 4);
  std::int64_t passes = 0;
  expect_reference(main, match, nucleotides, {.mode = EndpointRules::Mode::plain, .minimum_score = 1}, &passes);
  EXPECT_GT(passes, 1);
  expect_reference(main, match, nucleotides, {.minimum_score = 1});
}

TEST_P(Ssca1GpuSteps, EmptySequencesAndWhatItRefuses) {
  expect_empty_and_refusals([](const auto&... arguments) { return find(arguments...); });
  const Sequence some = {0, 1, 2};
  const Scoring flat = flat_scoring(4, 5, -3, 8, 1);
  EXPECT_THROW(GpuTableStep(GetParam(), some, some, flat, {}, 1000), core::Unavailable);
  EXPECT_THROW(GpuTableStep("cuda", some, some, flat), std::invalid_argument);
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const core::LadderStep& step : kernel1_steps) all.push_back(step.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Of, Ssca1GpuSteps, ::testing::ValuesIn(names()),
                         [](const auto& step) { return std::string(step.param.substr(step.param.find('-') + 1)); });

}  // namespace
}  // namespace speedwell::ssca1
