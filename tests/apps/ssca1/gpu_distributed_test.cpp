// SSCA#1 on several GPUs, which ranks may share: the results of one process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::ssca1 {
namespace {

class Ssca1OnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    harness::bind_variants(app_, multi_runs());
  }

  void expect_right(std::vector<harness::Setting> settings) {
    for (const char* const kernel : {"1", "2", "3", "4", "5"}) {
      settings.emplace_back("kernel", std::string(kernel));
      const auto run =
          harness::completed_run_on_ranks(app_, harness::row(app_, "multi"), harness::problem_with(app_, settings));
      settings.pop_back();
      EXPECT_TRUE(run->exchange_seconds().has_value());
      if (!test::is_root()) continue;
      const core::Verdict verdict = run->verify();
      EXPECT_TRUE(verdict.passed) << "kernel " << kernel << ": " << verdict.error << " " << verdict.oracle;
    }
  }

  harness::Application app_ = application();
};

TEST_F(Ssca1OnGpus, HasTheResultsOfOneProcess) {
  for (const char* const candidates : {"all", "needed"})
    expect_right({{"main_length", 2048},
                  {"match_length", 2048},
                  {"similar_score", 0},
                  {"places", 20},
                  {"candidates", std::string(candidates)}});
}

TEST_F(Ssca1OnGpus, DividesALongMain) {
  expect_right({{"main_length", 200000}, {"match_length", 128}, {"strings", std::string("no")}});
  expect_right({{"main_length", 100000}, {"match_length", 861}});
}

TEST_F(Ssca1OnGpus, MayHaveLittleToDivide) {
  for (const std::int64_t length : {1, 3, 70})
    expect_right({{"main_length", length}, {"match_length", 40}, {"strings", std::string("no")}, {"minimum_score", 1}});
}

}  // namespace
}  // namespace speedwell::ssca1
