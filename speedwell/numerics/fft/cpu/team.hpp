// The threads of a plan, their kernels, and the lane buffers of each thread.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/thread_index.hpp"
#include "speedwell/numerics/fft/cpu/line_kernel.hpp"

namespace speedwell::fft {

using core::thread_index;

inline int available_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

template <class T>
class Team {
 public:
  explicit Team(int threads, core::Isa isa = core::best_isa()) : threads_(threads), kernels_(line_kernels<T>(isa)) {}

  int threads() const { return threads_; }
  int lanes() const { return kernels_.lanes; }
  const LineKernels<T>& kernels() const { return kernels_; }

  /// Ensures that the buffers of every thread hold lines of this many points.
  void reserve(std::int64_t points) { points_ = std::max(points_, points); }
  double buffer_bytes() const { return sizeof(T) * 4.0 * static_cast<double>(padded()) * lanes() * threads_; }
  void allocate() { memory_ = core::HostBuffer<T>(4 * padded() * lanes() * threads_); }
  void assign_buffers(Lines<T>& lines, int thread) {
    const std::int64_t buffer = 2 * padded() * lanes();
    lines.buffer[0] = memory_.data() + 2 * buffer * thread;
    lines.buffer[1] = lines.buffer[0] + buffer;
  }

 private:
  // Padding, so that the two buffers do not map to the same cache sets if lengths are powers of two.
  std::int64_t padded() const { return points_ + 7; }

  int threads_;
  LineKernels<T> kernels_;
  std::int64_t points_ = 0;
  core::HostBuffer<T> memory_;
};

/// Lines of an array: `blocks` blocks of `count` lines each. Strides are in reals.
template <class T>
struct LineSet {
  const LineTables<T>* complex = nullptr;  // exactly one of these two is set
  const RealTables<T>* real = nullptr;
  std::int64_t blocks = 1, count = 1;
  const T* in = nullptr;
  std::int64_t in_element = 2, in_lane = 2, in_block = 0;
  T* out = nullptr;
  std::int64_t out_element = 2, out_lane = 2, out_block = 0;
  bool backward = false;
  T scale = 1;
  FourStepTwiddles<T> twiddles;
  const T* weights = nullptr;
  bool streamed = false;

  std::int64_t tiles(int lanes) const { return blocks * tiles_per_block(lanes); }
  std::int64_t tiles_per_block(int lanes) const { return (count - 1) / lanes + 1; }
};

/// Tile t of the set, which has as many neighbouring lines as there are lanes, with the buffers of `thread`.
template <class T>
Lines<T> lines_of_tile(Team<T>& team, const LineSet<T>& set, std::int64_t t, int thread) {
  const std::int64_t of_block = set.tiles_per_block(team.lanes());
  const std::int64_t block = t / of_block, line = t % of_block * team.lanes();
  Lines<T> lines{.in = set.in + block * set.in_block + line * set.in_lane,
                 .in_element = set.in_element,
                 .in_lane = set.in_lane,
                 .out = set.out + block * set.out_block + line * set.out_lane,
                 .out_element = set.out_element,
                 .out_lane = set.out_lane,
                 .count = static_cast<int>(std::min<std::int64_t>(team.lanes(), set.count - line)),
                 .backward = set.backward,
                 .scale = set.scale,
                 .twiddles = set.twiddles,
                 .weights = set.weights,
                 .streamed = set.streamed};
  lines.twiddles.line = line;
  team.assign_buffers(lines, thread);
  return lines;
}

template <class T>
void transform_tile(Team<T>& team, const LineSet<T>& set, std::int64_t t, int thread) {
  const Lines<T> lines = lines_of_tile(team, set, t, thread);
  set.real ? team.kernels().real(*set.real, lines) : team.kernels().complex(*set.complex, lines);
}

/// Transforms all lines of the set on one thread.
template <class T>
void transform_serially(Team<T>& team, const LineSet<T>& set, int thread) {
  for (std::int64_t t = 0; t < set.tiles(team.lanes()); ++t) transform_tile(team, set, t, thread);
}

/// Below this number of points, starting a parallel region takes longer than the transform.
inline constexpr std::int64_t min_parallel_points = 1 << 14;

/// Transforms all lines of the set, in parallel if there are enough points.
template <class T>
void transform_all(Team<T>& team, const LineSet<T>& set, std::int64_t points) {
  if (team.threads() == 1 || points < min_parallel_points) return transform_serially(team, set, 0);
  const std::int64_t tiles = set.tiles(team.lanes());
#pragma omp parallel for schedule(static) num_threads(team.threads())
  for (std::int64_t t = 0; t < tiles; ++t) transform_tile(team, set, t, thread_index());
}

}  // namespace speedwell::fft
