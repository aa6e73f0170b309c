// Argument checks of the functions for sparse matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace speedwell::sparse {

[[noreturn]] inline void refuse(const std::string& what) { throw std::invalid_argument("sparse: " + what); }

/// Throws unless x has as many elements as the matrix columns, and y as many as rows.
inline void require_sizes(std::int64_t rows, std::int64_t columns, std::size_t x, std::size_t y) {
  if (x != static_cast<std::size_t>(columns))
    refuse("x has " + std::to_string(x) + " elements, the matrix " + std::to_string(columns) + " columns");
  if (y != static_cast<std::size_t>(rows))
    refuse("y has " + std::to_string(y) + " elements, the matrix " + std::to_string(rows) + " rows");
}

}  // namespace speedwell::sparse
