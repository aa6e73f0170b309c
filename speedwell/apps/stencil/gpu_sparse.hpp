// Sparse matrices in device memory and their products; gpu_stencil.hpp includes it. Included by CUDA sources alone.
#pragma once

#include <cstdint>

#include "speedwell/apps/stencil/sparse.hpp"
#include "speedwell/core/cuda.hpp"

namespace speedwell::stencil {

/// Entries of a block of rows in shared memory.
constexpr int csr_block_entries = 2048;

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
class DeviceCsr {
 public:
  /// Uploads; returns when it has arrived. Throws std::invalid_argument as require_matrix(), core::DeviceError.
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

enum class CsrWay { thread_per_row, warp_per_row, blocks };

/// Enqueues y = A x. x: columns, y: rows elements in device memory, apart; y is overwritten. The bits depend on the
/// matrix and the way alone.
template <class T>
void gpu_multiply(const DeviceCsr<T>& a, CsrWay way, const T* x, T* y, const core::Stream& stream);
template <class T>
void gpu_multiply(const DeviceEll<T>& a, const T* x, T* y, const core::Stream& stream);

}  // namespace speedwell::stencil
