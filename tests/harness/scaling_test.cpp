// What is said of runs on several numbers of ranks: speed-up, efficiency, their intervals, and runs that failed.
#include "speedwell/harness/scaling.hpp"

#include <gtest/gtest.h>

namespace speedwell::harness {
namespace {

records::Run timed(double seconds, double updates, double exchange = -1) {
  records::Run run;
  run.status = records::Status::passed;
  run.work = records::Work{.updates = updates, .update = "cell"};
  run.rates.rate = updates / seconds / 1e6;
  run.rates.rate_name = "MCUPS";
  run.phases.execute =
      records::Phase{.median = seconds, .interval = {{0.98 * seconds, 1.02 * seconds}}, .n = 9, .passes = 9};
  if (exchange >= 0) run.phases.exchange = records::Phase{.median = exchange, .n = 9, .passes = 9};
  return run;
}

TEST(Scaling, StrongIsTheRatioOfTimes) {
  const ScalingPoint one{.ranks = 1, .run = timed(8, 100), .compared = timed(8, 100)};
  const ScalingPoint four{.ranks = 4, .run = timed(2.5, 100, 0.25), .compared = timed(2, 100)};
  const auto figures = figures_of(one, four);
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->speedup, 3.2);
  EXPECT_DOUBLE_EQ(figures->efficiency, 0.8);
  ASSERT_TRUE(figures->efficiency_interval);
  EXPECT_NEAR(figures->efficiency_interval->first, 0.8 * 0.98 / 1.02, 1e-12);
  EXPECT_NEAR(figures->efficiency_interval->second, 0.8 * 1.02 / 0.98, 1e-12);
  EXPECT_DOUBLE_EQ(*figures->exposed, 0.1);
  EXPECT_DOUBLE_EQ(*figures->over_compared, 0.8);
  EXPECT_EQ(scaling_summary({one, four}, Scaling::strong),
            "strong scaling from 1 to 4 ranks: 3.20 times the rate, 80.0 % efficiency (76.9 % to 83.3 %); 10.0 % of "
            "execute is "
            "communication that is not hidden");
}

TEST(Scaling, WeakCountsTheLargerProblem) {
  const auto figures = figures_of({.ranks = 2, .run = timed(5, 200), .compared = {}},
                                  {.ranks = 6, .run = timed(6, 600), .compared = {}});
  ASSERT_TRUE(figures);
  EXPECT_DOUBLE_EQ(figures->speedup, 2.5);
  EXPECT_NEAR(figures->efficiency, 2.5 / 3, 1e-12);
  EXPECT_FALSE(figures->exposed);
  EXPECT_FALSE(figures->over_compared);
}

TEST(Scaling, SaysNothingOfRunsThatFailed) {
  const ScalingPoint good{.ranks = 1, .run = timed(8, 100), .compared = {}};
  ScalingPoint bad{.ranks = 2, .run = timed(4, 100), .compared = {}};
  bad.run.status = records::Status::failed;
  bad.run.reason = "error 1 > 1e-12";
  EXPECT_FALSE(figures_of(good, bad));
  EXPECT_FALSE(figures_of(bad, good));
  EXPECT_EQ(scaling_summary({good, bad}, Scaling::strong), "");
  EXPECT_EQ(scaling_summary({bad, good}, Scaling::weak), "");
  const std::string table = scaling_table({good, bad}, {.compared = "x openmp"});
  EXPECT_NE(table.find("WRONG: error 1 > 1e-12"), std::string::npos) << table;
  EXPECT_NE(table.find("x openmp"), std::string::npos);
  EXPECT_EQ(table.find("exposed"), std::string::npos);
}

TEST(Scaling, OfGpusIsComparedWithOneGpu) {
  const records::Run one_gpu = timed(4, 100);
  const ScalingPoint one{.ranks = 1, .run = timed(5, 100), .compared = one_gpu};
  const ScalingPoint two{.ranks = 2, .run = timed(5, 200), .compared = one_gpu};
  EXPECT_DOUBLE_EQ(*figures_of(one, two)->over_compared, 1.6);  // the problem of two is twice as large
  const ScalingWords words{.unit = "GPU", .compared = "over cuda"};
  const std::string table = scaling_table({one, two}, words);
  EXPECT_EQ(table.find("rank"), std::string::npos) << table;
  EXPECT_NE(table.find("rate of a GPU"), std::string::npos) << table;
  EXPECT_NE(table.find("over cuda"), std::string::npos) << table;
  EXPECT_NE(table.find(" 1.60 "), std::string::npos) << table;
  EXPECT_TRUE(scaling_summary({one, two}, Scaling::weak, words).starts_with("weak scaling from 1 to 2 GPUs: 2.00 "));
}

}  // namespace
}  // namespace speedwell::harness
