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
template <class T>
Spectrum spectrum_of(const Problem& problem, const State<T>& state);
/// CSV text: "kappa,E,dissipation,E_u,E_v,E_w" and a line for each shell; the dissipation spectrum is 2 nu kappa^2 E.
std::string spectrum_text(const Spectrum& spectrum, double viscosity);

/// The exponent n of k ~ (t - t0)^-n at every time: 1 over the slope of k / eps, which does not depend on t0, by least
/// squares over the times within 10 % of it. NaN if those are fewer than three.
std::vector<double> decay_exponents(std::span<const double> times, std::span<const double> energy,
                                    std::span<const double> dissipation);

extern template Spectrum spectrum_of(const Problem&, const State<float>&);
extern template Spectrum spectrum_of(const Problem&, const State<double>&);

}  // namespace speedwell::incompressible_flow
