// The pressure equation by transforms along x and y and tridiagonal systems along z, on all cores.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "speedwell/apps/fft/fft.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/row_kernels.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class DirectSolver {
 public:
  /// Of a box with equal cells along x and y, periodic along x unless also walled along y. Solids are not seen.
  DirectSolver(const Problem& problem, int threads, core::Isa isa);

  /// The same problem with other widths, equal ones again along x and y.
  void set_mesh(const Problem& problem);

  /// Right sides go in and solutions come out by rows. Where rows_are_plain() a row is in order at row(j, k); else
  /// put() and get() rearrange it. A solution is determined up to a constant.
  bool rows_are_plain() const { return !cosine_x_; }
  T* row(int j, int k) { return values_.data() + offset(j, k); }
  const T* row(int j, int k) const { return values_.data() + offset(j, k); }
  void put(int j, int k, const T* values);
  void get(int j, int k, T* values) const;
  /// Replaces the right sides of Laplacian p = f by p.
  void solve();

 private:
  using Complex = std::complex<T>;
  std::span<Complex> spectrum() { return {reinterpret_cast<Complex*>(spectrum_.data()), spectrum_.size() / 2}; }
  std::size_t offset(int j, int k) const;
  void solve_lines(int y, int first, int width, T* work);
  void solve_constant_mode(T* x, std::ptrdiff_t pitch) const;

  Extents e_;
  int threads_;
  bool cosine_x_, cosine_y_, periodic_z_;
  RowKernels<T> kernels_;
  fft::RealPlan<T> plan_;
  core::HostBuffer<T> values_;
  core::HostBuffer<T> spectrum_;  // real and imaginary parts in turns
  std::vector<T> low_, high_, lambda_x_, lambda_y_;
  std::vector<double> width_z_, distance_z_;
  std::vector<Complex> turns_x_, turns_y_;
  std::vector<core::HostBuffer<T>> work_;
};

extern template class DirectSolver<float>;
extern template class DirectSolver<double>;

}  // namespace speedwell::incompressible_flow
