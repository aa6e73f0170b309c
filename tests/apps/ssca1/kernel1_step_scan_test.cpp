// The parts of the steps of kernel 1 before GpuTable, executed on the host as the kernels do: the scan of a row, its
// sweeps and its look-back, rows and their candidates, all against what they replace.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "speedwell/apps/alignment/gpu/warp.hpp"
#include "speedwell/apps/ssca1/cpu/kernel1_row_scan.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_row_items.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps.hpp"
#include "speedwell/apps/ssca1/gpu/kernel1/kernel1_steps_passes.hpp"
#include "speedwell/apps/ssca1/verify/reference.hpp"
#include "tests/apps/ssca1/host_block.hpp"
#include "tests/apps/ssca1/random_data.hpp"

namespace speedwell::ssca1 {
namespace {

using namespace test;
using alignment::HostWarp;

constexpr std::int32_t costs[] = {0, 1, 2, 7, 1000, 1 << 24, DecayingMaximum::unreachable};

/// T of the values before each one, by the definition: max over k of value(j - k) - (k - 1) extend, and 0.
std::vector<std::int32_t> prefixes(std::span<const std::int32_t> values, std::int64_t extend) {
  std::vector<std::int32_t> made;
  std::int64_t before = 0;
  for (const std::int32_t value : values) {
    made.push_back(static_cast<std::int32_t>(before));
    before = std::max<std::int64_t>(before - extend, value);
  }
  return made;
}
std::vector<std::int32_t> random_values(Random& random, std::size_t count, std::int32_t highest) {
  std::vector<std::int32_t> values(count);
  for (std::int32_t& value : values) value = random.below(3) == 0 ? random.between(0, highest) : 0;
  return values;
}

TEST(Ssca1StepScan, CombinesInAnyOrderAndNeverOverflows) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const DecayingMaximum scan{costs[random.below(std::size(costs))]};
    const auto value = [&] { return random.between(0, round % 2 ? 60 : DecayingMaximum::unreachable); };
    const std::int64_t b_length = 1 + random.between(0, round % 3 ? 40 : 1 << 30), c_length = 1 + random.between(0, 50);
    const std::int32_t a = value(), b = value(), c = value();
    EXPECT_EQ(scan.combine(scan.combine(a, b, b_length), c, c_length),
              scan.combine(a, scan.combine(b, c, c_length), b_length + c_length))
        << a << " " << b << " " << c << ", " << scan.extend << " for each of " << b_length << " and " << c_length;
    EXPECT_EQ(scan.combine(0, a, b_length), a);
    // A range as an element.
    EXPECT_EQ(scan.of_ranges(b_length).reach(c_length), scan.reach(b_length * c_length));
  }
}

// Equations 4.3 to 4.5 with the scan are the recurrence, value by value, whatever gaps cost.
TEST(Ssca1StepScan, RowsAreTheRecurrence) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const int extend = round % 4 == 0 ? 0 : random.between(0, 3), open = random.between(0, 9);
    const Scoring s = random_scoring(random, 4, -8, 9, open, extend);
    const Sequence match = random_sequence(random, 1 + random.below(40), 4);
    const Sequence main = with_relatives(random, match, 1 + random.below(70), 4);
    const DecayingMaximum scan{extend};
    std::vector<std::int32_t> h(main.size(), 0), f(main.size(), 0);              // by the steps
    std::vector<std::int32_t> above_h(main.size(), 0), above_f(main.size(), 0);  // by the recurrence
    for (const std::uint8_t symbol : match) {
      std::int32_t before = 0, diagonal = 0, corner = 0, e = 0, left = 0;
      for (std::size_t j = 0; j < main.size(); ++j) {
        const std::int32_t above = h[j], score = s.score(symbol, main[j]);
        const std::int32_t h_row = from_row_above(f[j], diagonal, above, score, open, extend);
        h[j] = along_row(h_row, before, open, extend);
        before = scan.combine(before, h_row, 1);
        diagonal = above;

        e = std::max(e, left - open) - extend;
        above_f[j] = std::max(above_f[j], above_h[j] - open) - extend;
        left = std::max({corner + score, e, above_f[j], 0});
        corner = above_h[j];
        above_h[j] = left;
      }
      ASSERT_EQ(h, above_h) << "round " << round;
      ASSERT_EQ(f, above_f) << "round " << round;
    }
  }
}

