// Sums and updates of rows of n numbers, of iterative solvers and of mean velocities, compiled for several instruction
// sets (vector_rows.cpp). Sums are in double precision, and in an order that depends on the instruction set alone.
#pragma once

#include "speedwell/core/simd/isa.hpp"

namespace speedwell::incompressible_flow {

/// `mask` is 1 and 0 by cell, or null where there are no solids.
template <class T>
struct VectorRows {
  /// x = mask x; returns the sum of x.
  double (*masked_sum)(int n, const T* mask, T* x);
  /// z = z - shift mask; returns the sum of r z.
  double (*shifted_product)(int n, T shift, const T* mask, const T* r, T* z);
  /// p = z + beta p
  void (*new_direction)(int n, T beta, const T* z, T* p);
  /// x = x + alpha p, r = r - alpha q; returns the sum of r r.
  double (*advance)(int n, T alpha, const T* p, const T* q, T* x, T* r);
  /// The sum of x x.
  double (*square)(int n, const T* x);
  /// The sum of weights x.
  double (*weighted_sum)(int n, const double* weights, const T* x);
};

/// The kernels for an instruction set. Throws std::invalid_argument if the processor does not have it.
template <class T>
VectorRows<T> vector_rows(core::Isa isa = core::best_isa());
template <>
VectorRows<float> vector_rows(core::Isa isa);
template <>
VectorRows<double> vector_rows(core::Isa isa);

}  // namespace speedwell::incompressible_flow
