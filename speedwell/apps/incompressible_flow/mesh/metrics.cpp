#include "speedwell/apps/incompressible_flow/mesh/metrics.hpp"

#include "speedwell/apps/incompressible_flow/mesh/geometry.hpp"

namespace speedwell::incompressible_flow {

template <class T>
AxisTables<T>::AxisTables(const Problem& problem, int axis) {
  const Geometry g(problem);
  const int n = g.extents().extent(axis);
  count = static_cast<std::size_t>(n) + 2;
  values.resize(4 * count);
  for (int i = -1; i <= n; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    const bool open = problem.periodic(axis) || (i >= 0 && i < n - 1);
    values[at] = static_cast<T>(g.width(axis, i));
    values[count + at] = static_cast<T>(1 / g.width(axis, i));
    values[2 * count + at] = static_cast<T>(1 / g.distance(axis, i));
    values[3 * count + at] = open ? values[2 * count + at] : T(0);
  }
}

template <class T>
std::vector<T> wall_drag(const Problem& problem, int axis, int first, int end) {
  const Geometry g(problem);
  const Extents e = problem.extents();
  std::vector<T> result(e.at(0, 0, end - first));
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = first; k < end; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::array<int, 3> p = {i, j, k};
        double sum = 0;
        for (int b = 0; b < 3; ++b) {
          if (b == axis) continue;
          const auto d = static_cast<std::size_t>(b);
          for (const int to : {-1, 1}) {
            std::array<int, 3> q = p;
            q[d] += to;
            if (!problem.periodic(b) && (q[d] < 0 || q[d] >= e.extent(b))) continue;  // the boundary of the box
            if (g.is_open(axis, q)) continue;
            std::array<int, 3> next = q;
            ++next[static_cast<std::size_t>(axis)];
            const double part = problem.solid_link == SolidLink::full ? 1
                                                                      : 0.5 * static_cast<double>(g.is_solid(q)) +
                                                                            0.5 * static_cast<double>(g.is_solid(next));
            sum += part / g.width(b, p[d]) / g.distance(b, to < 0 ? p[d] - 1 : p[d]);
          }
        }
        result[e.at(i, j, k - first)] = g.is_open(axis, p) ? static_cast<T>(sum) : T(-1);
      }
  return result;
}

Problem with_permuted_axes(const Problem& problem, const std::array<int, 3>& order) {
  Problem result = problem;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto from = static_cast<std::size_t>(order[d]);
    result.faces[d] = problem.faces[from];
    result.sides[d] = problem.sides[from];
    result.acceleration[d] = problem.acceleration[from];
    result.bulk_velocity[d] = problem.bulk_velocity[from];
    if (problem.strain) result.strain->rates[d] = problem.strain->rates[from];
    for (Side& side : result.sides[d]) {
      const auto velocity = side.velocity;
      for (std::size_t c = 0; c < 3; ++c) side.velocity[c] = velocity[static_cast<std::size_t>(order[c])];
    }
  }
  if (!problem.solid.empty()) {
    const Extents from = problem.extents(), to = result.extents();
    for (int k = 0; k < to.nz; ++k)
      for (int j = 0; j < to.ny; ++j)
        for (int i = 0; i < to.nx; ++i) {
          int old[3];
          old[order[0]] = i;
          old[order[1]] = j;
          old[order[2]] = k;
          result.solid[to.at(i, j, k)] = problem.solid[from.at(old[0], old[1], old[2])];
        }
  }
  return result;
}

template struct AxisTables<float>;
template struct AxisTables<double>;
template std::vector<float> wall_drag(const Problem&, int, int, int);
template std::vector<double> wall_drag(const Problem&, int, int, int);

}  // namespace speedwell::incompressible_flow
