// Incompressible flow in a box of cells of any widths:
//
//   du/dt + div(u u) = -grad p + nu lap u + g,   div u = 0
//
// on the staggered mesh of Harlow and Welch (1965): pressure at cell centres, each velocity component on the faces that
// it crosses. Convection with plain half sums of the carried velocity and mass fluxes that are half sums of those
// through cells' faces (Verstappen and Veldman 2003), so that mass, momentum and, without viscosity, kinetic energy are
// conserved to round-off on any spacing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "speedwell/core/host_buffer.hpp"

namespace speedwell::incompressible_flow {

enum class Edge {
  periodic,  // of both sides of an axis, or none
  wall,      // no slip: the flow there has the wall's velocity
  slip,      // no flow through it and no stress along it
};

struct Side {
  Edge edge = Edge::periodic;
  std::array<double, 3> velocity{};  // of a wall, along it; 0 across it
};

/// How a face of a solid cell holds back the flow along it.
enum class SolidLink {
  full,     // a neighbouring face that is closed is a wall half a cell away
  by_area,  // by the half (or whole) of the momentum volume's face that lies on solid
};

struct Extents {
  int nx = 1, ny = 1, nz = 1;
  std::int64_t cells() const { return std::int64_t{nx} * ny * nz; }
  int extent(int axis) const { return axis == 0 ? nx : axis == 1 ? ny : nz; }
  /// Of cell (i,j,k) and of the faces behind it along each axis: x is contiguous.
  std::size_t at(int i, int j, int k) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(nx) * (static_cast<std::size_t>(j) + static_cast<std::size_t>(ny) * k);
  }
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// A mean flow U_d = rates[d] x_d from `begin` to `end`, which stretches the box with it: what is solved for is the
/// fluctuation, du'/dt + ... = ... - rates[d] u'_d, periodic in the moving box (Rogallo 1981).
struct Strain {
  std::array<double, 3> rates{};  // per time; their sum is 0
  double begin = 0, end = 0;
  /// The factor by which lengths along each axis have grown at a time, and velocities along it would have shrunk.
  std::array<double, 3> stretch(double time) const;
};

struct Problem {
  std::array<std::vector<double>, 3> faces;  // along x, y and z, increasing
  std::array<std::array<Side, 2>, 3> sides;  // low and high side of each axis
  double viscosity = 0;                      // kinematic, length^2 / time
  std::array<double, 3> acceleration{};      // of the whole fluid; minus a constant pressure gradient over density
  std::vector<std::uint8_t> solid;           // empty, or of every cell whether no fluid is in it
  SolidLink solid_link = SolidLink::full;
  std::optional<Strain> strain;  // of a box that is periodic along every axis; `faces` are those before it
  /// A mean velocity that is kept along an axis, whatever force that takes: periodic along it, without solids.
  std::array<std::optional<double>, 3> bulk_velocity;

  Extents extents() const;
  bool periodic(int axis) const { return sides[static_cast<std::size_t>(axis)][0].edge == Edge::periodic; }
  /// Whether all cells along an axis are as wide as each other, to 1e-12 of a width.
  bool uniform(int axis) const;
};
/// The problem with the mesh that it has at a time.
Problem at_time(const Problem& problem, double time);

/// Throws std::invalid_argument, naming the value, unless faces are finite and increase, one side of an axis is
/// periodic when the other is, walls move along themselves at a finite speed, the viscosity is finite and not negative,
/// the mask has as many cells as the mesh and leaves a fluid one, strain and bulk velocities are finite and of such a
/// box as they are for (strain of 3 at most in all), and the cells are at most 2^31 - 1 along an axis and
/// 2^40 in all.
void require_valid(const Problem& problem);

/// Fluid that no path of fluid cells joins to the largest piece becomes solid: such pockets would leave the pressure
/// there undetermined. Returns the number of cells changed. A problem without a mask is left as it is.
std::int64_t fill_pockets(Problem& problem);

/// A flow at one time. Velocity along x at (i,j,k) is that through the face between cells i and i + 1 (the last one's
/// is the face on the high side; the face on the low side is that same one where the axis is periodic and closed where
/// it is not), and so along y and z. The pressure is over density, of mean 0 over the fluid.
template <class T>
struct State {
  Extents extents;
  std::array<core::HostBuffer<T>, 3> velocity;
  core::HostBuffer<T> pressure;
  double time = 0;
  std::int64_t step = 0;

  /// Without cells.
  State() : State(Extents{0, 0, 0}) {}
  /// A fluid at rest.
  explicit State(const Extents& extents);
  State copy() const;
};

extern template struct State<float>;
extern template struct State<double>;

}  // namespace speedwell::incompressible_flow
