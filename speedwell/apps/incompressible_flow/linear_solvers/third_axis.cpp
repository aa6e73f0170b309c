#include "speedwell/apps/incompressible_flow/linear_solvers/third_axis.hpp"

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"

namespace speedwell::incompressible_flow {

template <class T>
ThirdAxis<T>::ThirdAxis(const Problem& problem) : n_(problem.extents().nz), periodic_(problem.periodic(2)) {
  const Geometry g(problem);
  for (int k = 0; k < n_; ++k) {
    const bool first = k == 0 && !periodic_, last = k == n_ - 1 && !periodic_;
    low_.push_back(static_cast<T>(first ? 0 : 1 / (g.width(2, k) * g.distance(2, k - 1))));
    high_.push_back(static_cast<T>(last ? 0 : 1 / (g.width(2, k) * g.distance(2, k))));
    width_.push_back(g.width(2, k));
    distance_.push_back(g.distance(2, k));
  }
}

// Solves the system of the constant mode by two summations: of the right-hand side to fluxes, and of these to
// pressures. The mean of the right-hand side, a rounding error in a solvable system, is subtracted.
template <class T>
void ThirdAxis<T>::solve_constant(T* x, std::ptrdiff_t pitch) const {
  const auto n = static_cast<std::size_t>(n_);
  const auto at = [&](std::size_t k) -> T& { return x[static_cast<std::ptrdiff_t>(k) * pitch]; };
  double sum = 0, length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    sum += width_[k] * static_cast<double>(at(k));
    length += width_[k];
  }
  const double mean = sum / length;
  std::vector<double> flux(n);
  double sum_to_k = 0, circulation = 0;
  for (std::size_t k = 0; k < n; ++k) {
    flux[k] = sum_to_k += width_[k] * (static_cast<double>(at(k)) - mean);
    circulation += distance_[k] * sum_to_k;
  }
  // On a periodic axis the pressure returns to its value, and the distances add up to the length.
  const double constant = periodic_ ? -circulation / length : 0;
  double p = 0;
  for (std::size_t k = 0; k < n; ++k) {
    at(k) = static_cast<T>(p);
    p += distance_[k] * (flux[k] + constant);
  }
}

template <class T>
void ThirdAxis<T>::solve(const RowKernels<T>& kernels, int width, T* lambda, bool has_constant, T* x, T* c, T* q,
                         std::ptrdiff_t pitch) const {
  std::vector<T> constant;
  if (has_constant) {
    solve_constant(x, pitch);
    for (int k = 0; k < n_; ++k) constant.push_back(x[pitch * k]);
    lambda[0] = -1;  // an arbitrary value that avoids a division by 0; the solution of mode 0 is replaced below
  }
  kernels.tridiagonal({.n = n_,
                       .width = width,
                       .low = low_.data(),
                       .high = high_.data(),
                       .lambda = lambda,
                       .x = x,
                       .c = c,
                       .q = q,
                       .pitch = pitch,
                       .periodic = periodic_});
  if (has_constant)
    for (int k = 0; k < n_; ++k) x[pitch * k] = constant[static_cast<std::size_t>(k)];
}

template class ThirdAxis<float>;
template class ThirdAxis<double>;

}  // namespace speedwell::incompressible_flow
