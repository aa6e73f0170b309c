// Multithreaded conjugate gradients and the checks of their operands.
#include "speedwell/apps/stencil/cg.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/cpu/cpu_cg.hpp"
#include "speedwell/apps/stencil/point.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("stencil: " + what); }

template <class T>
void require_links(const T* values, std::int64_t count, const std::string& name) {
  for (std::int64_t i = 0; i < count; ++i)
    if (!(values[i] >= 0) || !std::isfinite(values[i]))
      refuse(name + "[" + std::to_string(i) + "] is " + std::to_string(values[i]) +
             "; conjugate gradients need finite, non-negative coefficients");
}

template <class T>
double sum_of(std::span<const T> v, int threads) {
  return krylov::sum_in_stages(v.size(), threads, [&](std::size_t i) { return static_cast<double>(v[i]); });
}

}  // namespace

template <class T>
bool is_singular(const Operator<T>& a) {
  return (a.form == Form::face_metric || a.form == Form::face_coefficient) && a.sigma == 0 &&
         a.boundary != Boundary::zero;
}

template <class T>
void require_solvable(const Operator<T>& a, const CgOptions& options) {
  require_operator(a);
  if (a.form == Form::cell_metric || a.form == Form::general)
    refuse("form " + std::string(to_string(a.form)) + " is not symmetric; conjugate gradients solve e0, l and v");
  if (!(options.omega >= 0 && options.omega <= 1))
    refuse("omega is " + std::to_string(options.omega) + "; it must be from 0 to 1");
  if (options.iterations < 0) refuse(std::to_string(options.iterations) + " iterations; must not be negative");
  if (!(options.tolerance >= 0)) refuse("tolerance must not be negative, got " + std::to_string(options.tolerance));
  constexpr const char* axis[] = {"x", "y", "z"};
  require_links(&a.sigma, 1, "sigma");
  for (int d = 0; d < 3; ++d) {
    if (a.form == Form::face_metric)
      require_links(a.metric[d], a.grid.extent(d), std::string("the width along ") + axis[d]);
    if (a.form == Form::face_metric)
      require_links(a.inverse[d], a.grid.extent(d) + 1, std::string("the reciprocal along ") + axis[d]);
    if (a.form == Form::face_coefficient)
      require_links(a.cell[d], a.grid.size(), std::string("the face along ") + axis[d]);
  }
}

template <class T>
void require_compatible(std::span<const T> b) {
  double sum = 0, magnitude = 0;
  for (const T value : b) {
    sum += static_cast<double>(value);
    magnitude += std::abs(static_cast<double>(value));
  }
  if (std::abs(sum) > (sizeof(T) == 8 ? 1e-10 : 1e-4) * magnitude)
    refuse("the system is singular and its right-hand side has the mean " +
           std::to_string(sum / static_cast<double>(b.size())) + "; it must be 0, or project_mean set");
}

template <class T>
std::vector<T> inverse_diagonal(const Operator<T>& a) {
  const Grid& g = a.grid;
  std::vector<T> inverse(static_cast<std::size_t>(g.size()));
  with_form(a.form, [&]<Form form>() {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t k = 0; k < g.nz; ++k)
      for (std::int64_t j = 0; j < g.ny; ++j)
        for (std::int64_t i = 0; i < g.nx; ++i) {
          const std::int64_t cell = g.cell(i, j, k);
          inverse[static_cast<std::size_t>(cell)] =
              T(1) /
              diagonal<form>(
                  a, CellIndex{.i = i, .j = j, .k = k, .cell = cell, .west = cell, .south = cell, .below = cell});
        }
  });
  for (std::size_t c = 0; c < inverse.size(); ++c)
    if (!(inverse[c] > 0) || !std::isfinite(inverse[c]))
      refuse("the diagonal of cell " + std::to_string(c) + " is " + std::to_string(1 / inverse[c]) +
             "; the preconditioner needs a positive diagonal");
  return inverse;
}

template <class T>
struct CgSolver<T>::Data {
  Grid grid;
  CgOptions options;
  krylov::ConjugateGradients<T> iterations;
  TwoPassWorkspace<T> passes;
  core::HostBuffer<T> scaled, product;  // work vectors of the polynomial

