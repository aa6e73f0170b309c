// Preconditioned conjugate gradients on the host for any operator that can be applied (Hestenes and Stiefel 1952; the
// preconditioned form as in Saad, Iterative Methods for Sparse Linear Systems (2003), 9.2.1), with every sum of
// products made where the operands are at hand, and all sums added up in stages that do not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace speedwell::numerics {

enum class CgOutcome {
  converged,
  used_up,       // the iterations allowed
  not_positive,  // p . A p <= 0: the operator is not positive definite, or not symmetric
  not_finite,
};

struct CgResult {
  int iterations = 0;
  CgOutcome outcome = CgOutcome::converged;
  double residual = 0;  // ||r|| / ||b|| of the recurrence
};

struct CgLimits {
  double tolerance = 1e-10;  // stops where ||r|| <= tolerance ||b||
  int iterations = 100'000;  // at most
  int threads = 1;
};

inline const char* to_string(CgOutcome outcome) {
  switch (outcome) {
    case CgOutcome::converged:
      return "converged";
    case CgOutcome::used_up:
      return "not converged in the iterations allowed";
    case CgOutcome::not_positive:
      return "stopped: the operator is not positive definite";
    case CgOutcome::not_finite:
      return "stopped: a number is not finite";
  }
  return "?";
}

/// The sum of term(i) over [0, n): blocks of 2048 in order, then blocks by halves. term may change element i.
template <class Term>
double sum_in_stages(std::size_t n, [[maybe_unused]] int threads, const Term& term) {
  constexpr std::size_t block = 2048;
  const std::size_t blocks = (n + block - 1) / block;
  std::vector<double> sums(std::max<std::size_t>(blocks, 1), 0.0);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && blocks > 8)
  for (std::size_t b = 0; b < blocks; ++b) {
    double sum = 0;
    for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) sum += term(i);
    sums[b] = sum;
  }
  for (std::size_t count = sums.size(); count > 1; count = (count + 1) / 2)
    for (std::size_t k = 0; k < count / 2; ++k) sums[k] += sums[count - 1 - k];
  return sums[0];
}

/// z = r: no preconditioner. (Its vector z is r itself.)
struct NoPreconditioner {};

/// Solves A x = b. x: the first guess, overwritten by the solution. apply(p, q) sets q = A p and returns p . q;
/// precondition(r, z) sets z = M r and returns r . z, with M symmetric and positive definite. Spans have b.size()
/// elements. Throws std::invalid_argument for sizes that differ and a tolerance that is negative or not a number.
template <class T, class Apply, class Precondition>
CgResult conjugate_gradients(std::span<const T> b, std::span<T> x, const CgLimits& limits, const Apply& apply,
                             const Precondition& precondition) {
  constexpr bool plain = std::is_same_v<Precondition, NoPreconditioner>;
  const std::size_t n = b.size();
  if (x.size() != n)
    throw std::invalid_argument("cg: x has " + std::to_string(x.size()) + " elements, b " + std::to_string(n));
  if (!(limits.tolerance >= 0))
    throw std::invalid_argument("cg: a tolerance of " + std::to_string(limits.tolerance) + "; it must be at least 0");
  const int threads = std::max(limits.threads, 1);
  const auto sum = [&](const auto& term) { return sum_in_stages(n, threads, term); };
  std::vector<T> r(n), p(n), q(n), z(plain ? 0 : n);
  const double bb = sum([&](std::size_t i) { return static_cast<double>(b[i]) * static_cast<double>(b[i]); });
  CgResult result;
  if (bb == 0) {
    std::fill(x.begin(), x.end(), T(0));
    return result;
  }
  apply(std::span<const T>(x), std::span<T>(q));
  double rr = sum([&](std::size_t i) {
    r[i] = b[i] - q[i];
    return static_cast<double>(r[i]) * static_cast<double>(r[i]);
  });
  double rz = 0;
  const auto conditioned = [&] {
    if constexpr (plain)
      return rr;
    else
      return precondition(std::span<const T>(r), std::span<T>(z));
  };
  const std::vector<T>& direction = plain ? r : z;
  const double limit = limits.tolerance * limits.tolerance * bb;
  for (;; ++result.iterations) {
    result.residual = std::sqrt(rr / bb);
    if (!std::isfinite(rr)) return result.outcome = CgOutcome::not_finite, result;
    if (rr <= limit) return result.outcome = CgOutcome::converged, result;
    if (result.iterations == limits.iterations) return result.outcome = CgOutcome::used_up, result;
    const double before = rz;
    rz = conditioned();
    const T beta = result.iterations == 0 ? T(0) : static_cast<T>(rz / before);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && n > 16384)
    for (std::size_t i = 0; i < n; ++i) p[i] = direction[i] + beta * p[i];
    const double pq = apply(std::span<const T>(p), std::span<T>(q));
    if (!std::isfinite(pq)) return result.outcome = CgOutcome::not_finite, result;
    if (!(pq > 0)) return result.outcome = CgOutcome::not_positive, result;
    const T alpha = static_cast<T>(rz / pq);
    rr = sum([&](std::size_t i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      return static_cast<double>(r[i]) * static_cast<double>(r[i]);
    });
  }
}

}  // namespace speedwell::numerics
