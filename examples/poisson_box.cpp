// Poisson's equation in a box of 32^3 cells with nothing flowing beyond it but through cells that are 0: -laplacian of
// x = 1, by conjugate gradients with the polynomial preconditioner.
#include <cstdio>
#include <vector>

#include "speedwell/apps/stencil/stencil.hpp"

int main() {
  using namespace speedwell::stencil;
  const std::int64_t n = 32;
  const double h = 1.0 / (n + 1);
  const UnitLaplacian<double> laplacian({n, n, n});  // 6 on the diagonal, -1 for each neighbour
  const std::vector<double> b(n * n * n, h * h);
  std::vector<double> x(b.size());
  const CgResult result =
      solve<double>(laplacian.op(), b, x, {.preconditioner = Preconditioner::polynomial, .tolerance = 1e-10});
  std::printf("%d iterations, %s; x in the middle: %.6f\n", result.iterations,
              speedwell::krylov::to_string(result.outcome), x[laplacian.op().grid.cell(n / 2, n / 2, n / 2)]);
  return result.outcome == CgOutcome::converged ? 0 : 1;
}
