#include "speedwell/apps/incompressible_flow/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace speedwell::incompressible_flow {
namespace {

// Squared norms over all cells of the difference and of the oracle.
struct Distance {
  double difference = 0, size = 0;
  double relative() const { return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference); }
};

template <class T>
Distance distance(const core::HostBuffer<double>& expected, const core::HostBuffer<T>& got) {
  double difference = 0, size = 0;
#pragma omp parallel for reduction(+ : difference, size)
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const double d = static_cast<double>(got[n]) - expected[n];
    difference += d * d;
    size += expected[n] * expected[n];
  }
  return {difference, size};
}

// The Laplacian of the difference of pressures without solids, and the magnitude of its terms: the sum of the
// magnitudes of all pressures in it and of all velocities in its right-hand side, the divergence over dt. Written out,
// as in the oracle.
template <class T>
Distance poisson_distance(const Problem& problem, const State<double>& expected, const State<T>& got, double dt) {
  const Extents e = got.extents;
  double difference = 0, size = 0;
#pragma omp parallel for collapse(2) reduction(+ : difference, size)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const int here[3] = {i, j, k};
        const std::size_t n = e.at(i, j, k);
        double laplacian = 0, magnitude = 0;
        for (int d = 0; d < 3; ++d) {
          const auto c = static_cast<std::size_t>(d);
          const auto& f = problem.faces[c];
          const auto width = [&](int at) {
            return f[static_cast<std::size_t>(at) + 1] - f[static_cast<std::size_t>(at)];
          };
          const int count = e.extent(d);
          for (const int to : {-1, 1}) {
            int other[3] = {i, j, k};
            other[d] += to;
            if (other[d] < 0 || other[d] >= count) {
              if (!problem.periodic(d)) continue;
              other[d] = other[d] < 0 ? count - 1 : 0;
            }
            const std::size_t m = e.at(other[0], other[1], other[2]);
            const double own = width(here[d]), weight = 2 / (own * (own + width(other[d])));
            const auto off = [&](std::size_t at) {
              return static_cast<double>(got.pressure[at]) - expected.pressure[at];
            };
            laplacian += weight * (off(m) - off(n));
            magnitude += weight * (std::abs(expected.pressure[m]) + std::abs(expected.pressure[n]));
            magnitude += std::abs(expected.velocity[c][to < 0 ? m : n]) / (own * dt);
          }
        }
        difference += laplacian * laplacian;
        size += magnitude * magnitude;
      }
  return {difference, size};
}

double largest_width(const Problem& problem) {
  double largest = 0;
  for (const auto& f : problem.faces)
    for (std::size_t i = 1; i < f.size() && f.size() > 2; ++i) largest = std::max(largest, f[i] - f[i - 1]);
  return largest;
}

// Outflow of cells, times their minimum width over the largest velocity. Written out, as in the oracle.
template <class T>
double divergence_left(const Problem& problem, const State<T>& s) {
  const Extents e = s.extents;
  const auto width = [&](std::size_t d, int i) {
    return problem.faces[d][static_cast<std::size_t>(i) + 1] - problem.faces[d][static_cast<std::size_t>(i)];
  };
  double largest = 0, fastest = 0;
  bool finite = true;
#pragma omp parallel for reduction(max : largest, fastest) reduction(&& : finite)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        double out = 0, min_width = std::numeric_limits<double>::infinity();
        for (int d = 0; d < 3; ++d) {
          const auto c = static_cast<std::size_t>(d);
          int before[3] = {i, j, k};
          const int n = before[d];
          before[d] = n > 0 ? n - 1 : e.extent(d) - 1;
          const double high = static_cast<double>(s.velocity[c][e.at(i, j, k)]);
          const double low = n > 0 || problem.periodic(d)
                                 ? static_cast<double>(s.velocity[c][e.at(before[0], before[1], before[2])])
                                 : 0;
          out += (high - low) / width(c, n);
          min_width = std::min(min_width, width(c, n));
          fastest = std::max(fastest, std::abs(high));
        }
        largest = std::max(largest, std::abs(out) * min_width);
        finite = finite && std::isfinite(out);
      }
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  return fastest > 0 ? largest / fastest : largest;
}

}  // namespace

