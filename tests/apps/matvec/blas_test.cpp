// The peer's run: OpenBLAS on the same matrix, held against the same oracle.
#include <gtest/gtest.h>

#include "speedwell/apps/matvec/adapter.hpp"

namespace speedwell::matvec {
namespace {

TEST(MatvecOpenBlas, PassesTheSameVerdict) {
  harness::Application app = application();
  const auto bindings = openblas_runs();
  ASSERT_NO_THROW(harness::bind_variants(app, bindings));
  for (const std::string precision : {"f64", "f32"}) {
    const harness::Problem problem{"matvec",
                                   "test",
                                   {{"n", std::int64_t{0}},
                                    {"rows", std::int64_t{301}},
                                    {"columns", std::int64_t{517}},
                                    {"precision", precision},
                                    {"values", std::string("random")}},
                                   1};
    const auto run = bindings.at(0).make(app.prepare(problem), {.threads = 2});
    run->allocate();
    run->poison();
    run->execute();
    EXPECT_TRUE(run->verify().passed) << precision;
  }
}

}  // namespace
}  // namespace speedwell::matvec
