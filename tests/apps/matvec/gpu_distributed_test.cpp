// Products on several GPUs, which ranks may share: within the bound of the oracle.
#include <gtest/gtest.h>

#include <vector>

#include "speedwell/apps/matvec/distributed.hpp"
#include "speedwell/apps/matvec/gpu_solver.hpp"
#include "speedwell/apps/matvec/problem.hpp"
#include "tests/support/device_ranks.hpp"

namespace speedwell::matvec {
namespace {

using test::ranks;

template <class T>
void expect_product(const Problem& problem) {
  const core::Stream stream;
  std::vector<T> a(static_cast<std::size_t>(problem.rows * problem.columns));
  std::vector<T> b(static_cast<std::size_t>(problem.columns)), c(static_cast<std::size_t>(problem.rows));
  fill<T>(problem, a, b);
  const Matrix<T> whole(a.data(), problem.rows, problem.columns, problem.columns);
  const bool is_root = ranks().rank() == 0;
  DistributedRows<T> rows(ranks(), problem.rows, problem.columns);
  rows.scatter(is_root ? &whole : nullptr, b);
  GpuSolver<T> solver(rows.rows(), problem.columns);
  solver.upload(rows.a(), rows.b(), stream);
  solver.run(stream);
  solver.download(rows.c(), stream);
  rows.gather(rows.c(), c);
  if (!is_root) return;
  const core::Verdict verdict = verify<T>(problem, expect<T>(problem, a, b), c);
  EXPECT_TRUE(verdict.passed) << problem.rows << " x " << problem.columns << ": " << verdict.error;
}

TEST(MatvecGpus, MultiplyPartsOfTheRows) {
  if (!test::set_device_of_rank()) GTEST_SKIP() << "no GPU";
  for (const std::int64_t rows : {8, 33, 1000})
    for (const std::int64_t columns : {1, 37, 4096})
      for (const Values values : {Values::integers, Values::random}) {
        expect_product<float>({.rows = rows, .columns = columns, .values = values});
        expect_product<double>({.rows = rows, .columns = columns, .values = values});
      }
}

}  // namespace
}  // namespace speedwell::matvec
