#include "speedwell/apps/blast_wave/verify/reference.hpp"

#include <algorithm>
#include <cmath>

namespace speedwell::blast_wave::reference {
namespace {

struct Index {
  std::int64_t at[3];
};

std::size_t offset(const Extents& e, Index i) {
  for (int d = 0; d < 3; ++d) {
    if (i.at[d] < 0) i.at[d] += e.extent(d);
    if (i.at[d] >= e.extent(d)) i.at[d] -= e.extent(d);
  }
  return static_cast<std::size_t>(i.at[0] + e.nx * (i.at[1] + e.ny * i.at[2]));
}
Index moved(Index i, int d, std::int64_t by) {
  i.at[d] += by;
  return i;
}

/// Calls body(index, offset) for all points, planes in parallel.
template <class Body>
void for_all(const Extents& e, const Body& body) {
#pragma omp parallel for schedule(static) if (e.points() > 2048)
  for (std::int64_t k = 0; k < e.nz; ++k)
    for (std::int64_t j = 0; j < e.ny; ++j)
      for (std::int64_t i = 0; i < e.nx; ++i) body(Index{{i, j, k}}, offset(e, {{i, j, k}}));
}

/// Adds the sums of planes in order, so that the result does not depend on the number of threads.
double dot(const Extents& e, const Mesh& a, const Mesh& b) {
  std::vector<double> of_plane(static_cast<std::size_t>(e.nz));
  const auto plane = static_cast<std::size_t>(e.nx * e.ny);
#pragma omp parallel for schedule(static) if (e.points() > 2048)
  for (std::size_t k = 0; k < of_plane.size(); ++k) {
    double sum = 0;
    for (std::size_t p = k * plane; p < (k + 1) * plane; ++p)
      for (std::size_t c = 0; c < 5; ++c) sum += a[p][c] * b[p][c];
    of_plane[k] = sum;
  }
  double sum = 0;
  for (const double s : of_plane) sum += s;
  return sum;
}

double pressure(const Gas& gas, const Point& q) {
  return (gas.gamma - 1) * (q[4] - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / (2 * q[0]));
}
double speed(const Gas& gas, const Point& q, int d) {
  return std::abs(q[static_cast<std::size_t>(d) + 1] / q[0]) + std::sqrt(gas.gamma * pressure(gas, q) / q[0]);
}
double spacing(const Extents& e, int d) { return 1 / static_cast<double>(e.extent(d)); }

struct FaceDissipation {
  double lambda, second, fourth;
};

FaceDissipation dissipation(const Problem& problem, const Mesh& q, Index i, int d) {
  const Extents& e = problem.extents;
  double p[4];
  for (int m = 0; m < 4; ++m) p[m] = pressure(problem.gas, q[offset(e, moved(i, d, m - 1))]);
  const double left = std::abs(p[2] - 2 * p[1] + p[0]) / (p[2] + 2 * p[1] + p[0]);
  const double right = std::abs(p[3] - 2 * p[2] + p[1]) / (p[3] + 2 * p[2] + p[1]);
  const double second = problem.kappa2 * std::max(left, right);
  return {0.5 * (speed(problem.gas, q[offset(e, i)], d) + speed(problem.gas, q[offset(e, moved(i, d, 1))], d)), second,
          std::max(0.0, problem.kappa4 - second)};
}

/// The numerical flux through the face between i and its neighbour along d.
Point face_flux(const Problem& problem, const Mesh& q, Index i, int d) {
  const Extents& e = problem.extents;
  const Gas& gas = problem.gas;
  const double mu = gas.viscosity();
  const Index next = moved(i, d, 1);
  const Point &before = q[offset(e, moved(i, d, -1))], &here = q[offset(e, i)], &there = q[offset(e, next)],
              &after = q[offset(e, moved(i, d, 2))];
  const FaceDissipation s = dissipation(problem, q, i, d);
  const Point f0 = flux(gas, here, d), f1 = flux(gas, there, d), g0 = diffused(gas, here, d),
              g1 = diffused(gas, there, d);
  Point f;
  for (std::size_t c = 0; c < 5; ++c)
    f[c] = 0.5 * (f0[c] + f1[c]) -
           0.5 * s.lambda *
               (s.second * (there[c] - here[c]) - s.fourth * (after[c] - 3 * there[c] + 3 * here[c] - before[c])) -
           mu * (g1[c] - g0[c]) / spacing(e, d);
  if (mu == 0) return f;
  // along(m, t) is the derivative of velocity m along direction t, at the face.
  const auto along = [&](int m, int t) {
    const auto velocity = [&](Index at) {
      const Point& w = q[offset(e, at)];
      return w[static_cast<std::size_t>(m) + 1] / w[0];
    };
    return ((velocity(moved(i, t, 1)) - velocity(moved(i, t, -1))) +
            (velocity(moved(next, t, 1)) - velocity(moved(next, t, -1)))) /
           (4 * spacing(e, t));
  };
  for (int m = 0; m < 3; ++m) {
    double stress = 0;
    if (m == d) {
      for (int t = 0; t < 3; ++t)
        if (t != d) stress += -2.0 / 3.0 * mu * along(t, t);
    } else {
      stress = mu * along(d, m);
    }
    const auto c = static_cast<std::size_t>(m) + 1;
    f[c] -= stress;
    f[4] -= stress * 0.5 * (here[c] / here[0] + there[c] / there[0]);
  }
  return f;
}

}  // namespace

template <class T>
Five<T> flux(const Gas& gas, const Five<T>& q, int d) {
  const T p = (gas.gamma - 1) * (q[4] - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / (2.0 * q[0]));
  const auto n = static_cast<std::size_t>(d) + 1;
  const T u = q[n] / q[0];
  Five<T> f = {q[n], q[1] * u, q[2] * u, q[3] * u, (q[4] + p) * u};
  f[n] += p;
  return f;
}

template <class T>
Five<T> diffused(const Gas& gas, const Five<T>& q, int d) {
  Five<T> g = {};
  T squares = 0, weighted = 0;
  for (std::size_t m = 1; m <= 3; ++m) {
    const double a = m == static_cast<std::size_t>(d) + 1 ? 4.0 / 3.0 : 1.0;
    const T u = q[m] / q[0];
    g[m] = a * u;
    weighted += 0.5 * a * u * u;
    squares += 0.5 * u * u;
  }
  g[4] = weighted + gas.gamma / gas.prandtl * (q[4] / q[0] - squares);
  return g;
}

template Five<double> flux(const Gas&, const Five<double>&, int);
template Five<std::complex<double>> flux(const Gas&, const Five<std::complex<double>>&, int);
template Five<double> diffused(const Gas&, const Five<double>&, int);
template Five<std::complex<double>> diffused(const Gas&, const Five<std::complex<double>>&, int);

Block flux_jacobian(const Gas& gas, const Point& q, int d) {
  const double g1 = gas.gamma - 1;
  const double u[] = {q[1] / q[0], q[2] / q[0], q[3] / q[0]};
  const double normal = u[d], phi = 0.5 * g1 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  const double enthalpy = (q[4] + pressure(gas, q)) / q[0];
  Block a = {};
  a[0][static_cast<std::size_t>(d) + 1] = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const double ki = i == static_cast<std::size_t>(d) ? 1 : 0;
    a[i + 1][0] = ki * phi - u[i] * normal;
    for (std::size_t j = 0; j < 3; ++j) {
      const double kj = j == static_cast<std::size_t>(d) ? 1 : 0;
      a[i + 1][j + 1] = kj * u[i] - g1 * ki * u[j] + (i == j ? normal : 0);
    }
    a[i + 1][4] = g1 * ki;
    a[4][i + 1] = ki * enthalpy - g1 * u[i] * normal;
  }
  a[4][0] = normal * (phi - enthalpy);
  a[4][4] = gas.gamma * normal;
  return a;
}

