// --ranks and --gpus: the variants that they select, and numbers that do not fit.
#include "speedwell/session/launch.hpp"

#include <gtest/gtest.h>

#include "speedwell/process/failure.hpp"

namespace speedwell::session {
namespace {

using process::UsageError;

TEST(SessionLaunch, SelectsTheVariantsOfItsBackend) {
  RunOptions on_ranks, on_gpus, chosen;
  on_ranks.ranks = "4";
  select_backend(on_ranks);
  EXPECT_EQ(on_ranks.variants, "mpi*");
  on_gpus.gpus = "all";
  select_backend(on_gpus);
  EXPECT_EQ(on_gpus.variants, "multi*");
  chosen.ranks = "4";
  chosen.variants = "mpi-overlap";
  select_backend(chosen);
  EXPECT_EQ(chosen.variants, "mpi-overlap");
}

TEST(SessionLaunch, RefusesContradictions) {
  RunOptions both;
  both.ranks = both.gpus = "2";
  EXPECT_THROW(select_backend(both), UsageError);
  EXPECT_THROW(rank_option("0"), UsageError);
  EXPECT_THROW(gpu_option("some"), UsageError);
  EXPECT_EQ(gpu_option("all"), 0);
}

TEST(SessionLaunch, WantsACoreForEachRank) {
  if (placed_by_others()) GTEST_SKIP() << "a batch system or a launcher of the user's places ranks";
  EXPECT_NO_THROW(require_cores(4, 4, false));
  EXPECT_THROW(require_cores(5, 4, false), UsageError);
  EXPECT_NO_THROW(require_cores(5, 4, true));
}

TEST(SessionLaunch, StartsNoLauncherWithoutRanks) {
  EXPECT_TRUE(launch_line({}, {.command = "run", .words = {"stream"}, .command_line = "speedwell run stream"}).empty());
}

}  // namespace
}  // namespace speedwell::session
