// Sources: the equations of Stratford et al., J. Stat. Phys. 121 (2005) 163, with the mode basis of Adhikari et al.,
// Europhys. Lett. 71 (2005) 473. Nothing here is shared with the fast variants.
#include "speedwell/apps/binary_fluid/verify/reference.hpp"

#include <cmath>

namespace speedwell::binary_fluid::reference {
namespace {

constexpr std::size_t min_parallel_sites = 8192;  // sites

constexpr int c[19][3] = {{0, 0, 0},  {1, 1, 0},  {1, 0, 1},  {1, 0, 0},   {1, 0, -1}, {1, -1, 0}, {0, 1, 1},
                          {0, 1, 0},  {0, 1, -1}, {0, 0, 1},  {0, 0, -1},  {0, -1, 1}, {0, -1, 0}, {0, -1, -1},
                          {-1, 1, 0}, {-1, 0, 1}, {-1, 0, 0}, {-1, 0, -1}, {-1, -1, 0}};

double weight(int p) {
  const int squared = c[p][0] * c[p][0] + c[p][1] * c[p][1] + c[p][2] * c[p][2];
  return squared == 0 ? 12.0 / 36 : squared == 1 ? 2.0 / 36 : 1.0 / 36;
}

// Modes: 0: density; 1 to 3: momentum; 4 to 9: stress xx, xy, xz, yy, yz, zz; 10, 14, 18: even ghost modes; the rest:
// odd ghost modes.
struct Modes {
  double value[19][19];   // value of mode a at population p
  double normaliser[19];  // 1 / sum of w m^2
};

Modes make_modes() {
  Modes m{};
  for (int p = 0; p < 19; ++p) {
    const double x = c[p][0], y = c[p][1], z = c[p][2], squared = x * x + y * y + z * z;
    const double chi1 = (2 * squared - 3) * (3 * z * z - squared), chi2 = (2 * squared - 3) * (y * y - x * x);
    const double chi3 = 3 * squared * squared - 6 * squared + 1;
    const double of_p[] = {1,
                           x,
                           y,
                           z,
                           x * x - 1.0 / 3,
                           x * y,
                           x * z,
                           y * y - 1.0 / 3,
                           y * z,
                           z * z - 1.0 / 3,
                           chi1,
                           chi1 * x,
                           chi1 * y,
                           chi1 * z,
                           chi2,
                           chi2 * x,
                           chi2 * y,
                           chi2 * z,
                           chi3};
    for (int a = 0; a < 19; ++a) m.value[a][p] = of_p[a];
  }
  for (int a = 0; a < 19; ++a) {
    double sum = 0;
    for (int p = 0; p < 19; ++p) sum += weight(p) * m.value[a][p] * m.value[a][p];
    m.normaliser[a] = 1 / sum;
  }
  return m;
}

const Modes& modes() {
  static const Modes all = make_modes();
  return all;
}

constexpr int pair_of[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};  // index of ab among xx, xy, xz, yy, yz, zz

double rate_of_ghost(const Fluid& fluid, const Scheme& scheme, int mode) {
  const double shear = 1 / (0.5 + 3 * fluid.viscosity);
  if (scheme.collision == Collision::m10) return 1;
  if (scheme.collision == Collision::bgk) return shear;
  const bool even = mode == 10 || mode == 14 || mode == 18;
  const double t = 3 * fluid.viscosity;
  return even ? shear : 2 * t / (t + 3.0 / 8);
}

}  // namespace

double chemical_potential(const FreeEnergy& e, double phi, const Derivatives& d) {
  double mu = e.a * phi + e.b * phi * phi * phi - e.kappa * d.laplacian;
  if (e.kind == FreeEnergy::Kind::brazovskii) mu += e.c * d.laplacian_of_laplacian;
  return mu;
}

std::array<double, 6> pressure(const FreeEnergy& e, double phi, const Derivatives& d) {
  const bool layered = e.kind == FreeEnergy::Kind::brazovskii;
  double squared = 0, mixed = 0;
  for (std::size_t x = 0; x < 3; ++x) {
    squared += d.gradient[x] * d.gradient[x];
    mixed += d.gradient[x] * d.gradient_of_laplacian[x];
  }
  double p0 =
      e.a / 2 * phi * phi + 3 * e.b / 4 * phi * phi * phi * phi - e.kappa * phi * d.laplacian - e.kappa / 2 * squared;
  if (layered) p0 += e.c * phi * d.laplacian_of_laplacian + e.c / 2 * d.laplacian * d.laplacian + e.c * mixed;
  std::array<double, 6> p{};
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = x; y < 3; ++y) {
      double& value = p[static_cast<std::size_t>(pair_of[x][y])];
      value = e.kappa * d.gradient[x] * d.gradient[y] + (x == y ? p0 : 0);
      if (layered)
        value -= e.c * (d.gradient[x] * d.gradient_of_laplacian[y] + d.gradient[y] * d.gradient_of_laplacian[x]);
    }
  return p;
}

