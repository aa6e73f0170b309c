// The reference's mesh: geometry and open faces. For reference*.cpp only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "speedwell/apps/incompressible_flow/verify/reference.hpp"

namespace speedwell::incompressible_flow::reference {

constexpr std::int64_t cells_worth_a_team = 16384;

using Cell = std::array<int, 3>;

inline Cell shifted(Cell p, int axis, int by) {
  p[static_cast<std::size_t>(axis)] += by;
  return p;
}

// Calls body(axis) for the three axes, as constants: a cell whose elements are chosen at run time is kept in memory,
// and convection then takes twice the time.
template <class Body>
void for_each_axis(const Body& body) {
  body(std::integral_constant<int, 0>());
  body(std::integral_constant<int, 1>());
  body(std::integral_constant<int, 2>());
}

// The mesh and its boundaries as defined by the method: all quantities are computed from the lists of faces.
class Mesh {
 public:
  explicit Mesh(const Problem& problem) : problem_(problem), e_(problem.extents()) {
    for (int d = 0; d < 3; ++d) {
      n_[d] = e_.extent(d);
      periodic_[d] = problem.periodic(d);
      const auto& f = problem.faces[static_cast<std::size_t>(d)];
      for (int i = -beyond; i < n_[d] + beyond; ++i) {
        const auto at = static_cast<std::size_t>(inside(d, i));
        width_[d].push_back(f[at + 1] - f[at]);
      }
      for (std::size_t i = 0; i + 1 < width_[d].size(); ++i)
        distance_[d].push_back((width_[d][i] + width_[d][i + 1]) / 2);
    }
  }

  int n(int axis) const { return n_[axis]; }
  std::size_t at(const Cell& p) const { return e_.at(p[0], p[1], p[2]); }
  std::size_t cells() const { return static_cast<std::size_t>(e_.cells()); }
  const Side& side(int axis, int which) const {
    return problem_.sides[static_cast<std::size_t>(axis)][static_cast<std::size_t>(which)];
  }

  /// Width of cell i, -2 <= i <= n + 1; for a ghost cell, that of the cell that it repeats or mirrors.
  double width(int axis, int i) const { return width_[axis][static_cast<std::size_t>(i + beyond)]; }
  /// The distance between the centres of cells i and i + 1, -2 <= i <= n.
  double distance(int axis, int i) const { return distance_[axis][static_cast<std::size_t>(i + beyond)]; }

  bool is_solid(Cell p) const {
    if (problem_.solid.empty()) return false;
    for (int d = 0; d < 3; ++d) {
      int& i = p[static_cast<std::size_t>(d)];
      if (!periodic_[d] && (i < 0 || i >= n(d))) return false;  // boundaries are handled separately
      i = inside(d, i);
    }
    return problem_.solid[at(p)] != 0;
  }
  /// Whether fluid passes the face between p and the next cell along the axis.
  bool is_open(int axis, const Cell& p) const {
    const int i = p[static_cast<std::size_t>(axis)];
    if (!periodic_[axis] && (i < 0 || i >= n(axis) - 1)) return false;
    return !is_solid(p) && !is_solid(shifted(p, axis, 1));
  }

  /// Whether all cells at most one step away along each axis lie in the mesh.
  bool is_interior(const Cell& p) const {
    return p[0] > 0 && p[0] < n_[0] - 1 && p[1] > 0 && p[1] < n_[1] - 1 && p[2] > 0 && p[2] < n_[2] - 1;
  }

  /// Velocity component c at a face that may be one ghost cell outside. The ghost value behind a wall is such that its
  /// mean with the inner value is the wall's velocity.
  double velocity(const Cells& u, int c, Cell p) const { return is_inside(p) ? u[at(p)] : velocity_outside(u, c, p); }

  /// The fraction of the face between the momentum volumes at an open face p and one step along b that is on solid.
  double blocked(int c, const Cell& p, int b, int to) const {
    if (problem_.solid.empty()) return 0;
    const Cell q = shifted(p, b, to);
    if (is_open(c, q)) return 0;
    const int i = q[static_cast<std::size_t>(b)];
    if (!periodic_[b] && (i < 0 || i >= n(b))) return 0;  // a boundary, which has mirrored values
    if (problem_.solid_link == SolidLink::full) return 1;
    return (is_solid(q) ? 0.5 : 0.0) + (is_solid(shifted(q, c, 1)) ? 0.5 : 0.0);
  }

  /// Calls a function for all cells in any order, on all threads if there are many.
  template <class Body>
  void for_each(const Body& body) const {
#pragma omp parallel for collapse(2) if (e_.cells() > cells_worth_a_team)
    for (int k = 0; k < n(2); ++k)
      for (int j = 0; j < n(1); ++j)
        for (int i = 0; i < n(0); ++i) body(Cell{i, j, k});
  }
  Faces zeros() const { return {Cells(cells(), 0), Cells(cells(), 0), Cells(cells(), 0)}; }

 private:
  static constexpr int beyond = 2;  // ghost cells in the tables of widths, on either side

  bool is_inside(const Cell& p) const {
    return p[0] >= 0 && p[0] < n_[0] && p[1] >= 0 && p[1] < n_[1] && p[2] >= 0 && p[2] < n_[2];
  }

  // A function of its own, as the cell that it changes would be kept in memory where it is inlined.
  [[gnu::noinline]] double velocity_outside(const Cells& u, int c, Cell p) const {
    double sign = 1, constant = 0;
    for (int d = 0; d < 3; ++d) {
      int& i = p[static_cast<std::size_t>(d)];
      if (i >= 0 && i < n(d)) continue;
      if (periodic_[d]) {
        i = inside(d, i);
      } else if (d == c) {
        return constant;  // the face in the wall
      } else {
        const Side& s = side(d, i < 0 ? 0 : 1);
        if (s.edge == Edge::wall) {
          constant += sign * 2 * s.velocity[static_cast<std::size_t>(c)];
          sign = -sign;
        }
        i = inside(d, i);
      }
    }
    return constant + sign * u[at(p)];
  }

  int inside(int axis, int i) const {
    const int count = n(axis);
    if (periodic_[axis]) {
      while (i < 0) i += count;
      while (i >= count) i -= count;
      return i;
    }
    return std::clamp(i, 0, count - 1);
  }

  const Problem& problem_;
  Extents e_;
  int n_[3] = {};
  bool periodic_[3] = {};
  std::vector<double> width_[3], distance_[3];  // from the ghost cell -beyond on
};

inline double volume_of_face(const Mesh& mesh, int c, const Cell& p) {
  double volume = 1;
  for_each_axis([&](auto d) { volume *= d == c ? mesh.distance(d, p[d]) : mesh.width(d, p[d]); });
  return volume;
}

}  // namespace speedwell::incompressible_flow::reference
