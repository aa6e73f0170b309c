// BiCGSTAB on the host for any matrix-free operator (van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631), in the
// order of Figure 1 of the BWAVES article. Reductions are staged and do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/numerics/krylov/bicgstab_result.hpp"
#include "speedwell/numerics/krylov/conjugate_gradients.hpp"

namespace speedwell::krylov {

/// Solves A x = b for a matrix A that need not be symmetric. An iteration takes two products with A and five vectors of
/// work space, which are allocated here.
///
/// apply(v, y) sets y = A v for non-overlapping spans of the size of b; it is called from this thread and may use
/// threads of its own. x is the initial guess and is overwritten by the solution, or by the last iterate; for b = 0 it
/// becomes 0 without an iteration. The iteration stops at ||r|| <= limits.tolerance ||b||, where r is the residual of
/// the recurrence: rounding may separate it from b - A x. On a breakdown (division by zero) the iteration is restarted
/// from the residual, once; the result counts restarts.
///
/// Throws std::invalid_argument for sizes that differ, invalid limits and threads < 1, std::bad_alloc, and what apply()
/// throws.
template <class Apply>
BicgstabResult bicgstab(const Apply& apply, std::span<const double> b, std::span<double> x,
                        const BicgstabLimits& limits = {}, int threads = 1) {
  require_valid(limits);
  const std::size_t n = b.size();
  if (x.size() != n)
    throw std::invalid_argument("bicgstab: " + std::to_string(x.size()) + " unknowns for a right-hand side of " +
                                std::to_string(n));
  if (threads < 1) throw std::invalid_argument("bicgstab: " + std::to_string(threads) + " threads; must be at least 1");
  // Work vectors in large pages; each thread touches its share first.
  core::HostBuffer<double> r, shadow, p, v, t;
  for (core::HostBuffer<double>* vector : {&r, &shadow, &p, &v, &t}) {
    *vector = core::HostBuffer<double>(n, core::Pages::large);
    core::parallel_for(n, sizeof(double), threads, [vector](std::size_t begin, std::size_t end) {
      std::fill(vector->data() + begin, vector->data() + end, 0.0);
    });
  }
  // to = A from.
  const auto product = [&](const core::HostBuffer<double>& from, core::HostBuffer<double>& to) {
    apply(from.span(), to.span());
  };
  BicgstabResult result;
  // All norms are squared: the criterion is r . r <= tolerance^2 b . b.
  const double bb = sum_in_stages(n, threads, [&](std::size_t i) { return b[i] * b[i]; });
  // The solution of A x = 0 is 0, whatever the initial guess.
  if (bb == 0) {
    std::fill(x.begin(), x.end(), 0.0);
    return result;
  }
  const double limit = limits.tolerance * limits.tolerance * bb;
  double rr = 0, rho = 0;  // r . r, and shadow . r of this direction
  // The result with the residual of now.
  const auto stopped = [&](BicgstabOutcome outcome) {
    result.outcome = outcome;
    result.residual = std::sqrt(rr / bb);
    return result;
  };
  // The initial residual, which is also the first direction and the fixed shadow residual.
  const auto begin = [&] {
    apply(std::span<const double>(x), r.span());
    rho = rr = sum_in_stages(n, threads, [&](std::size_t i) {
      r[i] = shadow[i] = p[i] = b[i] - r[i];
      return r[i] * r[i];
    });
  };
  begin();
  // A pass of the loop is one iteration, or the restart after a breakdown.
  while (rr > limit) {
    // x holds the iterate of the last complete iteration.
    if (result.iterations == limits.iterations) return stopped(BicgstabOutcome::iteration_limit);
    // The first half: r becomes s = r - alpha A p.
    product(p, v);
    const double alpha = rho / sum_in_stages(n, threads, [&](std::size_t i) { return shadow[i] * v[i]; });
    sum_in_stages(n, threads, [&](std::size_t i) {
      r[i] -= alpha * v[i];
      return 0.0;
    });
    // The second half: omega minimises ||s - omega A s||.
    product(r, t);
    // omega = (t . s) / (t . t).
    const double tt = sum_in_stages(n, threads, [&](std::size_t i) { return t[i] * t[i]; });
    const double ts = sum_in_stages(n, threads, [&](std::size_t i) { return t[i] * r[i]; });
    const double omega = tt > 0 ? ts / tt : 0;  // r is 0: x + alpha p is the solution
    const bool breaks = !std::isfinite(alpha) || !std::isfinite(omega);
    // x and r change only if both coefficients are finite; one pass computes the new r . r, too.
    if (!breaks) {
      rr = sum_in_stages(n, threads, [&](std::size_t i) {
        x[i] += alpha * p[i] + omega * r[i];
        r[i] -= omega * t[i];
        return r[i] * r[i];
      });
      ++result.iterations;
      if (rr <= limit) break;
    }
    // rho of the next direction; 0 means that the shadow residual is orthogonal to r, and the recurrence cannot go on.
    const double next = breaks ? 0 : sum_in_stages(n, threads, [&](std::size_t i) { return r[i] * shadow[i]; });
    // The coefficient of the old direction in the new one.
    const double beta = next / rho * (alpha / omega);
    if (breaks || next == 0 || !std::isfinite(beta)) {
      // A second breakdown ends the iteration: the restart would repeat it.
      if (result.restarts == 1) return stopped(BicgstabOutcome::breakdown);
      ++result.restarts;
      begin();
      if (!std::isfinite(rr)) return stopped(BicgstabOutcome::not_finite);
      continue;
    }
    // The next direction.
    sum_in_stages(n, threads, [&](std::size_t i) {
      p[i] = r[i] + beta * (p[i] - omega * v[i]);
      return 0.0;
    });
    rho = next;  // shadow . r of the new direction
  }
  // A NaN ends the loop, too, since it is not larger than the limit.
  return stopped(std::isfinite(rr) ? BicgstabOutcome::converged : BicgstabOutcome::not_finite);
}

}  // namespace speedwell::krylov