TEST(Ssca1StepScan, SweepsArePrefixesAndThoseOfAppendixB) {
  Random random(3);
  for (const bool real_threads : {false, true})
    for (const std::int32_t extend : costs) {
      const auto values = random_values(random, sweep_elements, extend > 1000 ? DecayingMaximum::unreachable : 90);
      std::vector<std::int32_t> shared(sweep_words, -1);
      for (int k = 0; k < sweep_elements; ++k) shared[static_cast<std::size_t>(sweep_index(k))] = values[k];
      on_block(real_threads, [&](const auto& block) {
        const std::int32_t total = sweep_up_and_down(block, shared.data(), DecayingMaximum{extend});
        EXPECT_EQ(total, std::max<std::int64_t>(prefixes(values, extend).back() - std::int64_t{extend}, values.back()));
      });
      const auto expected = prefixes(values, extend);
      std::vector<std::int32_t> literal = values;
      if (extend <= 1000) exclusive_decaying_maximum(literal, extend);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const std::int32_t got = shared[static_cast<std::size_t>(sweep_index(static_cast<int>(k)))];
        ASSERT_EQ(got, expected[k]) << k << ", " << extend;
        if (extend <= 1000 && k > 0) {  // the appendix's first column is the border
          ASSERT_EQ(got, std::max(literal[k] + extend, 0)) << k << ", " << extend;
        }
      }
    }
}

TEST(Ssca1StepScan, LevelsCoverMoreThanAMillionColumns) {
  Random random(4);
  EXPECT_EQ(sweep_sizes(row_tile).count, 2);
  EXPECT_EQ(sweep_sizes(std::int64_t{1} << 20).count, 2);
  const std::int64_t columns = padded_columns((1 << 20) + 1);
  const SweepSizes sizes = sweep_sizes(columns);
  ASSERT_EQ(sizes.count, 3);
  EXPECT_EQ(sizes.elements[1], columns / sweep_elements);
  EXPECT_EQ(sizes.elements[2], 2);
  for (const std::int32_t extend : {0, 1, 3000}) {
    const auto values =
        random_values(random, static_cast<std::size_t>(columns), extend < 3000 ? 500000 : 2000000000 / 2);
    std::vector<std::int32_t> before[max_sweep_levels];
    SweepLevels levels;
    levels.count = sizes.count;
    before[0] = values;
    for (int level = 0; level < sizes.count; ++level) {
      levels.scans[level] = level == 0 ? DecayingMaximum{extend} : levels.scans[level - 1].of_ranges(sweep_elements);
      std::vector<std::int32_t>& here = before[level];
      for (std::size_t first = 0; first < here.size(); first += sweep_elements) {
        std::vector<std::int32_t> shared(sweep_words, 0);
        const std::size_t count = std::min<std::size_t>(sweep_elements, here.size() - first);
        for (std::size_t k = 0; k < count; ++k)
          shared[static_cast<std::size_t>(sweep_index(static_cast<int>(k)))] = here[first + k];
        const std::int32_t total = sweep_up_and_down(HostBlock{7}, shared.data(), levels.scans[level]);
        for (std::size_t k = 0; k < count; ++k)
          here[first + k] = shared[static_cast<std::size_t>(sweep_index(static_cast<int>(k)))];
        if (level + 1 < sizes.count) before[level + 1].push_back(total);
      }
      levels.before[level] = here.data();
    }
    const auto expected = prefixes(values, extend);
    for (std::int64_t j = 0; j < columns; ++j)
      ASSERT_EQ(levels.before_column(j), expected[static_cast<std::size_t>(j)]) << j << ", " << extend;
  }
}

