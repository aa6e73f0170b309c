#include "speedwell/apps/stencil/distributed_cg.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "speedwell/core/trace.hpp"

namespace speedwell::stencil {
namespace {

template <class T>
double product(T a, T b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

template <class T>
DistributedCg<T>::DistributedCg(DistributedOperator<T>& a, const CgOptions& options) : a_(a), options_(options) {
  if (!(options.omega >= 0 && options.omega <= 1))
    throw std::invalid_argument("cg: omega is " + std::to_string(options.omega) + "; it must be from 0 to 1");
  if (!(options.tolerance >= 0))
    throw std::invalid_argument("cg: a tolerance of " + std::to_string(options.tolerance) + "; must not be negative");
  r_ = a.make_field();
  p_ = a.make_field();
  q_ = a.make_field();
  if (options.preconditioner == Preconditioner::none) return;
  z_ = a.make_field();
  inverse_ = a.make_field();
  if (options.preconditioner == Preconditioner::polynomial) scaled_ = a.make_field();
}

template <class T>
void DistributedCg<T>::prepare() {
  if (options_.preconditioner == Preconditioner::none) return;
  a_.diagonal(inverse_.span());
  const double not_positive = a_.sum_over_cells([&](std::int64_t i) { return inverse_[i] > T(0) ? 0.0 : 1.0; });
  if (not_positive > 0)
    throw std::invalid_argument("cg: the preconditioner divides by a diagonal that is not positive");
  a_.for_cells([&](std::int64_t i) { inverse_[i] = T(1) / inverse_[i]; });
}

// z = M r; returns r . z.
template <class T>
double DistributedCg<T>::precondition() {
  const T omega = static_cast<T>(options_.omega);
  if (options_.preconditioner == Preconditioner::jacobi)
    return a_.sum_over_cells([&](std::int64_t i) {
      z_[i] = inverse_[i] * r_[i];
      return product(r_[i], z_[i]);
    });
  // (D - A) s = r - A s for s = r / D.
  a_.for_cells([&](std::int64_t i) { scaled_[i] = inverse_[i] * r_[i]; });
  a_.multiply(scaled_.span(), q_.span());
  return a_.sum_over_cells([&](std::int64_t i) {
    z_[i] = scaled_[i] + omega * inverse_[i] * (r_[i] - q_[i]);
    return product(r_[i], z_[i]);
  });
}

template <class T>
CgResult DistributedCg<T>::solve(std::span<const T> b, std::span<T> x) {
  if (b.size() != r_.size() || x.size() != r_.size())
    throw std::invalid_argument("cg: x has " + std::to_string(x.size()) + " elements, b " + std::to_string(b.size()) +
                                "; both must have " + std::to_string(r_.size()));
  CgResult result;
  const double bb = a_.sum_over_cells([&](std::int64_t i) { return product(b[i], b[i]); });
  if (bb == 0) {
    a_.for_cells([&](std::int64_t i) { x[i] = T(0); });
    return result;
  }
  a_.multiply(x, q_.span());
  double rr = a_.sum_over_cells([&](std::int64_t i) {
    r_[i] = b[i] - q_[i];
    return product(r_[i], r_[i]);
  });
  const bool plain = options_.preconditioner == Preconditioner::none;
  const double limit = options_.tolerance * options_.tolerance * bb;
  for (double rz = 0;; ++result.iterations) {
    result.residual = std::sqrt(rr / bb);
    if (!std::isfinite(rr)) return result.outcome = CgOutcome::not_finite, result;
    if (rr <= limit) return result.outcome = CgOutcome::converged, result;
    if (result.iterations == options_.iterations) return result.outcome = CgOutcome::iteration_limit, result;
    const core::TraceSpan span("iteration", core::TraceCategory::phase);
    const double before = rz;
    rz = plain ? rr : precondition();
    const bool first = result.iterations == 0;
    const double pq = a_.advance_direction(plain ? r_.span() : z_.span(), first ? T(0) : static_cast<T>(rz / before),
                                           first, p_.span());
    if (!std::isfinite(pq)) return result.outcome = CgOutcome::not_finite, result;
    if (!(pq > 0)) return result.outcome = CgOutcome::not_positive, result;
    rr = a_.descend(static_cast<T>(rz / pq), p_.span(), x, r_.span());
  }
}

template class DistributedCg<float>;
template class DistributedCg<double>;

}  // namespace speedwell::stencil
