// Preconditioned conjugate gradients on the host for any matrix-free operator (Hestenes and Stiefel 1952; the
// preconditioned form as in Saad, Iterative Methods for Sparse Linear Systems (2003), 9.2.1). Dot products are fused
// with the loops that compute their operands. Reductions are staged and do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::krylov {

/// Why the iteration stopped.
enum class CgOutcome {
  converged,        // ||r|| <= tolerance ||b||
  iteration_limit,  // the maximum number of iterations
  not_positive,     // p . A p <= 0: the operator is not positive definite, or not symmetric
  not_finite,       // an infinity or a NaN, in the operands or by overflow
};

/// What solve() returns; x holds the last iterate whatever the outcome.
struct CgResult {
  int iterations = 0;  // products with A, without that of the initial residual
  CgOutcome outcome = CgOutcome::converged;
  double residual = 0;  // ||r|| / ||b|| of the recurrence
};

/// When to stop, and with how many threads to compute.
struct CgLimits {
  double tolerance = 1e-10;  // relative residual tolerance ||r|| / ||b||
  int iterations = 100'000;  // maximum number of iterations
  int threads = 1;           // of the loops here; those of apply() are its own
};

/// The outcome in words, for messages.
inline const char* to_string(CgOutcome outcome) {
  switch (outcome) {
    case CgOutcome::converged:
      return "converged";
    case CgOutcome::iteration_limit:
      return "not converged within the maximum number of iterations";
    case CgOutcome::not_positive:
      return "stopped: the operator is not positive definite";
    case CgOutcome::not_finite:
      return "stopped: a value is not finite";
  }
  return "?";
}

/// Reduces term(i) over [0, n): sequentially within blocks of 2048, then pairwise over blocks. term may modify element
/// i of the operands, since every index is visited once, by one thread. The order of additions depends on n alone: the
/// bits of the sum are the same for any number of threads. Throws std::bad_alloc for the sums of the blocks.
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
  // Pairwise: the first half takes the second in reverse order, until one sum is left.
  for (std::size_t count = sums.size(); count > 1; count = (count + 1) / 2)
    for (std::size_t k = 0; k < count / 2; ++k) sums[k] += sums[count - 1 - k];
  return sums[0];
}

/// The identity as preconditioner, z = r. (No vector z is stored.)
struct NoPreconditioner {};

/// Conjugate gradients with work vectors that are allocated once, in large pages, each of which the thread that owns it
/// in core::parallel_for touches first. Hence solves neither allocate nor cause page faults. The contents of the
/// vectors do not carry over from one solve to the next. T is float or double; sums are in double. One solve at a time
/// may use an object.
template <class T>
class ConjugateGradients {
 public:
  /// For systems without unknowns.
  ConjugateGradients() = default;
  /// Allocates work vectors for n unknowns: three, or four with a preconditioner. `threads` is as in
  /// core::parallel_for. Throws std::bad_alloc.
  ConjugateGradients(std::size_t n, int threads, bool preconditioned = false) : n_(n) {
    for (core::HostBuffer<T>* vector : {&r_, &p_, &q_, &z_}) {
      if (vector == &z_ && !preconditioned) continue;
      *vector = core::HostBuffer<T>(n, core::Pages::large);
      core::parallel_for(n, sizeof(T), threads, [vector](std::size_t begin, std::size_t end) {
        std::fill(vector->data() + begin, vector->data() + end, T(0));
      });
    }
  }

  /// Solves A x = b in the textbook order, with three passes over memory per iteration in addition to those of the
  /// preconditioner. x is the initial guess and is overwritten by the solution. apply(p, q) sets q = A p and returns p
  /// . q; precondition(r, z) sets z = M r and returns r . z, for a symmetric positive definite M. Spans that they are
  /// given do not overlap. For b = 0, x becomes 0 without an iteration. Throws std::invalid_argument for spans that do
  /// not have n elements, a tolerance that is negative or not a number, and a preconditioner without the work vector.
  template <class Apply, class Precondition>
  CgResult solve(std::span<const T> b, std::span<T> x, const CgLimits& limits, const Apply& apply,
                 const Precondition& precondition) {
    constexpr bool plain = std::is_same_v<Precondition, NoPreconditioner>;
    if constexpr (!plain)
      if (z_.size() != n_) throw std::invalid_argument("cg: constructed without work space for a preconditioner");
    T* const r = r_.data();
    T* const p = p_.data();
    T* const q = q_.data();
    const T* const direction = plain ? r : z_.data();
    // The three passes are the direction with its product, the update of x and r, and, in apply(), the product itself.
    return run(
        b, x, limits, apply,
        [&](double rr) {
          if constexpr (plain)
            return rr;
          else
            return precondition(std::span<const T>(r_.span()), z_.span());
        },
        // p = z + beta p, and p . A p with the product.
        [&](bool first, T beta) {
#pragma omp parallel for schedule(static) num_threads(limits.threads) if (limits.threads > 1 && n_ > 16384)
          for (std::size_t i = 0; i < n_; ++i) p[i] = first ? direction[i] : direction[i] + beta * p[i];
          return apply(std::span<const T>(p_.span()), q_.span());
        },
        [&](T alpha) {
          return sum_in_stages(n_, limits.threads, [&](std::size_t i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            return static_cast<double>(r[i]) * static_cast<double>(r[i]);
          });
        });
  }

