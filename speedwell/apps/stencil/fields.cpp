// Generated data: functions of the indices only, independent of the number of threads.
#include "speedwell/apps/stencil/fields.hpp"

#include <algorithm>

#include "speedwell/core/random.hpp"

namespace speedwell::stencil {
namespace {

template <class T, class Value>
void fill(core::HostBuffer<T>& field, const Grid& g, const Value& value) {
  field = core::HostBuffer<T>(static_cast<std::size_t>(g.size()), core::Pages::large);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t j = 0; j < g.ny; ++j)
      for (std::int64_t i = 0; i < g.nx; ++i)
        field[static_cast<std::size_t>(g.cell(i, j, k))] = static_cast<T>(value(i, j, k));
}

// Random stream `which` of the problem's seed.
double uniform(const Problem& p, int which, std::int64_t index, double low, double high) {
  const std::uint64_t seed = p.seed * 64 + static_cast<std::uint64_t>(which);
  return low + (high - low) * core::random_uniform(seed, static_cast<std::uint64_t>(index));
}

// Dyadic factors of the metric along axis d at index i.
double dyadic_reciprocal(int d, std::int64_t i) {
  if (d == 0) return 1 + static_cast<double>(i % 4) / 8;
  if (d == 1) return 1 + static_cast<double>((i + 2) % 4) / 8;
  return 0.5 + static_cast<double>(i % 8) / 16;
}

double dyadic_cell(Form form, int f, std::int64_t i, std::int64_t j, std::int64_t k) {
  const std::int64_t mixed = 3 * i + 5 * j + 11 * k;
  if (form == Form::cell_metric)
    return f == 0 ? 1 + static_cast<double>(mixed % 16) / 64 : -6 - static_cast<double>((i + 2 * j + 3 * k) % 8) / 8;
  const int shift = form == Form::face_coefficient ? 4 * f : f;
  return 1 + static_cast<double>((mixed + shift) % 16) / 16 - (form == Form::general && f == 0 ? 8 : 0);
}

double random_cell(const Problem& p, int f, std::int64_t cell) {
  if (p.form == Form::cell_metric && f == 1) return uniform(p, 9, cell, -8, -6);
  if (p.form == Form::general && f == 0) return uniform(p, 8, cell, -8, -6);
  return uniform(p, 8 + f, cell, 1, 2);
}

}  // namespace

template <class T>
Fields<T>::Fields(const Problem& problem) : problem_(problem) {
  require_grid(problem.grid, problem.form, problem.boundary);
  const Grid& g = problem.grid;
  const bool dyadic = problem.values == Values::dyadic;
  fill(x_, g, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return dyadic ? static_cast<double>((7 * i + 13 * j + 29 * k) % 64 - 32) / 32
                  : uniform(problem, 0, g.cell(i, j, k), -1, 1);
  });
  for (int f = 0; f < cell_fields(problem.form); ++f)
    fill(cell_[f], g, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return dyadic ? dyadic_cell(problem.form, f, i, j, k) : random_cell(problem, f, g.cell(i, j, k));
    });
  operator_ = {.form = problem.form, .boundary = problem.boundary, .grid = g};
  for (int f = 0; f < cell_fields(problem.form); ++f) operator_.cell[f] = cell_[f].data();
  if (problem.form == Form::constant)
    for (int w = 0; w < 4; ++w)
      operator_.weight[w] = static_cast<T>(dyadic  ? (w < 3 ? 0.0625 : 0.625)
                                           : w < 3 ? 1.0 / 14
                                                   : 4.0 / 7);  // both sum to 1
  if (problem.form == Form::face_metric || problem.form == Form::face_coefficient)
    operator_.sigma = static_cast<T>(dyadic ? 0.25 : uniform(problem, 1, 0, 0.1, 1));
  if (problem.form != Form::cell_metric && problem.form != Form::face_metric) return;
  for (int d = 0; d < 3; ++d) {
    const std::int64_t n = g.extent(d);
    metric_[d].resize(static_cast<std::size_t>(n));
    inverse_[d].resize(static_cast<std::size_t>(n) + 1);
    const auto width = [&](std::int64_t i) { return uniform(problem, 2 + d, i, 0.5, 1.5); };
    const auto distance = [&](std::int64_t i) { return (width((i + n - 1) % n) + width(i % n)) / 2; };
    for (std::int64_t i = 0; i < n; ++i) {
      const double at_e = dyadic ? dyadic_reciprocal(d, i) * dyadic_reciprocal(d, i + 1) : 1 / (distance(i) * width(i));
      const double at_l = dyadic ? 1 + static_cast<double>(i % 4) / 8 : width(i);
      metric_[d][static_cast<std::size_t>(i)] = static_cast<T>(problem.form == Form::cell_metric ? at_e : at_l);
    }
    for (std::int64_t i = 0; i <= n; ++i) {
      const std::int64_t face = problem.boundary == Boundary::periodic ? i % n : i;
      inverse_[d][static_cast<std::size_t>(i)] =
          static_cast<T>(dyadic ? 0.5 + static_cast<double>(face % 8) / 16 : 1 / distance(face));
    }
    operator_.metric[d] = metric_[d].data();
    operator_.inverse[d] = inverse_[d].data();
  }
}

template <class T>
UnitLaplacian<T>::UnitLaplacian(const Grid& grid, Boundary boundary) {
  require_grid(grid, Form::face_metric, boundary);
  ones_.assign(static_cast<std::size_t>(std::max({grid.nx, grid.ny, grid.nz}) + 1), T(1));
  operator_ = {
      .form = boundary == Boundary::zero ? Form::constant : Form::face_metric, .boundary = boundary, .grid = grid};
  for (int w = 0; w < 4; ++w) operator_.weight[w] = w < 3 ? T(-1) : T(6);
  for (int d = 0; d < 3; ++d) operator_.metric[d] = operator_.inverse[d] = ones_.data();
}

template class Fields<float>;
template class Fields<double>;
template class UnitLaplacian<float>;
template class UnitLaplacian<double>;

}  // namespace speedwell::stencil
