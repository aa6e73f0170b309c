#include "speedwell/apps/fft/engine.hpp"

#include <cmath>

#include "speedwell/apps/fft/contract.hpp"

namespace speedwell::fft {
namespace {

std::int64_t product(const Shape& shape) {
  std::int64_t points = 1;
  for (const std::int64_t n : shape.extents) points *= n;
  return points;
}

template <class T>
LineSet<T> block_of(LineSet<T> set, std::int64_t block) {
  set.in += block * set.in_block;
  set.out += block * set.out_block;
  set.blocks = 1;
  return set;
}

}  // namespace

template <class T>
Engine<T>::Engine(Kind kind, const Shape& shape, const Options& options)
    : normalisation_(options.normalisation),
      n_(require_plan(kind, shape, options, sizeof(T)).extents.back()),
      spectrum_row_(kind == Kind::real ? n_ / 2 + 1 : n_),
      rows_count_(product(shape) / n_ * shape.batch),
      size_(product(shape)),
      team_(options.threads > 0 ? options.threads : all_threads()),
      rows_(kind, n_, rows_count_, team_) {
  std::int64_t inner = spectrum_row_, blocks = rows_count_;
  for (std::size_t d = shape.extents.size() - 1; d-- > 0;) {
    Axis& axis = axes_.emplace_back(shape.extents[d]);
    blocks /= shape.extents[d];
    axis.blocks = blocks;
    axis.inner = inner;
    inner *= shape.extents[d];
    team_.need(axis.plan.tables().buffer_points());
  }
  team_.allocate();
  rows_.allocate();
  // Of pages that nothing has touched, so that a plan which goes forward only takes no memory for it.
  if (kind == Kind::real && !axes_.empty()) spectrum_ = core::HostBuffer<T>(2 * spectrum_points(), core::Pages::large);
}

template <class T>
T Engine<T>::scale_of(bool backward) const {
  const double size = static_cast<double>(size_);
  if (normalisation_ == Normalisation::orthogonal) return static_cast<T>(1 / std::sqrt(size));
  return normalisation_ == Normalisation::backward && backward ? static_cast<T>(1 / size) : T{1};
}

// Rows and the columns of a plane, while the plane is in the cache of the core that has it: one way through memory for
// two axes. Worth it where every core has a plane, and these are no larger than a few megabytes.
template <class T>
bool Engine<T>::fuses_planes() const {
  constexpr std::int64_t most_bytes = std::int64_t{4} << 20;
  if (axes_.empty() || rows_.are_long()) return false;
  const Axis& axis = axes_.front();
  const std::int64_t plane_bytes = axis.plan.tables().n * axis.inner * static_cast<std::int64_t>(2 * sizeof(T));
  return axis.blocks >= team_.threads() && plane_bytes <= most_bytes;
}

template <class T>
LineSet<T> Engine<T>::columns(const Axis& axis, const T* in, T* out, bool backward, T scale) const {
  const std::int64_t n = axis.plan.tables().n;
  return {.complex = &axis.plan.tables(),
          .blocks = axis.blocks,
          .count = axis.inner,
          .in = in,
          .in_element = 2 * axis.inner,
          .in_block = 2 * n * axis.inner,
          .out = out,
          .out_element = 2 * axis.inner,
          .out_block = 2 * n * axis.inner,
          .backward = backward,
          .scale = scale};
}

template <class T>
void Engine<T>::transform_columns(const Axis& axis, const T* in, T* out, bool backward, T scale) {
  transform_all(team_, columns(axis, in, out, backward, scale), points());
}

template <class T>
void Engine<T>::transform_planes(const LineSet<T>& first, const LineSet<T>& second) {
  const int threads = points() < points_worth_a_team ? 1 : team_.threads();
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t plane = 0; plane < first.blocks; ++plane) {
    const int thread = threads > 1 ? this_thread() : 0;
    transform_here(team_, block_of(first, plane), thread);
    transform_here(team_, block_of(second, plane), thread);
  }
}

template <class T>
void Engine<T>::rows_first(const T* in, std::int64_t in_pitch, T* out, bool backward) {
  const T scale = scale_of(backward), rows_scale = axes_.empty() ? scale : T{1};
  const std::int64_t pitch = spectrum_pitch();
  std::size_t next = 0;
  const auto scale_at = [&](std::size_t axis) { return axis + 1 == axes_.size() ? scale : T{1}; };
  if (fuses_planes()) {
    transform_planes(rows_.lines(in, in_pitch, out, pitch, axes_[0].plan.tables().n, backward, rows_scale),
                     columns(axes_[0], out, out, backward, scale_at(0)));
    next = 1;
  } else if (rows_.are_long()) {
    rows_.transform(team_, in, in_pitch, out, pitch, backward, rows_scale);
  } else {
    transform_all(team_, rows_.lines(in, in_pitch, out, pitch, rows_count_, backward, rows_scale), points());
  }
  for (; next < axes_.size(); ++next) transform_columns(axes_[next], out, out, backward, scale_at(next));
}

template <class T>
void Engine<T>::rows_last(const T* in, T* out, std::int64_t out_pitch) {
  const T scale = scale_of(true);
  const std::int64_t pitch = spectrum_pitch();
  T* const work = in == out ? out : spectrum_.data();
  const bool fused = fuses_planes();
  for (std::size_t axis = axes_.size(); axis-- > (fused ? 1 : 0);) {
    transform_columns(axes_[axis], in, work, true, 1);
    in = work;
  }
  if (fused)
    transform_planes(columns(axes_[0], in, work, true, 1),
                     rows_.lines(work, pitch, out, out_pitch, axes_[0].plan.tables().n, true, scale));
  else if (rows_.are_long())
    rows_.transform(team_, in, pitch, out, out_pitch, true, scale);
  else
    transform_all(team_, rows_.lines(in, pitch, out, out_pitch, rows_count_, true, scale), points());
}

template class Engine<float>;
template class Engine<double>;

}  // namespace speedwell::fft
