// Lists of cell faces along one axis: n + 1 increasing numbers for n cells.
#pragma once

#include <vector>

namespace speedwell::incompressible_flow {

/// A uniform mesh from 0 to `length`.
std::vector<double> uniform_faces(int cells, double length);
/// Fine at both ends: length / 2 (1 + tanh(beta (2 j / n - 1)) / tanh beta).
std::vector<double> two_sided_faces(int cells, double length, double beta);
/// Fine at 0: length (1 + tanh(beta (j / n - 1)) / tanh beta).
std::vector<double> one_sided_faces(int cells, double length, double beta);
/// Smooth and periodic: x = xi + amplitude length / (2 pi) sin(2 pi xi / length), xi uniform; |amplitude| < 1.
std::vector<double> wavy_faces(int cells, double length, double amplitude);
// These functions throw std::invalid_argument for fewer than 1 cell, a length that is not above 0 and finite, a beta
// that is not above 0, and an amplitude of 1 or more.

}  // namespace speedwell::incompressible_flow