  Data(const Grid& box, const CgOptions& chosen) : grid(box), options(chosen) {
    options.threads = core::resolve_threads(chosen.threads);
    const auto n = static_cast<std::size_t>(grid.size());
    const bool plain = options.preconditioner == Preconditioner::none;
    iterations = krylov::ConjugateGradients<T>(n, options.threads, !plain);
    if (plain && options.two_passes) passes = TwoPassWorkspace<T>(grid, options.threads);
    if (options.preconditioner == Preconditioner::polynomial)
      for (core::HostBuffer<T>* vector : {&scaled, &product}) *vector = core::HostBuffer<T>(n, core::Pages::large);
  }
  CgResult iterate(const Operator<T>& a, std::span<const T> b, std::span<T> x);
};

template <class T>
CgSolver<T>::CgSolver() = default;
template <class T>
CgSolver<T>::CgSolver(const Grid& grid, const CgOptions& options) : data_(std::make_unique<Data>(grid, options)) {}
template <class T>
CgSolver<T>::CgSolver(CgSolver&&) noexcept = default;
template <class T>
CgSolver<T>& CgSolver<T>::operator=(CgSolver&&) noexcept = default;
template <class T>
CgSolver<T>::~CgSolver() = default;

template <class T>
CgResult CgSolver<T>::Data::iterate(const Operator<T>& a, std::span<const T> b, std::span<T> x) {
  const int threads = options.threads;
  const HostOptions host{.threads = threads};
  const krylov::CgLimits limits{.tolerance = options.tolerance, .iterations = options.iterations, .threads = threads};
  const auto apply = [&](std::span<const T> p, std::span<T> q) { return multiply_and_dot<T>(a, p, q, host); };
  if (options.preconditioner == Preconditioner::none)
    return options.two_passes ? iterations.solve_in_two_passes(b, x, limits, TwoPasses<T>(a, passes))
                              : iterations.solve(b, x, limits, apply, krylov::NoPreconditioner{});
  const std::vector<T> inverse = inverse_diagonal(a);
  const bool polynomial = options.preconditioner == Preconditioner::polynomial;
  const T omega = static_cast<T>(options.omega);
  return iterations.solve(b, x, limits, apply, [&](std::span<const T> r, std::span<T> z) {
    if (polynomial) {
      // (D - A) s = r - A s for s = r / D.
      core::parallel_for(r.size(), sizeof(T), threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) scaled[i] = inverse[i] * r[i];
      });
      multiply<T>(a, std::as_const(scaled).span(), product.span(), host);
    }
    return krylov::sum_in_stages(r.size(), threads, [&](std::size_t i) {
      z[i] = polynomial ? scaled[i] + omega * inverse[i] * (r[i] - product[i]) : inverse[i] * r[i];
      return static_cast<double>(r[i]) * static_cast<double>(z[i]);
    });
  });
}

template <class T>
CgResult CgSolver<T>::solve(const Operator<T>& a, std::span<const T> b, std::span<T> x) {
  const CgOptions& options = data_->options;
  require_solvable(a, options);
  require_product(a, b, x);
  if (!(a.grid == data_->grid)) refuse("the operator's box differs from that of the solver");
  const int threads = options.threads;
  const auto n = static_cast<double>(b.size());
  std::vector<T> projected;
  if (is_singular(a)) {
    if (options.project_mean) {
      const T mean = static_cast<T>(sum_of(b, threads) / n);
      projected.assign(b.begin(), b.end());
      for (T& value : projected) value -= mean;
      b = projected;
    } else {
      require_compatible(b);
    }
  }
  const CgResult result = data_->iterate(a, b, x);
  if (is_singular(a) && options.project_mean) {
    const T mean = static_cast<T>(sum_of<T>(x, threads) / n);
    for (T& value : x) value -= mean;
  }
  return result;
}

template <class T>
CgResult solve(const Operator<T>& a, std::span<const T> b, std::span<T> x, const CgOptions& options) {
  require_solvable(a, options);
  return CgSolver<T>(a.grid, options).solve(a, b, x);
}

#define SPEEDWELL_CG(T)                                                                            \
  template class CgSolver<T>;                                                                      \
  template CgResult solve(const Operator<T>&, std::span<const T>, std::span<T>, const CgOptions&); \
  template void require_solvable(const Operator<T>&, const CgOptions&);                            \
  template bool is_singular(const Operator<T>&);                                                   \
  template void require_compatible(std::span<const T>);                                            \
  template std::vector<T> inverse_diagonal(const Operator<T>&);
SPEEDWELL_CG(float)
SPEEDWELL_CG(double)
#undef SPEEDWELL_CG

}  // namespace speedwell::stencil
