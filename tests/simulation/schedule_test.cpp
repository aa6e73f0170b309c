// Multiples of intervals and times besides, where sums of roundings would miss them.
#include "speedwell/simulation/schedule.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace speedwell::simulation {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

TEST(Schedule, StepsLandOnEveryMultipleOnce) {
  const Schedule tenths(0.1);
  double t = 0;
  for (int n = 1; n <= 1000; ++n) {
    const double next = tenths.next(t);
    EXPECT_GT(next, t);
    EXPECT_DOUBLE_EQ(next, n / 10.0);
    EXPECT_TRUE(tenths.due(next));
    EXPECT_FALSE(tenths.due(next + 0.01));
    t = next;
  }
  EXPECT_EQ(Schedule(0.1).next(0.2), 0.3);  // to 15 digits: 3 * 0.1 is not
}

TEST(Schedule, CountsStepsExactly) {
  const Schedule every(7);
  for (int step = 0; step < 100; ++step) {
    EXPECT_EQ(every.next(step), (step / 7 + 1) * 7);
    EXPECT_EQ(every.due(step), step % 7 == 0);
  }
  const double far = 2147483640;  // the steps of a case are 31 bits
  EXPECT_EQ(every.due(far), 2147483640 % 7 == 0);
  EXPECT_EQ(Schedule(far).next(far - 1), far);
  EXPECT_FALSE(Schedule(far).due(far - 1));
}

TEST(Schedule, HasTimesBesides) {
  const Schedule both(1, {0.25, 1.5});
  EXPECT_EQ(both.next(0), 0.25);
  EXPECT_EQ(both.next(0.25), 1);
  EXPECT_EQ(both.next(1), 1.5);
  EXPECT_EQ(both.next(1.5), 2);
  EXPECT_TRUE(both.due(0.25));
  EXPECT_FALSE(both.due(0.5));
  const Schedule times(0, {0.25});
  EXPECT_FALSE(times.has_interval());
  EXPECT_FALSE(times.empty());
  EXPECT_EQ(times.next(0.25), never);
  EXPECT_TRUE(Schedule().empty());
  EXPECT_EQ(Schedule().next(0), never);
  EXPECT_FALSE(Schedule().due(1));
}

}  // namespace
}  // namespace speedwell::simulation
