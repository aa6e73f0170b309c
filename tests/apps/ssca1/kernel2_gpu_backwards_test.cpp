// Kernel 2 as the GPU computes it, block by block on the host: the same template as in the kernel, against the
// reference.
#include <gtest/gtest.h>

#include "speedwell/apps/ssca1/gpu/kernel2_traces_choice.hpp"
#include "tests/apps/ssca1/golden.hpp"
#include "tests/apps/ssca1/host_block.hpp"
#include "tests/apps/ssca1/implementations.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;

struct Room {
  std::int64_t cells = max_kept_cells, diagonals = max_kept_diagonals;
  std::int32_t runs = max_cigar_runs;
};

/// Does what GpuTraces does, without the paths that it leaves to the host; their number is added to `without`.
Traced trace(Codes main, Codes match, const Scoring& scoring, const std::vector<Endpoint>& ends,
             const TraceRules& rules, const Room& room = {}, std::size_t* without = nullptr,
             bool real_threads = false) {
  const std::int64_t ring = diagonal_ring(main.size(), match.size());
  std::vector<std::int32_t> values(static_cast<std::size_t>(7 * ring), 12345), shared(3);
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(room.cells));
  std::vector<KeptDiagonal> diagonals(static_cast<std::size_t>(room.diagonals));
  std::vector<DeviceEndpoint> endpoints;
  for (const Endpoint& end : ends) endpoints.push_back({end.main, end.match, end.score});
  std::vector<TracedStart> starts(ends.size());
  std::vector<std::uint32_t> runs(ends.size() * static_cast<std::size_t>(room.runs));
  const TraceProblem problem{.main = main.data(),
                             .match = match.data(),
                             .scores = scoring.scores().data(),
                             .symbols = scoring.symbols(),
                             .gap_open = scoring.gap_open(),
                             .gap_extend = scoring.gap_extend(),
                             .endpoints = endpoints.data(),
                             .starts = starts.data(),
                             .runs = runs.data(),
                             .max_runs = room.runs,
                             .ring = ring,
                             .max_cells = room.cells,
                             .max_diagonals = room.diagonals};
  for (std::size_t k = 0; k < ends.size(); ++k)
    on_block(real_threads, [&](const auto& block) {
      trace_endpoint(block, problem, {values.data(), cells.data(), diagonals.data(), shared.data()},
                     static_cast<std::int64_t>(k));
    });
  return choose_alignments(ends, starts, rules, [&](std::size_t k) {
    if (without && starts[k].runs < 0) ++*without;
    return to_cigar(runs.data() + k * static_cast<std::size_t>(room.runs), std::max(0, starts[k].runs));
  });
}

TEST(Ssca1GpuBackwards, RandomDataAgrees) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const int symbols = round % 2 ? 64 : 4;
    const Scoring s = round % 3 == 1
                          ? scoring(round % 6 == 1 ? Preset::ssca1 : Preset::ornl,
                                    symbols == 64 ? Alphabet::codons : Alphabet::nucleotides)
                          : random_scoring(random, symbols, -8, 6, random.between(0, 9), random.between(0, 3));
    const Sequence match = random_sequence(random, 30 + random.below(200), symbols);
    const Sequence main = with_relatives(random, match, 50 + random.below(300), symbols);
    const auto ends =
        reference::pairwise_align(main, match, s, {.minimum_score = 8, .separation = 3, .count = 40}).accepted;
    const TraceRules rules{.separation = random.between(0, 6), .count = random.below(30)};
    EXPECT_EQ(trace(main, match, s, ends, rules, {}, nullptr, round % 20 == 7),
              reference::scan_backward(main, match, s, ends, rules))
        << "round " << round;
  }
}

TEST(Ssca1GpuBackwards, GoldenCodons) {
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  for (const std::int64_t length : {512, 2048}) {
    const Data data = golden_data(length);
    const auto ends = pairwise_align(data.main.span(), data.match.span(), codons).accepted;
    const Traced got = trace(data.main.span(), data.match.span(), codons, ends, {});
    EXPECT_EQ(got, scan_backward(data.main.span(), data.match.span(), codons, ends));
    EXPECT_EQ(got.alignments.size(), length == 512 ? 6u : 13u);
  }
}

// Starts do not depend on the capacity of the buffers; paths that exceed it are left out.
TEST(Ssca1GpuBackwards, AnAlignmentBeyondTheCapacity) {
  Random random(2);
  const Scoring s = flat_scoring(20, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 700, 20), main = random.relative(match);
  const auto ends = pairwise_align(main, match, s, {.count = 1}).accepted;
  const Traced expected = scan_backward(main, match, s, ends);
  ASSERT_EQ(expected.alignments.size(), 1u);
  EXPECT_EQ(trace(main, match, s, ends, {}, {1 << 22, 4096, 256}), expected);
  Traced no_path = expected;
  no_path.alignments[0].cigar.clear();
  for (const Room& room : {Room{.cells = 100}, Room{.cells = 1 << 22, .diagonals = 100},
                           Room{.cells = 1 << 22, .runs = 3}, Room{0, 0, 0}}) {
    std::size_t without = 0;
    EXPECT_EQ(trace(main, match, s, ends, {}, room, &without), no_path);
    EXPECT_EQ(without, 1u);
  }
}

// A diagonal that does not fit ends what is kept, even if narrower ones follow.
TEST(Ssca1GpuBackwards, PathsAreWholeOrLeftOut) {
  Random random(3);
  const Scoring s = flat_scoring(20, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 120, 20), main = with_relatives(random, match, 500, 20);
  const auto ends = pairwise_align(main, match, s, {.count = 60}).accepted;
  const Traced expected = scan_backward(main, match, s, ends);
  ASSERT_FALSE(expected.alignments.empty());
  for (std::int64_t cells = 1; cells < 3000; cells += 1 + cells / 100) {
    std::size_t without = 0, empty = 0;
    const Traced got = trace(main, match, s, ends, {}, {.cells = cells}, &without);
    ASSERT_EQ(got.alignments.size(), expected.alignments.size());
    for (std::size_t k = 0; k < got.alignments.size(); ++k)
      if (got.alignments[k].cigar.empty())
        ++empty;
      else
        EXPECT_EQ(got.alignments[k], expected.alignments[k]) << cells << " cells";
    EXPECT_EQ(empty, without);
  }
}

}  // namespace
}  // namespace speedwell::ssca1
