// Kernel 1 as the GPU computes it, warp by warp on the host: the same templates as in the kernels, with HostWarp for
// the warp and vectors for the device's memory, against the reference.
#include <gtest/gtest.h>

#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/kernel1_host_rounds.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

template <int R>
GpuRoundCounts expect_reference(const Sequence& main, const Sequence& match, const Scoring& scoring,
                                const EndpointRules& rules, const GpuRoundOptions& options, std::int32_t pairs,
                                std::uint64_t capacity = 1 << 20) {
  const TableProblem table{main, match, scoring, rules};
  HostDevice<R> device(table, pairs, capacity);
  GpuRounds<HostDevice<R>> rounds(device, table, options);
  const Endpoints got = rounds.run();
  const Endpoints expected = reference::pairwise_align(main, match, scoring, rules);
  EXPECT_EQ(got.accepted, expected.accepted) << main.size() << " x " << match.size() << ", R " << R;
  if (rules.count_candidates) {
    EXPECT_EQ(got.candidates, expected.candidates) << main.size() << " x " << match.size() << ", R " << R;
  }
  return rounds.counts();
}

template <int R>
void try_lengths() {
  Random random(R);
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::size_t m : {1, 2, R, 31, 32, 33, 32 * R - 1, 32 * R, 32 * R + 1, 64 * R + 5}) {
    const Sequence match = random_sequence(random, m, 64), main = with_relatives(random, match, 700, 64);
    for (const bool counted : {false, true})
      expect_reference<R>(main, match, codons, {.count_candidates = counted},
                          {.lead = 10, .shortest = 8, .longest = 24, .span = 8}, 3);
  }
}
TEST(Ssca1GpuSections, AgreeAroundStripAndTileBoundaries) {
  try_lengths<8>();
  try_lengths<16>();
}
TEST(Ssca1GpuSections, AgreeWithMatchesOfAThousandsRows) {
  Random random(7);
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::size_t m : {1023, 1024, 1025, 3000}) {
    const Sequence match = random_sequence(random, m, 64), main = with_relatives(random, match, 333, 64);
    expect_reference<32>(main, match, codons, {.count = 20, .count_candidates = false}, {.longest = 64}, 2);
  }
}

TEST(Ssca1GpuSections, GoldenCodons) {
  const Data data = golden_data(512);
  const Sequence main(data.main.begin(), data.main.end()), match(data.match.begin(), data.match.end());
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const GpuRoundCounts counts = expect_reference<32>(main, match, codons, {}, {}, 8);
  EXPECT_EQ(counts.rounds, 1);
  EXPECT_EQ(counts.refinements, 1);
  EXPECT_EQ(counts.width, CellWidth::bits11);
}

TEST(Ssca1GpuSections, SectionsOfEveryLengthLeadSpanAndNumber) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 256;
    const Scoring s = random_scoring(random, symbols, -8, 9, random.between(0, 9), random.between(0, 2));
    const Sequence match = random_sequence(random, 1 + random.below(300), symbols);
    const Sequence main = with_relatives(random, match, 1 + random.below(500), symbols);
    const GpuRoundOptions options{.lead = 2 * random.between(0, 10),
                                  .shortest = 2 * random.between(1, 30),
                                  .longest = 2 * random.between(1, 100),
                                  .span = 2 * random.between(1, 20)};
    expect_reference<8>(main, match, s,
                        {.mode = round % 4 ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
                         .minimum_score = random.between(1, 25),
                         .separation = random.between(0, 7),
                         .count = random.below(100),
                         .count_candidates = round % 5 == 0},
                        options, 1 + static_cast<std::int32_t>(random.below(5)));
  }
}

// An alignment through all sections: every turn mends one more.
TEST(Ssca1GpuSections, AnAlignmentThroughAllSections) {
  Random random(3);
  const Scoring s = flat_scoring(64, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 500, 64), main = random.relative(match);
  for (const bool counted : {false, true}) {
    const GpuRoundCounts counts = expect_reference<16>(main, match, s, {.count_candidates = counted},
                                                       {.lead = 6, .shortest = 10, .longest = 10}, 6);
    EXPECT_GT(counts.repeated, 5);
    EXPECT_GT(counts.rounds, 2);
  }
}