void collide(const Fluid& fluid, const Scheme& scheme, const Derivatives& d, Populations& f, Populations& g) {
  const Modes& basis = modes();
  const bool ghosts = scheme.collision != Collision::m10;
  double m[19] = {};
  for (int a = 0; a < (ghosts ? 19 : 10); ++a)
    for (int p = 0; p < 19; ++p) m[a] += basis.value[a][p] * f[static_cast<std::size_t>(p)];
  double phi = 0, j[3] = {};
  for (int p = 0; p < 19; ++p) {
    phi += g[static_cast<std::size_t>(p)];
    for (int x = 0; x < 3; ++x) j[x] += g[static_cast<std::size_t>(p)] * c[p][x];
  }
  const double rho = m[0];
  const auto& force = fluid.force;
  double u[3];
  for (std::size_t x = 0; x < 3; ++x) u[x] = (m[1 + x] + force[x] / 2) / rho;

  const double shear = 1 / (0.5 + 3 * fluid.viscosity), bulk = 1 / (0.5 + 3 * fluid.zeta());
  const std::array<double, 6> thermodynamic = pressure(fluid.energy, phi, d);
  double equilibrium[6], trace = 0, trace_of_equilibrium = 0;
  for (int x = 0; x < 3; ++x)
    for (int y = x; y < 3; ++y) {
      const int at = pair_of[x][y];
      equilibrium[at] = rho * u[x] * u[y] + thermodynamic[static_cast<std::size_t>(at)];
      if (x == y) {
        trace += m[4 + at];
        trace_of_equilibrium += equilibrium[at];
      }
    }
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = x; y < 3; ++y) {
      const int at = pair_of[x][y];
      const double third = x == y ? 1.0 / 3 : 0;
      const double traceless = m[4 + at] - third * trace;
      const double traceless_equilibrium = equilibrium[at] - third * trace_of_equilibrium;
      m[4 + at] = traceless - shear * (traceless - traceless_equilibrium) +
                  third * (trace - bulk * (trace - trace_of_equilibrium)) +
                  (2 - shear) * (u[x] * force[y] + force[x] * u[y]);
    }
  for (std::size_t x = 0; x < 3; ++x) m[1 + x] += force[x];
  for (int a = 10; a < 19; ++a) m[a] *= ghosts ? 1 - rate_of_ghost(fluid, scheme, a) : 0;
  for (int p = 0; p < 19; ++p) {
    double sum = 0;
    for (int a = 0; a < (ghosts ? 19 : 10); ++a) sum += m[a] * basis.normaliser[a] * basis.value[a][p];
    f[static_cast<std::size_t>(p)] = weight(p) * sum;
  }

  const double mu = chemical_potential(fluid.energy, phi, d);
  const bool relaxed = scheme.order_parameter == OrderParameter::relaxed;
  const double tau = 0.5 + fluid.mobility;
  // With a flux of phi u and the second moment phi u u + D, phi(t + 1) - phi(t) is, to second order in the gradients,
  // -div(phi u) + 1/2 grad grad : (phi u u + D). The term of phi u u is 1/2 d^2 phi / dt^2 of the left side, so that D
  // of 2 M mu gives d phi / dt = -div(phi u) + M lap mu.
  double flux[3], diagonal = relaxed ? mu : 2 * fluid.mobility * mu;
  for (int x = 0; x < 3; ++x) flux[x] = relaxed ? j[x] - (j[x] - phi * u[x]) / tau : phi * u[x];
  for (int p = 0; p < 19; ++p) {
    double sum = 0;
    for (int x = 0; x < 3; ++x) {
      sum += 3 * flux[x] * c[p][x];
      for (int y = 0; y < 3; ++y) {
        const double q = c[p][x] * c[p][y] - (x == y ? 1.0 / 3 : 0);
        sum += 4.5 * (phi * u[x] * u[y] + (x == y ? diagonal : 0)) * q;
      }
    }
    g[static_cast<std::size_t>(p)] = weight(p) * sum + (p == 0 ? phi : 0);
  }
}

