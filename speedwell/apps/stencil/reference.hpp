// The oracle: every form spelled out from its definition, one cell at a time, in extended precision. It shares nothing
// with the code that it judges but the layout of the data.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// (A x) at a cell and the sum of the magnitudes of what was added up for it.
struct Exact {
  long double value = 0;
  long double magnitude = 0;
};

template <class T>
Exact reference_product_at(const Operator<T>& a, const T* x, std::int64_t i, std::int64_t j, std::int64_t k);

/// y = A x rounded once, to double. x: grid.size() values.
template <class T>
std::vector<double> reference_product(const Operator<T>& a, const T* x);

/// `sweeps` products with A, each rounded to double where the data are double and to float where they are float.
template <class T>
std::vector<T> reference_sweeps(const Operator<T>& a, const T* x, int sweeps);

/// ||b - A x|| / ||b|| in extended precision.
template <class T>
double reference_residual(const Operator<T>& a, const T* b, const T* x);

/// The largest sum of magnitudes of a row of A: no norm of a symmetric A is above it.
template <class T>
double reference_norm(const Operator<T>& a);

/// x after `iterations` of textbook preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952; Saad
/// 2003, 9.2.1) in double, and the norms ||r|| / ||b|| of its recurrence. z = r / D + omega / D (D - A) r / D where
/// `conditioned`, with D the diagonal (omega 0: Jacobi's). Stops where ||r|| <= tolerance ||b||.
struct ReferenceCg {
  std::vector<double> x;
  std::vector<double> residuals;  // after iteration 1, 2, ...
};
template <class T>
ReferenceCg reference_cg(const Operator<T>& a, const T* b, int iterations, double tolerance, bool conditioned = false,
                         double omega = 0);

/// The sum of n squares to within a few 2^-64 of itself.
template <class T>
long double reference_sum_of_squares(const T* v, std::int64_t n);
/// The same as one running sum in T: what stages are there to avoid.
template <class T>
T reference_running_sum(const T* v, std::int64_t n);

}  // namespace speedwell::stencil
