// The GPU rows for one pair: right answers pass, planted faults do not.
#include <gtest/gtest.h>

#include "speedwell/apps/alignment/adapter.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::alignment {
namespace {

std::vector<harness::Setting> one_pair(double related) {
  return {{"alphabet", std::string("dna")},
          {"queries", std::int64_t{1}},
          {"subjects", std::int64_t{1}},
          {"mean_length", 3000.0},
          {"spread", 0.0},
          {"related", related}};
}

TEST(AlignmentGpuRows, OfAPairPassAndHaveTheirFaultsRejectedLong) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const double related : {0.0, 1.0})
    for (const std::string name : {"cuda", "cuda-pair", "cuda-pair-path"}) {
      const harness::Variant& variant = harness::row(app, name);
      const auto prepared = app.prepare(harness::problem_with(app, one_pair(related)));
      const auto other = app.prepare(harness::problem_with(app, one_pair(related), 2));
      ASSERT_FALSE(variant.unsupported_reason(harness::problem_with(app, one_pair(related))));
      std::vector<test::Fault> faults = test::all_faults();
      faults.push_back(test::Fault::none);
      for (const test::Fault fault : faults)
        EXPECT_EQ(test::passes(variant, fault, prepared, other), fault == test::Fault::none)
            << name << ": " << test::to_string(fault);
    }
}

TEST(AlignmentGpuRows, SayWhichProblemsTheyAreFor) {
  const harness::Application app = application();
  const harness::Problem search = harness::problem_with(app, {}), pair = harness::problem_with(app, one_pair(0));
  auto huge = one_pair(0);
  for (harness::Setting& setting : huge)
    if (setting.key == "mean_length") setting.value = 4e6;
  EXPECT_TRUE(harness::row(app, "cuda-pair").unsupported_reason(search));
  EXPECT_FALSE(harness::row(app, "cuda-pair").unsupported_reason(pair));
  EXPECT_FALSE(harness::row(app, "cuda").unsupported_reason(pair));
  EXPECT_TRUE(harness::row(app, "cuda").unsupported_reason(harness::problem_with(app, huge)));
  EXPECT_TRUE(harness::row(app, "openmp").unsupported_reason(harness::problem_with(app, huge)));
}

}  // namespace
}  // namespace speedwell::alignment
