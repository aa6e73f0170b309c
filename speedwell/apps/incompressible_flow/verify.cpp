#include "speedwell/apps/incompressible_flow/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace speedwell::incompressible_flow {
namespace {

// Distance and size of the oracle, squared, over all cells.
struct Distance {
  double difference = 0, size = 0;
  double relative() const { return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference); }
};

template <class T>
Distance distance(const Extents& whole, const Extents& tile, const core::HostBuffer<double>& expected,
                  const core::HostBuffer<T>& got) {
  double difference = 0, size = 0;
#pragma omp parallel for reduction(+ : difference, size)
  for (int k = 0; k < whole.nz; ++k)
    for (int j = 0; j < whole.ny; ++j)
      for (int i = 0; i < whole.nx; ++i) {
        const double e = expected[tile.at(i % tile.nx, j % tile.ny, k % tile.nz)];
        const double d = static_cast<double>(got[whole.at(i, j, k)]) - e;
        difference += d * d;
        size += e * e;
      }
  return {difference, size};
}

// Outflow of cells, times their least width over the largest velocity. Longhand, as the oracle.
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
        double out = 0, least = std::numeric_limits<double>::infinity();
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
          least = std::min(least, width(c, n));
          fastest = std::max(fastest, std::abs(high));
        }
        largest = std::max(largest, std::abs(out) * least);
        finite = finite && std::isfinite(out);
      }
  if (!finite) return std::numeric_limits<double>::quiet_NaN();
  return fastest > 0 ? largest / fastest : largest;
}

}  // namespace

template <class T>
core::Verdict verify(const Problem& problem, const State<double>& expected, const State<T>& got, int steps) {
  const Extents whole = problem.extents(), tile = expected.extents;
  if (!(got.extents == whole) || whole.nx % tile.nx || whole.ny % tile.ny || whole.nz % tile.nz)
    throw std::invalid_argument("flows of meshes that do not go together");
  Distance velocity;
  for (std::size_t c = 0; c < 3; ++c) {
    const Distance d = distance(whole, tile, expected.velocity[c], got.velocity[c]);
    velocity.difference += d.difference;
    velocity.size += d.size;
  }
  const Distance pressure = distance(whole, tile, expected.pressure, got.pressure);
  // A velocity takes some tens of roundings in each of the three parts of a step, which random signs make 10 at most in
  // the norm; the pressure is a second integral of differences of velocities over the step and carries their roundings
  // n / pi times, n cells along an axis, over a convective change of CFL ~ 1/4 of them. Solves by conjugate gradients,
  // of tolerance 1e-10 (1e-5 in single precision), leave as much in every part of a step.
  constexpr double rounding = std::numeric_limits<T>::epsilon();
  const double solves = sizeof(T) == 8 ? 1e-10 : 1e-5;
  const double n = std::max({whole.nx, whole.ny, whole.nz});
  const double of_velocity = 3 * steps * (10 * rounding + solves);
  const double of_pressure = of_velocity * 4 * n;
  const double of_divergence = 2 * (10 * rounding * std::sqrt(n) + solves * n);
  const double shares[] = {velocity.relative() / of_velocity, pressure.relative() / of_pressure,
                           divergence_left(problem, got) / of_divergence};
  const char* names[] = {"relative distance of velocities", "relative distance of pressures",
                         "divergence times width over velocity"};
  const double tolerances[] = {of_velocity, of_pressure, of_divergence};
  int worst = 0;
  for (int i = 1; i < 3 && !std::isnan(shares[worst]); ++i)
    if (!(shares[i] <= shares[worst])) worst = i;
  return core::Verdict::judge(shares[worst] * tolerances[worst], tolerances[worst],
                              std::string("serial reference, ") + names[worst]);
}

template core::Verdict verify(const Problem&, const State<double>&, const State<float>&, int);
template core::Verdict verify(const Problem&, const State<double>&, const State<double>&, int);

}  // namespace speedwell::incompressible_flow
