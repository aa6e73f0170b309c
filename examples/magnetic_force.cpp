// The force of a magnetic field on the current that goes with it, (curl b) x b, on a periodic grid. Of a Beltrami
// field, whose curl is along the field itself, there is none: it is force-free, as plasmas at rest are.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "speedwell/apps/vector_calculus/vector_calculus.hpp"

int main() {
  using namespace speedwell::vector_calculus;
  const std::int64_t n = 32;
  const double h = 2 * std::numbers::pi / n;
  const Grid grid{n, n, n, h, h, h};
  VectorField<double> b(grid), force(grid);
  ScalarField<double> divergence(grid), energy(grid);
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        b(0, i, j, k) = std::sin(k * h) + std::cos(j * h);
        b(1, i, j, k) = std::sin(i * h) + std::cos(k * h);
        b(2, i, j, k) = std::sin(j * h) + std::cos(i * h);
      }
  assign(force, cross(curl(b), b));  // one pass: the curl never goes to memory
  assign(divergence, div(b));
  assign(energy, 0.5 * norm2(b));
  double largest = 0, sum = 0;
  for (const double v : force.values()) largest = std::fmax(largest, std::abs(v));
  for (const double v : divergence.values()) largest = std::fmax(largest, std::abs(v));
  for (const double v : energy.values()) sum += v;
  std::printf("energy %.6f a point, force and divergence %s\n", sum / static_cast<double>(grid.size()),
              largest < 1e-13 ? "none" : "not 0");
  return largest < 1e-13 ? 0 : 1;
}
