// Kernel 1 as the GPU computes it, warp by warp on the host: the same templates as in the kernels, with HostWarp for
// the warp and vectors for the device's memory, against the reference.
#include <gtest/gtest.h>

#include "speedwell/apps/alignment/ssca1/gpu_rounds.hpp"
#include "speedwell/apps/alignment/warp.hpp"
#include "tests/apps/alignment/ssca1/golden.hpp"
#include "tests/apps/alignment/ssca1/implementations.hpp"
#include "tests/apps/alignment/ssca1/random_data.hpp"

namespace speedwell::alignment::ssca1 {
namespace {

using namespace test;

/// Does what the kernels do, in their order.
template <int R>
class HostDevice {
 public:
  HostDevice(const TableProblem& table, std::int32_t slots, unsigned long long capacity = 1 << 20)
      : table_(table),
        slots_(slots),
        padded_rows_((table.rows() + 32 * R - 1) / (32 * R) * 32 * R),
        begins_(static_cast<std::size_t>(slots * padded_rows_), RowState{-7, -7}),
        ends_(begins_),
        found_(capacity),
        scores_(table.scoring.scores().begin(), table.scoring.scores().end()) {
    std::fill(begins_.begin(), begins_.begin() + padded_rows_, RowState{0, 0});
  }
  std::int32_t slots() const { return slots_; }

  SweepOutcome sweep(const std::vector<SectionTask>& tasks, std::int32_t lead, std::int32_t threshold, bool wide,
                     std::vector<FoundCell>& found) {
    return wide ? sweep_as<Single32>(tasks, lead, threshold, found) : sweep_as<Pair16>(tasks, lead, threshold, found);
  }
  std::vector<char> agree(std::int32_t count) const {
    std::vector<char> same(static_cast<std::size_t>(count), 1);
    for (std::int64_t s = 1; s < count; ++s)
      for (std::int64_t row = 0; row < table_.rows(); ++row) {
        const RowState& a = begins_[static_cast<std::size_t>(s * padded_rows_ + row)];
        const RowState& b = ends_[static_cast<std::size_t>((s - 1) * padded_rows_ + row)];
        if (a.h != b.h || a.e != b.e) same[static_cast<std::size_t>(s)] = 0;
      }
    return same;
  }
  void take_over(const std::vector<std::int32_t>& slots) {
    for (const std::int32_t s : slots) copy_end(s - 1, s);
  }
  void next_round(std::int32_t slot) { copy_end(slot, 0); }

 private:
  void copy_end(std::int64_t from, std::int64_t to) {
    std::copy_n(ends_.begin() + from * padded_rows_, padded_rows_, begins_.begin() + to * padded_rows_);
  }

  template <class Arithmetic>
  SweepOutcome sweep_as(const std::vector<SectionTask>& tasks, std::int32_t lead, std::int32_t threshold,
                        std::vector<FoundCell>& found) {
    if (threshold > section_constants<Arithmetic>(table_).limit) return SweepOutcome::scores_too_large;
    std::int64_t longest = 0;
    for (const SectionTask& task : tasks) longest = std::max(longest, task.last - task.first);
    const auto pairs = static_cast<std::int32_t>((tasks.size() + Arithmetic::subjects - 1) / Arithmetic::subjects);
    std::vector<Border> borders(static_cast<std::size_t>(pairs * (lead + longest)), Border{0xdeadbeefu, 0xdeadbeefu});
    std::vector<std::uint32_t> kept(static_cast<std::size_t>(R) * 64);
    std::vector<Words4> profile(static_cast<std::size_t>(section_profile_bytes(R, table_.scoring.symbols())) /
                                sizeof(Words4));
    char* const bytes = reinterpret_cast<char*>(profile.data());
    unsigned long long count = 0;
    unsigned int overflowed = 0;
    SectionSweep s = section_constants<Arithmetic>(table_);
    s.main = table_.main.data();
    s.match = table_.match.data();
    s.scores = scores_.data();
    s.tasks = tasks.data();
    s.task_count = static_cast<std::int32_t>(tasks.size());
    s.lead = lead;
    s.begins = begins_.data();
    s.ends = ends_.data();
    s.padded_rows = padded_rows_;
    s.threshold = threshold;
    s.found = found_.data();
    s.found_count = &count;
    s.capacity = found_.size();
    s.overflowed = &overflowed;
    s.borders = borders.data();
    s.border_columns = lead + longest;
    HostWarp warp;
    for (std::int64_t row = 0; row < table_.rows(); row += 32 * R) {
      for (int thread = 0; thread < 7; ++thread) build_section_profile<R>(bytes, s, row, thread, 7);
      for (std::int32_t pair = 0; pair < pairs; ++pair)
        sweep_section_pair<Arithmetic, R>(warp, s, pair, row, bytes, kept.data());
    }
    if (overflowed) return SweepOutcome::scores_too_large;
    if (count > s.capacity) return SweepOutcome::too_many_candidates;
    found.assign(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count));
    return SweepOutcome::complete;
  }

