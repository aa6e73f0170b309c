// The GPU rows as the harness runs them, with and without planted faults.
#include <gtest/gtest.h>

#include <string>

#include "speedwell/apps/gups/adapter.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::gups {
namespace {

harness::Problem problem(std::int64_t words, std::int64_t each) {
  return {"gups", "test", {{"words", words}, {"updates_per_word", each}, {"rule", std::string("any")}}, 1};
}

TEST(GupsGpuRows, PassAndFailWithAFault) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const std::int64_t words : {1 << 10, 1 << 16}) {
    const auto prepared = app.prepare(problem(words, 4)), other = app.prepare(problem(words, 5));
    for (const harness::Variant& variant : app.variants) {
      if (variant.backend != harness::Backend::cuda) continue;
      EXPECT_TRUE(test::passes(variant, test::Fault::none, prepared, other)) << variant.name << " " << words;
      for (const test::Fault fault : test::all_faults())
        EXPECT_FALSE(test::passes(variant, fault, prepared, other)) << variant.name << " " << to_string(fault);
    }
  }
}

TEST(GupsGpuRows, SayWhichRuleTheyKeep) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const harness::Variant& variant : app.variants) {
    if (variant.backend != harness::Backend::cuda) continue;
    const auto run = harness::lived(app, variant, problem(1 << 22, 4));
    const bool stores = run->choices().size() > 2;
    EXPECT_EQ(run->choices()[0].second.find(stores ? "1024 per thread" : "1024 per process"), 0u) << variant.name;
  }
}

}  // namespace
}  // namespace speedwell::gups
