// Conjugate gradients with a sparse matrix on the host.
#include "speedwell/numerics/krylov/sparse_cg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "speedwell/apps/stencil/assemble.hpp"
#include "speedwell/io/matrix_market.hpp"
#include "speedwell/io/sparse_matrix.hpp"

namespace speedwell::krylov {
namespace {

TEST(CgWithAMatrix, The27PointMatrixSendsOnesToItsRightHandSide) {
  const sparse::Csr<double> matrix = stencil::assemble_27_point<double>({5, 4, 3});
  const std::vector<double> ones(60, 1);
  std::vector<double> b(60), x(60, 0.0);
  multiply<double>(matrix, ones, b);
  EXPECT_EQ(b[0], 26 - 7);
  EXPECT_EQ(b[static_cast<std::size_t>(stencil::Grid{5, 4, 3}.cell(2, 1, 1))], 0);
  for (const auto preconditioner : {Preconditioner::none, Preconditioner::jacobi}) {
    std::fill(x.begin(), x.end(), 0.0);
    EXPECT_EQ(conjugate_gradients<double>(matrix, b, x, {.preconditioner = preconditioner}).outcome,
              CgOutcome::converged);
    for (const double value : x) EXPECT_NEAR(value, 1, 1e-9);
  }
}

TEST(CgWithAMatrix, RefusesWhatConjugateGradientsCannotSolve) {
  const auto of = [](const std::string& text) {
    return io::to_csr<double>(io::parse_matrix_market(io::memory_source(text, "m"), "m").matrix);
  };
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(unfit_for_cg(of(head + "2 2 3\n1 1 2\n2 2 2\n1 2 1\n")).find("the matrix is not symmetric: (1, 2)"), 0u);
  EXPECT_NE(unfit_for_cg(of(head + "2 3 1\n1 1 2\n")).find("not square"), std::string::npos);
  EXPECT_NE(unfit_for_cg(of(head + "2 2 1\n1 1 2\n")).find("row 2"), std::string::npos);
  EXPECT_EQ(unfit_for_cg(of(head + "2 2 2\n1 1 2\n2 2 1\n")), "");
  const sparse::Csr<double> indefinite = of(head + "2 2 4\n1 1 1\n2 2 1\n1 2 3\n2 1 3\n");
  std::vector<double> b = {1, -1}, x(2, 0.0);
  EXPECT_EQ(conjugate_gradients<double>(indefinite, b, x).outcome, CgOutcome::not_positive);
  EXPECT_THROW(conjugate_gradients<double>(indefinite, b, x, {.preconditioner = Preconditioner::polynomial}),
               std::invalid_argument);
  sparse::Csr<double> torn = indefinite;
  torn.column[1] = 0;
  EXPECT_THROW(require_matrix(torn), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::krylov
