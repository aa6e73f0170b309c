#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/apps/fft/contract.hpp"
#include "speedwell/apps/fft/gpu/gpu_engine.hpp"
#include "speedwell/apps/fft/gpu/planes.hpp"
#include "speedwell/apps/fft/gpu/power_transform.hpp"
#include "speedwell/apps/fft/gpu_ladder.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::fft {
namespace {

// Below this many bytes an array is in the second-level cache whatever the order of its passes.
constexpr double bytes_worth_planes = 48e6;
// What rows and columns that are under way together may take of that cache.
constexpr std::int64_t most_bytes_of_planes = std::int64_t{34} << 20;

void require_memory(double bytes) {
  std::size_t free = 0, total = 0;
  core::check(cudaMemGetInfo(&free, &total));
  if (bytes > static_cast<double>(free))
    throw core::Unavailable("fft: the plan's work space takes " + core::format_bytes(bytes) + "; " +
                            core::format_bytes(static_cast<double>(free)) + " of the GPU's memory are free");
}

}  // namespace

template <class T>
GpuEngine<T>::GpuEngine(const Shape& shape, const GpuOptions& options) : normalisation_(options.normalisation) {
  require_shape(shape);
  const bool known =
      std::any_of(std::begin(steps), std::end(steps), [&](const Step& s) { return s.name == options.step; });
  if (!known) throw std::invalid_argument("'" + std::string(options.step) + "' is no GPU variant of fft");
  size_ = 1;
  for (const std::int64_t n : shape.extents) size_ *= n;
  points_ = size_ * shape.batch;
  const core::Stream stream;
  make_axes(shape, stream);
  way_ = options.step == "cuda-transposed" && axes_.size() > 1 ? Way::transposed : Way::passes;
  const double bytes = static_cast<double>(points_) * sizeof(Complex);
  if (options.step == "cuda" && axes_.size() > 1 && bytes >= bytes_worth_planes &&
      gpu::supports_planes<T>(axes_[1].n, axes_[0].n))
    way_ = Way::planes;
  require_memory(static_cast<double>(work_points()) * sizeof(Complex));
  work_ = core::DeviceBuffer<Complex>(work_points());
  if (way_ == Way::planes) counters_ = core::DeviceBuffer<std::uint32_t>(gpu::plane_counters(axes_[1].outer));
}

template <class T>
void GpuEngine<T>::make_axes(const Shape& shape, const core::Stream& stream) {
  std::int64_t inner = 1;
  for (std::size_t d = shape.extents.size(); d-- > 0;) {
    const std::int64_t n = shape.extents[d];
    if (n == 1 && (d > 0 || !axes_.empty())) continue;
    const auto same = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& a) { return a.n == n; });
    if (same == axes_.end()) transforms_.push_back(gpu::make_line_transform<T>(n, stream));
    axes_.push_back({n, points_ / n / inner, inner, same == axes_.end() ? transforms_.back().get() : same->lines});
    inner *= n;
  }
}

template <class T>
std::int64_t GpuEngine<T>::work_points() const {
  std::int64_t most = 0;
  for (const Axis& axis : axes_)
    most = std::max(most, axis.lines->work_points(axis.outer * axis.inner, axis.inner == 1));
  return most + (way_ == Way::transposed ? points_ : 0);
}

template <class T>
typename GpuEngine<T>::Signs GpuEngine<T>::signs_of(bool backward) const {
  const double size = static_cast<double>(size_);
  double scale = 1;
  if (normalisation_ == Normalisation::orthogonal) scale = 1 / std::sqrt(size);
  if (normalisation_ == Normalisation::backward && backward) scale = 1 / size;
  return {backward ? T{-1} : T{1}, static_cast<T>(scale)};
}

template <class T>
void GpuEngine<T>::transform(const Complex* in, Complex* out, bool backward, const core::Stream& stream) {
  const Signs signs = signs_of(backward);
  way_ == Way::transposed ? run_transposed(in, out, signs, stream) : run_passes(in, out, signs, stream);
}

// [a][b][c] becomes [c][a][b], then [b][c][a], then [a][b][c] again, of each array of the batch.
template <class T>
void GpuEngine<T>::run_transposed(const Complex* in, Complex* out, Signs signs, const core::Stream& stream) {
  Complex* const spare = work_.data();
  const Complex* from = in;
  // No pass may write what it reads, and the last had better write `out`.
  Complex* to = in != out && axes_.size() % 2 == 1 ? out : spare;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const Axis& axis = axes_[k];
    const std::int64_t rows = size_ / axis.n;
    const gpu::Place out_place{.element = rows, .count = {rows, 1}, .step = {1, 0, size_}};
    const T scale = k + 1 == axes_.size() ? signs.scale : T{1};
    axis.lines->run({from, to, points_ / axis.n, gpu::row_place(axis.n), out_place, signs.sign, scale}, spare + points_,
                    stream);
    from = to;
    to = from == out ? spare : out;
  }
  if (from != out) core::copy_async(out, from, static_cast<std::size_t>(points_), stream);
}

template <class T>
void GpuEngine<T>::run_passes(const Complex* in, Complex* out, Signs signs, const core::Stream& stream) {
  std::size_t next = 0;
  const auto scale_of = [&](std::size_t axis) { return axis + 1 == axes_.size() ? signs.scale : T{1}; };
  if (way_ == Way::planes) {
    const auto& rows = static_cast<const gpu::PowerTransform<T>&>(*axes_[0].lines);
    const auto& columns = static_cast<const gpu::PowerTransform<T>&>(*axes_[1].lines);
    const std::int64_t plane_bytes = axes_[0].n * axes_[1].n * static_cast<std::int64_t>(sizeof(Complex));
    const gpu::Planes<T> planes{
        .planes = axes_[1].outer,
        .log_rows = columns.log_n(),
        .log_columns = rows.log_n(),
        .table_of_rows = rows.table(),
        .table_of_columns = columns.table(),
        .lag = static_cast<int>(std::max<std::int64_t>(1, most_bytes_of_planes / plane_bytes / 2))};
    gpu::transform_planes(planes, in, out, signs.sign, scale_of(1), counters_.data(), stream);
    next = 2;
    in = out;
  }
  for (; next < axes_.size(); ++next) {
    const Axis& axis = axes_[next];
    const gpu::Place place = axis.inner == 1 ? gpu::row_place(axis.n) : gpu::column_place(axis.n, axis.inner);
    axis.lines->run({in, out, axis.outer * axis.inner, place, place, signs.sign, scale_of(next)}, work_.data(), stream);
    in = out;
  }
}

template class GpuEngine<float>;
template class GpuEngine<double>;

}  // namespace speedwell::fft
