// Database searches on several GPUs, which ranks may share: every score has to be the oracle's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "speedwell/apps/alignment/adapter.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::alignment {
namespace {

class SearchOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    harness::bind_variants(app_, multi_runs());
  }

  void expect_verified(std::vector<harness::Setting> settings) {
    const harness::Problem problem = harness::problem_with(app_, std::move(settings));
    const auto run = harness::completed_run_on_ranks(app_, harness::row(app_, "multi"), problem);
    if (!test::is_root()) return;
    const core::Verdict verdict = run->verify();
    EXPECT_TRUE(verdict.passed) << problem.get<std::int64_t>("queries") << " x "
                                << problem.get<std::int64_t>("subjects") << ": " << verdict.error << " "
                                << verdict.oracle;
  }

  harness::Application app_ = application();
};

TEST_F(SearchOnGpus, HasTheOraclesScoresForProteinsAndDna) {
  const std::string dna = "dna", protein = "protein";
  for (const std::string& alphabet : {protein, dna})
    expect_verified(
        {{"alphabet", alphabet}, {"queries", 7}, {"subjects", 150}, {"mean_length", 120.0}, {"related", 0.1}});
}

TEST_F(SearchOnGpus, MayHaveFewerSequencesThanRanks) {
  expect_verified({{"queries", 1}, {"subjects", 1}, {"mean_length", 120.0}});
  expect_verified({{"queries", 3}, {"subjects", 1}, {"mean_length", 500.0}});
  expect_verified({{"queries", 1}, {"subjects", 2}, {"mean_length", 90.0}});
}

TEST_F(SearchOnGpus, SearchesASmallDatabaseOfProteins) {
  expect_verified({{"queries", 20}, {"subjects", 2000}, {"query_lengths", std::string("survey")}});
}

}  // namespace
}  // namespace speedwell::alignment
