// Multithreaded iterative refinement: conjugate gradients in single precision, residuals and the solution in double.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "speedwell/apps/stencil/contract.hpp"
#include "speedwell/apps/stencil/single_precision_operator.hpp"
#include "speedwell/apps/stencil/stencil.hpp"
#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stencil {

CgResult solve_mixed(const Operator<double>& a, std::span<const double> b, std::span<double> x,
                     const CgOptions& options) {
  require_solvable(a, options);
  require_product(a, b, x);
  const int threads = core::resolve_threads(options.threads);
  const HostOptions host{.threads = threads};
  const std::size_t n = b.size();
  const auto mean = [&](std::span<const double> v) {
    return krylov::sum_in_stages(n, threads, [&](std::size_t i) { return v[i]; }) / static_cast<double>(n);
  };
  std::vector<double> projected;
  core::HostBuffer<double> product(n, core::Pages::large);
  if (is_singular(a)) {
    if (!options.project_mean) require_compatible(b);
    projected.assign(b.begin(), b.end());
    const double shift = options.project_mean ? mean(b) : 0;
    for (double& value : projected) value -= shift;
    b = projected;
  }
  CgResult result;
  const double of_b = std::sqrt(sum_of_squares(b, threads));
  if (of_b == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    return result;
  }
  const SinglePrecisionOperator narrow_operator(a);
  core::HostBuffer<float> r(n, core::Pages::large), d(n, core::Pages::large);
  CgOptions inner = options;
  inner.tolerance = mixed_inner_tolerance;
  inner.project_mean = true;  // the mean of a residual is rounding error
  CgSolver<float> solver(a.grid, inner);
  for (double last = 0;;) {
    multiply<double>(a, x, product.span(), host);
    const double of_r = std::sqrt(krylov::sum_in_stages(n, threads, [&](std::size_t i) {
      product[i] = b[i] - product[i];
      return product[i] * product[i];
    }));
    result.residual = of_r / of_b;
    if (!std::isfinite(of_r)) return result.outcome = CgOutcome::not_finite, result;
    if (of_r <= options.tolerance * of_b) break;
    // A correction leaves more than half of the residual: single precision cannot represent this operator.
    if (result.iterations >= options.iterations || (last > 0 && of_r > last / 2))
      return result.outcome = CgOutcome::iteration_limit, result;
    last = of_r;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = static_cast<float>(
          product[i] /
          of_r);  // scaled to norm 1, so that values that are small in double do not underflow in single precision
      d[i] = 0;
    }
    const CgResult correction = solver.solve(narrow_operator.op(), std::as_const(r).span(), d.span());
    result.iterations += correction.iterations;
    if (correction.outcome == CgOutcome::not_positive || correction.outcome == CgOutcome::not_finite)
      return result.outcome = correction.outcome, result;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (std::size_t i = 0; i < n; ++i) x[i] += of_r * static_cast<double>(d[i]);
  }
  if (is_singular(a) && options.project_mean) {
    const double shift = mean(x);
    for (double& value : x) value -= shift;
  }
  return result;
}

}  // namespace speedwell::stencil
