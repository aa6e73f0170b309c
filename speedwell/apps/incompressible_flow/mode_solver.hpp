// The pressure equation of any box without solids by eigenvectors along x and y and tridiagonal systems along z, on all
// cores: two products with dense matrices along each of the first two axes replace the transforms.
#pragma once

#include <vector>

#include "speedwell/apps/incompressible_flow/axis_modes.hpp"
#include "speedwell/apps/incompressible_flow/fields.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/apps/incompressible_flow/row_kernels.hpp"
#include "speedwell/apps/incompressible_flow/third_axis.hpp"
#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

template <class T>
class ModeSolver {
 public:
  /// Computes the eigenvectors in some nx^3 + ny^3 operations.
  ModeSolver(const Problem& problem, const Layout& layout, int threads, core::Isa isa);

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
  T* plane(int k) { return values_.data() + static_cast<std::ptrdiff_t>(k) * e_.nx * e_.ny; }

  Extents e_;
  Layout layout_;
  int threads_;
  RowKernels<T> kernels_;
  Axis x_, y_;
  ThirdAxis<T> z_;
  core::HostBuffer<T> values_;
  std::vector<core::HostBuffer<T>> work_;  // per thread
};

extern template class ModeSolver<float>;
extern template class ModeSolver<double>;

}  // namespace speedwell::incompressible_flow
