#include "speedwell/numerics/fft/gpu/gpu_engine.hpp"

#include <algorithm>

#include "speedwell/numerics/fft/argument_checks.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/kernels/planes.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"

namespace speedwell::fft {
namespace {

// Smaller arrays stay in the second-level cache, whatever the order of the passes.
constexpr double min_plane_array_bytes = 48e6;

}  // namespace

template <class T>
GpuEngine<T>::GpuEngine(const Shape& shape, const GpuOptions& options) : normalisation_(options.normalisation) {
  require_shape(shape);
  gpu::require_step(options.step);
  for (const std::int64_t n : shape.extents) size_ *= n;
  points_ = size_ * shape.batch;
  const core::Stream stream;
  axes_ = transforms_.axes(shape.extents, 1, shape.batch, stream);
  if (axes_.empty()) axes_.push_back({1, points_, 1, transforms_.transform(1, stream)});  // a copy
  method_ = choose_method(options.step, shape);
  std::int64_t work = 0;
  for (const auto& axis : axes_) work = std::max(work, gpu::work_points(axis));
  if (method_ == Method::transposed) work += points_;
  if (method_ == Method::two_passes) work = gpu::two_pass_points;
  gpu::require_free_memory(static_cast<double>(work) * sizeof(Complex));
  work_ = core::DeviceBuffer<Complex>(static_cast<std::size_t>(work));
  if (method_ == Method::two_passes) two_passes_.emplace(stream);
  if (method_ == Method::planes) counters_ = core::DeviceBuffer<std::uint32_t>(gpu::plane_counters(axes_[1].outer));
}

template <class T>
typename GpuEngine<T>::Method GpuEngine<T>::choose_method(std::string_view step, const Shape& shape) const {
  if (axes_.size() < 2) return Method::passes;
  if (step == "cuda-transposed") return Method::transposed;
  if (step == "cuda" && gpu::is_two_pass_array(shape.extents) && gpu::supports_two_passes()) return Method::two_passes;
  const bool worth =
      static_cast<double>(points_) * sizeof(Complex) >= min_plane_array_bytes && lag() >= gpu::min_plane_lag;
  return step == "cuda" && worth && gpu::is_plane(axes_[1].n, axes_[0].n, sizeof(T)) ? Method::planes : Method::passes;
}

template <class T>
std::int64_t GpuEngine<T>::lag() const {
  return gpu::plane_lag(axes_[0].n * axes_[1].n * static_cast<std::int64_t>(sizeof(Complex)));
}

template <class T>
void GpuEngine<T>::transform(const Complex* in, Complex* out, bool backward, const core::Stream& stream) {
  const T sign = backward ? T{-1} : T{1}, scale = static_cast<T>(gpu::scale_of(normalisation_, size_, backward));
  if (method_ == Method::transposed) return run_transposed(in, out, sign, scale, stream);
  if (method_ == Method::two_passes) return run_two_passes(in, out, sign, scale, stream);
  const auto scale_at = [&](std::size_t axis) { return axis + 1 == axes_.size() ? scale : T{1}; };
  std::size_t next = 0;
  if (method_ == Method::planes) {
    run_planes(in, out, sign, scale_at(1), stream);
    in = out;
    next = 2;
  }
  for (; next < axes_.size(); ++next, in = out)
    gpu::run_axis(axes_[next], in, out, sign, scale_at(next), work_.data(), stream);
}

// Each array [a][b][c] of the batch becomes [c][a][b], then [b][c][a], then [a][b][c] again.
template <class T>
void GpuEngine<T>::run_transposed(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream) {
  Complex* const spare = work_.data();
  const Complex* from = in;
  // A pass must not write to the array that it reads, and the last pass should write to `out`.
  Complex* to = in != out && axes_.size() % 2 == 1 ? out : spare;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const std::int64_t n = axes_[k].n, rows = size_ / n;
    const gpu::LineLayout transposed{.element = rows, .count = {rows, 1}, .step = {1, 0, size_}};
    axes_[k].transform->run(
        {from, to, points_ / n, gpu::row_layout(n), transposed, sign, sign, k + 1 == axes_.size() ? scale : T{1}},
        spare + points_, stream);
    from = to;
    to = from == out ? spare : out;
  }
  if (from != out) core::copy_async(out, from, static_cast<std::size_t>(points_), stream);
}

template <class T>
void GpuEngine<T>::run_planes(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream) {
  // is_plane() guarantees lengths that are powers of two, for which these are block transforms.
  const auto& rows = static_cast<const gpu::BlockTransform<T>&>(*axes_[0].transform);
  const auto& columns = static_cast<const gpu::BlockTransform<T>&>(*axes_[1].transform);
  const gpu::Planes<T> planes{.planes = axes_[1].outer,
                              .log_rows = columns.log_n(),
                              .log_columns = rows.log_n(),
                              .table_of_rows = rows.table(),
                              .table_of_columns = columns.table(),
                              .lag = static_cast<int>(lag())};
  gpu::transform_planes(planes, in, out, sign, sign, scale, counters_.data(), stream);
}

template <class T>
void GpuEngine<T>::run_two_passes(const Complex* in, Complex* out, T sign, T scale, const core::Stream& stream) {
  for (std::int64_t first = 0; first < points_; first += size_)
    two_passes_->run(in + first, out + first, sign, scale, work_.data(), stream);
}

template class GpuEngine<float>;
template class GpuEngine<double>;

}  // namespace speedwell::fft
