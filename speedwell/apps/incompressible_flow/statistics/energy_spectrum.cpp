#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "speedwell/core/host_buffer.hpp"
#include "speedwell/numerics/fft/fft.hpp"

namespace speedwell::incompressible_flow {
namespace {

constexpr double window = 0.1;  // relative width in time, on both sides, of the fit of the exponent

double edge(const Problem& problem, std::size_t d) { return problem.faces[d].back() - problem.faces[d].front(); }

// The wavenumber of bin m of n, in units of 2 pi / edge.
int wave(int m, int n) { return m <= n / 2 ? m : m - n; }

double longest_edge(const Problem& problem) { return std::max({edge(problem, 0), edge(problem, 1), edge(problem, 2)}); }

// The last shell whose wavenumber all axes resolve.
std::size_t resolved_shells(const Problem& problem) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < 3; ++d)
    smallest = std::min(smallest,
                        longest_edge(problem) / edge(problem, d) * problem.extents().extent(static_cast<int>(d)) / 2);
  return static_cast<std::size_t>(smallest * (1 + 1e-12));  // edges are differences of rounded faces
}

// Transforms of fields, and the shells of their modes.
class Modes {
 public:
  explicit Modes(const Problem& problem)
      : e_(problem.extents()),
        plan_({.extents = {e_.nz, e_.ny, e_.nx}}),
        values_(static_cast<std::size_t>(e_.cells())),
        memory_(2 * static_cast<std::size_t>(plan_.spectrum_points())) {
    longest_ = longest_edge(problem);
    double corner = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      unit_[d] = longest_ / edge(problem, d);
      const int n = e_.extent(static_cast<int>(d));
      const double max_wavenumber = unit_[d] * (n / 2);
      corner += max_wavenumber * max_wavenumber;
    }
    shells_ = static_cast<std::size_t>(std::sqrt(corner) + 0.5) + 1;
  }

  std::size_t shells() const { return shells_; }
  double width() const { return 2 * std::numbers::pi / longest_; }

  template <class T>
  void forward(std::span<const T> field) {
    std::copy(field.begin(), field.end(), values_.begin());
    plan_.forward(values_.span(), modes());
  }
  /// The inverse of forward().
  template <class T>
  void backward(std::span<T> field) {
    plan_.backward(modes(), values_.span());
    const double scale = 1 / static_cast<double>(e_.cells());
    std::transform(values_.begin(), values_.end(), field.begin(), [&](double x) { return static_cast<T>(scale * x); });
  }

  /// Calls use(shell, stands_for, mode) for every mode of plane k that is stored, but for the mean; it stands for
  /// itself and, if `stands_for` is 2, for its conjugate, which is not stored.
  template <class Use>
  void for_each_of_plane(int k, const Use& use) {
    const int nk = e_.nx / 2 + 1;
    for (int j = 0; j < e_.ny; ++j)
      for (int i = 0; i < nk; ++i) {
        if (i == 0 && j == 0 && k == 0) continue;
        const double a = unit_[0] * i, b = unit_[1] * wave(j, e_.ny), d = unit_[2] * wave(k, e_.nz);
        const auto shell = static_cast<std::size_t>(std::sqrt(a * a + b * b + d * d) + 0.5);
        const auto at = (static_cast<std::size_t>(k) * static_cast<std::size_t>(e_.ny) + static_cast<std::size_t>(j)) *
                            static_cast<std::size_t>(nk) +
                        static_cast<std::size_t>(i);
        use(shell, i == 0 || 2 * i == e_.nx ? 1 : 2, modes()[at]);
      }
  }

 private:
  std::span<std::complex<double>> modes() {
    return {reinterpret_cast<std::complex<double>*>(memory_.data()), memory_.size() / 2};
  }

  Extents e_;
  fft::RealPlan<double> plan_;
  core::HostBuffer<double> values_, memory_;
  std::array<double, 3> unit_{};  // unit of wavenumbers along each axis, in widths of shells
  double longest_ = 0;
  std::size_t shells_ = 0;
};

