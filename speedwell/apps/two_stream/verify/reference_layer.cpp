// One layer, written out.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "speedwell/apps/two_stream/verify/reference.hpp"

namespace speedwell::two_stream {
namespace {

template <class Real>
struct Alphas {
  Real sum, diff, xi;  // xi without mu0
};

template <class Real>
Alphas<Real> alphas(Closure closure, Real omega, Real g) {
  const Real root3 = std::sqrt(Real(3)), D = Real(1.66L);
  switch (closure) {
    case Closure::eddington:
      return {Real(1.5) * (1 - omega * g), 2 * (1 - omega), Real(1.5) * g};
    case Closure::discrete_ordinates:
      return {root3 * (1 - omega * g), root3 * (1 - omega), root3 * g};
    case Closure::pifm85:
      return {2 - Real(1.5) * omega * g, 2 * (1 - omega), Real(1.5) * g};
    case Closure::elsasser:
      return {D - Real(1.5) * omega * g, D * (1 - omega), Real(1.5) * g};
    case Closure::test:
      return {Real(1.5) - Real(1.5) * omega * g, Real(1.5) * (1 - omega), Real(1.5) * g};
    case Closure::hemispheric_mean:
      return {2 * (1 - omega * g), 2 * (1 - omega), Real(1.5) * g};
    case Closure::pifm80:
      return {2 - Real(1.5) * omega * g - Real(0.5) * omega, 2 * (1 - omega), Real(1.5) * g};
  }
  throw std::invalid_argument("two_stream: no such closure");
}

// Gauss-Legendre on (-1, 1), eight points: Abramowitz & Stegun, table 25.4.
constexpr double gauss_x[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
constexpr double gauss_w[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

}  // namespace

template <class Real>
LayerOptics<Real> delta_scaled(const LayerOptics<Real>& layer) {
  const Real f = layer.g * layer.g;
  return {layer.tau * (1 - layer.omega * f), layer.omega * (1 - f) / (1 - layer.omega * f), (layer.g - f) / (1 - f)};
}

template <class Real>
LayerAnswer<Real> reference_sun(Closure closure, const LayerOptics<Real>& layer, Real mu0) {
  const auto [sum, diff, xi] = alphas(closure, layer.omega, layer.g);
  const Real lambda = std::sqrt(std::max(sum * diff, Real(0))), sec0 = 1 / mu0;
  if (std::abs(lambda - sec0) < Real(0.01) * sec0) return by_doubling(closure, layer, mu0);
  const Real gamma1 = (sum + diff) / 2, gamma2 = (sum - diff) / 2;
  const Real slope = lambda > 0 ? std::tanh(lambda * layer.tau) / lambda : layer.tau;
  LayerAnswer<Real> a;
  a.R = gamma2 * slope / (1 + gamma1 * slope);
  a.T = 1 / std::cosh(lambda * layer.tau) / (1 + gamma1 * slope);
  a.T0 = std::exp(-layer.tau * sec0);
  const Real xi0 = xi * mu0;
  const Real fac = layer.omega * sec0 / 2 / ((lambda - sec0) * (lambda + sec0));
  const Real gamma_up = fac * (sum - sec0 - xi0 * (diff - sec0));
  const Real gamma_dn = fac * (sum + sec0 + xi0 * (diff + sec0));
  a.Rdir = gamma_up - a.R * gamma_dn - gamma_up * a.T * a.T0;
  a.Tdir = a.T0 * (gamma_dn - gamma_up * a.R) - gamma_dn * a.T;
  return a;
}

template <class Real>
LayerAnswer<Real> by_doubling(Closure closure, const LayerOptics<Real>& layer, Real mu0) {
  const auto [sum, diff, xi] = alphas(closure, layer.omega, layer.g);
  const Real gamma1 = (sum + diff) / 2, gamma2 = (sum - diff) / 2, sec0 = 1 / mu0;
  const Real up = layer.omega * sec0 * (1 - xi * mu0) / 2, down = layer.omega * sec0 * (1 + xi * mu0) / 2;
  // d/dt (U, D, F) = A (U, D, F), t downwards.
  const Real A[3][3] = {{gamma1, -gamma2, -up}, {gamma2, -gamma1, down}, {0, 0, -sec0}};
  int doublings = 0;
  Real h = layer.tau;
  while (h * (sec0 + std::abs(gamma1) + std::abs(gamma2)) > Real(1) / 16) {
    h /= 2;
    ++doublings;
  }
  Real M[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int n = 1; n <= 14; ++n) {  // 16^-15 / 15! is below any rounding error
    Real next[3][3] = {};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) next[i][j] += term[i][k] * A[k][j] * h / n;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M[i][j] += term[i][j] = next[i][j];
  }
  LayerAnswer<Real> a;
  a.T = 1 / M[0][0];
  a.R = -M[0][1] / M[0][0];
  a.T0 = M[2][2];
  a.Rdir = -M[0][2] / M[0][0];
  a.Tdir = M[1][2] + M[1][0] * a.Rdir;
  for (; doublings > 0; --doublings) {
    const Real between = 1 / (1 - a.R * a.R);
    const Real D = (a.Tdir + a.R * a.T0 * a.Rdir) * between, U = (a.R * a.Tdir + a.T0 * a.Rdir) * between;
    a.Rdir += a.T * U;
    a.Tdir = a.T0 * a.Tdir + a.T * D;
    a.R += a.T * a.T * a.R * between;
    a.T *= a.T * between;
    a.T0 *= a.T0;
  }
  return a;
}

template <class Real>
LayerAnswer<Real> reference_thermal(Closure closure, const LayerOptics<Real>& layer) {
  const auto [sum, diff, xi] = alphas(closure, layer.omega, layer.g);
  (void)xi;
  const Real tau = layer.tau, lambda = std::sqrt(std::max(sum * diff, Real(0))), y = lambda * tau;
  const Real gamma1 = (sum + diff) / 2, gamma2 = (sum - diff) / 2;
  const Real slope = lambda > 0 ? std::tanh(y) / lambda : tau;
  LayerAnswer<Real> a;
  a.R = gamma2 * slope / (1 + gamma1 * slope);
  a.T = 1 / std::cosh(y) / (1 + gamma1 * slope);
  if (y >= 1) {
    a.c1 = (1 - a.T + a.R) / (tau * sum);
    a.c2 = -(1 + a.R + a.T - 2 * (1 - a.T - a.R) / (diff * tau)) / (sum * tau);
    return a;
  }
  // The differential fluxes have the source dB/dt upwards and -dB/dt downwards at depth t = x tau. The part that leaves
  // the top between black boundaries is [cosh lambda(tau - t) + diff sinh lambda(tau - t) / lambda] over the same at t
  // = 0 with gamma1 for diff; and B = B_top + dB x - d2B x (1 - x), so that dB/dx = dB + d2B (2x - 1).
  const Real below = std::cosh(y) + gamma1 * (lambda > 0 ? std::sinh(y) / lambda : tau);
  a.c1 = a.c2 = 0;
  for (int i = 0; i < 8; ++i) {
    const Real x = (1 + (i < 4 ? -1 : 1) * Real(gauss_x[i % 4])) / 2, left = lambda * tau * (1 - x);
    const Real response = (std::cosh(left) + diff * (lambda > 0 ? std::sinh(left) / lambda : tau * (1 - x))) / below *
                          Real(gauss_w[i % 4]) / 2;
    a.c1 += response;
    a.c2 += response * (2 * x - 1);
  }
  return a;
}

LayerAnswer<double> original_layer(Closure closure, LayerOptics<double> layer, double mu0,
                                   const Tolerances& tolerances) {
  layer.omega = std::min(layer.omega, 1 - tolerances.cap);
  auto [sum, diff, xi] = alphas(closure, layer.omega, layer.g);
  double lambda = std::sqrt(sum * diff);
  const double tau = layer.tau, sec0 = mu0 > 0 ? 1 / mu0 : 0;
  if (mu0 > 0 && std::abs(lambda - sec0) < tolerances.near_beam) {
    sum *= 1 + tolerances.near_beam;
    diff *= 1 + tolerances.near_beam;
    lambda *= 1 + tolerances.near_beam;
  }
  const double Gamma = (sum - lambda) / (sum + lambda), e = std::exp(-lambda * tau);
  LayerAnswer<double> a;
  a.T = e * (1 - Gamma * Gamma) / (1 - e * e * Gamma * Gamma);
  a.R = Gamma * (1 - e * e) / (1 - e * e * Gamma * Gamma);
  if (mu0 > 0) {
    a.T0 = std::exp(-tau * sec0);
    const double fac = 0.5 * layer.omega * sec0 / ((lambda - sec0) * (lambda + sec0));
    const double gamma_up = fac * (sum - sec0 - xi * mu0 * (diff - sec0));
    const double gamma_dn = fac * (sum + sec0 + xi * mu0 * (diff + sec0));
    a.Rdir = gamma_up - a.R * gamma_dn - gamma_up * a.T * a.T0;
    a.Tdir = a.T0 * (gamma_dn - gamma_up * a.R) - gamma_dn * a.T;
    return a;
  }
  const double added = tolerances.added;
  a.c1 = (1 - a.T + a.R + added) / (added + tau * sum);
  const double last =
      tau > tolerances.asymptotic ? -2 * (1 - a.T - a.R + added) / (diff * tau + added) : -2 + diff * tau;
  a.c2 = -(1 + a.R + a.T + last) / (added + sum * tau);
  return a;
}

template <class T>
LayerCoefficients LayerOracle<T>::operator()(std::int64_t k) const {
  LayerOptics<double> layer{static_cast<double>(a_.optical_depth[k]), static_cast<double>(a_.albedo[k]),
                            static_cast<double>(a_.asymmetry[k])};
  if (options_.delta) layer = delta_scaled(layer);
  if (a_.source == Source::sun) {
    const auto e = reference_sun(options_.closure, layer, static_cast<double>(a_.mu0[k % a_.columns]));
    return {e.R, e.T, e.Rdir, e.Tdir, e.T0};
  }
  const auto e = reference_thermal(options_.closure, layer);
  return {e.R, e.T, e.c1, e.c2, e.T0};
}

template <class T>
LayerAnswers reference_layers(const Atmosphere<T>& a, const Options& options) {
  const LayerOracle<T> oracle(a, options);
  LayerAnswers all(static_cast<std::size_t>(oracle.layers()), core::Pages::large);
#pragma omp parallel for schedule(dynamic, layers_at_a_time)
  for (std::int64_t k = 0; k < oracle.layers(); ++k) all[static_cast<std::size_t>(k)] = oracle(k);
  return all;
}

template class LayerOracle<float>;
template class LayerOracle<double>;
template LayerAnswers reference_layers(const Atmosphere<float>&, const Options&);
template LayerAnswers reference_layers(const Atmosphere<double>&, const Options&);

#define SPEEDWELL_INSTANTIATE(Real)                                                  \
  template LayerOptics<Real> delta_scaled(const LayerOptics<Real>&);                 \
  template LayerAnswer<Real> reference_sun(Closure, const LayerOptics<Real>&, Real); \
  template LayerAnswer<Real> by_doubling(Closure, const LayerOptics<Real>&, Real);   \
  template LayerAnswer<Real> reference_thermal(Closure, const LayerOptics<Real>&);
SPEEDWELL_INSTANTIATE(double)
SPEEDWELL_INSTANTIATE(long double)
#undef SPEEDWELL_INSTANTIATE

}  // namespace speedwell::two_stream
