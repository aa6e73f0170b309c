// Sparse matrices in device memory and their products with vectors. Included by CUDA sources only.
//   const DeviceCsr<double> a(matrix, stream);                       // uploads the matrix
//   gpu_multiply(a, CsrMethod::blocks, x, y, stream);                // y = A x, vectors in device memory
// T is float or double. The formats are those of sparse.hpp; indices count from 0.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {

/// Maximum number of entries of a block of rows that CsrMethod::blocks keeps in shared memory.
constexpr int csr_block_entries = 2048;

/// Divides rows into blocks of at most csr_block_entries / `weight` entries and as many rows, or of one longer row.
/// Returns the first row of each block and, last, the number of rows.
std::vector<std::int64_t> blocks_of_rows(const std::vector<std::int64_t>& offsets, std::int64_t weight = 1);

/// What kernels are given of a matrix in compressed rows: pointers into device memory that a DeviceCsr owns.
template <class T>
struct DeviceCsrView {
  std::int64_t rows;
  const std::int64_t* offsets;  // of the first entry of each row, and the number of entries: rows + 1
  const std::int32_t* column;   // of each entry
  const T* value;
  const std::int64_t* block_rows;  // what blocks_of_rows() returns
};
/// What kernels are given of a matrix in sliced ELLPACK format; a DeviceEll owns the memory.
template <class T>
struct DeviceEllView {
  std::int64_t rows;
  const std::int64_t* offsets;  // of each slice's first entry
  const std::int32_t* column;   // of each entry, padding included
  const T* value;
};

/// What kernels are given of a matrix of diagonals; a DeviceDia owns the memory.
template <class T>
struct DeviceDiaView {
  std::int64_t rows, columns;
  int diagonals;
  const std::int64_t* offset;  // column minus row of each diagonal
  const T* value;              // [diagonal][row]
};
/// What kernels are given of a matrix of dense square blocks; a DeviceBsr owns the memory.
template <class T>
struct DeviceBsrView {
  std::int64_t rows, columns;
  const std::int64_t* offsets;
  const std::int32_t* column;
  const T* value;
  const std::int64_t* first;  // first block row of each thread block
};

/// A matrix in compressed rows in the memory of the device that is current at its construction.
template <class T>
class DeviceCsr {
 public:
  /// Uploads a matrix; returns after completion. Throws std::invalid_argument as require_matrix(), and
  /// core::DeviceError.
  DeviceCsr(const Csr<T>& matrix, const core::Stream& stream);
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  /// Blocks of rows, as many as CsrMethod::blocks launches thread blocks.
  std::int64_t blocks() const { return blocks_; }
  /// Stored entries, explicit zeros included.
  std::int64_t entries() const { return static_cast<std::int64_t>(value_.size()); }
  /// Valid while the matrix exists.
  DeviceCsrView<T> view() const { return {rows_, offsets_.data(), column_.data(), value_.data(), block_rows_.data()}; }

 private:
  std::int64_t rows_, columns_, blocks_ = 0;
  core::DeviceBuffer<std::int64_t> offsets_, block_rows_;
  core::DeviceBuffer<std::int32_t> column_;
  core::DeviceBuffer<T> value_;
};

/// A matrix in sliced ELLPACK format, likewise.
template <class T>
class DeviceEll {
 public:
  /// Uploads a matrix and throws as DeviceCsr.
  DeviceEll(const SlicedEll<T>& matrix, const core::Stream& stream);
  std::int64_t rows() const { return rows_; }
  DeviceEllView<T> view() const { return {rows_, offsets_.data(), column_.data(), value_.data()}; }

 private:
  std::int64_t rows_, columns_;
  core::DeviceBuffer<std::int64_t> offsets_;
  core::DeviceBuffer<std::int32_t> column_;
  core::DeviceBuffer<T> value_;
};

/// A matrix of diagonals, likewise.
template <class T>
class DeviceDia {
 public:
  /// Uploads a matrix and throws as DeviceCsr.
  DeviceDia(const Dia<T>& matrix, const core::Stream& stream);
  DeviceDiaView<T> view() const {
    return {rows_, columns_, static_cast<int>(offset_.size()), offset_.data(), value_.data()};
  }

 private:
  std::int64_t rows_, columns_;
  core::DeviceBuffer<std::int64_t> offset_;
  core::DeviceBuffer<T> value_;
};

/// A matrix of dense square blocks, likewise.
template <class T>
class DeviceBsr {
 public:
  /// Uploads a matrix and throws as DeviceCsr.
  DeviceBsr(const Bsr<T>& matrix, const core::Stream& stream);
  /// Rows, and columns, of a block of the matrix.
  int side() const { return side_; }
  /// Thread blocks of a product.
  std::int64_t blocks() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  DeviceBsrView<T> view() const {
    return {rows_, columns_, offsets_.data(), column_.data(), value_.data(), first_.data()};
  }

 private:
  int side_;
  std::int64_t rows_, columns_;
  core::DeviceBuffer<std::int64_t> offsets_, first_;
  core::DeviceBuffer<std::int32_t> column_;
  core::DeviceBuffer<T> value_;
};

/// How a product with compressed rows is divided among threads.
enum class CsrMethod {
  thread_per_row,  // for rows of few entries
  warp_per_row,    // for rows of many entries: 32 threads add parts of each
  blocks,          // entries of some rows in shared memory, for rows of any lengths
};

/// Enqueues y = A x. x has as many elements as the matrix columns, y as many as rows; both are in device memory and do
/// not overlap. y is overwritten. The bits depend only on the matrix and the method. Throws core::DeviceError.
template <class T>
void gpu_multiply(const DeviceCsr<T>& a, CsrMethod method, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceEll<T>& a, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceDia<T>& a, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceBsr<T>& a, const T* x, T* y, const core::Stream& stream);

}  // namespace speedwell::sparse
