#include "speedwell/apps/incompressible_flow/reference.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "speedwell/apps/incompressible_flow/reference_linear.hpp"
#include "speedwell/apps/incompressible_flow/reference_mesh.hpp"

namespace speedwell::incompressible_flow::reference {
namespace {

// (1 / Omega) times the outflow of momentum, summed over the faces of the momentum volume.
double convected(const Mesh& mesh, const Faces& u, int c, const Cell& p) {
  const auto& own = u[static_cast<std::size_t>(c)];
  const auto value = [&](const Cell& q) { return mesh.velocity(own, c, q); };
  double outflow = 0;
  for (int b = 0; b < 3; ++b) {
    for (const int to : {-1, 1}) {
      double mass = 0;  // through this face, towards higher indices
      if (b == c) {
        const Cell low = to < 0 ? shifted(p, c, -1) : p;
        double area = 1;
        for (int d = 0; d < 3; ++d)
          if (d != c) area *= mesh.width(d, p[static_cast<std::size_t>(d)]);
        mass = 0.5 * (value(low) + value(shifted(low, c, 1))) * area;
      } else {
        const int other = 3 - b - c;
        const Cell here = to < 0 ? shifted(p, b, -1) : p;
        const auto& carrier = u[static_cast<std::size_t>(b)];
        const int i = p[static_cast<std::size_t>(c)];
        mass = 0.5 *
               (mesh.velocity(carrier, b, here) * mesh.width(c, i) +
                mesh.velocity(carrier, b, shifted(here, c, 1)) * mesh.width(c, i + 1)) *
               mesh.width(other, p[static_cast<std::size_t>(other)]);
      }
      outflow += to * mass * 0.5 * (value(p) + value(shifted(p, b, to)));
    }
  }
  return outflow / volume_of_face(mesh, c, p);
}

double diffused(const Mesh& mesh, const std::vector<double>& own, int c, const Cell& p) {
  double sum = 0;
  for (int b = 0; b < 3; ++b) {
    double area = 1;
    for (int d = 0; d < 3; ++d)
      if (d != b)
        area *=
            d == c ? mesh.distance(d, p[static_cast<std::size_t>(d)]) : mesh.width(d, p[static_cast<std::size_t>(d)]);
    const int i = p[static_cast<std::size_t>(b)];
    for (const int to : {-1, 1}) {
      const double distance = b == c ? mesh.width(b, to < 0 ? i : i + 1) : mesh.distance(b, to < 0 ? i - 1 : i);
      const double more = b == c ? 0 : mesh.blocked(c, p, b, to);
      sum += area * (1 + more) / distance * (mesh.velocity(own, c, shifted(p, b, to)) - mesh.velocity(own, c, p));
    }
  }
  return sum / volume_of_face(mesh, c, p);
}

template <class Value>
Faces on_open_faces(const Mesh& mesh, const Value& value) {
  Faces result = mesh.zeros();
  for (int c = 0; c < 3; ++c)
    mesh.for_each([&](const Cell& p) {
      if (mesh.is_open(c, p)) result[static_cast<std::size_t>(c)][mesh.at(p)] = value(c, p);
    });
  return result;
}

// (1 - factor L) u = rhs for one component, with the walls' velocities in L.
void solve_diffusion(const Problem& problem, const Mesh& mesh, int c, double factor, const Cells& rhs, Cells& u) {
  Problem still = problem;
  for (auto& sides : still.sides)
    for (Side& side : sides) side.velocity = {};
  const Mesh at_rest(still);
  const auto of_walls = [&](const Mesh& m, const Cells& x, Cells& y, double sign) {
    mesh.for_each([&](const Cell& p) {
      const std::size_t n = mesh.at(p);
      y[n] = mesh.is_open(c, p) ? volume_of_face(mesh, c, p) * (x[n] + sign * factor * diffused(m, x, c, p)) : 0;
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
  return on_open_faces(mesh, [&](int c, const Cell& p) { return -convected(mesh, u, c, p); });
}

Faces diffusion(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Cell& p) {
    return problem.viscosity * diffused(mesh, u[static_cast<std::size_t>(c)], c, p);
  });
}

Cells divergence(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  Cells result(mesh.cells());
  mesh.for_each([&](const Cell& p) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
      const auto& own = u[static_cast<std::size_t>(c)];
      sum += (mesh.velocity(own, c, p) - mesh.velocity(own, c, shifted(p, c, -1))) /
             mesh.width(c, p[static_cast<std::size_t>(c)]);
    }
    result[mesh.at(p)] = sum;
  });
  return result;
}

Faces gradient(const Problem& problem, const Cells& pressure) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Cell& p) {
    Cell q = shifted(p, c, 1);
    if (q[static_cast<std::size_t>(c)] == mesh.n(c)) q[static_cast<std::size_t>(c)] = 0;
    return (pressure[mesh.at(q)] - pressure[mesh.at(p)]) / mesh.distance(c, p[static_cast<std::size_t>(c)]);
  });
}

