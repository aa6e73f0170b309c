// Dense matrix-vector product C = A B on the host: the public interface. The GPU's is in gpu_solver.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "speedwell/core/view.hpp"

namespace speedwell::matvec {

/// A non-owning view of a row-major matrix: element (i, j) is data[i * leading + j].
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t leading = 0;  // elements from one row to the next, at least `columns`

  Matrix(const T* elements, std::int64_t n, std::int64_t m, std::int64_t leading_dimension)
      : data(elements), rows(n), columns(m), leading(leading_dimension) {}
  Matrix(core::View<const T, 2> a) : Matrix(a.data(), a.extent(0), a.extent(1), a.extent(1)) {}
  Matrix(core::View<T, 2> a) : Matrix(core::View<const T, 2>(a)) {}
};

/// Throws std::invalid_argument unless A is a matrix of at least 1 x 1 with leading >= columns whose bytes a 64-bit
/// integer can count, and b and c have `columns` and `rows` elements.
void require_product(const Matrix<float>& a, std::span<const float> b, std::span<const float> c);
void require_product(const Matrix<double>& a, std::span<const double> b, std::span<const double> c);

/// c_i = sum_j a_ij b_j on `threads` threads with the widest vectors of this processor. a: N x M; b: M elements; c: N
/// elements, overwritten, must not overlap a or b. The bits of c do not depend on `threads`, but on the instruction
/// set. Every |c_i - exact_i| <= gamma_M sum_j |a_ij| |b_j|, gamma_M = M u / (1 - M u): Higham, Accuracy and Stability
/// of Numerical Algorithms (2002), 3.1. Throws std::invalid_argument as require_product does, and if threads < 1.
void multiply(const Matrix<float>& a, std::span<const float> b, std::span<float> c, int threads);
void multiply(const Matrix<double>& a, std::span<const double> b, std::span<double> c, int threads);

/// The same on one thread, each sum in the order of increasing j, no vectors: Listing 2.1 of the 2009 study.
void multiply_serially(const Matrix<float>& a, std::span<const float> b, std::span<float> c);
void multiply_serially(const Matrix<double>& a, std::span<const double> b, std::span<double> c);

}  // namespace speedwell::matvec
