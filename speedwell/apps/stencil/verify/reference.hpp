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

/// The sum of n squares with a relative error of a few 2^-64.
template <class T>
long double reference_sum_of_squares(const T* v, std::int64_t n);
/// The same sum by naive recursive summation in T, whose error staged summation avoids.
template <class T>
T reference_running_sum(const T* v, std::int64_t n);

}  // namespace speedwell::stencil