// Ends of alignments at every column of a section, span and step, and at every row of a strip, of a warp and of a tile.
TEST(Ssca1GpuSections, PeaksAtEveryBorder) {
  Random random(8);
  const GpuRoundOptions options{.lead = 20, .shortest = 12, .longest = 12, .span = 4};
  const Sequence motif = random_sequence(random, 9, 60);
  for (int shift = 0; shift < 50; ++shift) {
    Sequence match(300, 60), main(200, 61);  // symbols that are nowhere else
    const Scoring wide = flat_scoring(62, 5, -3, 8, 1);
    const auto at = static_cast<std::ptrdiff_t>(shift);
    std::copy(motif.begin(), motif.end(), match.begin() + 235 + at % 40);  // across row 256, the next tile
    std::copy(motif.begin(), motif.end(), match.begin() + 3 * at);
    std::copy(motif.begin(), motif.end(), main.begin() + at);
    std::copy(motif.begin(), motif.end(), main.end() - 9 - at);
    expect_reference<8>(main, match, wide, {.minimum_score = 15, .count = 3, .count_candidates = shift % 2 == 0},
                        options, 3);
  }
}

// The guess of the threshold is wrong: many endpoints are in few spans, or equal scores are in conflict.
TEST(Ssca1GpuSections, TheThresholdIsLoweredUntilItIsProven) {
  Random random(9);
  const Scoring s = flat_scoring(4, 5, -3, 8, 1);
  Sequence match = random_sequence(random, 60, 4), main;
  for (int copy = 0; copy < 20; ++copy) main.insert(main.end(), match.begin(), match.begin() + 20);
  for (const std::size_t count : {1, 3, 10, 40, 100, 1000})
    for (const std::int64_t separation : {0, 2, 5, 20}) {
      const GpuRoundCounts counts = expect_reference<8>(
          main, match, s, {.minimum_score = 10, .separation = separation, .count = count, .count_candidates = false},
          {.lead = 40, .shortest = 64, .span = 2}, 1);
      if (separation == 20 && count >= 10 && count <= 40) {
        EXPECT_GT(counts.refinements, 1) << count;
      }
    }
}

TEST(Ssca1GpuSections, EveryWidthOfScores) {
  Random random(4);
  const Sequence match = random_sequence(random, 300, 20), main = random.relative(match);
  // In one round, and in several: the first are then done again once a later one has scores that are too large.
  const auto width = [&](const Scoring& s, const EndpointRules& rules) {
    const CellWidth several =
        expect_reference<8>(main, match, s, rules, {.lead = 4, .shortest = 10, .longest = 10}, 2).width;
    EXPECT_EQ(expect_reference<8>(main, match, s, rules, {.lead = 4, .shortest = 20}, 4).width, several);
    return several;
  };
  EXPECT_EQ(width(flat_scoring(20, 5, -4, 10, 1), {}), CellWidth::bits11);
  EXPECT_EQ(width(flat_scoring(20, 100, -90, 400, 7), {}), CellWidth::bits16);
  EXPECT_EQ(width(flat_scoring(20, 5, -400, 10, 1), {}), CellWidth::bits16);
  EXPECT_EQ(width(flat_scoring(20, 5, -4, 1 << 24, 1 << 24), {}), CellWidth::bits16);
  EXPECT_EQ(width(flat_scoring(20, 1000, -900, 400, 7), {}), CellWidth::bits32);
  EXPECT_EQ(width(flat_scoring(20, 200, -90, 1 << 24, 1 << 24), {.minimum_score = 40000}), CellWidth::bits32);
  EXPECT_EQ(width(flat_scoring(20, 5, -4, 0, 0), {}), CellWidth::bits11);
}

TEST(Ssca1GpuSections, AFullListIsTakenInPieces) {
  Random random(5);
  const Sequence match = random_sequence(random, 100, 4), main = with_relatives(random, match, 600, 4);
  const GpuRoundCounts counts = expect_reference<8>(main, match, scoring(Preset::ssca1, Alphabet::nucleotides), {},
                                                    {.shortest = 40, .span = 2}, 4, 200);
  EXPECT_GT(counts.pieces, 1);
}

TEST(Ssca1GpuSections, StripsFitTheMemoryAndTheMatch) {
  EXPECT_EQ(section_strip_rows(1024, 64, 227 << 10), 32);
  EXPECT_EQ(section_strip_rows(128, 64, 227 << 10), 8);
  EXPECT_EQ(section_strip_rows(1024, 256, 227 << 10), 8);
  EXPECT_EQ(section_strip_rows(1024, 64, 99 << 10), 16);
  EXPECT_EQ(section_strip_rows(1024, 256, 48 << 10), 0);
}

}  // namespace
}  // namespace speedwell::ssca1
