#include <optional>
#include <vector>

#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/kernels/sampled_passes.hpp"
#include "speedwell/numerics/fft/gpu/samples.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::fft {

// Axes are ordered from the slowest to the fastest.
template <class T>
struct GpuSampledPlan<T>::State {
  State(const Shape& shape, std::span<const std::int64_t> positions)
      : extents(gpu::require_sampled_shape(shape, gpu::max_log<T>).extents),
        points(extents[0] * extents[1] * extents[2]) {
    gpu::require_positions(positions, points);
    const core::Stream stream;
    for (const std::int64_t extent : extents) axes.emplace_back(extent, stream);
    list.emplace(gpu::samples_by_row(positions, 0, points, extents[2]), stream);
  }

  std::vector<std::int64_t> extents;
  std::int64_t points;
  std::vector<gpu::BlockTransform<T>> axes;
  std::optional<gpu::DeviceSamples> list;
};

template <class T>
GpuSampledPlan<T>::GpuSampledPlan(const Shape& shape, std::span<const std::int64_t> positions)
    : state_(std::make_unique<State>(shape, positions)) {}

template <class T>
void GpuSampledPlan<T>::transform(Direction direction, std::span<const Complex> in, std::span<const T> weights,
                                  std::span<Complex> work, std::span<Complex> samples, const core::Stream& stream) {
  gpu::require_span<T>(in, points(), "in");
  gpu::require_span<T>(work, points(), "work");
  gpu::require_span<T>(samples, this->samples(), "samples");
  require_size(weights.size(), this->weights(), "the list of weights");
  if (in.data() != work.data()) require_disjoint(in, work);
  const std::int64_t n0 = state_->extents[0], n1 = state_->extents[1], n2 = state_->extents[2];
  const T sign = direction == Direction::backward ? T{-1} : T{1};
  auto* const array = gpu::device(work.data());
  const auto lines = [&](int axis) { return points() / state_->extents[axis]; };
  const gpu::LineLayout slowest = gpu::column_layout(n0, n1 * n2), rows = gpu::row_layout(n2);
  const T* const w = weights.data();
  gpu::transform_columns<T>(state_->axes[0].log_n(), {lines(0), slowest, slowest, state_->axes[0].table()},
                            {gpu::device(in.data()), w, w + n0, w + n0 + n1, n1, n2, sign}, {array}, stream);
  const gpu::LineLayout middle = gpu::column_layout(n1, n2);
  state_->axes[1].run({array, array, lines(1), middle, middle}, nullptr, stream);
  gpu::transform_rows<T>(state_->axes[2].log_n(), {lines(2), rows, rows, state_->axes[2].table()}, {array},
                         {state_->list->first.data(), state_->list->wanted.data(), gpu::device(samples.data()), sign},
                         stream);
}

template <class T>
std::int64_t GpuSampledPlan<T>::points() const {
  return state_->points;
}
template <class T>
std::int64_t GpuSampledPlan<T>::weights() const {
  return state_->extents[0] + state_->extents[1] + state_->extents[2];
}
template <class T>
std::int64_t GpuSampledPlan<T>::samples() const {
  return static_cast<std::int64_t>(state_->list->wanted.size());
}
template <class T>
double GpuSampledPlan<T>::bytes() const {
  return state_->list->bytes();
}

template class GpuSampledPlan<float>;
template class GpuSampledPlan<double>;

}  // namespace speedwell::fft
