// The pressure equation under a transform: eigenvalues of second differences, and the positions of the terms of a
// cosine transform in the complex transform of permuted data (J. Makhoul, IEEE Trans. ASSP 28 (1980) 27):
//
//   v = (x_0, x_2, x_4, … , x_5, x_3, x_1),   e^{-i pi k / 2n} V_k = X_k - i X_{n-k},   X_k = sum_m x_m cos(pi k (2m +
//   1) / 2n)
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// The position of point i of a line for its cosine transform.
inline int cosine_index(int i, int n) { return i % 2 == 0 ? i / 2 : n - (i + 1) / 2; }

/// The position of cell (i,j,k) in data for transforms along x and y, in the order of cosine_index() between walls.
inline std::size_t transform_index(const Problem& problem, const Extents& e, int i, int j, int k) {
  return e.at(problem.periodic(0) ? i : cosine_index(i, e.nx), problem.periodic(1) ? j : cosine_index(j, e.ny), k);
}

/// The eigenvalue of mode m = 0 … n - 1 of n cells of equal width: -(4 / h^2) sin^2 of pi m / n, periodic, or of pi m /
/// 2n between walls.
double eigenvalue(int m, int n, double width, bool periodic);

/// e^{-i pi k / 2n}, k = 0 … n - 1.
template <class T>
std::vector<std::complex<T>> cosine_twiddles(int n);

/// The eigenvalues along x for the 2 (nx / 2 + 1) reals of a row of the real transform's spectrum. For cosines the real
/// part at k is mode k and the imaginary part mode n - k.
template <class T>
std::vector<T> row_eigenvalues(const Problem& problem);
template <class T>
std::vector<T> column_eigenvalues(const Problem& problem);  // eigenvalue along y of each row

}  // namespace speedwell::incompressible_flow
