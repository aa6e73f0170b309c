// The two passes over memory of an iteration of conjugate gradients on all cores: p' = r + beta p is computed plane by
// plane into a ring that stays in a core's cache, where A p' is ready for p'.A p' and forgotten; the second pass
// computes it again for x += alpha p', r -= alpha A p' and r.r. 64 bytes a cell in f64, where products that are stored
// take 96.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speedwell/apps/stencil/cpu_rows.hpp"
#include "speedwell/apps/stencil/operator.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::stencil {

/// What the passes keep beside the vectors: the rings of the threads, and the sums of rows.
template <class T>
class TwoPassScratch {
 public:
  TwoPassScratch() = default;
  TwoPassScratch(const Grid& grid, int threads);

  static constexpr int planes = 3;
  std::int64_t rows() const { return rows_; }    // of a strip, without the two beside it
  std::int64_t pitch() const { return pitch_; }  // elements from row to row
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

/// A system for numerics::ConjugateGradients::solve_in_two_passes(). A, of form E0, L or V, and the scratch must
/// outlive it. The bits do not depend on the number of threads.
template <class T>
class TwoPasses {
 public:
  TwoPasses(const Operator<T>& a, TwoPassScratch<T>& scratch);

  void apply(std::span<const T> p, std::span<T> q) const;
  double direction(std::span<const T> r, std::span<const T> p, T beta, std::span<T> next) const;
  double update(T alpha, std::span<const T> p, std::span<T> x, std::span<T> r) const;

 private:
  const Operator<T>& a_;
  TwoPassScratch<T>& scratch_;
  RowKernels<T> kernels_;
  bool streaming_;
};

}  // namespace speedwell::stencil
