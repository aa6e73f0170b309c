// The threads of a plan, their kernels, and the buffers in which each transforms lines side by side.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>

#include "speedwell/apps/fft/line_kernel.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::fft {

inline int this_thread() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}
inline int all_threads() {
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

  /// Takes buffers for lines of so many points on every thread, if they are more than before.
  void need(std::int64_t points) { points_ = std::max(points_, points); }
  double buffer_bytes() const { return sizeof(T) * 4.0 * static_cast<double>(padded()) * lanes() * threads_; }
  void allocate() { memory_ = core::HostBuffer<T>(4 * padded() * lanes() * threads_); }
  void lend(Lines<T>& lines, int thread) {
    const std::int64_t buffer = 2 * padded() * lanes();
    lines.buffer[0] = memory_.data() + 2 * buffer * thread;
    lines.buffer[1] = lines.buffer[0] + buffer;
  }

 private:
  // A few points more, so that the two buffers of lengths that are powers of two share no sets of the cache.
  std::int64_t padded() const { return points_ + 7; }

  int threads_;
  LineKernels<T> kernels_;
  std::int64_t points_ = 0;
  core::HostBuffer<T> memory_;
};

/// Lines of an array: `blocks` of `count` lines each. Strides are in reals.
template <class T>
struct LineSet {
  const LineTables<T>* complex = nullptr;  // or
  const RealTables<T>* real = nullptr;
  std::int64_t blocks = 1, count = 1;
  const T* in = nullptr;
  std::int64_t in_element = 2, in_lane = 2, in_block = 0;
  T* out = nullptr;
  std::int64_t out_element = 2, out_lane = 2, out_block = 0;
  bool backward = false;
  T scale = 1;
  Twist<T> twist;
  const T* weights = nullptr;
  bool streamed = false;

  std::int64_t tiles(int lanes) const { return blocks * tiles_of_block(lanes); }
  std::int64_t tiles_of_block(int lanes) const { return (count - 1) / lanes + 1; }
};

/// As many neighbouring lines as there are lanes: tile t of the set, in the buffers of `thread`.
template <class T>
Lines<T> lines_of_tile(Team<T>& team, const LineSet<T>& set, std::int64_t t, int thread) {
  const std::int64_t of_block = set.tiles_of_block(team.lanes());
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
                 .twist = set.twist,
                 .weights = set.weights,
                 .streamed = set.streamed};
  lines.twist.line = line;
  team.lend(lines, thread);
  return lines;
}

template <class T>
void transform_tile(Team<T>& team, const LineSet<T>& set, std::int64_t t, int thread) {
  const Lines<T> lines = lines_of_tile(team, set, t, thread);
  set.real ? team.kernels().real(*set.real, lines) : team.kernels().complex(*set.complex, lines);
}

/// All of them, by one thread.
template <class T>
void transform_here(Team<T>& team, const LineSet<T>& set, int thread) {
  for (std::int64_t t = 0; t < set.tiles(team.lanes()); ++t) transform_tile(team, set, t, thread);
}

/// Points below which waking the team takes longer than they do.
inline constexpr std::int64_t points_worth_a_team = 1 << 14;

/// All of them, by the team where their `points` are worth it.
template <class T>
void transform_all(Team<T>& team, const LineSet<T>& set, std::int64_t points) {
  if (team.threads() == 1 || points < points_worth_a_team) return transform_here(team, set, 0);
  const std::int64_t tiles = set.tiles(team.lanes());
#pragma omp parallel for schedule(static) num_threads(team.threads())
  for (std::int64_t t = 0; t < tiles; ++t) transform_tile(team, set, t, this_thread());
}

}  // namespace speedwell::fft
