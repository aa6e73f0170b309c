#include "speedwell/apps/incompressible_flow/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace speedwell::incompressible_flow::reference {
namespace {

using Place = std::array<int, 3>;

Place shifted(Place p, int axis, int by) {
  p[static_cast<std::size_t>(axis)] += by;
  return p;
}

// The mesh and its edges as the text of the method has them: every question is answered from the lists of faces.
class Mesh {
 public:
  explicit Mesh(const Problem& problem) : problem_(problem), e_(problem.extents()) {}

  int n(int axis) const { return e_.extent(axis); }
  std::size_t at(const Place& p) const { return e_.at(p[0], p[1], p[2]); }
  std::size_t cells() const { return static_cast<std::size_t>(e_.cells()); }
  const Side& side(int axis, int which) const {
    return problem_.sides[static_cast<std::size_t>(axis)][static_cast<std::size_t>(which)];
  }

  /// Width of cell i; of a cell beyond an edge, that of the cell it repeats or mirrors.
  double width(int axis, int i) const {
    const auto& f = problem_.faces[static_cast<std::size_t>(axis)];
    i = inside(axis, i);
    return f[static_cast<std::size_t>(i) + 1] - f[static_cast<std::size_t>(i)];
  }
  /// From the centre of cell i to that of i + 1.
  double distance(int axis, int i) const { return (width(axis, i) + width(axis, i + 1)) / 2; }

  bool is_solid(Place p) const {
    if (problem_.solid.empty()) return false;
    for (int d = 0; d < 3; ++d) {
      int& i = p[static_cast<std::size_t>(d)];
      if (!problem_.periodic(d) && (i < 0 || i >= n(d))) return false;  // the edge itself is treated as an edge
      i = inside(d, i);
    }
    return problem_.solid[at(p)] != 0;
  }
  /// Whether fluid passes the face between p and the next cell along the axis.
  bool is_open(int axis, const Place& p) const {
    const int i = p[static_cast<std::size_t>(axis)];
    if (!problem_.periodic(axis) && (i < 0 || i >= n(axis) - 1)) return false;
    return !is_solid(p) && !is_solid(shifted(p, axis, 1));
  }

