// Columns on several GPUs, which ranks may share: every kernel, source and precision against the oracle, and the bits
// of one GPU where the order of the sums over points does not depend on the number of columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "speedwell/apps/two_stream/adapter.hpp"
#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/gpu_solver.hpp"
#include "speedwell/harness/measurement/element_bytes.hpp"
#include "tests/apps/device_ranks_lifecycle.hpp"

namespace speedwell::two_stream {
namespace {

using test::ranks;

class ColumnsOnGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
    all_ = application();
    harness::bind_variants(all_, multi_runs());
    harness::bind_variants(all_, cuda_runs());
  }
  /// The run of the variant on all ranks, checked where the answer is.
  std::unique_ptr<harness::Run> checked(const harness::Problem& problem) {
    auto run = harness::completed_run_on_ranks(all_, harness::row(all_, "multi"), problem);
    if (ranks().rank() > 0) return run;
    const core::Verdict verdict = run->verify();
    EXPECT_TRUE(verdict.passed) << verdict.error << " > " << verdict.tolerance;
    return run;
  }
  void expect_the_bits_of_one_gpu(const harness::Problem& problem) {
    const auto got = checked(problem);
    if (ranks().rank() > 0) return;
    harness::Context context;
    core::check(cudaGetDevice(&context.device));
    const auto expected = harness::completed(harness::row(all_, "cuda").make(all_.prepare(problem), context));
    const auto a = got->outputs(), b = expected->outputs();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_EQ(std::memcmp(a[i].data, b[i].data, a[i].count * harness::element_bytes(a[i].type)), 0) << a[i].name;
  }
  harness::Problem problem(std::int64_t columns, std::int64_t layers, std::int64_t points, const char* kernel,
                           const char* source, const char* precision, const char* planck = "linear") const {
    return harness::problem_with(all_, {{"columns", columns},
                                        {"layers", layers},
                                        {"points", points},
                                        {"kernel", std::string(kernel)},
                                        {"source", std::string(source)},
                                        {"precision", std::string(precision)},
                                        {"planck", std::string(planck)}});
  }

  harness::Application all_;
};

TEST_F(ColumnsOnGpus, AgreeWithTheOracle) {
  const std::int64_t n = ranks().size();
  for (const char* kernel : {"column", "triple", "coefficients"})
    for (const char* source : {"sun", "thermal"})
      for (const char* precision : {"f64", "f32"})
        for (const std::int64_t columns : {n, n + 1, std::max<std::int64_t>(n, 61), std::int64_t{1000}}) {
          SCOPED_TRACE(std::string(kernel) + " " + source + " " + precision + " " + std::to_string(columns));
          checked(problem(columns, 9, 17, kernel, source, precision, columns % 2 ? "linear" : "quadratic"));
        }
}

TEST_F(ColumnsOnGpus, CoefficientsHaveTheBitsOfOneGpu) {
  for (const char* source : {"sun", "thermal"})
    for (const char* precision : {"f64", "f32"})
      expect_the_bits_of_one_gpu(problem(301, 9, 5, "coefficients", source, precision));
}

// So many columns of each rank that no blocks share the points of one.
TEST_F(ColumnsOnGpus, FluxesOfManyColumnsHaveTheBitsOfOneGpu) {
  const std::int64_t columns = std::int64_t{396} * 32 * ranks().size() + 5;
  for (const char* kernel : {"column", "triple"})
    for (const char* source : {"sun", "thermal"})
      for (const char* precision : {"f64", "f32"})
        expect_the_bits_of_one_gpu(problem(columns, 2, 6, kernel, source, precision));
}

TEST_F(ColumnsOnGpus, AreAtLeastAsManyAsRanks) {
  const int n = ranks().size();
  const harness::Variant& row = harness::row(all_, "multi");
  EXPECT_FALSE(row.unsupported_ranks_reason(problem(n, 2, 1, "column", "sun", "f64"), n));
  EXPECT_TRUE(row.unsupported_ranks_reason(problem(n, 2, 1, "column", "sun", "f64"), n + 1));
}

}  // namespace
}  // namespace speedwell::two_stream
