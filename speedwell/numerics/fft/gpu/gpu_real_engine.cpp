#include "speedwell/numerics/fft/gpu/gpu_real_engine.hpp"

#include <algorithm>

#include "speedwell/numerics/fft/argument_checks.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/real_rows.hpp"

namespace speedwell::fft {

template <class T>
GpuRealEngine<T>::GpuRealEngine(const Shape& shape, const GpuOptions& options) : normalisation_(options.normalisation) {
  require_shape(shape);
  gpu::require_step(options.step);
  for (const std::int64_t n : shape.extents) size_ *= n;
  rows_ = {size_ / shape.extents.back() * shape.batch, shape.extents.back()};
  const core::Stream stream;
  const std::int64_t points = is_even() ? rows_.n / 2 : rows_.n;
  row_ = {points, rows_.rows, 1, transforms_.transform(points, stream)};
  columns_ =
      transforms_.axes(std::span(shape.extents).first(shape.extents.size() - 1), rows_.bins(), shape.batch, stream);
  std::int64_t work = gpu::work_points(row_);
  for (const auto& axis : columns_) work = std::max(work, gpu::work_points(axis));
  const std::int64_t wide = is_even() ? 0 : real_points(), spectrum = columns_.empty() ? 0 : spectrum_points();
  gpu::require_free_memory((static_cast<double>(work) + static_cast<double>(wide) + static_cast<double>(spectrum)) *
                           sizeof(Complex));
  work_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(work));
  wide_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(wide));
  spectrum_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(spectrum));
  if (!is_even()) return;
  roots_.emplace(rows_.n, stream);
  if (const auto* block = dynamic_cast<const gpu::BlockTransform<T>*>(row_.transform)) {
    log_pairs_ = block->log_n();
    table_ = block->table();
  }
}

template <class T>
void GpuRealEngine<T>::forward(const T* in, std::int64_t pitch, Complex* out, const core::Stream& stream) {
  const T scale = static_cast<T>(gpu::scale_of(normalisation_, size_, false));
  forward_rows(in, pitch, out, columns_.empty() ? scale : T{1}, stream);
  for (std::size_t k = 0; k < columns_.size(); ++k)
    gpu::run_axis(columns_[k], out, out, T{1}, k + 1 == columns_.size() ? scale : T{1}, work_.data(), stream);
}

template <class T>
void GpuRealEngine<T>::forward_rows(const T* in, std::int64_t pitch, Complex* out, T scale,
                                    const core::Stream& stream) {
  const auto* pairs = reinterpret_cast<const Complex*>(in);
  const gpu::LineLayout pairs_layout = gpu::row_layout(pitch / 2), bins_layout = gpu::row_layout(rows_.bins());
  if (log_pairs_ > 0) {
    gpu::transform_real_rows<T>(log_pairs_, {rows_.rows, pairs_layout, bins_layout, table_}, {pairs}, {out, scale},
                                roots_->roots(), stream);
  } else if (is_even()) {
    row_.transform->run({pairs, out, rows_.rows, pairs_layout, bins_layout, T{1}, T{1}, scale}, work_.data(), stream);
    gpu::unpack(rows_, out, roots_->roots(), stream);
  } else {
    gpu::widen(rows_, in, pitch, wide_.data(), stream);
    gpu::run_axis<T>(row_, wide_.data(), wide_.data(), T{1}, scale, work_.data(), stream);
    gpu::extract_half_spectrum(rows_, wide_.data(), out, stream);
  }
}

template <class T>
void GpuRealEngine<T>::backward(const Complex* in, T* out, std::int64_t pitch, const core::Stream& stream) {
  const bool in_place = static_cast<const void*>(in) == static_cast<const void*>(out);
  Complex* const spectrum = in_place ? reinterpret_cast<Complex*>(out) : spectrum_.data();
  for (std::size_t k = columns_.size(); k-- > 0; in = spectrum)
    gpu::run_axis(columns_[k], in, spectrum, T{-1}, T{1}, work_.data(), stream);
  backward_rows(in, out, pitch, static_cast<T>(gpu::scale_of(normalisation_, size_, true)), stream);
}

template <class T>
void GpuRealEngine<T>::backward_rows(const Complex* in, T* out, std::int64_t pitch, T scale,
                                     const core::Stream& stream) {
  auto* const pairs = reinterpret_cast<Complex*>(out);
  const gpu::LineLayout pairs_layout = gpu::row_layout(pitch / 2);
  if (log_pairs_ > 0) {
    gpu::transform_spectrum_rows<T>(log_pairs_, {rows_.rows, gpu::row_layout(rows_.bins()), pairs_layout, table_}, {in},
                                    {pairs, scale, T{-1}}, roots_->roots(), stream);
  } else if (is_even()) {
    gpu::pack(rows_, in, pairs, pitch / 2, roots_->roots(), stream);
    row_.transform->run({pairs, pairs, rows_.rows, pairs_layout, pairs_layout, T{-1}, T{-1}, scale}, work_.data(),
                        stream);
  } else {
    gpu::expand_half_spectrum(rows_, in, wide_.data(), stream);
    gpu::run_axis<T>(row_, wide_.data(), wide_.data(), T{-1}, scale, work_.data(), stream);
    gpu::narrow(rows_, wide_.data(), out, pitch, stream);
  }
}

template class GpuRealEngine<float>;
template class GpuRealEngine<double>;

}  // namespace speedwell::fft
