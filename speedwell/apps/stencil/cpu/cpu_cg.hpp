// The two passes over memory of an iteration of conjugate gradients on all threads. The first computes p' = r + beta p
// plane by plane into a ring buffer that stays in a core's cache, and accumulates p'.A p' without storing A p'. The
// second recomputes A p' for x += alpha p', r -= alpha A p' and r.r. That is 64 bytes per cell in f64, compared with 96
// for stored products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/cpu/cpu_rows.hpp"
#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::stencil {

/// Workspace of the passes in addition to the vectors: ring buffers per thread, and partial sums per row.
template <class T>
class TwoPassWorkspace {
 public:
  TwoPassWorkspace() = default;
  TwoPassWorkspace(const Grid& grid, int threads);

  static constexpr int planes = 3;
  std::int64_t rows() const { return rows_; }    // rows of a strip, without its two halo rows
  std::int64_t pitch() const { return pitch_; }  // stride between rows
  T* ring(std::int64_t rank) { return rings_.data() + rank * planes * (rows_ + 2) * pitch_; }
  std::span<double> sums() { return sums_.span(); }
  const T* zeros() const { return zeros_.data(); }
  int threads() const { return threads_; }

 private:
  std::int64_t rows_ = 0, pitch_ = 0;
  int threads_ = 1;
  core::HostBuffer<T> rings_;
  core::HostBuffer<double> sums_;
  std::vector<T> zeros_;
};

/// The system that krylov::ConjugateGradients::solve_in_two_passes() expects. A, in a symmetric form, and the
/// workspace must outlive it. The bits do not depend on the number of threads.
template <class T>
class TwoPasses {
 public:
  TwoPasses(const Operator<T>& a, TwoPassWorkspace<T>& scratch);

  void apply(std::span<const T> p, std::span<T> q) const;
  double direction(std::span<const T> r, std::span<const T> p, T beta, std::span<T> next) const;
  double update(T alpha, std::span<const T> p, std::span<T> x, std::span<T> r) const;

 private:
  const Operator<T>& a_;
  TwoPassWorkspace<T>& workspace_;
  RowKernels<T> kernels_;
  bool streaming_;
  /// Threads have planes of their own, which are adjacent in memory, where fields stay in caches: of a few rows of each
  /// plane, the hardware would prefetch those of the next thread, too.
  bool planes_;
};

}  // namespace speedwell::stencil
