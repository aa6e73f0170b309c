// stream on several GPUs, which ranks may share: every kernel and precision, and lengths with fewer elements than
// ranks.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/apps/device_ranks_lifecycle.hpp"
#include "tests/apps/stream/rows.hpp"

namespace speedwell::stream {
namespace {

harness::Application application_on_gpus() {
  harness::Application all = application();
  harness::bind_variants(all, multi_runs());
  return all;
}

class StreamOnGpus : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(StreamOnGpus, AgreesWithTheInputsDefinition) {
  const harness::Application all = application_on_gpus();
  const Row row{"multi", GetParam()};
  for (const std::string& precision : all_precisions)
    for (const std::int64_t n : {1, 2, 7, 31, 1025, 300007})
      for (const std::int64_t repeats : {1, 5}) {
        if (repeats > 1 && GetParam() == "sequence") continue;
        const auto run = harness::completed_run_on_ranks(all, harness::row(all, "multi"),
                                                         problem_of_row(all, row, precision, n, repeats));
        EXPECT_GE(run->exchange_seconds().value(), 0);
        if (test::ranks().rank() > 0) continue;
        const core::Verdict v = run->verify();
        EXPECT_TRUE(v.passed) << precision << " n " << n << ": " << v.error << " > " << v.tolerance << ", " << v.oracle;
      }
}

TEST_P(StreamOnGpus, HasTheSameBitsEveryTime) {
  const harness::Application all = application_on_gpus();
  const harness::Problem problem = problem_of_row(all, {"multi", GetParam()}, "f64", 1000003);
  const auto first = harness::completed_run_on_ranks(all, harness::row(all, "multi"), problem),
             second = harness::completed_run_on_ranks(all, harness::row(all, "multi"), problem);
  if (test::ranks().rank() > 0) return;
  const auto a = first->outputs(), b = second->outputs();
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::memcmp(a[i].data, b[i].data, a[i].count * harness::element_bytes(a[i].type)), 0) << a[i].name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, StreamOnGpus, testing::ValuesIn(all_kernels),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace speedwell::stream
