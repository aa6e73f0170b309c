#include "speedwell/apps/incompressible_flow/linear_solvers/interface.hpp"

#include <algorithm>
#include <tuple>

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"
#include "speedwell/apps/incompressible_flow/statistics/spectrum.hpp"

namespace speedwell::incompressible_flow {
namespace {

struct Face {
  std::array<int, 3> fluid, solid;
  int axis;
};

}  // namespace

Interface interface_of(const Problem& problem) {
  Interface all;
  const Geometry g(problem);
  const Extents e = problem.extents();
  const auto at = [&](const std::array<int, 3>& p) { return static_cast<std::int64_t>(e.at(p[0], p[1], p[2])); };
  const auto transform_index = [&](const std::array<int, 3>& p) {
    return static_cast<std::int64_t>(incompressible_flow::transform_index(problem, e, p[0], p[1], p[2]));
  };
  // Solid cells are few, so that the loop is over them and their neighbours.
  std::vector<Face> faces;
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        if (problem.solid.empty() || !problem.solid[e.at(i, j, k)]) continue;
        for (int d = 0; d < 3; ++d)
          for (const int by : {-1, 1}) {
            const auto c = static_cast<std::size_t>(d);
            std::array<int, 3> next = {i, j, k};
            next[c] += by;
            if (!problem.periodic(d) && (next[c] < 0 || next[c] >= e.extent(d))) continue;
            next[c] = g.inside(d, next[c]);
            if (!g.is_solid(next)) faces.push_back({next, {i, j, k}, d});
          }
      }
  std::stable_sort(faces.begin(), faces.end(), [&](const Face& a, const Face& b) { return at(a.fluid) < at(b.fluid); });
  for (const Face& f : faces) {
    const auto d = static_cast<std::size_t>(f.axis);
    double volume = 1;
    for (int b = 0; b < 3; ++b) volume *= g.width(b, f.fluid[static_cast<std::size_t>(b)]);
    if (all.cell.empty() || all.cell.back() != at(f.fluid)) {
      all.cell.push_back(at(f.fluid));
      all.transform_index.push_back(transform_index(f.fluid));
      all.inverse_volume.push_back(1 / volume);
      all.first.push_back(static_cast<int>(all.to.size()));
    }
    const double width = g.width(f.axis, f.fluid[d]), distance = 0.5 * (width + g.width(f.axis, f.solid[d]));
    all.to.push_back(transform_index(f.solid));
    all.weight.push_back(volume / width / distance);
  }
  all.first.push_back(static_cast<int>(all.to.size()));
  return all;
}

}  // namespace speedwell::incompressible_flow
