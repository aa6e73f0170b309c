// Problems that several tests pose.
#pragma once

#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"
#include "speedwell/apps/incompressible_flow/method.hpp"
#include "speedwell/apps/incompressible_flow/problem.hpp"
#include "speedwell/core/random.hpp"

namespace speedwell::incompressible_flow {

// Names of parameterised tests.
inline void PrintTo(Scheme scheme, std::ostream* out) { *out << (scheme == Scheme::w3 ? "w3" : "s3"); }
inline void PrintTo(const Method& m, std::ostream* out) {
  PrintTo(m.scheme, out);
  *out << (m.diffusion == Diffusion::trapezoidal ? ", trapezoidal" : ", explicit");
}

inline constexpr double turn = 2 * std::numbers::pi;

inline Problem box(int nx, int ny, int nz, double viscosity, double length = turn) {
  Problem p;
  p.faces = {uniform_faces(nx, length), uniform_faces(ny, length), uniform_faces(nz, length)};
  p.viscosity = viscosity;
  return p;
}

inline Problem block(int nx, int ny, int nz, double x, double y, double z, double viscosity) {
  Problem p;
  p.faces = {uniform_faces(nx, x), uniform_faces(ny, y), uniform_faces(nz, z)};
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

struct Case {
  std::string name;
  Problem problem;
};

/// Every kind of edge on every axis, odd sizes, solids, and widths of every kind.
inline std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](std::string name, Problem p) {
    p.acceleration = {0.3, -0.2, 0.1};
    all.push_back({std::move(name), std::move(p)});
  };
  add("periodic", box(16, 12, 20, 0.02));
  add("primes", box(13, 7, 11, 0.02));
  add("one cell along z", box(9, 14, 1, 0.02));
  add("two cells along z", box(9, 4, 2, 0.02));
  add("one past a vector", box(17, 5, 9, 0.02));
  for (int axis = 0; axis < 3; ++axis) {
    Problem p = box(10, 12, 9, 0.02);
    p.faces[static_cast<std::size_t>(axis)] = two_sided_faces(11, 2, 1.5);
    close(p, axis);
    p.sides[static_cast<std::size_t>(axis)][1].velocity[static_cast<std::size_t>((axis + 1) % 3)] = 0.7;
    p.sides[static_cast<std::size_t>(axis)][0].velocity[static_cast<std::size_t>((axis + 2) % 3)] = -0.4;
    add("channel between walls of axis " + std::to_string(axis), p);
    p = box(10, 12, 9, 0.02);
    p.faces[static_cast<std::size_t>(axis)] = wavy_faces(13, 3, 0.4);
    add("waves along axis " + std::to_string(axis), p);
    p = box(8, 9, 10, 0.02);
    close(p, (axis + 1) % 3);
    close(p, (axis + 2) % 3, Edge::slip);
    add("duct along axis " + std::to_string(axis), p);
  }
  Problem p = box(8, 11, 6, 0.02, 1);
  for (int axis = 0; axis < 3; ++axis) close(p, axis);
  p.sides[1][1].velocity = {1, 0, 0.5};
  add("closed box", p);
  p.faces[2] = one_sided_faces(7, 1, 1.5);
  add("closed box with thin cells along z", p);
  add("odd cavity", cavity(9, 50));
  p = box(12, 12, 12, 0.02);
  add_cube(p, 2, 3, 4, 3);
  add_cube(p, 10, 10, 10, 4);
  add("cubes", p);
  p.solid_link = SolidLink::by_area;
  add("cubes by area", p);
  p = box(12, 10, 9, 0.02);
  p.faces[1] = two_sided_faces(10, 2, 1.2);
  close(p, 1);
  add_cube(p, 3, 0, 2, 4);
  add("a cube on a wall", p);
  p = box(1, 1, 1, 0.02);
  p.faces = {random_faces(9, 2, 1), random_faces(8, 2, 2), random_faces(7, 2, 3)};
  add("random widths", p);
  close(p, 0);
  close(p, 2);
  add("random widths and walls", p);
  return all;
}

inline State<double> beginning(const Problem& p) {
  State<double> s(p.extents());
  add_noise(p, 9, 0.5, {}, s);
  return s;
}

template <class T>
State<T> converted(const State<double>& s) {
  State<T> other(s.extents);
  for (std::size_t c = 0; c < 3; ++c) std::copy(s.velocity[c].begin(), s.velocity[c].end(), other.velocity[c].begin());
  std::copy(s.pressure.begin(), s.pressure.end(), other.pressure.begin());
  return other;
}

}  // namespace speedwell::incompressible_flow
