// The overlapping sections of cuda-sections, executed on the host as the kernel does, against the reference; and what
// the steps of kernel 1 before GpuTable say of themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_rounds.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/apps/ssca1/kernel1/kernel1_gpu_steps.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;
using alignment::HostWarp;

/// The endpoints of overlapping sections on a GPU of so few multiprocessors, and the number of sections.
template <int R>
std::int32_t expect_sections(const Sequence& main, const Sequence& match, const Scoring& s, const EndpointRules& rules,
                             int multiprocessors) {
  const TableProblem problem{main, match, s, rules};
  const OverlapPlan plan = plan_overlap(problem.columns(), problem.rows(), s, rules.minimum_score, R, multiprocessors);
  constexpr std::int64_t longest = GpuTableStep::max_length;
  SectionRound round = plan_round(problem, {.lead = plan.lead, .shortest = 64, .longest = longest, .span = longest}, 0,
                                  table_steps(problem, plan.tiles), plan.tiles, plan.sections, CellWidth::bits32);
  Sequence even = main;
  even.resize((main.size() + 1) / 2 * 2);
  const std::vector<std::int16_t> scores(s.scores().begin(), s.scores().end());
  const StepMemory memory = step_memory("cuda-sections", problem.columns(), problem.rows(), plan);
  std::vector<Borders> borders(static_cast<std::size_t>(memory.borders));
  if (plan.tiles > 1) {
    EXPECT_LE(2 * std::int64_t{round.pairs} * (round.lead + round.steps + 1), memory.borders);
  }
  round = with_memory(round,
                      {.main = even.data(), .match = match.data(), .scores = scores.data(), .borders = borders.data()});
  std::vector<FoundCell> found(1 << 20);
  unsigned long long count = 0;
  const CandidateList list{.threshold = rules.minimum_score,
                           .peaks = rules.mode == EndpointRules::Mode::peaks,
                           .found = found.data(),
                           .count = &count,
                           .capacity = found.size()};
  using Cells = alignment::Single32;
  HostWarp warp;
  RefineMemory<R> shared;
  std::vector<Words4> profile(static_cast<std::size_t>(section_profile_bytes(R, s.symbols())) / sizeof(Words4));
  for (std::int32_t tile = 0; tile < round.tiles; ++tile) {
    for (int thread = 0; thread < 7; ++thread)
      build_section_profile<Cells, R>(reinterpret_cast<char*>(profile.data()), round, tile, thread, 7);
    for (std::int32_t section = 0; section < round.sections; ++section)
      search_overlapping_section<Cells, R>(warp, round, list, tile, section,
                                           reinterpret_cast<const char*>(profile.data()), shared);
  }
  Candidates candidates(rules);
  for (unsigned long long k = 0; k < count; ++k)
    candidates.add({found[k].score, found[k].column + 1, found[k].row + 1});
  const Endpoints got = candidates.finish(), expected = reference::pairwise_align(main, match, s, rules);
  EXPECT_EQ(got.accepted, expected.accepted) << main.size() << " x " << match.size() << ", R " << R;
  EXPECT_EQ(got.candidates, expected.candidates) << main.size() << " x " << match.size() << ", R " << R;
  return round.sections;
}

TEST(Ssca1Steps, OverlappingSectionsAgreeAroundStripAndTileBoundaries) {
  Random random(7);
  std::int32_t max_sections = 0;
  for (const std::size_t m : {1, 7, 31, 32, 33, 255, 256, 257, 530}) {
    const Sequence match = random_sequence(random, m, 64);
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{700}, 3 * m + 2500}) {
      const Sequence main = with_relatives(random, match, n, 64);
      const Scoring s = flat_scoring(64, 5, -3, 8, 4);
      max_sections = std::max(max_sections, expect_sections<8>(main, match, s, {}, 2));
      max_sections = std::max(max_sections, expect_sections<16>(main, match, s, {.minimum_score = 12}, 1));
    }
  }
  EXPECT_EQ(max_sections, 16);
}

// Both halves of match in main, with so many other symbols between them that the gap costs all but 2 of the first
// half's score: the alignment is as long as one can be, and begins in another section than it ends in.
TEST(Ssca1Steps, TheOverlapHasRoomForTheLongestAlignment) {
  const Scoring s = flat_scoring(80, 5, -3, 8, 1);
  Sequence match;
  for (std::uint8_t symbol = 0; symbol < 64; ++symbol) match.push_back(symbol);
  const auto required = required_overlap(s, 64, 162);
  ASSERT_EQ(required, 64 + 320 - 8 - 162 - 1);
  for (const std::size_t before : {300, 431, 560, 689}) {
    Sequence main(before, 70);
    main.insert(main.end(), match.begin(), match.begin() + 32);
    main.insert(main.end(), 150, 71);
    main.insert(main.end(), match.begin() + 32, match.end());
    main.resize(1600, 72);
    const EndpointRules rules{.minimum_score = 162, .separation = 0};
    EXPECT_EQ(reference::pairwise_align(main, match, s, rules).accepted,
              (std::vector<Endpoint>{{162, static_cast<std::int64_t>(before) + 214, 64}}));
    EXPECT_GT(expect_sections<8>(main, match, s, rules, 1), 2);
  }
}

TEST(Ssca1Steps, KnowTheirNamesBytesAndMemory) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const core::LadderStep& step : kernel1_steps) {
    const double small = step_device_bytes(step.name, 1 << 20, 1024, codons, {}),
                 large = step_device_bytes(step.name, 1 << 24, 1024, codons, {});
    EXPECT_GE(small, 24.0 * (1 << 20) + (1 << 20)) << step.name;
    EXPECT_GE(large - small, 15.0 * (1 << 20)) << step.name;
  }
  const auto bytes = [](const char* step) { return step_traffic(step).read + step_traffic(step).written; };
  EXPECT_EQ(bytes("cuda-diagonals"), 30);
  EXPECT_EQ(bytes("cuda-sweeps"), 37);
  EXPECT_EQ(bytes("cuda-rows"), 17);
  EXPECT_EQ(bytes("cuda-sections"), 0);
  EXPECT_EQ(step_launches("cuda-diagonals", 1000, 7), 1006);
  EXPECT_EQ(step_launches("cuda-sweeps", 1 << 24, 7), 7 * 5);
  EXPECT_THROW(step_traffic("cuda"), std::invalid_argument);
  EXPECT_THROW(step_device_bytes("rows", 1, 1, codons, {}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::ssca1