  /// Solves A x = b without a preconditioner in two passes over memory per iteration, for an operator whose products
  /// are cheaper to recompute than to store:
  ///   system.apply(p, q)               q = A p
  ///   system.direction(r, p, beta, s)  s = r + beta p; returns s . A s
  ///   system.update(alpha, p, x, r)    x += alpha p, r -= alpha A p; returns r . r
  /// In the first iteration beta is 0 and p is r. Throws as solve().
  template <class System>
  CgResult solve_in_two_passes(std::span<const T> b, std::span<T> x, const CgLimits& limits, const System& system) {
    // Two buffers of directions alternate, since a product reads neighbours of what it would overwrite.
    // The direction of this iteration and the buffer for the next one.
    core::HostBuffer<T>*p = &p_, *next = &q_;
    return run(
        b, x, limits, [&](std::span<const T> from, std::span<T> to) { system.apply(from, to); },
        [](double rr) { return rr; },
        [&](bool first, T beta) {
          const core::HostBuffer<T>& before = first ? r_ : *p;  // the contents of p are stale
          const double pq = system.direction(std::span<const T>(r_.span()), before.span(), beta, next->span());
          std::swap(p, next);
          return pq;
        },
        [&](T alpha) { return system.update(alpha, std::span<const T>(p->span()), x, r_.span()); });
  }

 private:
  /// The part that both orders of operations share: the initial residual, the coefficients and the stopping criterion.
  ///   condition(r . r)        returns r . z of the preconditioned residual z, or r . r
  ///   direction(first, beta)  sets p = z + beta p and returns p . A p; p is z if it is the first
  ///   update(alpha)           x += alpha p, r -= alpha A p; returns r . r
  template <class Apply, class Condition, class Direction, class Update>
  CgResult run(std::span<const T> b, std::span<T> x, const CgLimits& limits, const Apply& apply,
               const Condition& condition, const Direction& direction, const Update& update) {
    if (b.size() != n_ || x.size() != n_)
      throw std::invalid_argument("cg: x has " + std::to_string(x.size()) + " elements, b " + std::to_string(b.size()) +
                                  "; both must have " + std::to_string(n_));
    if (!(limits.tolerance >= 0))
      throw std::invalid_argument("cg: a tolerance of " + std::to_string(limits.tolerance) + "; must not be negative");
    // Products are formed in double, so that a sum in single precision neither overflows nor loses digits.
    const auto squared = [](T value) { return static_cast<double>(value) * static_cast<double>(value); };
    CgResult result;
    // The solution of A x = 0 is 0, whatever the initial guess.
    const double bb = sum_in_stages(n_, limits.threads, [&](std::size_t i) { return squared(b[i]); });
    if (bb == 0) {
      std::fill(x.begin(), x.end(), T(0));
      return result;
    }
    // r = b - A x.
    apply(std::span<const T>(x), q_.span());
    double rr = sum_in_stages(n_, limits.threads, [&](std::size_t i) {
      r_[i] = b[i] - q_[i];
      return squared(r_[i]);
    });
    // The criterion in squares, so that no root decides it.
    const double limit = limits.tolerance * limits.tolerance * bb;
    for (double rz = 0;; ++result.iterations) {
      result.residual = std::sqrt(rr / bb);
      if (!std::isfinite(rr)) return result.outcome = CgOutcome::not_finite, result;
      if (rr <= limit) return result.outcome = CgOutcome::converged, result;
      if (result.iterations == limits.iterations) return result.outcome = CgOutcome::iteration_limit, result;
      // alpha = (r . z) / (p . A p), and beta is the ratio of this r . z to the one before.
      const bool first = result.iterations == 0;
      const double before = rz;  // r . z of the last iteration
      rz = condition(rr);
      const double pq = direction(first, first ? T(0) : static_cast<T>(rz / before));
      if (!std::isfinite(pq)) return result.outcome = CgOutcome::not_finite, result;
      if (!(pq > 0)) return result.outcome = CgOutcome::not_positive, result;
      rr = update(static_cast<T>(rz / pq));
    }
  }

  std::size_t n_ = 0;  // unknowns
  // The residual, the direction, A times it, and the preconditioned residual.
  core::HostBuffer<T> r_, p_, q_, z_;
};

/// ConjugateGradients<T>::solve() with temporary work vectors, for a single system. Throws as that does, and
/// std::bad_alloc.
template <class T, class Apply, class Precondition>
CgResult conjugate_gradients(std::span<const T> b, std::span<T> x, const CgLimits& limits, const Apply& apply,
                             const Precondition& precondition) {
  constexpr bool preconditioned = !std::is_same_v<Precondition, NoPreconditioner>;
  return ConjugateGradients<T>(b.size(), limits.threads, preconditioned).solve(b, x, limits, apply, precondition);
}

}  // namespace speedwell::krylov