TEST(Ssca1StepScan, LookBackFindsThePrefixWhateverTilesHavePublished) {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    const DecayingMaximum scan{costs[random.below(5)]};
    const int width = random.between(1, 30);
    const std::int32_t highest = 400;
    const auto tiles = static_cast<std::int64_t>(1 + random.below(150));
    const auto totals = random_values(random, static_cast<std::size_t>(tiles), highest);
    const std::uint32_t stamp = static_cast<std::uint32_t>(random.below(1 << 30));
    std::vector<unsigned long long> words;
    std::int32_t before = 0;
    for (const std::int32_t total : totals) {
      HostWarp warp;
      const auto tile = static_cast<std::int64_t>(words.size());
      EXPECT_EQ(look_back(warp, scan, tile, width, highest,
                          [&](std::int64_t other) {
                            EXPECT_TRUE(other >= 0 && other < tile);
                            const unsigned long long word = words[static_cast<std::size_t>(other)];
                            EXPECT_TRUE(TileWord::has_stamp(word, stamp));
                            EXPECT_FALSE(TileWord::has_stamp(word, stamp ^ 1));
                            return word;
                          }),
                before)
          << "tile " << tile << " of round " << round;
      before = scan.combine(before, total, width);
      const bool prefix = random.below(20) == 0;
      words.push_back(
          TileWord::pack(stamp, prefix ? TileWord::Content::prefix : TileWord::Content::tile, prefix ? before : total));
    }
  }
  EXPECT_FALSE(TileWord::has_stamp(0, 0)) << "a cleared word";
}

/// A pass over the rows as cuda-sweeps and cuda-rows compute them, on one thread.
std::uint64_t pass_over_rows(const StepTable& table, const CandidateList& list) {
  const DecayingMaximum scan{table.extend};
  const auto columns = static_cast<std::size_t>(padded_columns(table.columns));
  std::vector<std::int32_t> h(columns, 0), f(columns, 0);
  for (std::int64_t row = 0; row < table.rows; ++row) {
    std::int32_t before = 0, diagonal = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const auto column = static_cast<std::int64_t>(j);
      const std::int32_t above = h[j];
      const std::int32_t h_row =
          from_row_above(f[j], diagonal, above, table.pair_score(row, column), table.open, table.extend);
      h[j] = along_row(h_row, before, table.open, table.extend);
      before = scan.combine(before, h_row, 1);
      if (column < table.columns) table.test(list, row, column, h[j], diagonal);
      diagonal = above;
    }
  }
  return *list.count;
}

TEST(Ssca1StepRows, RowsGiveTheReferencesEndpointsInAnyNumberOfPasses) {
  Random random(6);
  std::int64_t max_passes = 0;
  for (int round = 0; round < 40; ++round) {
    const int symbols = round % 2 ? 4 : 64;
    const Scoring s = random_scoring(random, symbols, -8, 9, random.between(0, 9), random.between(0, 2));
    const Sequence match = random_sequence(random, 1 + random.below(60), symbols);
    const Sequence main = with_relatives(random, match, 1 + random.below(400), symbols);
    const EndpointRules rules{.mode = round % 4 ? EndpointRules::Mode::peaks : EndpointRules::Mode::plain,
                              .minimum_score = random.between(1, 25),
                              .separation = random.between(0, 7),
                              .count = random.below(100),
                              .count_candidates = round % 3 != 0};
    const TableProblem problem{main, match, s, rules};
    Sequence padded = main;
    padded.resize(static_cast<std::size_t>(padded_columns(problem.columns())), 0);
    const std::vector<std::int16_t> scores(s.scores().begin(), s.scores().end());
    const StepTable table{.main = padded.data(),
                          .match = match.data(),
                          .scores = scores.data(),
                          .columns = problem.columns(),
                          .rows = problem.rows(),
                          .symbols = symbols,
                          .open = s.gap_open(),
                          .extend = s.gap_extend(),
                          .highest = 1 << 20};
    const std::uint64_t capacity = round < 20 ? 1 << 20 : 1 + random.below(200);
    std::vector<FoundCell> found(capacity);
    unsigned long long count = 0;
    const auto pass = [&](CandidateList list) {
      count = 0;
      list.found = found.data();
      list.count = &count;
      return pass_over_rows(table, list);
    };
    StepPasses made = all_passes(problem, capacity, pass, [&] {
      return std::span<const FoundCell>(found.data(), static_cast<std::size_t>(count));
    });
    const Endpoints got = made.candidates.finish(), expected = reference::pairwise_align(main, match, s, rules);
    EXPECT_EQ(got.accepted, expected.accepted) << "round " << round;
    if (rules.count_candidates) {
      EXPECT_EQ(got.candidates, expected.candidates) << "round " << round;
    }
    if (round < 20) {
      EXPECT_EQ(made.passes, 1);
    }
    max_passes = std::max(max_passes, made.passes);
  }
  EXPECT_GT(max_passes, 3);
}

