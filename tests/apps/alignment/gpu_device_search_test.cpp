// DeviceSearch against GpuSearch and the CPU: long pairs among short ones, and a database that does not fit the device.
#include <gtest/gtest.h>

#include <vector>

#include "speedwell/apps/alignment/alignment.hpp"
#include "speedwell/apps/alignment/device_search.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/alignment/gpu_oracle.hpp"

namespace speedwell::alignment {
namespace {

class DeviceSearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!core::have_device()) GTEST_SKIP() << "no GPU";
  }
  test::Random random_{20261122};
};

TEST_F(DeviceSearchTest, LongPairsAmongShortOnesLong) {
  const SequenceSet queries = test::random_set(random_, Alphabet::dna, {300, 40000, 12, 33000});
  const SequenceSet subjects = test::random_set(random_, Alphabet::dna, {50, 36000, 1000, 2000, 41000, 0});
  const Scoring scoring{match_mismatch(2, -3), 5, 2};
  DeviceSearch search(subjects);
  EXPECT_EQ(search.search(queries, scoring), search_scores(queries, subjects, scoring));
  EXPECT_EQ(search.pairs(), 4u);
  const Scoring apart{match_mismatch(120, -100), 300, 20};  // not for GpuPair
  EXPECT_EQ(search.search(queries, apart), search_scores(queries, subjects, apart));
  EXPECT_EQ(search.pairs(), 0u);
}

// Most of the device's memory is allocated by other code.
TEST_F(DeviceSearchTest, ADatabaseThatDoesNotFitGoesThroughInPiecesLarge) {
  const SequenceSet queries = test::random_set(random_, Alphabet::protein, {5, 144, 700});
  SequenceSet subjects(Alphabet::protein);
  while (subjects.residues() < 240'000'000) subjects.add_codes("", test::random_codes(random_, 100'000, 20));
  const Scoring scoring{named_matrix("BLOSUM62"), 11, 1};
  DeviceSearch roomy(subjects);
  const std::vector<std::int32_t> expected = roomy.search(queries, scoring);
  EXPECT_EQ(roomy.pieces(), 1u);

  std::size_t available = 0, total = 0;
  core::check(cudaMemGetInfo(&available, &total));
  const core::DeviceBuffer<std::uint8_t> taken(available - (std::size_t{150} << 20));
  DeviceSearch search(subjects);
  EXPECT_EQ(search.search(queries, scoring), expected);
  EXPECT_GT(search.pieces(), 1u);
}

}  // namespace
}  // namespace speedwell::alignment
