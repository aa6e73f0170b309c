// The GPU row of SSCA#1: right answers pass, planted faults do not.
#include <gtest/gtest.h>

#include "speedwell/apps/ssca1/adapter.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/support/faulty_run.hpp"

namespace speedwell::ssca1 {
namespace {

harness::Application with_cuda() {
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  return app;
}

TEST(Ssca1GpuRow, EveryKernelPassesAndItsFaultsDoNot) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const harness::Application app = with_cuda();
  const harness::Variant& cuda = harness::row(app, "cuda");
  for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
    const auto problem = [&](std::uint64_t seed) {
      return harness::problem_with(app,
                                   {{"kernel", std::to_string(kernel)},
                                    {"main_length", std::int64_t{1500}},
                                    {"match_length", std::int64_t{700}},
                                    {"similar_score", std::int64_t{0}},
                                    {"places", std::int64_t{6}}},
                                   seed);
    };
    const auto prepared = app.prepare(problem(1)), other = app.prepare(problem(2));
    std::vector<test::Fault> faults = test::all_faults();
    faults.push_back(test::Fault::none);
    for (const test::Fault fault : faults) {
      test::FaultyRun run(cuda.make(prepared, {}), fault, cuda.make(other, {}));
      run.allocate();
      run.upload();
      for (int pass = 0; pass < 2; ++pass) {  // what the first pass left behind does not count
        run.poison();
        run.execute();
        run.synchronize();
      }
      run.download();
      const core::Verdict verdict = run.verify();
      EXPECT_EQ(verdict.passed, fault == test::Fault::none)
          << "kernel " << kernel << ", " << test::to_string(fault) << ": " << verdict.oracle;
    }
  }
}

}  // namespace
}  // namespace speedwell::ssca1
