#include "speedwell/numerics/fft/cpu/engine.hpp"

#include <cmath>
#include <cstdint>

#include "speedwell/core/streaming_wins.hpp"
#include "speedwell/numerics/fft/argument_checks.hpp"

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
      team_(options.threads > 0 ? options.threads : available_threads()),
      rows_(kind, n_, rows_count_, team_) {
  std::int64_t inner = spectrum_row_, blocks = rows_count_;
  for (std::size_t d = shape.extents.size() - 1; d-- > 0;) {
    Axis& axis = axes_.emplace_back(shape.extents[d]);
    blocks /= shape.extents[d];
    axis.blocks = blocks;
    axis.inner = inner;
    inner *= shape.extents[d];
    team_.reserve(axis.plan.tables().buffer_points());
  }
  team_.allocate();
  rows_.allocate();
  // The pages are untouched, so that a plan uses no memory for kinds of transforms that are never executed.
  if (kind == Kind::real && !axes_.empty()) spectrum_ = core::HostBuffer<T>(2 * spectrum_points(), core::Pages::large);
  if (fuses_planes() && has_streaming_size())
    planes_ = core::HostBuffer<T>(axes_[0].plan.tables().n * spectrum_pitch() * team_.threads(), core::Pages::large);
  if (kind == Kind::complex && axes_.size() == 2 && shape.batch == 1)
    visited_ = core::HostBuffer<T>(2 * axes_[1].plan.tables().n * team_.lanes() * team_.threads());
}

template <class T>
T Engine<T>::scale_of(bool backward) const {
  const double size = static_cast<double>(size_);
  if (normalisation_ == Normalisation::orthogonal) return static_cast<T>(1 / std::sqrt(size));
  return normalisation_ == Normalisation::backward && backward ? static_cast<T>(1 / size) : T{1};
}

// Rows and columns of a plane are transformed while the plane is in the cache of one core: one pass over memory for two
// axes. This pays when there is a plane for every thread and a plane has no more than a few megabytes.
template <class T>
bool Engine<T>::fuses_planes() const {
  constexpr std::int64_t max_plane_bytes = std::int64_t{4} << 20;
  if (axes_.empty() || rows_.are_long()) return false;
  const Axis& axis = axes_.front();
  const std::int64_t plane_bytes = axis.plan.tables().n * axis.inner * static_cast<std::int64_t>(2 * sizeof(T));
  return axis.blocks >= team_.threads() && plane_bytes <= max_plane_bytes;
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

// Whether rows are written to a plane buffer of the thread, which stays in its cache, and columns from there to `out`
// by non-temporal stores, so that no cache line of `out` is read before it is overwritten.
template <class T>
bool Engine<T>::streams_planes(const void* in, const LineSet<T>& columns) const {
  const auto aligned = [](std::uintptr_t bytes) { return bytes % column_alignment == 0; };
  return in != columns.out && aligned(reinterpret_cast<std::uintptr_t>(columns.out)) &&
         aligned(static_cast<std::uintptr_t>(columns.out_element) * sizeof(T)) && has_streaming_size();
}
template <class T>
bool Engine<T>::has_streaming_size() const {
  return core::streaming_wins(4 * points() * static_cast<std::int64_t>(sizeof(T)));
}

template <class T>
void Engine<T>::transform_planes(const LineSet<T>& first, const LineSet<T>& second, bool streamed) {
  const int threads = points() < min_parallel_points ? 1 : team_.threads();
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t plane = 0; plane < first.blocks; ++plane) {
    const int thread = threads > 1 ? thread_index() : 0;
    LineSet<T> one = block_of(first, plane), other = block_of(second, plane);
    if (streamed) {
      one.out = planes_.data() + first.out_block * thread;
      other.in = one.out;
      other.streamed = true;
    }
    transform_serially(team_, one, thread);
    transform_serially(team_, other, thread);
  }
}

template <class T>
void Engine<T>::apply_row_weights(const T* in, const T* weights, T* out) {
#pragma omp parallel for schedule(static) collapse(2) num_threads(team_.threads())
  for (std::int64_t row = 0; row < rows_count_; ++row)
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t at = 2 * (row * n_ + i);
      out[at] = weights[i] * in[at];
      out[at + 1] = weights[i] * in[at + 1];
    }
}

template <class T>
void Engine<T>::visit_lines(const LineSet<T>& set, const Visit<T>& visit) {
  const int lanes = team_.lanes(), threads = points() < min_parallel_points ? 1 : team_.threads();
  const std::int64_t reals = 2 * set.complex->n * lanes, tiles = set.tiles(lanes);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::int64_t t = 0; t < tiles; ++t) {
    const int thread = threads > 1 ? thread_index() : 0;
    Lines<T> lines = lines_of_tile(team_, set, t, thread);
    lines.out = visited_.data() + reals * thread;
    lines.out_element = 2 * lanes;
    lines.out_lane = 2;
    team_.kernels().complex(*set.complex, lines);
    visit({reinterpret_cast<const std::complex<T>*>(lines.out), lanes, t * lanes, lines.count});
  }
}

template <class T>
void Engine<T>::rows_first(const T* in, std::int64_t in_pitch, T* out, bool backward, const Weights<T>& weights,
                           const Visit<T>* visit) {
  const T scale = scale_of(backward), rows_scale = axes_.empty() ? scale : T{1};
  const std::int64_t pitch = spectrum_pitch();
  std::size_t next = 0;
  const auto weights_of = [&](std::size_t axis_from_last) {
    return weights.empty() ? nullptr : weights[weights.size() - 1 - axis_from_last].data();
  };
  const auto rows_per_block = [&](std::int64_t count) {
    LineSet<T> set = rows_.lines(in, in_pitch, out, pitch, count, backward, rows_scale);
    set.weights = weights_of(0);
    return set;
  };
  const auto columns_of = [&](std::size_t axis) {
    LineSet<T> set = columns(axes_[axis], out, out, backward, axis + 1 == axes_.size() ? scale : T{1});
    set.weights = weights_of(axis + 1);
    return set;
  };
  if (fuses_planes()) {
    const LineSet<T> columns = columns_of(0);
    transform_planes(rows_per_block(axes_[0].plan.tables().n), columns, streams_planes(in, columns));
    next = 1;
  } else if (rows_.are_long()) {
    if (!weights.empty()) {
      apply_row_weights(in, weights_of(0), out);
      in = out;
    }
    rows_.transform(team_, in, in_pitch, out, pitch, backward, rows_scale);
  } else {
    transform_all(team_, rows_per_block(rows_count_), points());
  }
  for (; next < axes_.size(); ++next)
    if (visit && next + 1 == axes_.size())
      visit_lines(columns_of(next), *visit);
    else
      transform_all(team_, columns_of(next), points());
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
                     rows_.lines(work, pitch, out, out_pitch, axes_[0].plan.tables().n, true, scale), false);
  else if (rows_.are_long())
    rows_.transform(team_, in, pitch, out, out_pitch, true, scale);
  else
    transform_all(team_, rows_.lines(in, pitch, out, out_pitch, rows_count_, true, scale), points());
}

template class Engine<float>;
template class Engine<double>;

}  // namespace speedwell::fft