Block diffused_jacobian(const Gas& gas, const Point& q, int d) {
  const double heat = gas.gamma / gas.prandtl;
  Block g = {};
  double squares = 0, weighted = 0;
  for (std::size_t m = 1; m <= 3; ++m) {
    const double a = m == static_cast<std::size_t>(d) + 1 ? 4.0 / 3.0 : 1.0;
    const double u = q[m] / q[0];
    g[m][0] = -a * u / q[0];
    g[m][m] = a / q[0];
    g[4][m] = (a * u - heat * u) / q[0];
    weighted += a * u * u;
    squares += u * u;
  }
  g[4][0] = -weighted / q[0] + heat * (squares / q[0] - q[4] / (q[0] * q[0]));
  g[4][4] = heat / q[0];
  return g;
}

Mesh right_hand_side(const Problem& problem, const Mesh& q) {
  Mesh r(q.size());
  for_all(problem.extents, [&](Index i, std::size_t p) {
    r[p] = {};
    for (int d = 0; d < 3; ++d) {
      const Point high = face_flux(problem, q, i, d), low = face_flux(problem, q, moved(i, d, -1), d);
      for (std::size_t c = 0; c < 5; ++c) r[p][c] += (high[c] - low[c]) / spacing(problem.extents, d);
    }
  });
  return r;
}

