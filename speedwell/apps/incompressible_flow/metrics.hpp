// Widths and distances of a mesh as fast code wants them: tables by cell, from one before the first cell to one past
// the last, where cells repeat or mirror those inside.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/incompressible_flow/momentum.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// The tables of one axis in one piece: `count` values each, of cells -1 … n.
template <class T>
struct AxisTables {
  std::vector<T> values;
  std::size_t count = 0;
  explicit AxisTables(const Problem& problem, int axis);
  /// At cell 0 of tables that begin at `first`, which may be a copy in another memory.
  AxisMetrics<T> at(const T* first) const {
    return {first + 1, first + count + 1, first + 2 * count + 1, first + 3 * count + 1};
  }
  AxisMetrics<T> metrics() const { return at(values.data()); }
};

template <class T>
class Metrics {
 public:
  explicit Metrics(const Problem& problem)
      : axes_{AxisTables<T>(problem, 0), AxisTables<T>(problem, 1), AxisTables<T>(problem, 2)} {}
  const AxisTables<T>& axis(int d) const { return axes_[static_cast<std::size_t>(d)]; }
  MeshMetrics<T> mesh() const { return {{axes_[0].metrics(), axes_[1].metrics(), axes_[2].metrics()}}; }

 private:
  std::array<AxisTables<T>, 3> axes_;
};

/// Tables along y and z that stand at the cell of row (j, k).
template <class T>
MeshMetrics<T> at_row(MeshMetrics<T> mesh, int j, int k) {
  const int by[] = {0, j, k};
  for (int d = 1; d < 3; ++d) {
    mesh.axis[d].width += by[d];
    mesh.axis[d].inverse_width += by[d];
    mesh.axis[d].inverse_distance += by[d];
    mesh.axis[d].link += by[d];
  }
  return mesh;
}

/// Of each face behind a cell along `axis`: how much solid neighbours hold back the flow there, as a rate over
/// viscosity (1 / length^2); -1 where the face is closed. For problems with a mask.
template <class T>
std::vector<T> friction(const Problem& problem, int axis);

/// The same problem with other names for its axes: axis d of the result is axis order[d] of the problem.
Problem reordered(const Problem& problem, const std::array<int, 3>& order);

/// Coefficients of the second difference along an axis: those of the cells before and after each cell.
template <class T>
struct LineCoefficients {
  std::vector<T> low, high;
  LineCoefficients(const Problem& problem, int axis) {
    const AxisTables<T> tables(problem, axis);
    const AxisMetrics<T> m = tables.metrics();
    for (int k = 0; k < problem.extents().extent(axis); ++k) {
      low.push_back(m.link[k - 1] * m.inverse_width[k]);
      high.push_back(m.link[k] * m.inverse_width[k]);
    }
  }
};

extern template struct AxisTables<float>;
extern template struct AxisTables<double>;
extern template std::vector<float> friction(const Problem&, int);
extern template std::vector<double> friction(const Problem&, int);

}  // namespace speedwell::incompressible_flow