  /// Velocity component c at a face that may lie a cell beyond the edges. Beyond a wall stands the value that makes the
  /// mean with the one inside the wall's own.
  double velocity(const std::vector<double>& u, int c, Place p) const {
    double sign = 1, constant = 0;
    for (int d = 0; d < 3; ++d) {
      int& i = p[static_cast<std::size_t>(d)];
      if (i >= 0 && i < n(d)) continue;
      if (problem_.periodic(d)) {
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

  /// The part of the face between the momentum volumes at p and one step along b that lies on solid.
  double blocked(int c, const Place& p, int b, int to) const {
    const Place q = shifted(p, b, to);
    if (is_open(c, q)) return 0;
    const int i = q[static_cast<std::size_t>(b)];
    if (!problem_.periodic(b) && (i < 0 || i >= n(b))) return 0;  // an edge, which has its own mirrored value
    if (problem_.solid_link == SolidLink::full) return 1;
    return (is_solid(q) ? 0.5 : 0.0) + (is_solid(shifted(q, c, 1)) ? 0.5 : 0.0);
  }

  template <class Body>
  void for_each(const Body& body) const {
    for (int k = 0; k < n(2); ++k)
      for (int j = 0; j < n(1); ++j)
        for (int i = 0; i < n(0); ++i) body(Place{i, j, k});
  }
  Faces zeros() const { return {Cells(cells(), 0), Cells(cells(), 0), Cells(cells(), 0)}; }

 private:
  int inside(int axis, int i) const {
    const int count = n(axis);
    if (problem_.periodic(axis)) return (i % count + count) % count;
    return std::clamp(i, 0, count - 1);
  }

  const Problem& problem_;
  Extents e_;
};

double volume_of_face(const Mesh& mesh, int c, const Place& p) {
  double volume = 1;
  for (int d = 0; d < 3; ++d) {
    const int i = p[static_cast<std::size_t>(d)];
    volume *= d == c ? mesh.distance(d, i) : mesh.width(d, i);
  }
  return volume;
}

// (1 / Omega) times outflow of what is carried, face by face of the momentum volume.
double convected(const Mesh& mesh, const Faces& u, int c, const Place& p) {
  const auto& own = u[static_cast<std::size_t>(c)];
  const auto value = [&](const Place& q) { return mesh.velocity(own, c, q); };
  double outflow = 0;
  for (int b = 0; b < 3; ++b) {
    for (const int to : {-1, 1}) {
      double mass = 0;  // through this face, towards higher indices
      if (b == c) {
        const Place low = to < 0 ? shifted(p, c, -1) : p;
        double area = 1;
        for (int d = 0; d < 3; ++d)
          if (d != c) area *= mesh.width(d, p[static_cast<std::size_t>(d)]);
        mass = 0.5 * (value(low) + value(shifted(low, c, 1))) * area;
      } else {
        const int other = 3 - b - c;
        const Place here = to < 0 ? shifted(p, b, -1) : p;
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

double diffused(const Mesh& mesh, const std::vector<double>& own, int c, const Place& p) {
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
    mesh.for_each([&](const Place& p) {
      if (mesh.is_open(c, p)) result[static_cast<std::size_t>(c)][mesh.at(p)] = value(c, p);
    });
  return result;
}

double dot(const Cells& a, const Cells& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

// Conjugate gradients for a symmetric operator that is not negative, from the x given until the residual no longer
// falls, which rounding decides: of a singular system it may rise without end from there. x becomes the iterate that
// had the least residual, but for a factor of 2.
void solve(const std::function<void(const Cells&, Cells&)>& apply, const Cells& b, Cells& x) {
  Cells r(b.size()), q(b.size());
  apply(x, q);
  for (std::size_t n = 0; n < b.size(); ++n) r[n] = b[n] - q[n];
  constexpr double enough = 1e-10;
  const double scale = std::sqrt(std::max(dot(b, b), dot(r, r)));
  if (scale == 0) return;
  Cells p = r, best = x;
  double rho = dot(r, r), least = std::sqrt(rho);
  std::size_t since = 0;
  while (std::sqrt(rho) > 1e-15 * scale && since < 2000 + b.size() / 16) {
    apply(p, q);
    const double curvature = dot(p, q);
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    for (std::size_t n = 0; n < b.size(); ++n) {
      x[n] += alpha * p[n];
      r[n] -= alpha * q[n];
    }
    const double next = dot(r, r);
    for (std::size_t n = 0; n < b.size(); ++n) p[n] = r[n] + next / rho * p[n];
    rho = next;
    ++since;
    if (std::sqrt(rho) < 0.5 * least) {
      least = std::sqrt(rho);
      best = x;
      since = 0;
    }
    if (least <= enough * scale && std::sqrt(rho) > 1e4 * least) break;
  }
  x = best;
  if (!(least <= enough * scale))
    throw std::runtime_error("the reference's linear solve stalls at " + std::to_string(least / scale));
}

// Minus the Laplacian times volumes: sums of links, from the two cells of each open face.
class Poisson {
 public:
  explicit Poisson(const Mesh& mesh) : mesh_(mesh) {
    mesh.for_each([&](const Place& p) {
      for (int c = 0; c < 3; ++c) {
        if (!mesh.is_open(c, p)) continue;
        Place q = shifted(p, c, 1);
        if (q[static_cast<std::size_t>(c)] == mesh.n(c)) q[static_cast<std::size_t>(c)] = 0;
        const double distance = mesh.distance(c, p[static_cast<std::size_t>(c)]);
        links_.push_back({mesh.at(p), mesh.at(q), volume_of_face(mesh, c, p) / distance / distance});
      }
    });
    volume_.resize(mesh.cells());
    mesh.for_each([&](const Place& p) {
      volume_[mesh.at(p)] = mesh.is_solid(p) ? 0 : mesh.width(0, p[0]) * mesh.width(1, p[1]) * mesh.width(2, p[2]);
    });
  }

  /// Laplacian of p = rhs, with volume mean 0.
  void solve_for(const Cells& rhs, Cells& p) const {
    Cells b(rhs.size());
    double all = 0, sum = 0;
    for (std::size_t n = 0; n < b.size(); ++n) {
      b[n] = -rhs[n] * volume_[n];
      sum += b[n];
      all += volume_[n];
    }
    for (std::size_t n = 0; n < b.size(); ++n) b[n] -= sum / all * volume_[n];  // rounding only
    solve([&](const Cells& x, Cells& y) { apply(x, y); }, b, p);
    const double mean = dot(p, volume_) / all;
    for (std::size_t n = 0; n < p.size(); ++n) p[n] = volume_[n] > 0 ? p[n] - mean : 0;
  }

 private:
  struct Link {
    std::size_t a, b;
    double weight;
  };
  void apply(const Cells& x, Cells& y) const {
    std::fill(y.begin(), y.end(), 0.0);
    for (const Link& l : links_) {
      const double flux = l.weight * (x[l.a] - x[l.b]);
      y[l.a] += flux;
      y[l.b] -= flux;
    }
  }
  const Mesh& mesh_;
  std::vector<Link> links_;
  Cells volume_;
};

// (1 - factor L) u = rhs for one component, with the walls' velocities in L.
void solve_diffusion(const Problem& problem, const Mesh& mesh, int c, double factor, const Cells& rhs, Cells& u) {
  Problem still = problem;
  for (auto& sides : still.sides)
    for (Side& side : sides) side.velocity = {};
  const Mesh at_rest(still);
  const auto of_walls = [&](const Mesh& m, const Cells& x, Cells& y, double sign) {
    mesh.for_each([&](const Place& p) {
      const std::size_t n = mesh.at(p);
      y[n] = mesh.is_open(c, p) ? volume_of_face(mesh, c, p) * (x[n] + sign * factor * diffused(m, x, c, p)) : 0;
    });
  };
  const auto apply = [&](const Cells& x, Cells& y) { of_walls(at_rest, x, y, -1); };
  Cells zero(u.size(), 0), b(u.size());
  of_walls(mesh, zero, b, 1);  // what the walls add
  mesh.for_each([&](const Place& p) {
    const std::size_t n = mesh.at(p);
    b[n] = mesh.is_open(c, p) ? b[n] + volume_of_face(mesh, c, p) * rhs[n] : 0;
  });
  solve(apply, b, u);
}

}  // namespace

Faces convection(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Place& p) { return -convected(mesh, u, c, p); });
}

Faces diffusion(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Place& p) {
    return problem.viscosity * diffused(mesh, u[static_cast<std::size_t>(c)], c, p);
  });
}

Cells divergence(const Problem& problem, const Faces& u) {
  const Mesh mesh(problem);
  Cells result(mesh.cells());
  mesh.for_each([&](const Place& p) {
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
  return on_open_faces(mesh, [&](int c, const Place& p) {
    Place q = shifted(p, c, 1);
    if (q[static_cast<std::size_t>(c)] == mesh.n(c)) q[static_cast<std::size_t>(c)] = 0;
    return (pressure[mesh.at(q)] - pressure[mesh.at(p)]) / mesh.distance(c, p[static_cast<std::size_t>(c)]);
  });
}

Faces volumes(const Problem& problem) {
  const Mesh mesh(problem);
  return on_open_faces(mesh, [&](int c, const Place& p) { return volume_of_face(mesh, c, p); });
}

void advance(const Problem& problem, const Method& method, State<double>& state, double dt, int steps) {
  require_valid(problem);
  if (!(state.extents == problem.extents())) throw std::invalid_argument("a state of another mesh");
  const Mesh mesh(problem);
  const Poisson poisson(mesh);
  const bool trapezoidal = method.diffusion == Diffusion::trapezoidal;
  Faces u;
  for (std::size_t c = 0; c < 3; ++c) u[c].assign(state.velocity[c].begin(), state.velocity[c].end());
  Cells p(state.pressure.begin(), state.pressure.end()), phi(p.size(), 0);
  for (int step = 0; step < steps; ++step) {
    const Faces start = u;
    const Cells p_start = p;
    Faces rate_before = mesh.zeros();
    for (const Substep& s : substeps(method.scheme)) {
      const bool from_start = method.scheme == Scheme::s3;
      const Faces& base = from_start ? start : u;
      const Faces conv = convection(problem, u);
      const Faces diff_now = diffusion(problem, u), diff_base = diffusion(problem, base);
      const Faces grad = gradient(problem, from_start ? p_start : p);
      Faces rate = mesh.zeros(), next = mesh.zeros();
      for (int c = 0; c < 3; ++c) {
        const auto d = static_cast<std::size_t>(c);
        mesh.for_each([&](const Place& at) {
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
      poisson.solve_for(source, phi);
      const Faces correction = gradient(problem, phi);
      for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t n = 0; n < u[d].size(); ++n) u[d][n] = next[d][n] - s.length * dt * correction[d][n];
      for (std::size_t n = 0; n < p.size(); ++n) {
        const double old = from_start ? p_start[n] : p[n];
        p[n] = trapezoidal ? old + phi[n] - 0.5 * s.length * dt * problem.viscosity * source[n] : phi[n];
      }
      rate_before = rate;
    }
    state.time += dt;
    ++state.step;
  }
  for (std::size_t c = 0; c < 3; ++c) std::copy(u[c].begin(), u[c].end(), state.velocity[c].begin());
  std::copy(p.begin(), p.end(), state.pressure.begin());
}

}  // namespace speedwell::incompressible_flow::reference
