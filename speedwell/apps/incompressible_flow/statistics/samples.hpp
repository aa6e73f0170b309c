// A flow at points, along lines and on planes: velocity and pressure interpolated on the staggered mesh, linearly along
// each axis, so that linear fields are exact and others of second order.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

struct Sample {
  std::array<double, 3> velocity{};
  double pressure = 0;
};

struct Line {
  std::array<double, 3> from{}, to{};
  /// Point n of `points`, ends included.
  std::array<double, 3> point(int n, int points) const;
};

/// The samples of a case, and their intervals and times.
struct Samples {
  std::vector<std::array<double, 3>> probes;
  std::vector<Line> lines;
  int line_points = 101;
  std::array<std::vector<double>, 3> slices;  // positions of planes normal to each axis
  double probes_every = 0, lines_every = 0, slices_every = 0;
  std::vector<double> lines_at, slices_at;
};

/// Throws std::invalid_argument for a point outside of the closed box.
void require_inside(const Problem& problem, const std::array<double, 3>& point);

/// The flow at a point. At walls velocities are the wall's, at slip sides those half a cell away; the pressure is
/// extrapolated from the last two cells. Faces in solids and on their surface have the velocity 0. Outside of a
/// periodic side (if a moving mesh has left the point) the box is repeated.
template <class T>
Sample sample(const Problem& problem, const State<T>& state, const std::array<double, 3>& point);

/// The samples at points of a flow that may be divided among ranks, from the values of the few cells around them:
/// `values` is called once, with all these cells, and returns their values in the same order. They have the bits of
/// sample() of a state with these values.
template <class T>
std::vector<Sample> samples_at(const Problem& problem, std::span<const std::array<double, 3>> points,
                               const std::function<std::vector<T>(std::span<const CellValue>)>& values);

extern template std::vector<Sample> samples_at(const Problem&, std::span<const std::array<double, 3>>,
                                               const std::function<std::vector<float>(std::span<const CellValue>)>&);
extern template std::vector<Sample> samples_at(const Problem&, std::span<const std::array<double, 3>>,
                                               const std::function<std::vector<double>(std::span<const CellValue>)>&);
extern template Sample sample(const Problem&, const State<float>&, const std::array<double, 3>&);
extern template Sample sample(const Problem&, const State<double>&, const std::array<double, 3>&);

}  // namespace speedwell::incompressible_flow
