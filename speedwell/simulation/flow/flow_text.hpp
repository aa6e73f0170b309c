// Text files of a flow's run that combine several results: length scales, and the decay's exponent.
#pragma once

#include <string>

#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"

namespace speedwell::simulation {

/// scales.csv: a line for each spectrum, with the length scales of isotropic turbulence. kappa_max is pi over the
/// widest cell.
std::string scales_header();
std::string scales_line(const incompressible_flow::Moment& moment, const incompressible_flow::Statistics& statistics,
                        const incompressible_flow::Spectrum& spectrum, const incompressible_flow::Problem& problem,
                        const std::string& file);

/// decay.csv, from a history: k, eps and the exponents n (decay_exponents) and n0 = eps t / k of its lines from `from`
/// on. Throws io::InputError input.history.column for a history without the columns t, k and dissipation.
std::string decay_text(const std::string& history, double from);

}  // namespace speedwell::simulation
