#include "speedwell/apps/incompressible_flow/mode_solver.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>

#include "speedwell/apps/incompressible_flow/constant_mode.hpp"
#include "speedwell/apps/incompressible_flow/geometry.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr int block = 64;  // modes of a row whose lines are solved side by side

int this_thread() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

}  // namespace

template <class T>
typename ModeSolver<T>::Axis ModeSolver<T>::axis_of(const Problem& problem, int axis) {
  const AxisModes modes = axis_modes(problem, axis);
  const auto n = static_cast<std::size_t>(modes.n);
  Axis a{modes.n,
         {modes.values.begin(), modes.values.end()},
         {modes.to_modes.begin(), modes.to_modes.end()},
         {modes.from_modes.begin(), modes.from_modes.end()},
         std::vector<T>(n * n),
         std::vector<T>(n * n)};
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t i = 0; i < n; ++i) {
      a.to_turned[i * n + m] = a.to[m * n + i];
      a.from_turned[m * n + i] = a.from[i * n + m];
    }
  return a;
}

template <class T>
ModeSolver<T>::ModeSolver(const Problem& problem, const Layout& layout, int threads, core::Isa isa)
    : e_(problem.extents()),
      layout_(layout),
      threads_(threads),
      periodic_z_(problem.periodic(2)),
      kernels_(row_kernels<T>(isa)),
      x_(axis_of(problem, 0)),
      y_(axis_of(problem, 1)),
      values_(static_cast<std::size_t>(e_.cells()), core::Pages::large) {
  const Geometry g(problem);
  for (int k = 0; k < e_.nz; ++k) {
    const bool first = k == 0 && !periodic_z_, last = k == e_.nz - 1 && !periodic_z_;
    low_.push_back(static_cast<T>(first ? 0 : 1 / (g.width(2, k) * g.distance(2, k - 1))));
    high_.push_back(static_cast<T>(last ? 0 : 1 / (g.width(2, k) * g.distance(2, k))));
    width_z_.push_back(g.width(2, k));
    distance_z_.push_back(g.distance(2, k));
  }
  const std::size_t lines = static_cast<std::size_t>(3 * block) * static_cast<std::size_t>(e_.nz);
  const std::size_t of_plane = static_cast<std::size_t>(e_.nx) * static_cast<std::size_t>(e_.ny);
  for (int t = 0; t < threads_; ++t) work_.emplace_back(std::max(lines, of_plane));
}

// Modes of plane k: along x into the work space, then along y.
template <class T>
void ModeSolver<T>::to_modes(const Field<T>& right_side, int k, T* work) {
  const int nx = e_.nx, ny = e_.ny;
  kernels_.product({ny, nx, nx, right_side.at(layout_, 0, k), layout_.row, x_.to_turned.data(), nx, work, nx});
  kernels_.product({ny, ny, nx, y_.to.data(), ny, work, nx, plane(k), nx});
}

template <class T>
void ModeSolver<T>::from_modes(Field<T>& x, int k, T* work) {
  const int nx = e_.nx, ny = e_.ny;
  kernels_.product({ny, ny, nx, y_.from.data(), ny, plane(k), nx, work, nx});
  kernels_.product({ny, nx, nx, work, nx, x_.from_turned.data(), nx, x.at(layout_, 0, k), layout_.row});
}

// Modes (first … first + width, y) along z.
template <class T>
void ModeSolver<T>::solve_lines(int y, int first, int width, T* work) {
  const int n = e_.nz;
  T *x = work, *c = x + static_cast<std::ptrdiff_t>(block) * n, *q = c + static_cast<std::ptrdiff_t>(block) * n;
  const auto at = [&](int k) { return plane(k) + static_cast<std::ptrdiff_t>(y) * e_.nx + first; };
  for (int k = 0; k < n; ++k) std::copy(at(k), at(k) + width, x + static_cast<std::ptrdiff_t>(block) * k);
  T lambda[block];
  for (int m = 0; m < width; ++m)
    lambda[m] = x_.values[static_cast<std::size_t>(first + m)] + y_.values[static_cast<std::size_t>(y)];
  const bool has_constant = y == 0 && first == 0;
  std::vector<T> constant;
  if (has_constant) {
    solve_constant_mode<T>(width_z_, distance_z_, periodic_z_, x, block);
    for (int k = 0; k < n; ++k) constant.push_back(x[static_cast<std::ptrdiff_t>(block) * k]);
    lambda[0] = -1;  // any that makes no division by 0
  }
  kernels_.tridiagonal({.n = n,
                        .width = width,
                        .low = low_.data(),
                        .high = high_.data(),
                        .lambda = lambda,
                        .x = x,
                        .c = c,
                        .q = q,
                        .pitch = block,
                        .periodic = periodic_z_});
  if (has_constant)
    for (int k = 0; k < n; ++k) x[static_cast<std::ptrdiff_t>(block) * k] = constant[static_cast<std::size_t>(k)];
  for (int k = 0; k < n; ++k)
    std::copy(x + static_cast<std::ptrdiff_t>(block) * k, x + static_cast<std::ptrdiff_t>(block) * k + width, at(k));
}

template <class T>
void ModeSolver<T>::solve(const Field<T>& right_side, Field<T>& x) {
  const auto work = [&] { return work_[static_cast<std::size_t>(this_thread())].data(); };
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (int k = 0; k < e_.nz; ++k) to_modes(right_side, k, work());
  const int blocks = (e_.nx + block - 1) / block;
#pragma omp parallel for schedule(static) collapse(2) num_threads(threads_) if (threads_ > 1)
  for (int y = 0; y < e_.ny; ++y)
    for (int b = 0; b < blocks; ++b) solve_lines(y, b * block, std::min(block, e_.nx - b * block), work());
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (int k = 0; k < e_.nz; ++k) from_modes(x, k, work());
}

template class ModeSolver<float>;
template class ModeSolver<double>;

}  // namespace speedwell::incompressible_flow
