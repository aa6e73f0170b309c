// The implementation of GPU plans for real data. Included by CUDA sources only.
#pragma once

#include <optional>
#include <vector>

#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/kernels/elementwise.hpp"

namespace speedwell::fft {

template <class T>
class GpuRealEngine {
 public:
  using Complex = gpu::Complex<T>;
  GpuRealEngine(const Shape& shape, const GpuOptions& options);

  std::int64_t real_points() const { return rows_.rows * rows_.n; }
  std::int64_t spectrum_points() const { return rows_.rows * rows_.bins(); }
  std::int64_t row_points() const { return rows_.n; }
  std::int64_t padded_row_points() const { return 2 * rows_.bins(); }
  double bytes() const { return static_cast<double>(work_.bytes() + wide_.bytes() + spectrum_.bytes()); }

  /// Rows of reals have a distance of `pitch`; the transform is in place if in and out begin at the same byte.
  void forward(const T* in, std::int64_t pitch, Complex* out, const core::Stream& stream);
  void backward(const Complex* in, T* out, std::int64_t pitch, const core::Stream& stream);

 private:
  bool is_even() const { return rows_.n % 2 == 0; }
  void forward_rows(const T* in, std::int64_t pitch, Complex* out, T scale, const core::Stream& stream);
  void backward_rows(const Complex* in, T* out, std::int64_t pitch, T scale, const core::Stream& stream);

  Normalisation normalisation_;
  gpu::RealRows rows_;
  std::int64_t size_ = 1;  // N of the normalisation
  gpu::Axes<T> transforms_;
  gpu::Axis<T> row_;  // n / 2 complex points for even rows, n for odd ones
  std::vector<gpu::Axis<T>> columns_;
  std::optional<gpu::RootsOnDevice<T>> roots_;  // for even rows
  int log_pairs_ = -1;                          // for rows that a block transforms and unpacks, otherwise -1
  const Complex* table_ = nullptr;
  core::DeviceBuffer<Complex> work_, wide_, spectrum_;
};

}  // namespace speedwell::fft
