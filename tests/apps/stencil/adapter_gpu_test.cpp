// The life cycle of every GPU variant of the application, and sparse products with irregular matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "speedwell/apps/stencil/adapter.hpp"
#include "speedwell/apps/stencil/gpu_stencil.hpp"
#include "speedwell/apps/stencil/verify.hpp"
#include "tests/apps/lifecycle.hpp"
#include "tests/apps/stencil/irregular.hpp"

namespace speedwell::stencil {
namespace {

// Under compute-sanitizer without the variants whose loop is a conditional node of a graph, which it does not support:
// cg_gpu_test.cpp runs these with a loop on the host.
bool left_out(const harness::Variant& row, const harness::Problem& problem) {
  return std::getenv("SPEEDWELL_LOOPS_BY_HOST") && problem.get<std::string>("kernel") == "cg" &&
         (row.name == "cuda-passes" || row.name == "cuda-mixed" || problem.get<std::string>("matrix") != "7-point");
}

TEST(StencilRowsOnGpu, PassAndFailWhereNothingIsDone) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  for (const char* kernel : {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg", "sum"})
    for (const char* values : {"dyadic", "random"})
      for (const char* precision : {"f64", "f32"})
        for (const harness::Variant& row : app.variants) {
          const harness::Problem problem = harness::problem_with(app, {{"kernel", std::string(kernel)},
                                                                       {"values", std::string(values)},
                                                                       {"precision", std::string(precision)},
                                                                       {"nx", std::int64_t{36}},
                                                                       {"ny", std::int64_t{21}},
                                                                       {"nz", std::int64_t{19}},
                                                                       {"steps", std::int64_t{9}}});
          if (row.backend != harness::Backend::cuda || !row.make || row.unsupported_reason(problem) ||
              left_out(row, problem))
            continue;
          const core::Verdict verdict = harness::lived(app, row, problem)->verify();
          EXPECT_TRUE(verdict.passed) << row.name << " " << kernel << " " << values << " " << precision << ": "
                                      << verdict.error << " > " << verdict.tolerance;
          EXPECT_FALSE(harness::lived(app, row, problem, false)->verify().passed) << row.name << " " << kernel;
        }
}

template <class T>
void sparse_products_hold() {
  for (const auto& [rows, columns] :
       {std::pair{700, 500}, std::pair{3000, 9000}, std::pair{1, 1}, std::pair{33, 5000}}) {
    const Csr<T> matrix = irregular_matrix<T>(rows, columns);
    const std::vector<T> x = wavy<T>(columns);
    const core::Stream stream;
    core::DeviceBuffer<T> on_device_x(x.size()), on_device_y(static_cast<std::size_t>(rows));
    core::copy_async(on_device_x.data(), x.data(), x.size(), stream);
    const DeviceCsr<T> csr(matrix, stream);
    const DeviceEll<T> ell(sliced(matrix), stream);
    const DeviceDia<T> dia(diagonals(matrix, 1e6), stream);
    for (int method = 0; method < 9; ++method) {
      core::fill_bytes_async(on_device_y, 0xff, stream);
      if (method < 3)
        gpu_multiply(csr, static_cast<CsrMethod>(method), on_device_x.data(), on_device_y.data(), stream);
      else if (method == 3)
        gpu_multiply(ell, on_device_x.data(), on_device_y.data(), stream);
      else if (method == 4)
        gpu_multiply(dia, on_device_x.data(), on_device_y.data(), stream);
      else  // blocks of side 2 to 5
        gpu_multiply(DeviceBsr<T>(blocked(matrix, method - 3), stream), on_device_x.data(), on_device_y.data(), stream);
      std::vector<T> y(static_cast<std::size_t>(rows));
      core::copy_async(y.data(), on_device_y.data(), y.size(), stream);
      stream.synchronize();
      const core::Verdict verdict = verify_sparse<T>(matrix, x, false, y);
      EXPECT_TRUE(verdict.passed) << "way " << method << " " << rows << "x" << columns << ": " << verdict.error;
    }
  }
}

TEST(StencilRowsOnGpu, SolveToATolerance) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  harness::Application app = application();
  harness::bind_variants(app, cuda_runs());
  int mixed = 0;
  for (const auto& [precision, matrix] :
       {std::pair{"f64", "7-point"}, std::pair{"f32", "7-point"}, std::pair{"f64", "27-point"}})
    for (const harness::Variant& row : app.variants) {
      const harness::Problem problem =
          harness::problem_with(app, {{"kernel", std::string("cg")},
                                      {"precision", std::string(precision)},
                                      {"matrix", std::string(matrix)},
                                      {"tolerance", precision == std::string("f64") ? 1e-11 : 1e-5},
                                      {"n", std::int64_t{31}},
                                      {"steps", std::int64_t{10000}}});
      if (row.backend != harness::Backend::cuda || !row.make || row.unsupported_reason(problem) ||
          left_out(row, problem))
        continue;
      mixed += row.name == "cuda-mixed";
      const core::Verdict verdict = harness::lived(app, row, problem)->verify();
      EXPECT_TRUE(verdict.passed) << row.name << " " << precision << ": " << verdict.error << " " << verdict.oracle;
      EXPECT_FALSE(harness::lived(app, row, problem, false)->verify().passed) << row.name;
    }
  EXPECT_EQ(mixed, std::getenv("SPEEDWELL_LOOPS_BY_HOST") ? 0 : 1);  // in f64 only
}

TEST(StencilSparseOnGpu, RowsOfAnyLengthAreSummed) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  sparse_products_hold<double>();
  sparse_products_hold<float>();
}

}  // namespace
}  // namespace speedwell::stencil
