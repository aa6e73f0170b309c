// Assembled matrices against their operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "speedwell/apps/spmv/verify.hpp"
#include "speedwell/apps/stencil/assemble.hpp"
#include "speedwell/apps/stencil/fields.hpp"
#include "speedwell/apps/stencil/verify/reference.hpp"

namespace speedwell::spmv {

using namespace stencil;

namespace {

TEST(AssembledMatrix, AnAssembledOperatorGivesItsProductBitForBit) {
  for (const Form form : {Form::cell_metric, Form::constant, Form::face_metric, Form::face_coefficient, Form::general})
    for (const Boundary boundary : {Boundary::periodic, Boundary::zero, Boundary::none})
      for (const Grid& g : {Grid{8, 8, 8}, Grid{17, 5, 9}, Grid{3, 3, 3}, Grid{1, 1, 5}}) {
        if (boundary == Boundary::none && form != Form::face_metric && form != Form::face_coefficient) continue;
        if (boundary == Boundary::periodic && g.nx < 3) continue;
        const Fields<double> fields({.form = form, .boundary = boundary, .grid = g});
        const sparse::Csr<double> matrix = assemble(fields.op());
        require_matrix(matrix);
        const std::vector<double> expected = reference_product(fields.op(), fields.x().data());
        std::vector<double> y(expected.size(), NAN);
        for (const int threads : {1, 3}) {
          multiply<double>(matrix, fields.x().span(), y, threads);
          EXPECT_EQ(y, expected);
          std::fill(y.begin(), y.end(), NAN);
          multiply<double>(sliced(matrix), fields.x().span(), y, threads);
          EXPECT_EQ(y, expected);
          std::fill(y.begin(), y.end(), NAN);
          multiply<double>(diagonals(matrix), fields.x().span(), y, threads);
          EXPECT_EQ(y, expected);
          for (int side = 2; side <= 5; ++side) {
            std::fill(y.begin(), y.end(), NAN);
            multiply<double>(blocked(matrix, side), fields.x().span(), y, threads);
            EXPECT_EQ(y, expected) << side;
          }
        }
        EXPECT_TRUE(verify_sparse<double>(matrix, fields.x().span(), true, y).passed);
        y.back() += 0x1p-20;
        EXPECT_FALSE(verify_sparse<double>(matrix, fields.x().span(), true, y).passed);
      }
}

TEST(AssembledMatrix, HasTheDiagonalsOfItsBoxAndBoundary) {
  const sparse::Csr<double> matrix = assemble_27_point<double>({6, 5, 4});
  EXPECT_EQ(diagonals(matrix).offset.size(), 27u);
  const UnitLaplacian<double> zero({6, 5, 4}), box({6, 5, 4}, Boundary::periodic);
  EXPECT_EQ(diagonals(assemble(zero.op())).offset, (std::vector<std::int64_t>{-30, -6, -1, 0, 1, 6, 30}));
  EXPECT_EQ(diagonals(assemble(box.op())).offset.size(), 13u);  // periodic neighbours lie on separate diagonals
}

}  // namespace
}  // namespace speedwell::spmv