// A row in tiles, warps, threads and columns of a thread, as cuda-rows divides it.
TEST(Ssca1StepRows, TheColumnsOfThreadsAreTheRow) {
  Random random(8);
  for (const std::int32_t extend : {0, 1, 3, 500}) {
    const std::int32_t open = 8;
    const DecayingMaximum scan{extend};
    const std::size_t columns = 3 * row_tile;
    const auto h_above = random_values(random, columns, 5000);
    auto f = random_values(random, columns, 2000), f_row = f;
    std::vector<std::int32_t> scores(columns);
    for (std::int32_t& score : scores) score = random.between(-4, 5);
    std::vector<std::int32_t> h_row(columns);
    for (std::size_t j = 0; j < columns; ++j)
      h_row[j] = from_row_above(f_row[j], j > 0 ? h_above[j - 1] : 0, h_above[j], scores[j], open, extend);
    const auto expected = prefixes(h_row, extend);

    std::int32_t before_tile = 0;
    for (std::size_t tile = 0; tile < 3; ++tile) {
      std::int32_t before_warp = 0, before_lane = 0;
      for (int thread = 0; thread < row_threads; ++thread) {
        if (thread % 32 == 0) {
          if (thread > 0) before_warp = scan.combine(before_warp, before_lane, 32 * row_items);
          before_lane = 0;
        }
        const std::size_t first = tile * row_tile + static_cast<std::size_t>(thread * row_items);
        RowItems<row_items> items;
        std::copy_n(h_above.begin() + static_cast<std::ptrdiff_t>(first), row_items, items.above);
        std::copy_n(f.begin() + static_cast<std::ptrdiff_t>(first), row_items, items.gaps);
        items.corner = first > 0 ? h_above[first - 1] : 0;
        const std::int32_t own =
            items.from_above(open, extend, [&](int k) { return scores[first + static_cast<std::size_t>(k)]; });
        const std::int32_t before = before_thread(scan, before_tile, before_warp, before_lane, thread, row_items);
        EXPECT_EQ(before, expected[first]) << first << ", " << extend;
        const std::int32_t best = items.along(before, open, extend);
        EXPECT_EQ(best, *std::max_element(items.cells, items.cells + row_items));
        for (std::size_t k = 0; k < row_items; ++k) {
          ASSERT_EQ(items.cells[k], along_row(h_row[first + k], expected[first + k], open, extend)) << first + k;
          ASSERT_EQ(items.gaps[k], f_row[first + k]) << first + k;
        }
        before_lane = scan.combine(before_lane, own, row_items);
      }
      const std::int32_t total = scan.combine(before_warp, before_lane, 32 * row_items);
      before_tile = scan.combine(before_tile, total, row_tile);
    }
  }
}

}  // namespace
}  // namespace speedwell::ssca1
