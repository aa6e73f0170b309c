// Sparse matrices on the host: CSR, sliced ELL, DIA and BSR formats, and their products with vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::sparse {

/// Compressed sparse rows (CSR): the entries of row i are those from offsets[i] to offsets[i + 1], by increasing
/// column.
template <class T>
struct Csr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> column;
  std::vector<T> value;

  std::int64_t entries() const { return static_cast<std::int64_t>(value.size()); }
};

/// Sliced ELL (Monakov, Lokhmotov, Avetisyan 2010): slices of 32 rows, each as wide as its longest row, stored column
/// by column: entry e of row 32 s + l is element offsets[s] + 32 e + l. Padding has the value 0 and the row's first
/// column (or column 0).
template <class T>
struct SlicedEll {
  static constexpr std::int64_t slice = 32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets;  // slices + 1
  core::HostBuffer<std::int32_t> column;
  core::HostBuffer<T> value;
};

/// Diagonal format (DIA; Saad 2003, 3.4): a(i, i + offset[d]) is element d rows + i of value; elements outside of the
/// matrix and missing entries are 0.
template <class T>
struct Dia {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offset;  // increasing
  core::HostBuffer<T> value;
};

/// Block compressed sparse rows (BSR) with dense blocks of side x side: those of block row r are offsets[r] to
/// offsets[r + 1] by increasing column, each stored row by row. Padding within blocks, and of the last block row, is 0.
template <class T>
struct Bsr {
  static constexpr int max_side = 5;
  int side = 2;  // 2 to max_side
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets;      // block rows + 1
  core::HostBuffer<std::int32_t> column;  // of blocks
  core::HostBuffer<T> value;

  std::int64_t block_rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

// The functions below take `threads` threads, 0 for the OpenMP default; their results do not depend on it. They throw
// std::invalid_argument if it is negative.

template <class T>
SlicedEll<T> sliced(const Csr<T>& matrix, int threads = 0);

/// Number of elements that sliced() stores, and of diagonals that diagonals() finds.
template <class T>
std::int64_t sliced_entries(const Csr<T>& matrix, int threads = 0);
template <class T>
std::int64_t diagonal_count(const Csr<T>& matrix, int threads = 0);

/// Bytes of the matrix that a product reads, for the number of stored entries (values and columns), or of rows and
/// diagonals.
constexpr double sliced_bytes(double stored, double word) { return stored * (word + 4); }
constexpr double diagonals_bytes(double rows, double diagonals, double word) { return rows * diagonals * word; }
/// Whether DIA is the faster of these two formats. It must take at least a tenth fewer bytes, since its products
/// achieve a smaller fraction of the memory bandwidth.
constexpr bool diagonals_win(double diagonals, double slices) { return diagonals < 0.9 * slices; }
template <class T>
bool diagonals_win(const Csr<T>& matrix, int threads = 0) {
  return diagonals_win(diagonals_bytes(static_cast<double>(matrix.rows),
                                       static_cast<double>(diagonal_count(matrix, threads)), sizeof(T)),
                       sliced_bytes(static_cast<double>(sliced_entries(matrix, threads)), sizeof(T)));
}

inline constexpr double default_max_fill = 8;
/// Throws std::invalid_argument if DIA takes more than `max_fill` times the matrix's own entries: an unstructured
/// matrix may have millions of diagonals.
template <class T>
Dia<T> diagonals(const Csr<T>& matrix, double max_fill = default_max_fill, int threads = 0);

/// side 0: the side from 2 to 5 that takes the fewest bytes. Throws std::invalid_argument for any other side.
template <class T>
Bsr<T> blocked(const Csr<T>& matrix, int side = 0, int threads = 0);

/// Throws std::invalid_argument unless offsets and columns are valid and values are finite.
template <class T>
void require_matrix(const Csr<T>& matrix, int threads = 0);

/// y = A x, balanced by entries; a row is summed in the order of its columns. x has as many elements as the matrix
/// columns, y as many as rows. Throws std::invalid_argument for other sizes.
template <class T>
void multiply(const Csr<T>& a, std::span<const T> x, std::span<T> y, int threads = 0);
template <class T>
void multiply(const SlicedEll<T>& a, std::span<const T> x, std::span<T> y, int threads = 0);
template <class T>
void multiply(const Dia<T>& a, std::span<const T> x, std::span<T> y, int threads = 0);
template <class T>
void multiply(const Bsr<T>& a, std::span<const T> x, std::span<T> y, int threads = 0);

}  // namespace speedwell::sparse
