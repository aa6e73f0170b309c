// A matrix with empty rows, a full row, long and short ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {

template <class T>
Csr<T> irregular_matrix(std::int64_t rows, std::int64_t columns) {
  Csr<T> matrix{.rows = rows, .columns = columns, .offsets = {0}, .column = {}, .value = {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t apart = i == rows / 2 ? 1 : i % 5 == 0 ? columns + 1 : 1 + i * i % 97;
    for (std::int64_t j = i % apart; j < columns; j += apart) {
      matrix.column.push_back(static_cast<std::int32_t>(j));
      matrix.value.push_back(static_cast<T>(std::sin(static_cast<double>(i * 7 + j))));
    }
    matrix.offsets.push_back(matrix.entries());
  }
  return matrix;
}

template <class T>
std::vector<T> wavy(std::int64_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    x[static_cast<std::size_t>(i)] = static_cast<T>(std::cos(static_cast<double>(i)));
  return x;
}

}  // namespace speedwell::sparse
