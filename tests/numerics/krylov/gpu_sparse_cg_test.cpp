// Conjugate gradients with a sparse matrix on a GPU against those on the host.
#include "speedwell/numerics/krylov/gpu_sparse_cg.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "speedwell/apps/cg/reference.hpp"
#include "speedwell/apps/stencil/assemble.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/numerics/krylov/sparse_cg.hpp"
#include "speedwell/numerics/loop_graph.hpp"

namespace speedwell::krylov {
namespace {

struct Solution {
  CgResult result;
  std::vector<double> x;
};

TEST(CgWithAMatrixOnGpu, IteratesAsTheHostDoesAndStopsWhereItDoes) {
  if (!core::have_device()) GTEST_SKIP() << "no GPU";
  const core::Stream stream;
  const auto solution = [&](const sparse::Csr<double>& a, const std::vector<double>& b,
                            const SparseCgOptions& options) {
    core::DeviceBuffer<double> on_device_b(b.size()), on_device_x(b.size());
    Solution s{{}, std::vector<double>(b.size(), 0.25)};
    core::copy_async(on_device_b.data(), b.data(), b.size(), stream);
    core::copy_async(on_device_x.data(), s.x.data(), b.size(), stream);
    GpuSparseCg<double> cg(a, options, stream);
    cg.loop_by_host(numerics::loops_by_host());
    cg.run(on_device_b.data(), on_device_x.data(), stream);
    s.result = cg.result(stream);
    core::copy_async(s.x.data(), on_device_x.data(), b.size(), stream);
    stream.synchronize();
    return s;
  };
  for (const stencil::Grid& g : {stencil::Grid{13, 7, 9}, stencil::Grid{1, 1, 1}, stencil::Grid{33, 31, 5}}) {
    const stencil::Fields<double> fields({.form = stencil::Form::face_metric,
                                          .boundary = stencil::Boundary::zero,
                                          .grid = g,
                                          .values = stencil::Values::random,
                                          .seed = 2});
    const sparse::Csr<double> a = stencil::assemble(fields.op());
    const std::vector<double> b(fields.x().begin(), fields.x().end());
    for (const auto preconditioner : {Preconditioner::none, Preconditioner::jacobi}) {
      const SparseCgOptions options{.preconditioner = preconditioner};
      const auto got = solution(a, b, options);
      std::vector<double> x(b.size(), 0.25);
      const CgResult expected = conjugate_gradients<double>(a, b, x, options);
      EXPECT_EQ(got.result.outcome, CgOutcome::converged);
      EXPECT_NEAR(got.result.iterations, expected.iterations, 2);
      EXPECT_LE(cg::reference_residual(fields.op(), b.data(), got.x.data()), 2e-10);
      EXPECT_EQ(solution(a, b, options).x, got.x);
    }
    EXPECT_EQ(solution(a, std::vector<double>(b.size(), 0.0), {}).x, std::vector<double>(b.size(), 0.0));
    EXPECT_EQ(solution(a, b, {.iterations = 0}).result.outcome, CgOutcome::iteration_limit);
  }
  const sparse::Csr<double> indefinite{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
  EXPECT_EQ(solution(indefinite, {1, -1}, {}).result.outcome, CgOutcome::not_positive);
  EXPECT_THROW(solution({2, 2, {0, 2, 3}, {0, 1, 1}, {2, 1, 2}}, {1, 1}, {}), std::invalid_argument);
  EXPECT_THROW(solution(indefinite, {1, 1}, {.preconditioner = Preconditioner::polynomial}), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::krylov