Faces volumes(const Problem& problem) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Cell& p) { return volume_of_face(mesh, c, p); });
}

void advance(const Problem& problem, const Method& method, State<double>& state, double dt, int steps,
             const Approximate& approximate) {
  require_valid(problem);
  if (!(state.extents == problem.extents())) throw std::invalid_argument("a state of another mesh");
  const Mesh mesh(problem);
  const Poisson poisson(mesh);
  const bool trapezoidal = method.diffusion == Diffusion::trapezoidal;
  Faces u;
  for (std::size_t c = 0; c < 3; ++c) u[c].assign(state.velocity[c].begin(), state.velocity[c].end());
  Cells p(state.pressure.begin(), state.pressure.end()), phi(p.size(), 0);
  for (int step = 0; step < steps; ++step) {
    const bool from_start = method.scheme == Scheme::s3;
    const Faces start = from_start ? u : Faces{};
    const Cells p_start = from_start ? p : Cells{};
    Faces rate_before = mesh.zeros();
    for (const RungeKuttaCoefficients& s : runge_kutta_coefficients(method.scheme)) {
      const Faces& base = from_start ? start : u;
      const Faces conv = convection(problem, u);
      const Faces diff_now = trapezoidal ? Faces{} : diffusion(problem, u);
      const Faces diff_base = trapezoidal ? diffusion(problem, base) : Faces{};
      const Faces grad = trapezoidal ? gradient(problem, from_start ? p_start : p) : Faces{};
      Faces rate = mesh.zeros(), next = mesh.zeros();
      for (int c = 0; c < 3; ++c) {
        const auto d = static_cast<std::size_t>(c);
        mesh.for_each([&](const Cell& at) {
          if (!mesh.is_open(c, at)) return;
          const std::size_t n = mesh.at(at);
          rate[d][n] = conv[d][n] + problem.acceleration[d] + (trapezoidal ? 0 : diff_now[d][n]);
          next[d][n] = base[d][n] + dt * (s.now * rate[d][n] + s.before * rate_before[d][n]);
          if (trapezoidal) next[d][n] += s.length * dt * (0.5 * diff_base[d][n] - grad[d][n]);
        });
        if (trapezoidal && problem.viscosity > 0) {
          const Cells rhs = next[d];
          solve_diffusion(problem, mesh, c, 0.5 * s.length * dt * problem.viscosity, rhs, next[d]);
        }
      }
      Cells source = divergence(problem, next);
      for (double& x : source) x /= s.length * dt;
      poisson.solve_for(source, phi, approximate);
      const Faces correction = gradient(problem, phi);
      for (std::size_t d = 0; d < 3; ++d)
#pragma omp parallel for if (u[d].size() > cells_worth_a_team)
        for (std::size_t n = 0; n < u[d].size(); ++n) u[d][n] = next[d][n] - s.length * dt * correction[d][n];
      for (std::size_t n = 0; n < p.size(); ++n) {
        const double old = from_start ? p_start[n] : p[n];
        p[n] = trapezoidal ? old + phi[n] - 0.5 * s.length * dt * problem.viscosity * source[n] : phi[n];
      }
      rate_before = std::move(rate);
    }
    state.time += dt;
    ++state.step;
  }
  for (std::size_t c = 0; c < 3; ++c) std::copy(u[c].begin(), u[c].end(), state.velocity[c].begin());
  std::copy(p.begin(), p.end(), state.pressure.begin());
}

}  // namespace speedwell::incompressible_flow::reference
