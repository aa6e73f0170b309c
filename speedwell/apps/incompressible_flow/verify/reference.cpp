#include "speedwell/apps/incompressible_flow/verify/reference.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/incompressible_flow/verify/reference_linear.hpp"
#include "speedwell/apps/incompressible_flow/verify/reference_mesh.hpp"

namespace speedwell::incompressible_flow::reference {
namespace {

// Velocities of cells whose neighbours all lie in the mesh, and of any cells: the first are read without asking, for
// each of some seventy values of a cell, whether it is a ghost value.
struct Inside {
  const Mesh& mesh;
  double operator()(const Cells& u, int, const Cell& p) const { return u[mesh.at(p)]; }
};
struct Anywhere {
  const Mesh& mesh;
  double operator()(const Cells& u, int c, const Cell& p) const { return mesh.velocity(u, c, p); }
};

// (1 / Omega) times the outflow of momentum, summed over the faces of the momentum volume.
template <int c, class Velocity>
double convected(const Mesh& mesh, const Velocity& velocity, const Faces& u, const Cell& p) {
  const auto value = [&](const Cell& q) { return velocity(u[c], c, q); };
  double outflow = 0;
  for_each_axis([&](auto b) {
    for (const int to : {-1, 1}) {
      double mass = 0;  // through this face, towards higher indices
      if constexpr (b == c) {
        const Cell low = to < 0 ? shifted(p, c, -1) : p;
        double area = 1;
        for_each_axis([&](auto d) {
          if (d != c) area *= mesh.width(d, p[d]);
        });
        mass = 0.5 * (value(low) + value(shifted(low, c, 1))) * area;
      } else {
        constexpr int other = 3 - b - c;
        const Cell here = to < 0 ? shifted(p, b, -1) : p;
        mass = 0.5 *
               (velocity(u[b], b, here) * mesh.width(c, p[c]) +
                velocity(u[b], b, shifted(here, c, 1)) * mesh.width(c, p[c] + 1)) *
               mesh.width(other, p[other]);
      }
      outflow += to * mass * 0.5 * (value(p) + value(shifted(p, b, to)));
    }
  });
  return outflow / volume_of_face(mesh, c, p);
}

template <int c, class Velocity>
double diffused(const Mesh& mesh, const Velocity& velocity, const Cells& own, const Cell& p) {
  double sum = 0;
  for_each_axis([&](auto b) {
    double area = 1;
    for_each_axis([&](auto d) {
      if (d != b) area *= d == c ? mesh.distance(d, p[d]) : mesh.width(d, p[d]);
    });
    const int i = p[b];
    for (const int to : {-1, 1}) {
      const double distance = b == c ? mesh.width(b, to < 0 ? i : i + 1) : mesh.distance(b, to < 0 ? i - 1 : i);
      const double more = b == c ? 0 : mesh.blocked(c, p, b, to);
      sum += area * (1 + more) / distance * (velocity(own, c, shifted(p, b, to)) - velocity(own, c, p));
    }
  });
  return sum / volume_of_face(mesh, c, p);
}

// The result of each operation is stored where it was before: arrays of a large box that are allocated and filled anew
// in every part of a step take more time, on one core, than all of the arithmetic on many. Closed faces have 0 from the
// beginning.
template <class Value>
void on_open_faces(const Mesh& mesh, Faces& result, const Value& value) {
  for_each_axis([&](auto c) {
    mesh.for_each([&](const Cell& p) {
      if (mesh.is_open(c, p)) result[c][mesh.at(p)] = value(c, p);
    });
  });
}

// Calls value(velocity) with what reads the velocities around a cell.
template <class Value>
double with_velocities(const Mesh& mesh, const Cell& p, const Value& value) {
  return mesh.is_interior(p) ? value(Inside{mesh}) : value(Anywhere{mesh});
}

void convect(const Mesh& mesh, const Faces& u, Faces& result) {
  on_open_faces(mesh, result, [&](auto c, const Cell& p) {
    return with_velocities(mesh, p, [&](const auto& velocity) { return -convected<c>(mesh, velocity, u, p); });
  });
}

template <int c>
double diffused(const Mesh& mesh, const Cells& own, const Cell& p) {
  return with_velocities(mesh, p, [&](const auto& velocity) { return diffused<c>(mesh, velocity, own, p); });
}

void diffuse(const Mesh& mesh, double viscosity, const Faces& u, Faces& result) {
  on_open_faces(mesh, result, [&](auto c, const Cell& p) { return viscosity * diffused<c>(mesh, u[c], p); });
}

void diverge(const Mesh& mesh, const Faces& u, Cells& result) {
  mesh.for_each([&](const Cell& p) {
    result[mesh.at(p)] = with_velocities(mesh, p, [&](const auto& velocity) {
      double sum = 0;
      for_each_axis(
          [&](auto c) { sum += (velocity(u[c], c, p) - velocity(u[c], c, shifted(p, c, -1))) / mesh.width(c, p[c]); });
      return sum;
    });
  });
}

void differentiate(const Mesh& mesh, const Cells& pressure, Faces& result) {
  on_open_faces(mesh, result, [&](auto c, const Cell& p) {
    Cell q = shifted(p, c, 1);
    if (q[c] == mesh.n(c)) q[c] = 0;
    return (pressure[mesh.at(q)] - pressure[mesh.at(p)]) / mesh.distance(c, p[c]);
  });
}

// (1 - factor L) u = rhs for one component, with the walls' velocities in L.
template <int c>
void solve_diffusion(const Problem& problem, const Mesh& mesh, double factor, const Cells& rhs, Cells& u) {
  Problem still = problem;
  for (auto& sides : still.sides)
    for (Side& side : sides) side.velocity = {};
  const Mesh at_rest(still);
  const auto of_walls = [&](const Mesh& m, const Cells& x, Cells& y, double sign) {
    mesh.for_each([&](const Cell& p) {
      const std::size_t n = mesh.at(p);
      y[n] = mesh.is_open(c, p) ? volume_of_face(mesh, c, p) * (x[n] + sign * factor * diffused<c>(m, x, p)) : 0;
    });
  };
  const auto apply = [&](const Cells& x, Cells& y) { of_walls(at_rest, x, y, -1); };
  Cells zero(u.size(), 0), b(u.size());
  of_walls(mesh, zero, b, 1);  // contribution of the walls
  mesh.for_each([&](const Cell& p) {
    const std::size_t n = mesh.at(p);
    b[n] = mesh.is_open(c, p) ? b[n] + volume_of_face(mesh, c, p) * rhs[n] : 0;
  });
  solve(apply, b, u);
}

}  // namespace

Faces convection(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  Faces result = mesh.zeros();
  convect(mesh, u, result);
  return result;
}

Faces diffusion(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  Faces result = mesh.zeros();
  diffuse(mesh, problem.viscosity, u, result);
  return result;
}

Cells divergence(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  Cells result(mesh.cells());
  diverge(mesh, u, result);
  return result;
}

Faces gradient(const Problem& problem, const Cells& pressure) {
  const Mesh mesh(problem);
  Faces result = mesh.zeros();
  differentiate(mesh, pressure, result);
  return result;
}

Faces volumes(const Problem& problem) {
  const Mesh mesh(problem);
  Faces result = mesh.zeros();
  on_open_faces(mesh, result, [&](auto c, const Cell& p) { return volume_of_face(mesh, c, p); });
  return result;
}

void advance(const Problem& problem, const Method& method, State<double>& state, double dt, int steps,
             const Approximate& approximate) {
  require_valid(problem);
  if (!(state.extents == problem.extents())) throw std::invalid_argument("a state of another mesh");
  const Mesh mesh(problem);
  Poisson poisson(mesh);
  const bool trapezoidal = method.diffusion == Diffusion::trapezoidal;
  const bool from_start = method.scheme == Scheme::s3;
  Faces u;
  for (std::size_t c = 0; c < 3; ++c) u[c].assign(state.velocity[c].begin(), state.velocity[c].end());
  Cells p(state.pressure.begin(), state.pressure.end()), phi(p.size(), 0), source(p.size());
  Faces diff = mesh.zeros(), grad = mesh.zeros();
  Faces rate = mesh.zeros(), rate_before = mesh.zeros(), next = mesh.zeros();
  for (int step = 0; step < steps; ++step) {
    const Faces start = from_start ? u : Faces{};
    const Cells p_start = from_start ? p : Cells{};
    for (const RungeKuttaCoefficients& s : runge_kutta_coefficients(method.scheme)) {
      const Faces& base = from_start ? start : u;
      convect(mesh, u, rate);
      diffuse(mesh, problem.viscosity, trapezoidal ? base : u, diff);
      if (trapezoidal) differentiate(mesh, from_start ? p_start : p, grad);
      for_each_axis([&](auto c) {
        mesh.for_each([&](const Cell& at) {
          if (!mesh.is_open(c, at)) return;
          const std::size_t n = mesh.at(at);
          rate[c][n] = rate[c][n] + problem.acceleration[c] + (trapezoidal ? 0 : diff[c][n]);
          next[c][n] = base[c][n] + dt * (s.now * rate[c][n] + s.before * rate_before[c][n]);
          if (trapezoidal) next[c][n] += s.length * dt * (0.5 * diff[c][n] - grad[c][n]);
        });
        if (trapezoidal && problem.viscosity > 0) {
          const Cells rhs = next[c];
          solve_diffusion<c>(problem, mesh, 0.5 * s.length * dt * problem.viscosity, rhs, next[c]);
        }
      });
      diverge(mesh, next, source);
      mesh.for_each([&](const Cell& at) { source[mesh.at(at)] /= s.length * dt; });
      poisson.solve_for(source, phi, approximate);
      differentiate(mesh, phi, grad);
      mesh.for_each([&](const Cell& at) {
        const std::size_t n = mesh.at(at);
        for (std::size_t d = 0; d < 3; ++d) u[d][n] = next[d][n] - s.length * dt * grad[d][n];
        const double old = from_start ? p_start[n] : p[n];
        p[n] = trapezoidal ? old + phi[n] - 0.5 * s.length * dt * problem.viscosity * source[n] : phi[n];
      });
      std::swap(rate_before, rate);
    }
    state.time += dt;
    ++state.step;
  }
  for (std::size_t c = 0; c < 3; ++c) std::copy(u[c].begin(), u[c].end(), state.velocity[c].begin());
  std::copy(p.begin(), p.end(), state.pressure.begin());
}

}  // namespace speedwell::incompressible_flow::reference
