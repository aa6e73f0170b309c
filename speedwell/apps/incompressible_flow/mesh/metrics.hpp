// Widths and distances of a mesh as tables by cell for fast code, with one ghost cell on either side, which repeats or
// mirrors those inside.
#pragma once

#include <array>
#include <vector>

#include "speedwell/apps/incompressible_flow/cpu/momentum.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// The tables of one axis in one allocation: `count` values each, for cells -1 … n.
template <class T>
struct AxisTables {
  std::vector<T> values;
  std::size_t count = 0;
  explicit AxisTables(const Problem& problem, int axis);
  /// Pointers to cell 0 of tables that begin at `first`, which may be a copy in another memory.
  AxisMetrics<T> at(const T* first) const {
    return {first + 1, first + count + 1, first + 2 * count + 1, first + 3 * count + 1};
  }
  AxisMetrics<T> metrics() const { return at(values.data()); }
};

/// Makes plane `first` along z plane 0.
template <class T>
void move_along_z(MeshMetrics<T>& mesh, int first) {
  AxisMetrics<T>& z = mesh.axis[2];
  for (const T** table : {&z.width, &z.inverse_width, &z.inverse_distance, &z.link}) *table += first;
}

template <class T>
class Metrics {
 public:
  /// `first_plane`: the cell of the problem along z that fields have as plane 0.
  explicit Metrics(const Problem& problem, int first_plane = 0)
      : axes_{AxisTables<T>(problem, 0), AxisTables<T>(problem, 1), AxisTables<T>(problem, 2)},
        first_plane_(first_plane) {}
  const AxisTables<T>& axis(int d) const { return axes_[static_cast<std::size_t>(d)]; }
  MeshMetrics<T> mesh() const {
    MeshMetrics<T> all = {{axes_[0].metrics(), axes_[1].metrics(), axes_[2].metrics()}};
    move_along_z(all, first_plane_);
    return all;
  }

 private:
  std::array<AxisTables<T>, 3> axes_;
  int first_plane_;
};

/// The tables along y and z with pointers to the cell of row (j, k).
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

/// The drag of solid neighbours on the flow through each face on the high side of a cell along `axis`, as a rate over
/// viscosity (1 / length^2); -1 if the face is closed. For problems with a mask; of planes `first` to `end` - 1.
template <class T>
std::vector<T> wall_drag(const Problem& problem, int axis, int first, int end);
template <class T>
std::vector<T> wall_drag(const Problem& problem, int axis) {
  return wall_drag<T>(problem, axis, 0, problem.extents().nz);
}

/// The problem with permuted axes: axis d of the result is axis order[d] of the problem.
Problem with_permuted_axes(const Problem& problem, const std::array<int, 3>& order);

/// Coefficients of the second difference along an axis, for the previous and the next cell of each cell.
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
extern template std::vector<float> wall_drag(const Problem&, int, int, int);
extern template std::vector<double> wall_drag(const Problem&, int, int, int);

}  // namespace speedwell::incompressible_flow