namespace {

void sum_order_parameter(const State& state, core::LargeVector<double>& phi) {
  const std::size_t n = phi.size();
#pragma omp parallel for if (n > min_parallel_sites)
  for (std::size_t s = 0; s < n; ++s) {
    phi[s] = 0;
    for (std::size_t p = 0; p < 19; ++p) phi[s] += state.g[p * n + s];
  }
}

// The normal gradient of phi is zero at a wall: its neighbour behind the wall is the last site before it.
std::int64_t neighbour(const Problem& problem, int d, std::int64_t at) {
  const std::int64_t n = problem.extents.extent(d);
  if (problem.axes[static_cast<std::size_t>(d)].walls) return at < 0 ? 0 : at >= n ? n - 1 : at;
  return (at + n) % n;
}

void differentiate(const Problem& problem, const core::LargeVector<double>& phi, const auto& take) {
  const Extents& e = problem.extents;
#pragma omp parallel for collapse(2) if (phi.size() > min_parallel_sites)
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) {
        const auto near = [&](int x, int y, int z) {
          return phi[e.at(neighbour(problem, 0, i + x), neighbour(problem, 1, j + y), neighbour(problem, 2, k + z))];
        };
        std::array<double, 3> gradient{};
        double laplacian = 0;
        if (problem.scheme.stencil == Stencil::seven) {
          gradient = {(near(1, 0, 0) - near(-1, 0, 0)) / 2, (near(0, 1, 0) - near(0, -1, 0)) / 2,
                      (near(0, 0, 1) - near(0, 0, -1)) / 2};
          laplacian = near(1, 0, 0) + near(-1, 0, 0) + near(0, 1, 0) + near(0, -1, 0) + near(0, 0, 1) + near(0, 0, -1) -
                      6 * near(0, 0, 0);
        } else {
          for (int x = -1; x <= 1; ++x)
            for (int y = -1; y <= 1; ++y)
              for (int z = -1; z <= 1; ++z) {
                const double value = near(x, y, z);
                gradient[0] += x * value / 18;
                gradient[1] += y * value / 18;
                gradient[2] += z * value / 18;
                laplacian += (value - near(0, 0, 0)) / 9;
              }
        }
        take(e.at(i, j, k), gradient, laplacian);
      }
}

void derive(const Problem& problem, const core::LargeVector<double>& phi, core::LargeVector<double>& laplacian,
            core::LargeVector<Derivatives>& d) {
  differentiate(problem, phi, [&](std::size_t s, const std::array<double, 3>& gradient, double of_phi) {
    d[s].gradient = gradient;
    d[s].laplacian = laplacian[s] = of_phi;
  });
  if (problem.fluid.energy.kind == FreeEnergy::Kind::brazovskii)
    differentiate(problem, laplacian, [&](std::size_t s, const std::array<double, 3>& gradient, double of_laplacian) {
      d[s].gradient_of_laplacian = gradient;
      d[s].laplacian_of_laplacian = of_laplacian;
    });
}

}  // namespace

core::LargeVector<double> order_parameter(const State& state) {
  core::LargeVector<double> phi(static_cast<std::size_t>(state.extents.sites()));
  sum_order_parameter(state, phi);
  return phi;
}

core::LargeVector<Derivatives> derivatives(const Problem& problem, const core::LargeVector<double>& phi) {
  core::LargeVector<Derivatives> d(phi.size());
  core::LargeVector<double> laplacian(phi.size());
  derive(problem, phi, laplacian, d);
  return d;
}

void advance(const Problem& problem, State& state) {
  require_valid(problem);
  require_admissible(problem, state);
  const Extents& e = problem.extents;
  const auto n = static_cast<std::size_t>(e.sites());
  core::LargeVector<double> f_next(19 * n), g_next(19 * n), phi(n), laplacian(n);
  core::LargeVector<Derivatives> d(n);
  for (int step = 0; step < problem.steps; ++step) {
    sum_order_parameter(state, phi);
    derive(problem, phi, laplacian, d);
    // Every population of every site is written by exactly one site, so that sites can be processed in any order.
#pragma omp parallel for collapse(2) if (n > min_parallel_sites)
    for (std::int64_t k = 0; k < e.nz; ++k)
      for (std::int64_t j = 0; j < e.ny; ++j)
        for (std::int64_t i = 0; i < e.nx; ++i) {
          const std::size_t s = e.at(i, j, k);
          Populations f, g;
          for (std::size_t p = 0; p < 19; ++p) {
            f[p] = state.f[p * n + s] + weight(static_cast<int>(p));
            g[p] = state.g[p * n + s];
          }
          collide(problem.fluid, problem.scheme, d[s], f, g);
          for (int p = 0; p < 19; ++p) {
            const auto from = static_cast<std::size_t>(p);
            std::int64_t to[3] = {i + c[p][0], j + c[p][1], k + c[p][2]};
            bool returns = false;
            double pushed = 0;
            for (int x = 0; x < 3; ++x) {
              const std::int64_t extent = e.extent(x);
              const Axis& axis = problem.axes[static_cast<std::size_t>(x)];
              if (to[x] >= 0 && to[x] < extent) continue;
              if (!axis.walls) {
                to[x] = (to[x] + extent) % extent;
                continue;
              }
              returns = true;
              const auto& wall = axis.velocity[to[x] < 0 ? 0 : 1];
              for (int y = 0; y < 3; ++y) pushed -= 6 * weight(p) * c[p][y] * wall[static_cast<std::size_t>(y)];
            }
            const std::size_t population = returns && p > 0 ? static_cast<std::size_t>(19 - p) : from;
            const std::size_t site = returns ? s : e.at(to[0], to[1], to[2]);
            f_next[population * n + site] = f[from] + pushed - weight(p);
            g_next[population * n + site] = g[from];
          }
        }
    state.f.swap(f_next);
    state.g.swap(g_next);
    ++state.step;
  }
}

}  // namespace speedwell::binary_fluid::reference
