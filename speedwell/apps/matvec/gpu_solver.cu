// The memory and the copies of GpuSolver.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/matvec/gpu_solver.hpp"

namespace speedwell::matvec {

template <class T>
struct GpuSolver<T>::State {
  State(std::int64_t rows, std::int64_t columns, Layout layout) : layout_(layout) {
    operands_.rows = rows;
    operands_.columns = columns;
    operands_.leading = leading_dimension<T>(layout, rows, columns);
    operands_.multiprocessors = core::device_attribute(cudaDevAttrMultiProcessorCount);
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

  void upload_vector(std::span<const T> b, const core::Stream& stream) {
    core::copy_async(b_.data(), b.data(), b_.size(), stream);
    stream.synchronize();
  }
  void upload(const Matrix<T>& a, std::span<const T> b, const core::Stream& stream) {
    transpose_seconds_ = 0;
    if (layout_ == Layout::transposed)
      upload_transposed(a, stream);
    else
      copy_rows(a_.data(), operands_.leading, a.data, a.leading, a.rows, a.columns, stream);
    upload_vector(b, stream);
  }

  static constexpr std::int64_t staged = staging_bytes / static_cast<std::int64_t>(sizeof(T));
  // A slab has the 32 rows of a tile, or all if there are fewer, and as many columns as fit; if all columns fit, it has
  // as many rows as fit.
  std::int64_t slab_columns() const {
    return std::min(operands_.columns, staged / std::min<std::int64_t>(32, operands_.rows));
  }
  std::int64_t slab_rows() const { return std::min(operands_.rows, staged / slab_columns()); }

  void upload_transposed(const Matrix<T>& a, const core::Stream& stream) {
    const auto recorded = [&](const core::Event& event) { core::check(cudaEventRecord(event.get(), stream.get())); };
    core::Event begin, end;
    for (std::int64_t i = 0; i < a.rows; i += slab_rows())
      for (std::int64_t j = 0; j < a.columns; j += slab_columns()) {
        const std::int64_t rows = std::min(slab_rows(), a.rows - i), columns = std::min(slab_columns(), a.columns - j);
        copy_rows(staging_.data(), columns, a.data + i * a.leading + j, a.leading, rows, columns, stream);
        recorded(begin);
        transpose(staging_.data(), rows, columns, a_.data() + j * operands_.leading + i, operands_.leading, stream);
        recorded(end);
        end.synchronize();
        transpose_seconds_ += end.seconds_since(begin);
      }
  }

  // Contiguous rows on both sides are one copy; if the pitch exceeds the limit of 2D copies, each row is one copy.
  static void copy_rows(T* to, std::int64_t to_leading, const T* from, std::int64_t from_leading, std::int64_t rows,
                        std::int64_t columns, const core::Stream& stream) {
    constexpr std::int64_t max_pitch = std::int64_t{1} << 30;
    const std::int64_t size = sizeof(T);
    if (rows == 1 || (to_leading == columns && from_leading == columns)) {
      core::copy_async(to, from, static_cast<std::size_t>(rows * columns), stream);
    } else if (std::max(to_leading, from_leading) * size <= max_pitch) {
      core::check(cudaMemcpy2DAsync(to, to_leading * size, from, from_leading * size, columns * size, rows,
                                    cudaMemcpyDefault, stream.get()));
    } else {
      for (std::int64_t i = 0; i < rows; ++i)
        core::check(cudaMemcpyAsync(to + i * to_leading, from + i * from_leading, columns * size, cudaMemcpyDefault,
                                    stream.get()));
    }
  }

  Layout layout_;
  Operands<T> operands_;
  core::DeviceBuffer<T> a_, b_, c_, partial_, staging_;
  double transpose_seconds_ = 0;
};

template <class T>
GpuSolver<T>::GpuSolver(std::int64_t rows, std::int64_t columns, Layout layout)
    : state_(std::make_unique<State>(rows, columns, layout)) {}

template <class T>
void GpuSolver<T>::set_block_threads(int threads) {
  if (threads < 0 || threads > max_block_threads)
    throw std::invalid_argument("matvec: " + std::to_string(threads) + " threads in a block; allowed: 1 to " +
                                std::to_string(max_block_threads) + ", or 0 for a choice by the number of rows");
  state_->operands_.block_threads = threads;
}
template <class T>
void GpuSolver<T>::upload(const Matrix<T>& a, std::span<const T> b, const core::Stream& stream) {
  state_->upload(a, b, stream);
}
template <class T>
void GpuSolver<T>::upload_vector(std::span<const T> b, const core::Stream& stream) {
  state_->upload_vector(b, stream);
}
template <class T>
void GpuSolver<T>::run(const core::Stream& stream) {
  if (state_->layout_ == Layout::transposed)
    throw std::invalid_argument("matvec: run() multiplies by rows, A is transposed");
  run_variant(multiply<T>, stream);
}
template <class T>
void GpuSolver<T>::run_variant(Multiply<T>* function, const core::Stream& stream) {
  function(state_->operands_, stream);
}
template <class T>
void GpuSolver<T>::download(std::span<T> c, const core::Stream& stream) const {
  core::copy_async(c.data(), state_->c_.data(), state_->c_.size(), stream);
  stream.synchronize();
}

template <class T>
std::span<T> GpuSolver<T>::device_vector() {
  return state_->b_.span();
}
template <class T>
std::span<T> GpuSolver<T>::device_result() {
  return state_->c_.span();
}
template <class T>
const Operands<T>& GpuSolver<T>::operands() const {
  return state_->operands_;
}
template <class T>
double GpuSolver<T>::transpose_seconds() const {
  return state_->transpose_seconds_;
}

template class GpuSolver<float>;
template class GpuSolver<double>;

}  // namespace speedwell::matvec
