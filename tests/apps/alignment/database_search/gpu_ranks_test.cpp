// A search by ranks that compute on GPUs has the hits of a search by one process on its CPU. Ranks may share a GPU.
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
