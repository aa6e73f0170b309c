// Products on ranks have the bits of one process, whatever part of the rows a rank has.
#include "speedwell/apps/matvec/distributed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/matvec/problem.hpp"
#include "tests/support/ranks.hpp"

namespace speedwell::matvec {
namespace {

using test::ranks;

template <class T>
void expect_bits_of_one_process(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  std::vector<T> a(static_cast<std::size_t>(rows * columns)), b(static_cast<std::size_t>(columns));
  fill<T>({.rows = rows, .columns = columns, .seed = 7}, a, b);
  std::vector<T> padded(static_cast<std::size_t>(rows * leading), T{99});
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(a.data() + i * columns, columns, padded.data() + i * leading);
  const Matrix<T> whole(padded.data(), rows, columns, leading);
  const auto elements = static_cast<std::size_t>(rows);
  std::vector<T> expected(elements), got(elements);
  multiply(whole, b, expected, 1);
  DistributedRows<T> part(ranks(), rows, columns);
  const bool is_root = ranks().rank() == 0;
  part.scatter(is_root ? &whole : nullptr, is_root ? std::span<const T>(b) : std::span<const T>());
  multiply(part.a(), part.b(), part.c(), 1);
  part.gather(part.c(), is_root ? std::span<T>(got) : std::span<T>());
  if (is_root) {
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), elements * sizeof(T)), 0) << rows << " x " << columns;
  }
}

TEST(MatvecRanks, HaveTheBitsOfOneProcess) {
  for (const std::int64_t rows : {8, 9, 31, 200})
    for (const std::int64_t columns : {1, 3, 64, 1000}) {
      expect_bits_of_one_process<float>(rows, columns, columns);
      expect_bits_of_one_process<double>(rows, columns, columns + 5);
    }
}

TEST(MatvecRanks, RefuseWhatDoesNotFit) {
  EXPECT_THROW(require_ranks(3, 4), std::invalid_argument);
  EXPECT_NO_THROW(require_ranks(4, 4));
  if (ranks().size() > 1) {
    EXPECT_THROW(DistributedRows<double>(ranks(), 1, 5), std::invalid_argument);
  }
  DistributedRows<double> rows(ranks(), 10, 4);
  const std::vector<double> a(50), b(5);
  const Matrix<double> other(a.data(), 10, 5, 5);
  EXPECT_THROW(rows.scatter(&other, b), std::invalid_argument) << "on all ranks";
}

}  // namespace
}  // namespace speedwell::matvec
