// Geometry of a problem's mesh by axis and index, for set-up: widths, positions, and open faces.
#pragma once

#include <algorithm>
#include <array>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

class Geometry {
 public:
  explicit Geometry(const Problem& problem) : problem_(problem), extents_(problem.extents()) {}

  /// The width of cell i; for a ghost cell, that of the cell that it repeats or mirrors.
  double width(int axis, int i) const {
    const auto& f = faces(axis);
    const auto n = static_cast<std::size_t>(inside(axis, i));
    return f[n + 1] - f[n];
  }
  /// The distance between the centres of cells i and i + 1.
  double distance(int axis, int i) const { return 0.5 * (width(axis, i) + width(axis, i + 1)); }
  /// The coordinate of the face on the high side of cell i, or of its centre.
  double coordinate(int axis, int i, bool at_face) const {
    const auto n = static_cast<std::size_t>(inside(axis, i));
    return at_face ? faces(axis)[n + 1] : 0.5 * (faces(axis)[n] + faces(axis)[n + 1]);
  }
  bool is_solid(const std::array<int, 3>& p) const {
    return !problem_.solid.empty() &&
           problem_.solid[extents_.at(inside(0, p[0]), inside(1, p[1]), inside(2, p[2]))] != 0;
  }
  /// Whether fluid passes the face between p and the next cell along the axis.
  bool is_open(int axis, const std::array<int, 3>& p) const {
    const auto d = static_cast<std::size_t>(axis);
    if (!problem_.periodic(axis) && (p[d] < 0 || p[d] >= extents_.extent(axis) - 1)) return false;
    std::array<int, 3> next = p;
    ++next[d];
    return !is_solid(p) && !is_solid(next);
  }
  /// An index within the mesh: wrapped along a periodic axis, otherwise clamped.
  int inside(int axis, int i) const {
    const int n = extents_.extent(axis);
    return problem_.periodic(axis) ? (i % n + n) % n : std::clamp(i, 0, n - 1);
  }
  const Extents& extents() const { return extents_; }

 private:
  const std::vector<double>& faces(int axis) const { return problem_.faces[static_cast<std::size_t>(axis)]; }

  const Problem& problem_;
  Extents extents_;
};

}  // namespace speedwell::incompressible_flow