Blocks blocks(const Problem& problem, const Mesh& q, double dt) {
  Blocks a(q.size());
  blocks(problem, q, dt, a);
  return a;
}

void blocks(const Problem& problem, const Mesh& q, double dt, Blocks& a) {
  const Extents& e = problem.extents;
  const double mu = problem.gas.viscosity(), step = problem.theta * dt;
  for_all(e, [&](Index i, std::size_t p) {
    a[p] = {};
    for (std::size_t c = 0; c < 5; ++c) a[p][0][c][c] = 1;
    for (int d = 0; d < 3; ++d) {
      const double h = spacing(e, d);
      const Block own = diffused_jacobian(problem.gas, q[p], d);
      for (int side = 0; side < 2; ++side) {
        const Point& neighbour = q[offset(e, moved(i, d, side == 0 ? -1 : 1))];
        const Block jacobian = flux_jacobian(problem.gas, neighbour, d),
                    diffusion = diffused_jacobian(problem.gas, neighbour, d);
        const FaceDissipation s = dissipation(problem, q, side == 0 ? moved(i, d, -1) : i, d);
        const double strength = 0.5 * s.lambda * (s.second + 2 * s.fourth);
        Block& off = a[p][static_cast<std::size_t>(1 + 2 * d + side)];
        for (std::size_t row = 0; row < 5; ++row) {
          for (std::size_t column = 0; column < 5; ++column) {
            off[row][column] =
                step * ((side == 0 ? -1 : 1) * jacobian[row][column] / (2 * h) - mu * diffusion[row][column] / (h * h));
            if (side == 0) a[p][0][row][column] += step * 2 * mu * own[row][column] / (h * h);
          }
          off[row][row] -= step * strength / h;
          a[p][0][row][row] += step * strength / h;
        }
      }
    }
  });
}

Mesh multiply(const Extents& e, const Blocks& a, const Mesh& x) {
  Mesh y(x.size());
  multiply(e, a, x, y);
  return y;
}

void multiply(const Extents& e, const Blocks& a, const Mesh& x, Mesh& y) {
  for_all(e, [&](Index i, std::size_t p) {
    Point sum = {};
    for (std::size_t b = 0; b < 7; ++b) {
      const int d = (static_cast<int>(b) - 1) / 2;
      const Point& v = b == 0 ? x[p] : x[offset(e, moved(i, d, b % 2 == 1 ? -1 : 1))];
      for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 5; ++column) sum[row] += a[p][b][row][column] * v[column];
    }
    y[p] = sum;
  });
}

double time_step(const Problem& problem, const Mesh& q) {
  if (problem.dt > 0) return problem.dt;
  double largest = 0;
  for (const Point& w : q) {
    double rate = 0;
    for (int d = 0; d < 3; ++d) rate += speed(problem.gas, w, d) / spacing(problem.extents, d);
    largest = std::max(largest, rate);
  }
  return problem.cfl / largest;
}

