// The progress of a search and its closing line.
#include "speedwell/search/progress.hpp"

#include <gtest/gtest.h>

namespace speedwell::search {
namespace {

TEST(SearchProgress, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(progress_text({0, 1e12, 0}, false), "  0 %");
  EXPECT_EQ(progress_text({2.5e11, 1e12, 10}, false), " 25 % of 1e+12 cells, 25.0 GCUPS, 0:30 left");
  EXPECT_EQ(progress_text({5e11, 1e12, 5000}, true),
            "[###############               ]  50 % of 1e+12 cells, 0.1 GCUPS, 1:23:20 left");
  EXPECT_EQ(progress_text({2e12, 1e12, 10}, false), "100 % of 1e+12 cells, 200.0 GCUPS, 0:00 left");
  EXPECT_LE(progress_text({1.234e15, 1.235e15, 1e6}, true).size(), 79u);
}

TEST(SearchProgress, IsReportedFromAThreadUntilTheMonitorIsDestroyed) {
  const auto reports = [](std::chrono::milliseconds every) {
    std::atomic<std::int64_t> done{500};
    std::atomic<int> count{0};
    {
      const ProgressMonitor monitor(
          [&](const Progress& progress) {
            EXPECT_EQ(progress.cells, 500);
            EXPECT_EQ(progress.all_cells, 1000);
            ++count;
          },
          1000, done, every);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    return count.load();
  };
  EXPECT_GE(reports(std::chrono::milliseconds(2)), 2);
  EXPECT_EQ(reports(std::chrono::minutes(1)), 0);
  const std::atomic<std::int64_t> done{0};
  const ProgressMonitor none({}, 1, done, std::chrono::milliseconds(1));
}

TEST(SearchSummary, SaysWhatWasSearched) {
  EXPECT_EQ(summary_text(
                {.queries = 10, .subjects = 500, .hits = 37, .queries_without_hits = 2, .cells = 6.4e9, .seconds = 2},
                "2 threads of a processor"),
            "10 queries, 500 subjects, 37 hits (2 queries without); 6.4e+09 cells in 2 s, 3.2 GCUPS, on 2 threads of a "
            "processor");
  EXPECT_EQ(summary_text({.queries = 1, .subjects = 1, .hits = 1, .cells = 0, .seconds = 0}, ""),
            "1 query, 1 subject, 1 hit; 0 cells in 0 s");
}

}  // namespace
}  // namespace speedwell::search
