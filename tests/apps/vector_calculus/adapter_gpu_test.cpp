// Every GPU row of the application's table through the life of a run.
#include <gtest/gtest.h>

#include "speedwell/apps/vector_calculus/adapter.hpp"
#include "speedwell/apps/vector_calculus/operation.hpp"
#include "speedwell/core/cuda.hpp"
#include "tests/apps/lifecycle.hpp"

namespace speedwell::vector_calculus {
namespace {

TEST(VectorCalculusRowsOnGpu, PassAndFailWhereNothingIsDone) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const OperationInfo& of : operations)
    for (const char* layout : {"aos", "soa"})
      for (const char* values : {"integers", "random"})
        for (const char* precision : {"f64", "f32"})
          for (const harness::Variant& row : app.variants) {
            const harness::Problem problem = harness::problem_with(app, {{"operation", std::string(of.name)},
                                                                         {"layout", std::string(layout)},
                                                                         {"values", std::string(values)},
                                                                         {"precision", std::string(precision)},
                                                                         {"nx", std::int64_t{35}},
                                                                         {"ny", std::int64_t{6}},
                                                                         {"nz", std::int64_t{5}}});
            if (row.backend != harness::Backend::cuda || !row.make || row.unsupported_reason(problem)) continue;
            const auto run = harness::lived(app, row, problem);
            const core::Verdict verdict = run->verify();
            EXPECT_TRUE(verdict.passed) << row.name << " " << of.name << " " << layout << " " << values << " "
                                        << precision << ": " << verdict.error << " > " << verdict.tolerance;
            run->download();
            EXPECT_TRUE(run->verify().passed) << row.name << " " << of.name << ": downloaded again";
            EXPECT_FALSE(harness::lived(app, row, problem, false)->verify().passed) << row.name << " " << of.name;
          }
}

}  // namespace
}  // namespace speedwell::vector_calculus