// Roundings of direct runs, eps = 2 u. A velocity takes some ten roundings in each of the three parts of a step, of
// random signs: sqrt(10) u = 1.6 eps of the norm; a solve for diffusion ends at 10 eps in a norm that weighs cells by
// their volumes, 40 eps where these differ. All parts with one sign: 3 steps times that.
//
// The pressure p of the last part has the right-hand side div u* / (length dt), length 1/3. What u* is rounded to, 1.6
// eps |u|, is a gradient of p over that time: p is off by no more than 5 eps |u| h / dt, h the widest cell, and its
// Laplacian by 5 eps of the magnitudes of its terms. Transforms round 3 log2 n eps of |p|. Tridiagonal systems of n
// rows are solved to a residual of rounding, which comes back n^2 times (condition 4 n^2 / pi^2) in the one mode that
// has no share of the transforms' eigenvalues: n^2 eps of f64 where that mode is computed in it, and n eps of what goes
// into it. A GPU computes it in the run's precision: twice summed, n roundings of random signs leave n^(3/2) eps.
// Explicit steps have p from one part; otherwise increments of all parts are added up.
//
// Seen on the host: 0.06 of what velocities may (trapezoidal 0.2), 0.2 of what Laplacians may, and of pressures 0.2,
// between walls 0.4; of pressures on a GPU in f32 at 33^3 0.3.
template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, const Steps& steps) {
  if (!(got.extents == problem.extents()) || !(expected.extents == got.extents))
    throw std::invalid_argument("flows of meshes that do not go together");
  Distance velocity;
  for (std::size_t c = 0; c < 3; ++c) {
    const Distance d = distance(expected.velocity[c], got.velocity[c]);
    velocity.difference += d.difference;
    velocity.size += d.size;
  }
  const Distance pressure = distance(expected.pressure, got.pressure);
  // With iterations: a velocity takes some tens of roundings in each of the three parts of a step, which random signs
  // make 10 at most in the norm; the pressure is a second integral of differences of velocities over the step and
  // carries their roundings n / pi times, n cells along an axis, over a convective change of CFL ~ 1/4 of them. Solves
  // by conjugate gradients, of tolerance 1e-10 (1e-5 in single precision), leave as much in every part of a step.
  constexpr double eps = std::numeric_limits<T>::epsilon();
  const double solves = steps.direct ? 0 : sizeof(T) == 8 ? 1e-10 : 1e-5;
  const double n = std::max({got.extents.nx, got.extents.ny, got.extents.nz});
  struct Check {
    const char* name;
    double error, tolerance;
  };
  std::vector<Check> checks;
  const double parts = 3 * steps.count, part = steps.trapezoidal ? 41.6 : 1.6;
  const double of_velocity = steps.direct ? parts * part * eps : parts * (10 * eps + solves);
  checks.push_back({"relative distance of velocities", velocity.relative(), of_velocity});
  if (steps.direct) {
    constexpr double eps_f64 = std::numeric_limits<double>::epsilon();
    const double increments = steps.trapezoidal ? parts : 1;
    const double mode = std::max(n * n * eps_f64, steps.mode_in_f64 ? 0 : n * std::sqrt(n) * eps);
    const double gradients = std::sqrt(velocity.size) * largest_width(problem) / steps.dt;
    const double of_p = std::sqrt(pressure.size) > 0 ? gradients / std::sqrt(pressure.size) : 0;
    checks.push_back({"relative distance of pressures", pressure.relative(),
                      increments * (eps * (3 * part * of_p + 3 * std::log2(n + 1) + n) + mode)});
    checks.push_back({"Laplacian of the distance of pressures over its terms",
                      poisson_distance(problem, expected, got, steps.dt).relative(), increments * 3 * part * eps});
  } else {
    checks.push_back({"relative distance of pressures", pressure.relative(), of_velocity * 4 * n});
  }
  checks.push_back({"divergence times width over velocity", divergence_left(problem, got),
                    2 * (10 * eps * std::sqrt(n) + solves * n)});
  const Check* worst = &checks.front();
  for (const Check& check : checks) {
    if (std::isnan(worst->error)) break;
    if (!(check.error / check.tolerance <= worst->error / worst->tolerance)) worst = &check;
  }
  return core::Verdict::from_error(worst->error, worst->tolerance, std::string("reference, ") + worst->name);
}

template core::Verdict verify(const Problem&, const State<double>&, const State<float>&, const Steps&);
template core::Verdict verify(const Problem&, const State<double>&, const State<double>&, const Steps&);

}  // namespace speedwell::incompressible_flow
