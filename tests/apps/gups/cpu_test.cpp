// The host's variants against the oracle, word for word.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/gups/cpu_sort.hpp"
#include "speedwell/apps/gups/stream.hpp"
#include "tests/apps/gups/golden.hpp"
#include "tests/apps/gups/support.hpp"

namespace speedwell::gups {
namespace {

struct HostMethod {
  const char* name;
  std::function<void(const Problem&, std::span<std::uint64_t>, int)> update;
};
const HostMethod methods[] = {
    {"serially", [](const Problem& p, std::span<std::uint64_t> table, int) { update_serially(p, table); }},
    {"atomically", [](const Problem& p, std::span<std::uint64_t> table,
                      int threads) { update_atomically(p, table, threads, Rule::thread); }},
    {"atomically, 1024 in the process", [](const Problem& p, std::span<std::uint64_t> table,
                                           int threads) { update_atomically(p, table, threads, Rule::process); }},
    {"by region",
     [](const Problem& p, std::span<std::uint64_t> table, int threads) { RegionUpdates(p, threads).update(table); }},
};

TEST(GupsHost, SaysHowFarItIs) {
  const Problem problem{1 << 12, 9000000};  // more than the interval between two progress reports
  const auto right = expected(problem);
  for (const int threads : {1, 2}) {
    ProgressCounter serial{0}, atomic{0}, sorted{0};
    auto one = counted(problem.words), two = one, three = one;
    update_serially(problem, one, &serial);
    update_atomically(problem, two, threads, Rule::any, &atomic);
    RegionUpdates(problem, threads).update(three, &sorted);
    for (const ProgressCounter* progress : {&serial, &atomic, &sorted}) EXPECT_EQ(progress->load(), problem.updates);
    EXPECT_TRUE(one == right && two == right && three == right);
  }
}

TEST(GupsHost, LosesNoUpdateForAnySizeAndNumberOfThreads) {
  for (const Problem& problem : problems(17)) {
    const auto right = expected(problem);
    for (const HostMethod& method : methods)
      for (const int threads : {1, 2, 5}) {
        auto table = counted(problem.words);
        method.update(problem, table, threads);
        EXPECT_EQ(table, right) << method.name << " " << problem.words << " words " << problem.updates << " updates "
                                << threads << " threads";
      }
  }
}

TEST(GupsHost, MakesTheKnownTables) {
  for (const golden::Table& row : golden::tables)
    for (const HostMethod& method : methods) {
      const std::uint64_t words = std::uint64_t{1} << row.log2_words;
      if (row.log2_words > 22 && &method != &methods[3]) continue;  // takes seconds with atomic operations
      std::vector<std::uint64_t> table(words);
      initialise(table, 3);
      method.update({words, 4 * words}, table, 2);
      EXPECT_TRUE(golden::row_of(row.log2_words, table) == row) << method.name << " " << row.log2_words;
    }
}

TEST(GupsSort, StoresEachWordOfASegmentOnceInItsRegion) {
  const std::vector<std::uint64_t> words = reference::stream(5000);
  const Regions regions{.mask = 1023, .shift = 7};  // eight
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512})
    for (const std::uint64_t first : {0, 1, 63, 2000})
      for (const std::uint64_t count : {0, 1, 7, 8, 9, 15, 16, 64, 1001, 2999}) {
        if (!core::is_available(isa)) continue;
        const SortKernels kernels = sort_kernels(isa);
        const Segment segment = segment_of(first, first + count);
        std::vector<std::uint64_t> cursors(8, 0), sorted(count);
        kernels.count(segment, regions, cursors.data());
        std::uint64_t sum = 0;
        for (std::uint64_t& cursor : cursors) sum += std::exchange(cursor, sum);
        ASSERT_EQ(sum, count);
        kernels.sort(segment, regions, cursors.data(), sorted.data());
        std::vector<std::uint64_t> right(words.begin() + static_cast<std::ptrdiff_t>(first + 1),
                                         words.begin() + static_cast<std::ptrdiff_t>(first + 1 + count));
        const auto region_of = [&](std::uint64_t x) { return (x & regions.mask) >> regions.shift; };
        for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_LE(region_of(sorted[i - 1]), region_of(sorted[i]));
        std::sort(sorted.begin(), sorted.end());
        std::sort(right.begin(), right.end());
        EXPECT_EQ(sorted, right) << count << " words after " << first;
      }
}

TEST(GupsHost, ASecondPassUndoesTheFirstOverSeveralStretches) {
  const Problem problem{1 << 16, 50 << 16};  // more than three batches for a table of this size
  RegionUpdates updates(problem, 2);
  auto table = counted(problem.words);
  updates.update(table);
  EXPECT_EQ(table, expected(problem));
  updates.update(table);
  EXPECT_EQ(table, counted(problem.words));
}

void refuses(const Problem& problem, const std::string& words) {
  try {
    require_valid(problem);
    ADD_FAILURE() << problem.words << " " << problem.updates;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GupsContract, NamesWhatIsRefusedAndWhatIsAllowed) {
  refuses({0, 1}, "a table of 0 words; the size must be 1 to 2^40");
  refuses({1000, 1}, "a table of 1000 words; the size must be a power of two, the nearest are 512 and 1024");
  refuses({std::uint64_t{1} << 41, 1}, "2199023255552 words; the size must be 1 to 2^40");
  refuses({1024, 0}, "0 updates; the number must be 1 to the period of the stream, 1317624576693539401");
  refuses({1024, period + 1}, "1317624576693539402 updates");
  std::vector<std::uint64_t> table(8);
  EXPECT_THROW(update_serially({16, 1}, table), std::invalid_argument);
  EXPECT_THROW(update_atomically({8, 1}, table, 0, Rule::thread), std::invalid_argument);
  EXPECT_THROW(update_atomically({8, 1}, table, 1025, Rule::process), std::invalid_argument);
  EXPECT_THROW(RegionUpdates({8, 1}, 0), std::invalid_argument);
  EXPECT_THROW(RegionUpdates({16, 1}, 1).update(table), std::invalid_argument);
  EXPECT_THROW(initialise(table, -1), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::gups
