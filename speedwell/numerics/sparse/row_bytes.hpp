// The size of a row, by which the rows of a matrix are divided among threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {

/// The bytes of the entries of an average row, at least 1.
template <class T>
std::size_t row_bytes(const Csr<T>& a) {
  return std::max<std::size_t>(
      a.value.size() * (sizeof(T) + sizeof(std::int32_t)) / std::max<std::size_t>(a.offsets.size(), 1), 1);
}

}  // namespace speedwell::sparse
