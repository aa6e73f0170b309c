// Eigenvectors of the second difference along one axis of any mesh, for the pressure on meshes without fast transforms
// (R. E. Lynch, J. R. Rice and D. H. Thomas, Numerische Mathematik 6 (1964) 185: fast diagonalisation).
#pragma once

#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// Eigenvalues and eigenvectors of a real symmetric matrix.
struct SymmetricModes {
  std::vector<double> values;   // n, unordered
  std::vector<double> vectors;  // n x n: row m is the unit vector that belongs to values[m]
};
/// Householder reduction to a tridiagonal matrix and QR steps with Wilkinson's shift (G. H. Golub and C. F. Van Loan,
/// Matrix Computations, sections 8.3.1 and 8.3.3); about 6 n^3 operations, fewer if it is tridiagonal already. `matrix`
/// is n x n; its lower triangle is read. Throws std::invalid_argument if it is not square or not finite.
SymmetricModes symmetric_modes(std::span<const double> matrix, int n);

/// The second difference along an axis is W^-1 K with the diagonal matrix W of the cells' widths and K symmetric. With
/// W^-1/2 K W^-1/2 = V L V^T its eigenvalues are L, and to_modes = V^T W^1/2 and from_modes = W^-1/2 V are inverses.
struct AxisModes {
  int n = 0;
  std::vector<double> values;      // of each mode: 0 for mode 0, which is constant, negative for the others
  std::vector<double> to_modes;    // n x n: [mode * n + cell]
  std::vector<double> from_modes;  // n x n: [cell * n + mode]
};
AxisModes axis_modes(const Problem& problem, int axis);

}  // namespace speedwell::incompressible_flow
