// Problems that several tests pose.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::incompressible_flow {

inline constexpr double turn = 2 * std::numbers::pi;

inline Problem box(int nx, int ny, int nz, double viscosity, double length = turn) {
  Problem p;
  p.faces = {uniform_faces(nx, length), uniform_faces(ny, length), uniform_faces(nz, length)};
  p.viscosity = viscosity;
  return p;
}

/// Widths between 1/2 and 3/2 of the mean.
inline std::vector<double> random_faces(int cells, double length, std::uint64_t seed) {
  std::vector<double> f = {0};
  for (int i = 0; i < cells; ++i)
    f.push_back(f.back() + 0.5 + core::random_uniform(seed, static_cast<std::uint64_t>(i)));
  for (double& x : f) x *= length / f.back();
  f.back() = length;
  return f;
}

inline void close(Problem& p, int axis, Edge edge = Edge::wall) {
  for (Side& side : p.sides[static_cast<std::size_t>(axis)]) side.edge = edge;
}

/// One cell thick along x and z, walls normal to y at 0 and `height`.
inline Problem slot(std::vector<double> y_faces, double viscosity) {
  Problem p = box(1, 1, 1, viscosity, 1);
  p.faces[1] = std::move(y_faces);
  close(p, 1);
  return p;
}

/// A lid that moves at speed 1 along x over the unit square, one cell thick along z.
inline Problem cavity(int n, double reynolds) {
  Problem p = box(n, n, 1, 1 / reynolds, 1);
  close(p, 0);
  close(p, 1);
  p.sides[1][1].velocity[0] = 1;
  return p;
}

inline void add_cube(Problem& p, int x, int y, int z, int edge) {
  const Extents e = p.extents();
  if (p.solid.empty()) p.solid.assign(static_cast<std::size_t>(e.cells()), 0);
  for (int k = z; k < z + edge; ++k)
    for (int j = y; j < y + edge; ++j)
      for (int i = x; i < x + edge; ++i) p.solid[e.at(i % e.nx, j % e.ny, k % e.nz)] = 1;
}

}  // namespace speedwell::incompressible_flow
