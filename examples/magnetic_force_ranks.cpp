// The force of a magnetic field on the current that goes with it, (curl b) x b, and the field's energy, on a periodic
// grid that is divided among ranks: mpirun -n 4 example_magnetic_force_ranks
#include <cmath>
#include <cstdio>
#include <numbers>

#include "speedwell/apps/vector_calculus/distributed.hpp"
#include "speedwell/comm/environment.hpp"

int main() {
  using namespace speedwell::vector_calculus;
  const speedwell::comm::Environment environment;
  const std::int64_t n = 32;
  const double h = 2 * std::numbers::pi / n;
  DistributedGrid grid(environment.world(), {n, n, n, h, h, h});
  DistributedVectorField<double> b(grid), force(grid);
  const auto x = grid.points_along(0), y = grid.points_along(1), z = grid.points_along(2);
  for (std::int64_t k = z.begin; k < z.end; ++k)
    for (std::int64_t j = y.begin; j < y.end; ++j)
      for (std::int64_t i = x.begin; i < x.end; ++i) {
        b(0, i, j, k) = std::sin(k * h) + std::cos(j * h);
        b(1, i, j, k) = std::sin(i * h) + std::cos(k * h);
        b(2, i, j, k) = std::sin(j * h) + std::cos(i * h);
      }
  assign(force, cross(curl(b), b));  // fills the halo of b while the inside of the tile is computed
  const Totals none = totals(grid, norm2(force)), energy = totals(grid, 0.5 * norm2(b));
  if (environment.world().rank() == 0)
    std::printf("energy %.6f a point, force %s\n", energy.sum / static_cast<double>(grid.whole().size()),
                none.largest < 1e-26 ? "none" : "not 0");
  return none.largest < 1e-26 ? 0 : 1;
}
