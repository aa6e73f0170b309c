// Energy spectra of flows in periodic boxes with uniform meshes, length scales from them, and the decay rate of the
// energy.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "speedwell/apps/incompressible_flow/problem.hpp"

namespace speedwell::incompressible_flow {

/// Shell m has the modes of m - 1/2 <= |kappa| / width < m + 1/2. The sum of energy times width is that of the
/// fluctuation, <u' u'> / 2. The staggering changes only phases, so that each component is transformed on its own
/// points.
struct Spectrum {
  double width = 0;            // width of a shell, 2 pi over the longest edge of the box
  std::vector<double> energy;  // E(m width)
  std::array<std::vector<double>, 3> of_component;
  double energy_in_all() const;
  /// pi / (2 u'^2) integral of E / kappa, u'^2 = 2 k / 3: the longitudinal integral scale of isotropic turbulence.
  double integral_length() const;
};

/// Throws std::invalid_argument unless the box is periodic and its mesh is uniform along every axis.
void require_spectra(const Problem& problem);
/// Throws std::invalid_argument as require_spectra(), and for a mesh so coarse along an axis that no shell is resolved.
void require_resolved_shell(const Problem& problem);
template <class T>
Spectrum spectrum_of(const Problem& problem, const State<T>& state);
/// CSV text: "kappa,E,dissipation,E_u,E_v,E_w" and a line for each shell; the dissipation spectrum is 2 nu kappa^2 E.
std::string spectrum_text(const Spectrum& spectrum, double viscosity);

/// A spectrum as a table, with power laws between its points.
class SpectrumTable {
 public:
  /// Throws std::invalid_argument unless there are two or more points, as many energies, and both are positive and
  /// finite, the wavenumbers increasing.
  SpectrumTable(std::vector<double> wavenumbers, std::vector<double> energies);
  /// E(kappa), kappa > 0. Beyond the ends the power law is that of the two points next to it.
  double at(double wavenumber) const;

 private:
  std::vector<double> log_wavenumbers_, log_energies_;
};

/// Scales the modes of every shell m > 0 of spectrum_of() so that the shell has E(m width) of the table, and removes
/// those of shells beyond pi / h, h the largest width of cells. Phases, the mean velocity and the ratios of components
/// stay, so that a flow without divergence has none afterwards but for rounding. A shell without energy stays empty.
/// Throws as require_resolved_shell().
template <class T>
void scale_to_spectrum(const Problem& problem, const SpectrumTable& table, State<T>& state);

/// The exponent n of k ~ (t - t0)^-n at every time: 1 over the slope of k / eps, which does not depend on t0, by least
/// squares over the times within 10 % of it. NaN if those are fewer than three.
std::vector<double> decay_exponents(std::span<const double> times, std::span<const double> energy,
                                    std::span<const double> dissipation);

extern template Spectrum spectrum_of(const Problem&, const State<float>&);
extern template Spectrum spectrum_of(const Problem&, const State<double>&);
extern template void scale_to_spectrum(const Problem&, const SpectrumTable&, State<float>&);
extern template void scale_to_spectrum(const Problem&, const SpectrumTable&, State<double>&);

}  // namespace speedwell::incompressible_flow