Solution bicgstab(const Extents& e, const Blocks& a, const Mesh& b, double max_squared_residual, int most) {
  Solution s{Mesh(b.size(), Point{})};
  const auto update = [&](Mesh& to, const auto& value) {
    for_all(e, [&](Index, std::size_t p) {
      for (std::size_t c = 0; c < 5; ++c) to[p][c] = value(p, c);
    });
  };
  Mesh r = multiply(e, a, s.x);
  update(r, [&](std::size_t p, std::size_t c) { return b[p][c] - r[p][c]; });
  Mesh shadow = r, p(b.size(), Point{}), v = p, t = p;
  double alpha = 1, omega0 = 1, rho0 = 1;
  while (s.residual = dot(e, r, r), s.residual - max_squared_residual > 0) {
    if (s.iterations == most) {
      s.stop_reason = StopReason::iteration_limit;
      break;
    }
    const double rho = dot(e, r, shadow), beta = rho / rho0 * (alpha / omega0);
    update(p, [&](std::size_t at, std::size_t c) { return r[at][c] + beta * (p[at][c] - omega0 * v[at][c]); });
    multiply(e, a, p, v);
    const double shadow_v = dot(e, shadow, v);
    alpha = rho / shadow_v;
    update(r, [&](std::size_t at, std::size_t c) { return r[at][c] - alpha * v[at][c]; });
    multiply(e, a, r, t);
    const double tt = dot(e, t, t), omega = tt > 0 ? dot(e, t, r) / tt : 0;  // 0: r is zero
    update(s.x, [&](std::size_t at, std::size_t c) { return s.x[at][c] + alpha * p[at][c] + omega * r[at][c]; });
    update(r, [&](std::size_t at, std::size_t c) { return r[at][c] - omega * t[at][c]; });
    rho0 = rho;
    omega0 = omega;
    ++s.iterations;
    const bool bad = !std::isfinite(alpha) || !std::isfinite(omega) || rho == 0 || omega == 0;
    if (!bad || dot(e, r, r) <= max_squared_residual) continue;
    s.stop_reason = StopReason::breakdown;
    s.residual = dot(e, r, r);
    break;
  }
  if (!std::isfinite(s.residual)) s.stop_reason = StopReason::breakdown;
  return s;
}

Mesh mesh_of(const State& s) {
  const auto n = static_cast<std::size_t>(s.extents.points());
  Mesh q(n);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t c = 0; c < 5; ++c) q[p][c] = s.q[c * n + p];
  return q;
}

History advance(const Problem& problem, State& state) {
  require_valid(problem);
  require_admissible(problem, state);
  const Extents& e = problem.extents;
  const auto n = static_cast<std::size_t>(e.points());
  History history;
  Mesh q = mesh_of(state);
  Blocks a(n);
  for (int step = 0; step < problem.steps; ++step) {
    StepRecord record;
    record.dt = time_step(problem, q);
    Mesh b = right_hand_side(problem, q);
    for (Point& w : b)
      for (double& value : w) value *= -record.dt;
    record.right_hand_side = dot(e, b, b);
    blocks(problem, q, record.dt, a);
    const Solution s = bicgstab(e, a, b, problem.max_squared_residual, problem.max_iterations);
    record.iterations = s.iterations;
    record.restarts = s.restarts;
    record.residual = s.residual;
    const Mesh ax = multiply(e, a, s.x);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c) b[p][c] -= ax[p][c];
    record.true_residual = dot(e, b, b);
    record.change = std::sqrt(dot(e, s.x, s.x));
    history.steps.push_back(record);
    history.stop_reason = s.stop_reason;
    if (history.stop_reason != StopReason::done) return history;
    Mesh next = q;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t c = 0; c < 5; ++c) next[p][c] += s.x[p][c];
      if (next[p][0] > 0 && pressure(problem.gas, next[p]) > 0 && std::isfinite(next[p][0]) &&
          std::isfinite(next[p][4]))
        continue;
      history.stop_reason = StopReason::not_admissible;
      history.point = static_cast<std::int64_t>(p);
      history.density = next[p][0];
      history.pressure = pressure(problem.gas, next[p]);
      return history;
    }
    q = std::move(next);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t c = 0; c < 5; ++c) state.q[c * n + p] = q[p][c];
    state.time += record.dt;
    ++state.step;
  }
  return history;
}

}  // namespace speedwell::blast_wave::reference
