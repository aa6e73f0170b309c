// Solves a system of one's own: five coupled quantities at each point of a periodic mesh, each drawn to its neighbours
// and turned into the next one; the right-hand side is made of a known solution.
#include <cmath>
#include <cstdio>
#include <vector>

#include "speedwell/apps/blast_wave/blocks7.hpp"
#include "speedwell/numerics/krylov/bicgstab.hpp"

int main() {
  using namespace speedwell;
  blast_wave::Blocks7 a({20, 16, 12});
  for (std::int64_t point = 0; point < a.extents().points(); ++point)
    for (int row = 0; row < 5; ++row) {
      a.entry(point, blast_wave::Neighbour::self, row, row) = 8;
      a.entry(point, blast_wave::Neighbour::self, row, (row + 1) % 5) = 0.5;
      for (int neighbour = 1; neighbour < 7; ++neighbour)
        a.entry(point, static_cast<blast_wave::Neighbour>(neighbour), row, row) = neighbour % 2 == 0 ? -1.2 : -0.8;
    }
  std::vector<double> known(a.vector_size(), 0.0), b(known), x(known);
  for (std::size_t c = 0; c < 5; ++c)
    for (std::size_t p = 0; p < static_cast<std::size_t>(a.extents().points()); ++p)
      known[c * a.stride() + p] = std::sin(static_cast<double>(p + 7 * c));
  a.multiply(known, b);
  const auto result = krylov::bicgstab([&](auto v, auto y) { a.multiply(v, y); }, b, x, {.tolerance = 1e-14});
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - known[i]));
  std::printf("%s after %d iterations, largest error %.1e\n", to_string(result.outcome), result.iterations, error);
  return error < 1e-9 ? 0 : 1;
}
