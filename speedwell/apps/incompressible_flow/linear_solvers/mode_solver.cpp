#include "speedwell/apps/incompressible_flow/linear_solvers/mode_solver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace speedwell::incompressible_flow {
namespace {

constexpr int block = 64;  // modes of a row whose lines are solved together

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
      a.to_transposed[i * n + m] = a.to[m * n + i];
      a.from_transposed[m * n + i] = a.from[i * n + m];
    }
  return a;
}

template <class T>
ModeSolver<T>::ModeSolver(const Problem& problem, const Layout& layout, int threads, core::Isa isa, Slab* slab)
    : e_(problem.extents()),
      layout_(layout),
      threads_(threads),
      kernels_(row_kernels<T>(isa)),
      x_(axis_of(problem, 0)),
      y_(axis_of(problem, 1)),
      z_(problem),
      values_(e_.at(0, 0, layout.n[2]), core::Pages::large),
      rows_{0, e_.ny} {
  const std::size_t lines = static_cast<std::size_t>(3 * block) * static_cast<std::size_t>(e_.nz);
  const std::size_t of_plane = static_cast<std::size_t>(e_.nx) * static_cast<std::size_t>(e_.ny);
  for (int t = 0; t < threads_; ++t) work_.emplace_back(std::max(lines, of_plane));
  if (!slab) return;
  const int ranks = slab->ranks().size();
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    const comm::Range mine = comm::part_of(e_.ny, ranks, r);
    rows[static_cast<std::size_t>(r)].resize(static_cast<std::size_t>(mine.size()));
    std::iota(rows[static_cast<std::size_t>(r)].begin(), rows[static_cast<std::size_t>(r)].end(),
              static_cast<int>(mine.begin));
  }
  rows_ = comm::part_of(e_.ny, ranks, slab->ranks().rank());
  transpose_ = std::make_unique<ModeTranspose<T>>(*slab, std::move(rows), e_.ny, e_.nx);
}

// Transforms plane k to modes: along x into the workspace, then along y.
template <class T>
void ModeSolver<T>::to_modes(const Field<T>& rhs, int k, T* work) {
  const int nx = e_.nx, ny = e_.ny;
  kernels_.product({ny, nx, nx, rhs.at(layout_, 0, k), layout_.row, x_.to_transposed.data(), nx, work, nx});
  kernels_.product({ny, ny, nx, y_.to.data(), ny, work, nx, plane(k), nx});
}

template <class T>
void ModeSolver<T>::from_modes(Field<T>& x, int k, T* work) {
  const int nx = e_.nx, ny = e_.ny;
  kernels_.product({ny, ny, nx, y_.from.data(), ny, plane(k), nx, work, nx});
  kernels_.product({ny, nx, nx, work, nx, x_.from_transposed.data(), nx, x.at(layout_, 0, k), layout_.row});
}

// Solves modes (first … first + width, y) along z.
template <class T>
void ModeSolver<T>::solve_lines(int y, int first, int width, T* work) {
  const int n = e_.nz;
  T *x = work, *c = x + static_cast<std::ptrdiff_t>(block) * n, *q = c + static_cast<std::ptrdiff_t>(block) * n;
  const auto at = [&](int k) { return line_row(y, k) + first; };
  for (int k = 0; k < n; ++k) std::copy(at(k), at(k) + width, x + static_cast<std::ptrdiff_t>(block) * k);
  T lambda[block];
  for (int m = 0; m < width; ++m)
    lambda[m] = x_.values[static_cast<std::size_t>(first + m)] + y_.values[static_cast<std::size_t>(y)];
  z_.solve(kernels_, width, lambda, y == 0 && first == 0, x, c, q, block);
  for (int k = 0; k < n; ++k)
    std::copy(x + static_cast<std::ptrdiff_t>(block) * k, x + static_cast<std::ptrdiff_t>(block) * k + width, at(k));
}

template <class T>
void ModeSolver<T>::solve_all_lines() {
  const int blocks = (e_.nx + block - 1) / block;
  const auto begin = static_cast<int>(rows_.begin), end = static_cast<int>(rows_.end);
#pragma omp parallel for schedule(static) collapse(2) num_threads(threads_) if (threads_ > 1)
  for (int y = begin; y < end; ++y)
    for (int b = 0; b < blocks; ++b) solve_lines(y, b * block, std::min(block, e_.nx - b * block), work());
}

template <class T>
void ModeSolver<T>::solve_on_ranks(const Field<T>& rhs, Field<T>& x) {
  for (int p = 0; p < transpose_->pieces(); ++p) {
    const comm::Range piece = transpose_->piece(p);
    const auto begin = static_cast<int>(piece.begin), end = static_cast<int>(piece.end);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int k = begin; k < end; ++k) to_modes(rhs, k, work());
    transpose_->send(p, values_.data());
  }
  transpose_->lines();
  solve_all_lines();
  transpose_->send_back();
  for (int p = 0; p < transpose_->pieces(); ++p) {
    transpose_->receive(p, values_.data());
    const comm::Range piece = transpose_->piece(p);
    const auto begin = static_cast<int>(piece.begin), end = static_cast<int>(piece.end);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (int k = begin; k < end; ++k) from_modes(x, k, work());
  }
}

template <class T>
void ModeSolver<T>::solve(const Field<T>& rhs, Field<T>& x) {
  if (transpose_) return solve_on_ranks(rhs, x);
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (int k = 0; k < e_.nz; ++k) to_modes(rhs, k, work());
  solve_all_lines();
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (int k = 0; k < e_.nz; ++k) from_modes(x, k, work());
}

template class ModeSolver<float>;
template class ModeSolver<double>;

}  // namespace speedwell::incompressible_flow
