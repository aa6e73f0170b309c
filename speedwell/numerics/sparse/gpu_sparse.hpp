// Sparse matrices in device memory and their products with vectors. Included by CUDA sources only.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/core/cuda.hpp"
#include "speedwell/numerics/sparse/sparse.hpp"

namespace speedwell::sparse {

/// Maximum number of entries of a block of rows in shared memory.
constexpr int csr_block_entries = 2048;

/// Divides rows into blocks of at most csr_block_entries / `weight` entries and as many rows, or of one longer row.
/// Returns the first row of each block and, last, the number of rows.
std::vector<std::int64_t> blocks_of_rows(const std::vector<std::int64_t>& offsets, std::int64_t weight = 1);

template <class T>
struct DeviceCsrView {
  std::int64_t rows;
  const std::int64_t* offsets;
  const std::int32_t* column;
  const T* value;
  const std::int64_t* block_rows;
};
template <class T>
struct DeviceEllView {
  std::int64_t rows;
  const std::int64_t* offsets;
  const std::int32_t* column;
  const T* value;
};

template <class T>
struct DeviceDiaView {
  std::int64_t rows, columns;
  int diagonals;
  const std::int64_t* offset;
  const T* value;
};
template <class T>
struct DeviceBsrView {
  std::int64_t rows, columns;
  const std::int64_t* offsets;
  const std::int32_t* column;
  const T* value;
  const std::int64_t* first;  // first block row of each thread block
};

template <class T>
class DeviceCsr {
 public:
  /// Uploads a matrix; returns after completion. Throws std::invalid_argument as require_matrix(), and
  /// core::DeviceError.
  DeviceCsr(const Csr<T>& matrix, const core::Stream& stream);
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t blocks() const { return blocks_; }
  std::int64_t entries() const { return static_cast<std::int64_t>(value_.size()); }
  DeviceCsrView<T> view() const { return {rows_, offsets_.data(), column_.data(), value_.data(), block_rows_.data()}; }

 private:
  std::int64_t rows_, columns_, blocks_ = 0;
  core::DeviceBuffer<std::int64_t> offsets_, block_rows_;
  core::DeviceBuffer<std::int32_t> column_;
  core::DeviceBuffer<T> value_;
};

template <class T>
class DeviceEll {
 public:
  DeviceEll(const SlicedEll<T>& matrix, const core::Stream& stream);
  std::int64_t rows() const { return rows_; }
  DeviceEllView<T> view() const { return {rows_, offsets_.data(), column_.data(), value_.data()}; }

 private:
  std::int64_t rows_, columns_;
  core::DeviceBuffer<std::int64_t> offsets_;
  core::DeviceBuffer<std::int32_t> column_;
  core::DeviceBuffer<T> value_;
};

template <class T>
class DeviceDia {
 public:
  DeviceDia(const Dia<T>& matrix, const core::Stream& stream);
  DeviceDiaView<T> view() const {
    return {rows_, columns_, static_cast<int>(offset_.size()), offset_.data(), value_.data()};
  }

 private:
  std::int64_t rows_, columns_;
  core::DeviceBuffer<std::int64_t> offset_;
  core::DeviceBuffer<T> value_;
};

template <class T>
class DeviceBsr {
 public:
  DeviceBsr(const Bsr<T>& matrix, const core::Stream& stream);
  int side() const { return side_; }
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

enum class CsrMethod { thread_per_row, warp_per_row, blocks };

/// Enqueues y = A x. x has as many elements as the matrix columns, y as many as rows; both are in device memory and do
/// not overlap. The bits depend only on the matrix and the method.
template <class T>
void gpu_multiply(const DeviceCsr<T>& a, CsrMethod method, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceEll<T>& a, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceDia<T>& a, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceBsr<T>& a, const T* x, T* y, const core::Stream& stream);

}  // namespace speedwell::sparse
