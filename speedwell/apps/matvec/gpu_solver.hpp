// GpuSolver: matrix-vector products on a GPU, with buffers, upload and download for all variants.
//   GpuSolver<float> solver(rows, columns, Layout::dense);  solver.allocate();  solver.upload(a, b, stream);
//   solver.run(multiply<float>, stream);  solver.download(c, stream);
// To multiply the same matrix again, upload only another b with upload_vector().
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "speedwell/apps/matvec/cuda.hpp"
#include "speedwell/apps/matvec/ladder.hpp"
#include "speedwell/apps/matvec/matvec.hpp"

namespace speedwell::matvec {

template <class T>
class GpuSolver {
 public:
  /// Allocates no memory yet. The shape must have passed require_product() or require_problem().
  GpuSolver(std::int64_t rows, std::int64_t columns, Layout layout) : layout_(layout) {
    operands_.rows = rows;
    operands_.columns = columns;
    operands_.leading = leading_dimension<T>(layout, rows, columns);
  }

  /// Allocates on the current device. Throws core::DeviceError.
  void allocate() {
    int device = 0;
    core::check(cudaGetDevice(&device));
    core::check(cudaDeviceGetAttribute(&operands_.multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const std::int64_t rows = operands_.rows, columns = operands_.columns;
    a_ = {};  // frees first, so that a second call does not need memory for two matrices
    a_ = core::DeviceBuffer<T>((layout_ == Layout::transposed ? columns : rows) * operands_.leading);
    b_ = core::DeviceBuffer<T>(columns);
    c_ = core::DeviceBuffer<T>(rows);
    partial_ = core::DeviceBuffer<T>(partial_elements<T>(rows, columns, operands_.multiprocessors));
    if (layout_ == Layout::transposed) staging_ = core::DeviceBuffer<T>(slab_columns() * slab_rows());
    operands_.a = a_.data();
    operands_.b = b_.data();
    operands_.c = c_.data();
    operands_.partial = partial_.data();
  }

  /// Copies A and B to the device; a transposed layout is made there, a slab at a time. Waits.
  void upload(const Matrix<T>& a, std::span<const T> b, const core::Stream& stream) {
    transpose_seconds_ = 0;
    if (layout_ == Layout::transposed)
      upload_transposed(a, stream);
    else
      copy_rows(a_.data(), operands_.leading, a.data, a.leading, a.rows, a.columns, stream);
    upload_vector(b, stream);
  }
  void upload_vector(std::span<const T> b, const core::Stream& stream) {
    core::copy_async(b_.data(), b.data(), b_.size(), stream);
    stream.synchronize();
  }
  /// Enqueues c = A b by any variant of this layout.
  void run(Multiply<T>* function, const core::Stream& stream) { function(operands_, stream); }
  void poison(const core::Stream& stream) { core::fill_bytes_async(c_, 0xff, stream); }
  void download(std::span<T> c, const core::Stream& stream) {
    core::copy_async(c.data(), c_.data(), c_.size(), stream);
    stream.synchronize();
  }

  const Operands<T>& operands() const { return operands_; }
  /// Seconds of the transposition of A on the device in the last upload(); 0 in other layouts.
  double transpose_seconds() const { return transpose_seconds_; }

 private:
  static constexpr std::int64_t staged = staging_bytes / static_cast<std::int64_t>(sizeof(T));
  // A slab has the 32 rows of a tile, or all if there are fewer, and as many columns as fit; if all columns fit, it has
  // as many rows as fit.
  std::int64_t slab_columns() const {
    return std::min(operands_.columns, staged / std::min<std::int64_t>(32, operands_.rows));
  }
  std::int64_t slab_rows() const { return std::min(operands_.rows, staged / slab_columns()); }

  void upload_transposed(const Matrix<T>& a, const core::Stream& stream) {
    core::Event begin, end;
    for (std::int64_t i = 0; i < a.rows; i += slab_rows())
      for (std::int64_t j = 0; j < a.columns; j += slab_columns()) {
        const std::int64_t rows = std::min(slab_rows(), a.rows - i), columns = std::min(slab_columns(), a.columns - j);
        copy_rows(staging_.data(), columns, a.data + i * a.leading + j, a.leading, rows, columns, stream);
        begin.record(stream);
        transpose(staging_.data(), rows, columns, a_.data() + j * operands_.leading + i, operands_.leading, stream);
        end.record(stream);
        stream.synchronize();
        transpose_seconds_ += end.seconds_since(begin);
      }
  }

  // Contiguous rows on both sides are one copy; if the pitch exceeds the limit of 2D copies, each row is one copy.
  static void copy_rows(T* to, std::int64_t to_leading, const T* from, std::int64_t from_leading, std::int64_t rows,
                        std::int64_t columns, const core::Stream& stream) {
    constexpr std::int64_t max_pitch = std::int64_t{1} << 30;
    const std::int64_t size = sizeof(T);
    if (rows == 1 || (to_leading == columns && from_leading == columns)) {
      core::copy_async(to, from, rows * columns, stream);
    } else if (std::max(to_leading, from_leading) * size <= max_pitch) {
      core::check(cudaMemcpy2DAsync(to, to_leading * size, from, from_leading * size, columns * size, rows,
                                    cudaMemcpyDefault, stream.get()));
    } else {
      for (std::int64_t i = 0; i < rows; ++i)
        core::copy_async(to + i * to_leading, from + i * from_leading, columns, stream);
    }
  }

  Layout layout_;
  Operands<T> operands_;
  core::DeviceBuffer<T> a_, b_, c_, partial_, staging_;
  double transpose_seconds_ = 0;
};

}  // namespace speedwell::matvec