  const TableProblem& table_;
  std::int32_t slots_;
  std::int64_t padded_rows_;
  std::vector<RowState> begins_, ends_;
  std::vector<FoundCell> found_;
  std::vector<std::int16_t> scores_;
};

template <int R>
GpuRoundCounts expect_reference(const Sequence& main, const Sequence& match, const Scoring& scoring,
                                const EndpointRules& rules, const GpuRoundOptions& options, std::int32_t slots,
                                unsigned long long capacity = 1 << 20) {
  const TableProblem table{main, match, scoring, rules};
  HostDevice<R> device(table, slots, capacity);
  GpuRounds<HostDevice<R>> rounds(device, table, options);
  const Endpoints got = rounds.run();
  const Endpoints expected = reference::find_endpoints(main, match, scoring, rules);
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
  for (const std::size_t m : {1, R, 32 * R - 1, 32 * R, 32 * R + 1, 64 * R + 5}) {
    const Sequence match = random_sequence(random, m, 64), main = with_relatives(random, match, 700, 64);
    expect_reference<R>(main, match, codons, {}, {.lead = 20, .shortest = 16, .longest = 50}, 5);
  }
}
TEST(Ssca1GpuSections, AgreeAroundStripAndTileBoundaries) {
  try_lengths<8>();
  try_lengths<16>();
}

TEST(Ssca1GpuSections, GoldenCodons) {
  const Data data = golden_data(512);
  const Sequence main(data.main.begin(), data.main.end()), match(data.match.begin(), data.match.end());
  const Scoring codons = scoring(Preset::ssca1, Alphabet::codons);
  const GpuRoundCounts counts = expect_reference<32>(main, match, codons, {}, {}, 16);
  EXPECT_EQ(counts.rounds, 1);
  EXPECT_EQ(counts.wide_rounds, 0);
}

TEST(Ssca1GpuSections, SectionsOfEveryLengthLeadAndNumber) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const int symbols = round % 3 == 0 ? 4 : round % 3 == 1 ? 64 : 256;
    const Scoring s = random_scoring(random, symbols, -8, 9, random.between(0, 9), random.between(0, 2));
    const Sequence match = random_sequence(random, 1 + random.below(300), symbols);
    const Sequence main = with_relatives(random, match, 1 + random.below(500), symbols);
    const GpuRoundOptions options{
        .lead = random.between(0, 40), .shortest = random.between(1, 60), .longest = random.between(1, 200)};
    expect_reference<8>(main, match, s,
                        {.mode = round % 4 ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
                         .minimum_score = random.between(1, 25),
                         .count = 1 + random.below(100),
                         .count_candidates = round % 5 != 0},
                        options, 1 + static_cast<std::int32_t>(random.below(9)));
  }
}

// An alignment through all sections: every turn mends one more.
TEST(Ssca1GpuSections, AnAlignmentThroughAllSections) {
  Random random(3);
  const Scoring s = flat_scoring(64, 5, -3, 8, 1);
  const Sequence match = random_sequence(random, 500, 64), main = random.relative(match);
  const GpuRoundCounts counts =
      expect_reference<16>(main, match, s, {}, {.lead = 10, .shortest = 20, .longest = 20}, 12);
  EXPECT_GT(counts.repeated, 5);
}

TEST(Ssca1GpuSections, ScoresBeyond16Bits) {
  Random random(4);
  const Sequence match = random_sequence(random, 300, 20), main = random.relative(match);
  EXPECT_GT(expect_reference<8>(main, match, flat_scoring(20, 1000, -900, 400, 7), {}, {.lead = 8, .shortest = 40}, 4)
                .wide_rounds,
            0);
  EXPECT_EQ(expect_reference<8>(main, match, flat_scoring(20, 100, -90, 400, 7), {}, {.lead = 8, .shortest = 40}, 4)
                .wide_rounds,
            0);
  expect_reference<8>(main, match, flat_scoring(20, 200, -90, 1 << 24, 1 << 24), {.minimum_score = 40000},
                      {.shortest = 40}, 4);
}

TEST(Ssca1GpuSections, AFullListMakesRoundsSmaller) {
  Random random(5);
  const Sequence match = random_sequence(random, 100, 4), main = with_relatives(random, match, 600, 4);
  const GpuRoundCounts counts =
      expect_reference<8>(main, match, scoring(Preset::ssca1, Alphabet::letters), {}, {.shortest = 40}, 8, 128);
  EXPECT_GT(counts.smaller_rounds, 0);
}

TEST(Ssca1GpuSections, StripsFitTheMemoryAndTheMatch) {
  EXPECT_EQ(section_strip_rows(1024, 64, 227 << 10), 32);
  EXPECT_EQ(section_strip_rows(128, 64, 227 << 10), 8);
  EXPECT_EQ(section_strip_rows(1024, 256, 227 << 10), 8);
  EXPECT_EQ(section_strip_rows(1024, 64, 99 << 10), 16);
  EXPECT_EQ(section_strip_rows(1024, 256, 48 << 10), 0);
}

}  // namespace
}  // namespace speedwell::alignment::ssca1
