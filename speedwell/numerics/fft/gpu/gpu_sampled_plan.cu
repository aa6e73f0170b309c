#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "speedwell/numerics/fft/argument_checks.hpp"
#include "speedwell/numerics/fft/gpu/axes.hpp"
#include "speedwell/numerics/fft/gpu/block_transform.hpp"
#include "speedwell/numerics/fft/gpu/device/line.hpp"
#include "speedwell/numerics/fft/gpu/device_spans.hpp"
#include "speedwell/numerics/fft/gpu/kernels/sampled_passes.hpp"
#include "speedwell/numerics/fft/gpu_fft.hpp"

namespace speedwell::fft {
namespace {

// Axes are ordered from the slowest to the fastest.
template <class T>
Shape require_sampled(const Shape& shape) {
  require_shape(shape);
  if (shape.extents.size() != 3 || shape.batch != 1)
    throw std::invalid_argument("fft: samples are taken of one array of three dimensions");
  for (const std::int64_t n : shape.extents)
    if (!std::has_single_bit(static_cast<std::uint64_t>(n)) || n > std::int64_t{1} << gpu::max_log<T>)
      throw std::invalid_argument("fft: an extent of " + std::to_string(n) +
                                  "; samples are taken where all are powers of two, and at most " +
                                  std::to_string(1 << gpu::max_log<T>));
  return shape;
}

}  // namespace

template <class T>
struct GpuSampledPlan<T>::State {
  State(const Shape& shape, std::span<const std::int64_t> positions)
      : extents(require_sampled<T>(shape).extents), points(extents[0] * extents[1] * extents[2]) {
    const std::int64_t n = extents[2];
    std::vector<std::int32_t> counts(points / n + 1);
    std::vector<std::int32_t> order(positions.size());
    for (std::size_t s = 0; s < positions.size(); ++s) {
      if (positions[s] < 0 || positions[s] >= points)
        throw std::invalid_argument("fft: a sample at " + std::to_string(positions[s]) + " of an array of " +
                                    std::to_string(points));
      order[s] = static_cast<std::int32_t>(s);
      ++counts[positions[s] / n + 1];
    }
    for (std::size_t line = 1; line < counts.size(); ++line) counts[line] += counts[line - 1];
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return positions[a] / n < positions[b] / n; });
    std::vector<gpu::Sample> sorted;
    for (const std::int32_t s : order) sorted.push_back({static_cast<std::int32_t>(positions[s] % n), s});
    const core::Stream stream;
    for (const std::int64_t extent : extents) axes.emplace_back(extent, stream);
    first = core::DeviceBuffer<std::int32_t>(counts.size());
    wanted = core::DeviceBuffer<gpu::Sample>(sorted.size());
    core::copy_async(first.data(), counts.data(), counts.size(), stream);
    core::copy_async(wanted.data(), sorted.data(), sorted.size(), stream);
    stream.synchronize();
  }

  std::vector<std::int64_t> extents;
  std::int64_t points;
  std::vector<gpu::BlockTransform<T>> axes;
  core::DeviceBuffer<std::int32_t> first;
  core::DeviceBuffer<gpu::Sample> wanted;
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
                         {state_->first.data(), state_->wanted.data(), gpu::device(samples.data()), sign}, stream);
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
  return static_cast<std::int64_t>(state_->wanted.size());
}
template <class T>
double GpuSampledPlan<T>::bytes() const {
  return static_cast<double>(state_->first.bytes() + state_->wanted.bytes());
}

template class GpuSampledPlan<float>;
template class GpuSampledPlan<double>;

}  // namespace speedwell::fft
