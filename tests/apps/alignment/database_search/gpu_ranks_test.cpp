// Searches on ranks that compute on GPUs, which ranks may share, have the hits of one process.
#include <gtest/gtest.h>

#include "tests/apps/alignment/database_search/ranks.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::database_search {
namespace {

TEST(DatabaseSearchOnGpusOfRanks, HasTheHitsOfOneProcess) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  int device = 0;
  core::check(cudaGetDevice(&device));
  expect_hits_of_one_process({.scores = gpu_scores({device}), .aligner = gpu_aligner({device})});
}

}  // namespace
}  // namespace speedwell::database_search
