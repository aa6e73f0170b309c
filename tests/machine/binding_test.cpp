#include "speedwell/machine/host/binding.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "speedwell/machine/host/core_sharing.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::machine {
namespace {

#ifdef _OPENMP
// How many hardware threads each thread of a team may run on.
std::vector<int> masks(int threads) {
  std::vector<int> counts(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
      counts[static_cast<std::size_t>(omp_get_thread_num())] = CPU_COUNT(&set);
  }
  return counts;
}

TEST(Binding, ThreadsOfATeamHaveHardwareThreadsOfTheirOwnAndTheCallerIsFree) {
  const auto cpus = static_cast<int>(allowed_cpus().size());
  if (cpus < 2 || std::getenv("OMP_PROC_BIND")) GTEST_SKIP() << "one hardware thread, or the user binds";
  EXPECT_FALSE(bind_team(cpus + 1)) << "two of them would share one";
  ASSERT_TRUE(bind_team(2));
  const std::vector<int> found = masks(2);
  EXPECT_EQ(found[0], cpus);
  EXPECT_EQ(found[1], 1);
}

TEST(Binding, AWiderTeamHasTheCpusForATimeAndThenTheOldOnes) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2 || std::getenv("OMP_PROC_BIND")) GTEST_SKIP() << "one hardware thread, or the user binds";
  const auto all = static_cast<int>(cpus.size());
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  CPU_SET(cpus.front(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);  // as a launcher binds a rank
  omp_set_num_threads(1);
  {
    const WiderTeam team(cpus, all);
    EXPECT_TRUE(team.is_wider());
    EXPECT_EQ(allowed_cpus(), cpus);
    EXPECT_EQ(omp_get_max_threads(), all);
    EXPECT_EQ(masks(all).front(), all);
    EXPECT_FALSE(WiderTeam(cpus, all).is_wider()) << "it has them already";
  }
  EXPECT_EQ(allowed_cpus(), std::vector<int>{cpus.front()});
  EXPECT_EQ(omp_get_max_threads(), 1);
  {
    const WiderTeam team({1 << 20}, all);
    EXPECT_FALSE(team.is_wider()) << "there is no such hardware thread";
  }
  EXPECT_EQ(allowed_cpus(), std::vector<int>{cpus.front()});
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  omp_set_num_threads(all);
}
#endif

TEST(CoreSharing, IsMeasuredOnAnyMachine) {
  const std::vector<int> cpus = allowed_cpus();
  const auto sharing = measured_threads_per_core(cpus, baseline::host_kernels);
  ASSERT_TRUE(sharing);
  EXPECT_GE(*sharing, 1);
  EXPECT_LE(*sharing, static_cast<int>(cpus.size()));
  EXPECT_EQ(measured_threads_per_core({cpus.front()}, baseline::host_kernels), 1);
  EXPECT_FALSE(measured_threads_per_core({}, baseline::host_kernels));
  EXPECT_FALSE(measured_threads_per_core({1 << 20, 1}, baseline::host_kernels)) << "there is no such hardware thread";
}

}  // namespace
}  // namespace speedwell::machine
