#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double window = 0.1;  // relative width in time, on both sides, of the fit of the exponent

double edge(const Problem& problem, std::size_t d) { return problem.faces[d].back() - problem.faces[d].front(); }

// The wavenumber of bin m of n, in units of 2 pi / edge.
int wave(int m, int n) { return m <= n / 2 ? m : m - n; }

}  // namespace

double Spectrum::energy_in_all() const {
  double sum = 0;
  for (const double e : energy) sum += e * width;
  return sum;
}

double Spectrum::integral_length() const {
  double sum = 0;
  for (std::size_t m = 1; m < energy.size(); ++m) sum += energy[m] / static_cast<double>(m);
  return std::numbers::pi / (4. / 3 * energy_in_all()) * sum;
}

void require_spectra(const Problem& problem) {
  for (int d = 0; d < 3; ++d)
    if (!problem.periodic(d) || !problem.uniform(d))
      throw std::invalid_argument(std::string("a spectrum requires a periodic box with a uniform mesh; along ") +
                                  "xyz"[d] + " the box has " + (problem.periodic(d) ? "a non-uniform mesh" : "walls"));
}

template <class T>
Spectrum spectrum_of(const Problem& problem, const State<T>& state) {
  require_spectra(problem);
  const Extents e = problem.extents();
  const double turn = 2 * std::numbers::pi;
  Spectrum s;
  const double longest = std::max({edge(problem, 0), edge(problem, 1), edge(problem, 2)});
  s.width = turn / longest;
  double corner = 0;
  std::array<double, 3> unit;  // unit of wavenumbers along each axis, in widths of shells
  for (std::size_t d = 0; d < 3; ++d) {
    unit[d] = longest / edge(problem, d);
    const double max_wavenumber = unit[d] * (e.extent(static_cast<int>(d)) / 2);
    corner += max_wavenumber * max_wavenumber;
  }
  const auto shells = static_cast<std::size_t>(std::sqrt(corner) + 0.5) + 1;

  fft::RealPlan<double> plan({.extents = {e.nz, e.ny, e.nx}});
  core::HostBuffer<double> values(static_cast<std::size_t>(e.cells()));
  core::HostBuffer<double> memory(2 * static_cast<std::size_t>(plan.spectrum_points()));
  const std::span<std::complex<double>> modes = {reinterpret_cast<std::complex<double>*>(memory.data()),
                                                 memory.size() / 2};
  const int nk = e.nx / 2 + 1;
  const double scale = 1 / static_cast<double>(e.cells());
  for (std::size_t c = 0; c < 3; ++c) {
    std::copy(state.velocity[c].begin(), state.velocity[c].end(), values.begin());
    plan.forward(values.span(), modes);
    // Sums are computed per plane and added in order, so that they do not depend on the number of threads.
    std::vector<std::vector<double>> of_planes(static_cast<std::size_t>(e.nz), std::vector<double>(shells));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < e.nz; ++k)
      for (int j = 0; j < e.ny; ++j)
        for (int i = 0; i < nk; ++i) {
          if (i == 0 && j == 0 && k == 0) continue;
          const double a = unit[0] * i, b = unit[1] * wave(j, e.ny), d = unit[2] * wave(k, e.nz);
          const auto shell = static_cast<std::size_t>(std::sqrt(a * a + b * b + d * d) + 0.5);
          const bool single = i == 0 || 2 * i == e.nx;  // otherwise its conjugate is not stored
          const auto at = (static_cast<std::size_t>(k) * static_cast<std::size_t>(e.ny) + static_cast<std::size_t>(j)) *
                              static_cast<std::size_t>(nk) +
                          static_cast<std::size_t>(i);
          of_planes[static_cast<std::size_t>(k)][shell] += (single ? 0.5 : 1) * std::norm(modes[at] * scale);
        }
    s.of_component[c].assign(shells, 0);
    for (const auto& plane : of_planes)
      for (std::size_t m = 0; m < shells; ++m) s.of_component[c][m] += plane[m] / s.width;
  }
  for (std::size_t m = 0; m < shells; ++m)
    s.energy.push_back(s.of_component[0][m] + s.of_component[1][m] + s.of_component[2][m]);
  return s;
}

std::string spectrum_text(const Spectrum& s, double viscosity) {
  std::string text = "kappa,E,dissipation,E_u,E_v,E_w\n";
  for (std::size_t m = 0; m < s.energy.size(); ++m) {
    const double kappa = static_cast<double>(m) * s.width;
    text += fmt::format("{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", kappa, s.energy[m],
                        2 * viscosity * kappa * kappa * s.energy[m], s.of_component[0][m], s.of_component[1][m],
                        s.of_component[2][m]);
  }
  return text;
}

std::vector<double> decay_exponents(std::span<const double> times, std::span<const double> energy,
                                    std::span<const double> dissipation) {
  if (energy.size() != times.size() || dissipation.size() != times.size())
    throw std::invalid_argument(
        fmt::format("{} times, {} energies and {} dissipations", times.size(), energy.size(), dissipation.size()));
  std::vector<double> exponents;
  for (const double t : times) {
    double count = 0, st = 0, sy = 0, stt = 0, sty = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double x = times[i] - t, y = energy[i] / dissipation[i];
      if (std::abs(x) > window * t * (1 + 1e-12)) continue;
      ++count;
      st += x;
      sy += y;
      stt += x * x;
      sty += x * y;
    }
    const double slope = (count * sty - st * sy) / (count * stt - st * st);
    exponents.push_back(count < 3 ? std::numeric_limits<double>::quiet_NaN() : 1 / slope);
  }
  return exponents;
}

template Spectrum spectrum_of(const Problem&, const State<float>&);
template Spectrum spectrum_of(const Problem&, const State<double>&);

}  // namespace speedwell::incompressible_flow
