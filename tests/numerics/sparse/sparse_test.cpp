// Products of irregular matrices in every format on the host, and the refusals of conversions.
#include "speedwell/numerics/sparse/sparse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "speedwell/apps/spmv/verify.hpp"
#include "tests/numerics/sparse/irregular.hpp"

namespace speedwell::sparse {

using spmv::verify_sparse;

namespace {

TEST(SparseMatrix, RowsOfAnyLengthAreSummed) {
  const Csr<double> matrix = irregular_matrix<double>(700, 500);
  require_matrix(matrix);
  const std::vector<double> x = wavy<double>(500);
  std::vector<double> y(700, NAN);
  for (const int threads : {1, 2, 7}) {
    multiply<double>(matrix, x, y, threads);
    EXPECT_TRUE(verify_sparse<double>(matrix, x, false, y).passed);
    std::fill(y.begin(), y.end(), NAN);
  }
  multiply<double>(sliced(matrix), x, y);
  EXPECT_TRUE(verify_sparse<double>(matrix, x, false, y).passed);
  for (int side = 2; side <= 5; ++side) {
    std::fill(y.begin(), y.end(), NAN);
    multiply<double>(blocked(matrix, side), x, y, 3);
    EXPECT_TRUE(verify_sparse<double>(matrix, x, false, y).passed) << side;
  }
  std::fill(y.begin(), y.end(), NAN);
  multiply<double>(diagonals(matrix, 1000), x, y, 3);
  EXPECT_TRUE(verify_sparse<double>(matrix, x, false, y).passed);
  y[33] *= 1 + 1e-12;
  EXPECT_FALSE(verify_sparse<double>(matrix, x, false, y).passed);
  EXPECT_THROW(multiply<double>(matrix, y, y), std::invalid_argument);
}

template <class Buffer>
auto elements(const Buffer& buffer) {
  return std::vector(buffer.begin(), buffer.end());
}

TEST(SparseMatrix, ConversionsDoNotDependOnTheThreads) {
  const Csr<double> none{.rows = 0, .columns = 0, .offsets = {0}, .column = {}, .value = {}};
  const Csr<double> irregular = irregular_matrix<double>(2000, 500);
  for (const Csr<double>* const matrix : {&none, &irregular}) {
    const SlicedEll<double> ell = sliced(*matrix, 1);
    const Dia<double> dia = diagonals(*matrix, 1e6, 1);
    EXPECT_EQ(static_cast<std::int64_t>(ell.value.size()), sliced_entries(*matrix, 3));
    EXPECT_EQ(static_cast<std::int64_t>(dia.offset.size()), diagonal_count(*matrix, 3));
    for (const int threads : {2, 3, 7}) {
      require_matrix(*matrix, threads);
      const SlicedEll<double> other_ell = sliced(*matrix, threads);
      EXPECT_EQ(ell.offsets, other_ell.offsets);
      EXPECT_EQ(elements(ell.column), elements(other_ell.column));
      EXPECT_EQ(elements(ell.value), elements(other_ell.value));
      const Dia<double> other_dia = diagonals(*matrix, 1e6, threads);
      EXPECT_EQ(dia.offset, other_dia.offset);
      EXPECT_EQ(elements(dia.value), elements(other_dia.value));
      for (const int side : {0, 2, 3, 4, 5}) {
        const Bsr<double> bsr = blocked(*matrix, side, 1), other_bsr = blocked(*matrix, side, threads);
        EXPECT_EQ(bsr.side, other_bsr.side);
        EXPECT_EQ(bsr.offsets, other_bsr.offsets);
        EXPECT_EQ(elements(bsr.column), elements(other_bsr.column));
        EXPECT_EQ(elements(bsr.value), elements(other_bsr.value));
      }
    }
  }
}

TEST(SparseMatrix, TheFirstWrongRowIsNamedByAnyNumberOfThreads) {
  Csr<double> matrix = irregular_matrix<double>(7000, 500);
  const auto value_of_row = [&](std::size_t row) -> double& {
    return matrix.value[static_cast<std::size_t>(matrix.offsets[row])];
  };
  value_of_row(6000) = value_of_row(1234) = value_of_row(5000) = NAN;
  for (const int threads : {1, 2, 7}) try {
      require_matrix(matrix, threads);
      ADD_FAILURE() << "a matrix with values that are not finite is accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("row 1234 "), std::string::npos) << error.what();
    }
  EXPECT_THROW(sliced(matrix, -1), std::invalid_argument);
}

TEST(SparseMatrix, FindsTheBlocksOfABlockMatrix) {
  // The 3 x 3 blocks of a block matrix are found, and contain its entries and nothing else.
  Csr<double> blocks{.rows = 12, .columns = 12, .offsets = {0}, .column = {}, .value = {}};
  for (std::int32_t i = 0; i < 12; ++i) {
    for (std::int32_t j = 0; j < 12; ++j)
      if (i / 3 == j / 3 || (i / 3 + 2) % 4 == j / 3) {
        blocks.column.push_back(j);
        blocks.value.push_back(1 + i + 0.5 * j);
      }
    blocks.offsets.push_back(blocks.entries());
  }
  require_matrix(blocks);
  const Bsr<double> found = blocked(blocks);
  EXPECT_EQ(found.side, 3);
  EXPECT_EQ(found.value.size(), blocks.value.size());
}

TEST(SparseMatrix, RefusesDiagonalsThatHoldLittleAndBlocksOfOtherSides) {
  EXPECT_THROW(diagonals(irregular_matrix<double>(700, 500)), std::invalid_argument);
  EXPECT_THROW(blocked(irregular_matrix<double>(7, 5), 6), std::invalid_argument);
  EXPECT_THROW(blocked(irregular_matrix<double>(7, 5), 1), std::invalid_argument);
  const Bsr<double> bsr = blocked(irregular_matrix<double>(7, 5), 4);
  std::vector<double> x(4), y(7);
  EXPECT_THROW(multiply<double>(bsr, x, y), std::invalid_argument);
}

}  // namespace
}  // namespace speedwell::sparse