template <class T>
Spectrum spectrum_with(Modes& modes, const State<T>& state) {
  Spectrum s;
  s.width = modes.width();
  const std::size_t shells = modes.shells();
  const double scale = 1 / static_cast<double>(state.extents.cells());
  for (std::size_t c = 0; c < 3; ++c) {
    modes.forward(std::span<const T>(state.velocity[c].data(), state.velocity[c].size()));
    // Sums are computed per plane and added in order, so that they do not depend on the number of threads.
    std::vector<std::vector<double>> of_planes(static_cast<std::size_t>(state.extents.nz), std::vector<double>(shells));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < state.extents.nz; ++k)
      modes.for_each_of_plane(k, [&](std::size_t shell, int stands_for, const std::complex<double>& mode) {
        of_planes[static_cast<std::size_t>(k)][shell] += 0.5 * stands_for * std::norm(mode * scale);
      });
    s.of_component[c].assign(shells, 0);
    for (const auto& plane : of_planes)
      for (std::size_t m = 0; m < shells; ++m) s.of_component[c][m] += plane[m] / s.width;
  }
  for (std::size_t m = 0; m < shells; ++m)
    s.energy.push_back(s.of_component[0][m] + s.of_component[1][m] + s.of_component[2][m]);
  return s;
}

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

void require_resolved_shell(const Problem& problem) {
  require_spectra(problem);
  if (resolved_shells(problem) == 0)
    throw std::invalid_argument(
        "the mesh resolves no wavenumber of a spectrum: along one axis, waves of the longest edge have less than two "
        "cells");
}

template <class T>
Spectrum spectrum_of(const Problem& problem, const State<T>& state) {
  require_spectra(problem);
  Modes modes(problem);
  return spectrum_with(modes, state);
}

SpectrumTable::SpectrumTable(std::vector<double> wavenumbers, std::vector<double> energies) {
  if (wavenumbers.size() != energies.size() || wavenumbers.size() < 2)
    throw std::invalid_argument(
        fmt::format("{} wavenumbers and {} energies; as many of both, and at least 2, are required", wavenumbers.size(),
                    energies.size()));
  for (std::size_t i = 0; i < wavenumbers.size(); ++i) {
    const double kappa = wavenumbers[i], energy = energies[i];
    if (!(kappa > 0 && std::isfinite(kappa) && energy > 0 && std::isfinite(energy)))
      throw std::invalid_argument(fmt::format("E({:g}) = {:g}: both have to be positive", kappa, energy));
    if (i > 0 && !(kappa > wavenumbers[i - 1]))
      throw std::invalid_argument(
          fmt::format("wavenumber {:g} follows {:g}; they have to increase", kappa, wavenumbers[i - 1]));
    log_wavenumbers_.push_back(std::log(kappa));
    log_energies_.push_back(std::log(energy));
  }
}

double SpectrumTable::at(double wavenumber) const {
  const double x = std::log(wavenumber);
  const auto above = std::ranges::upper_bound(log_wavenumbers_, x) - log_wavenumbers_.begin();
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above, 1, static_cast<std::ptrdiff_t>(log_wavenumbers_.size()) - 1));
  const double share = (x - log_wavenumbers_[i - 1]) / (log_wavenumbers_[i] - log_wavenumbers_[i - 1]);
  return std::exp(log_energies_[i - 1] + share * (log_energies_[i] - log_energies_[i - 1]));
}

template <class T>
void scale_to_spectrum(const Problem& problem, const SpectrumTable& table, State<T>& state) {
  require_resolved_shell(problem);
  Modes modes(problem);
  const Spectrum present = spectrum_with(modes, state);
  std::vector<double> factors(modes.shells(), 0);
  for (std::size_t m = 1; m <= resolved_shells(problem) && m < factors.size(); ++m)
    if (present.energy[m] > 0)
      factors[m] = std::sqrt(table.at(static_cast<double>(m) * modes.width()) / present.energy[m]);
  for (auto& velocity : state.velocity) {
    modes.forward(std::span<const T>(velocity.data(), velocity.size()));
#pragma omp parallel for schedule(static)
    for (int k = 0; k < state.extents.nz; ++k)
      modes.for_each_of_plane(k, [&](std::size_t shell, int, std::complex<double>& mode) { mode *= factors[shell]; });
    modes.backward(std::span<T>(velocity.data(), velocity.size()));
  }
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
template void scale_to_spectrum(const Problem&, const SpectrumTable&, State<float>&);
template void scale_to_spectrum(const Problem&, const SpectrumTable&, State<double>&);

}  // namespace speedwell::incompressible_flow
