// The pressure equation of any box without solids by eigenvectors along x and y and tridiagonal systems along z, on all
// cores: two products with dense matrices along each of the first two axes replace the transforms.
#pragma once

#include <memory>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/axis_modes.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/mode_transpose.hpp"
#include "speedwell/apps/incompressible_flow/linear_solvers/third_axis.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/thread_index.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class ModeSolver {
 public:
  /// Computes the eigenvectors in some nx^3 + ny^3 operations. `layout`: of the planes of `slab`, which are this
  /// rank's; solve() is then collective. Null: all planes.
  ModeSolver(const Problem& problem, const Layout& layout, int threads, core::Isa isa, Slab* slab = nullptr);

  /// Solves Laplacian x = rhs, up to a constant, in 4 (nx + ny) operations per cell.
  void solve(const Field<T>& rhs, Field<T>& x);

 private:
  struct Axis {
    int n;
    std::vector<T> values, to, from;  // by rows: to[mode][cell], from[cell][mode]
    std::vector<T> to_transposed, from_transposed;
  };
  static Axis axis_of(const Problem& problem, int axis);
  void to_modes(const Field<T>& rhs, int k, T* work);
  void from_modes(Field<T>& x, int k, T* work);
  void solve_lines(int y, int first, int width, T* work);
  void solve_all_lines();
  void solve_on_ranks(const Field<T>& rhs, Field<T>& x);
  T* line_row(int y, int k) {
    return transpose_ ? transpose_->at(k, y) : plane(k) + static_cast<std::ptrdiff_t>(y) * e_.nx;
  }
  T* work() { return work_[static_cast<std::size_t>(core::thread_index())].data(); }
  T* plane(int k) { return values_.data() + static_cast<std::ptrdiff_t>(k) * e_.nx * e_.ny; }

  Extents e_;  // of the box
  Layout layout_;
  int threads_;
  RowKernels<T> kernels_;
  Axis x_, y_;
  ThirdAxis<T> z_;
  core::HostBuffer<T> values_;
  std::vector<core::HostBuffer<T>> work_;  // per thread
  std::unique_ptr<ModeTranspose<T>> transpose_;
  comm::Range rows_;  // of modes, of this rank
};

extern template class ModeSolver<float>;
extern template class ModeSolver<double>;

}  // namespace speedwell::incompressible_flow
