// Incompressible flow in a box with a rectilinear mesh:
//
//   du/dt + div(u u) = -grad p + nu lap u + g,   div u = 0
//
// on the staggered mesh of Harlow and Welch (1965): pressure at cell centres, each velocity component on the faces that
// it crosses. Convection uses unweighted averages of the carried velocity, and mass fluxes that are averages of those
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
  periodic,  // both sides of an axis are periodic, or none
  wall,      // no slip: the flow there has the wall's velocity
  slip,      // no flow through it and no stress along it
};

struct Side {
  Edge edge = Edge::periodic;
  std::array<double, 3> velocity{};  // tangential velocity of a wall; the normal component is 0
};

/// The drag of a face of a solid cell on the flow along it.
enum class SolidLink {
  full,     // a neighbouring face that is closed is a wall half a cell away
  by_area,  // proportional to the part, half or whole, of the momentum volume's face on the solid
};

struct Extents {
  int nx = 1, ny = 1, nz = 1;
  std::int64_t cells() const { return std::int64_t{nx} * ny * nz; }
  int extent(int axis) const { return axis == 0 ? nx : axis == 1 ? ny : nz; }
  /// The index of cell (i,j,k), and of the faces on its high side along each axis; x is contiguous.
  std::size_t at(int i, int j, int k) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(nx) * (static_cast<std::size_t>(j) + static_cast<std::size_t>(ny) * k);
  }
  friend bool operator==(const Extents&, const Extents&) = default;
};

/// A mean flow U_d = rates[d] x_d from `begin` to `end`, with which the box stretches. The equations are solved for the
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
  std::array<double, 3> acceleration{};      // uniform; equivalent to minus a constant pressure gradient over density
  std::vector<std::uint8_t> solid;           // empty, or whether each cell is solid
  SolidLink solid_link = SolidLink::full;
  std::optional<Strain> strain;  // for a box that is periodic along every axis; `faces` are the initial ones
  /// A mean velocity along an axis that a uniform force maintains. The axis must be periodic, and the box without
  /// solids.
  std::array<std::optional<double>, 3> bulk_velocity;

  Extents extents() const;
  /// Whether a mean velocity is maintained along some axis.
  bool keeps_bulk() const { return bulk_velocity[0] || bulk_velocity[1] || bulk_velocity[2]; }
  bool periodic(int axis) const { return sides[static_cast<std::size_t>(axis)][0].edge == Edge::periodic; }
  /// Whether the mesh is uniform along an axis, to 1e-12 of a width.
  bool uniform(int axis) const;
};
/// The problem with its mesh at a time.
Problem at_time(const Problem& problem, double time);

/// Throws std::invalid_argument, naming the value, unless faces are finite and increase, one side of an axis is
/// periodic when the other is, walls move along themselves at a finite speed, the viscosity is finite and not negative,
/// the mask has as many cells as the mesh and leaves a fluid one, strain and bulk velocities are finite and allowed in
/// this box (total strain at most 3), and the cells are at most 2^31 - 1 along an axis and 2^40 in total.
void require_valid(const Problem& problem);

/// Makes fluid cells solid that are not connected to the largest connected region of fluid, because the pressure in
/// such pockets is undetermined. Returns the number of changed cells. A problem without a mask is not changed.
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

  /// A state without cells.
  State() : State(Extents{0, 0, 0}) {}
  /// A state at rest.
  explicit State(const Extents& extents);
  State copy() const;
};

/// One number of a state: array 0 … 2 is the velocity along an axis, 3 the pressure.
struct CellValue {
  int array = 0;
  std::array<int, 3> cell{};
};

extern template struct State<float>;
extern template struct State<double>;

}  // namespace speedwell::incompressible_flow
