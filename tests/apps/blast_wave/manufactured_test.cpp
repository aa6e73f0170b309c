// All terms of the oracle's right-hand side, cross terms of the stress with them, against the divergence of the exact
// fluxes of smooth fields whose gradients are written down: second order.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "speedwell/apps/blast_wave/verify/reference.hpp"

namespace speedwell::blast_wave {
namespace {

constexpr double tau = 2 * std::numbers::pi;
using Place = std::array<double, 3>;
using reference::Point;

/// 1 + a sin(k . x + phase) and its gradient.
struct Wave {
  double mean, a, k[3], phase;
  double operator()(const Place& x) const { return mean + a * std::sin(angle(x)); }
  double slope(const Place& x, int d) const { return a * tau * k[d] * std::cos(angle(x)); }
  double angle(const Place& x) const { return tau * (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]) + phase; }
};
constexpr Wave rho{1.2, 0.2, {1, 1, 0}, 0.3}, pressure{0.9, 0.15, {0, 1, -1}, 1.1};
constexpr Wave velocity[] = {{0.3, 0.2, {1, -1, 1}, 0.2}, {-0.2, 0.25, {1, 0, 1}, 0.9}, {0.1, 0.3, {-1, 1, 0}, 1.7}};

Point state(const Place& x) {
  const double r = rho(x), u[] = {velocity[0](x), velocity[1](x), velocity[2](x)};
  return {r, r * u[0], r * u[1], r * u[2], pressure(x) / 0.4 + 0.5 * r * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2])};
}

/// Convection and pressure less stress and heat, along d.
Point exact_flux(const Gas& gas, const Place& x, int d) {
  const Point q = state(x);
  const double p = pressure(x), mu = gas.viscosity();
  double u[3], divergence = 0;
  for (int m = 0; m < 3; ++m) {
    u[m] = velocity[m](x);
    divergence += velocity[m].slope(x, m);
  }
  Point f = {q[static_cast<std::size_t>(d) + 1], 0, 0, 0, (q[4] + p) * u[d]};
  for (int m = 0; m < 3; ++m) {
    const double stress =
        mu * (velocity[m].slope(x, d) + velocity[d].slope(x, m) - (m == d ? 2.0 / 3 * divergence : 0));
    f[static_cast<std::size_t>(m) + 1] = q[static_cast<std::size_t>(m) + 1] * u[d] + (m == d ? p : 0) - stress;
    f[4] -= u[m] * stress;
  }
  // e = p / ((gamma - 1) rho)
  const double e_slope = (pressure.slope(x, d) - p / rho(x) * rho.slope(x, d)) / (0.4 * rho(x));
  f[4] -= gas.gamma * mu / gas.prandtl * e_slope;
  return f;
}

/// By central differences of sixth order, whose error of about (tau h)^6 is far below that of the mesh.
Point divergence(const Gas& gas, const Place& x) {
  const double h = 2e-3, weight[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  Point sum = {};
  for (std::size_t d = 0; d < 3; ++d)
    for (int m = 0; m < 3; ++m) {
      Place up = x, down = x;
      up[d] += (m + 1) * h;
      down[d] -= (m + 1) * h;
      const Point a = exact_flux(gas, up, static_cast<int>(d)), b = exact_flux(gas, down, static_cast<int>(d));
      for (std::size_t c = 0; c < 5; ++c) sum[c] += weight[m] * (a[c] - b[c]) / h;
    }
  return sum;
}

TEST(BlastWaveReference, AllTermsAreOfSecondOrderOnSmoothFields) {
  Gas gas;
  gas.reynolds = 2;  // so that stress and heat are as large as the rest
  double error[2] = {};
  for (const int level : {0, 1}) {
    const std::int64_t n = 16 << level;
    Problem problem{.extents = {n, n, n}, .gas = gas, .kappa2 = 0, .kappa4 = 0};
    reference::Mesh q;
    const auto at = [&](std::int64_t p) {
      const auto step = static_cast<double>(n);
      return Place{static_cast<double>(p % n) / step, static_cast<double>(p / n % n) / step,
                   static_cast<double>(p / n / n) / step};
    };
    for (std::int64_t p = 0; p < n * n * n; ++p) q.push_back(state(at(p)));
    const reference::Mesh r = reference::right_hand_side(problem, q);
    for (std::int64_t p = 0; p < n * n * n; ++p) {
      const Point exact = divergence(gas, at(p));
      for (std::size_t c = 0; c < 5; ++c)
        error[level] = std::max(error[level], std::abs(r[static_cast<std::size_t>(p)][c] - exact[c]));
    }
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.1) << error[0] << " " << error[1];
}

}  // namespace
}  // namespace speedwell::blast_wave
