// The oracle: every form from its definition, one cell at a time, in extended precision. It shares only the data layout
// with the verified code.
#pragma once

#include <cstdint>
#include <vector>

#include "speedwell/apps/stencil/operator.hpp"

namespace speedwell::stencil {

/// (A x) at a cell, and the sum of the magnitudes of its terms.
struct Exact {
  long double value = 0;
  long double magnitude = 0;
};

template <class T>
Exact reference_product_at(const Operator<T>& a, const T* x, std::int64_t i, std::int64_t j, std::int64_t k);

/// y = A x rounded once, to double. x: grid.size() values.
template <class T>
std::vector<double> reference_product(const Operator<T>& a, const T* x);

/// `sweeps` products with A, each rounded to the precision of the data.
template <class T>
std::vector<T> reference_sweeps(const Operator<T>& a, const T* x, int sweeps);

/// ||b - A x|| / ||b|| in extended precision.
template <class T>
double reference_residual(const Operator<T>& a, const T* b, const T* x);

/// The maximum row sum norm ||A||_inf, an upper bound of ||A||_2 for symmetric A.
template <class T>
double reference_norm(const Operator<T>& a);

/// x after `iterations` of textbook preconditioned conjugate gradients from x = 0 (Hestenes and Stiefel 1952; Saad
/// 2003, 9.2.1) in double, and the norms ||r|| / ||b|| of its recurrence. With a preconditioner z = r / D + omega / D
/// (D - A) r / D, where D is the diagonal (omega 0: Jacobi). Stops if ||r|| <= tolerance ||b||.
struct ReferenceCg {
  std::vector<double> x;
  std::vector<double> residuals;  // after iteration 1, 2, ...
};
template <class T>
ReferenceCg reference_cg(const Operator<T>& a, const T* b, int iterations, double tolerance,
                         bool preconditioned = false, double omega = 0);

/// The sum of n squares with a relative error of a few 2^-64.
template <class T>
long double reference_sum_of_squares(const T* v, std::int64_t n);
/// The same sum by naive recursive summation in T, whose error staged summation avoids.
template <class T>
T reference_running_sum(const T* v, std::int64_t n);

}  // namespace speedwell::stencil
