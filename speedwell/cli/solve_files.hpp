// The text files of a run's folder that are more than one function of the flow makes: histories that are cut when a run
// goes on, lengths, and the decay's exponent.
#pragma once

#include <cstdint>
#include <string>

#include "speedwell/apps/incompressible_flow/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/simulation.hpp"

namespace speedwell::cli {

/// Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// Keeps the header and the lines of a history, whose second column is the step, up to `last_step`; a file that is
/// missing or empty becomes `header`. Throws io::OutputError.
void cut_history(const std::string& path, const std::string& header, std::int64_t last_step);

/// scales.csv: a line for each spectrum, with the lengths that isotropic turbulence is described by. kappa_max is pi
/// over the widest cell.
std::string scales_header();
std::string scales_line(const incompressible_flow::Moment& moment, const incompressible_flow::Statistics& statistics,
                        const incompressible_flow::Spectrum& spectrum, const incompressible_flow::Problem& problem,
                        const std::string& file);

/// decay.csv, from a history: k, eps and the exponents n (decay_exponents) and n0 = eps t / k of its lines from `from`
/// on. Throws io::InputError input.history.column for a history without the columns t, k and dissipation.
std::string decay_text(const std::string& history, double from);

}  // namespace speedwell::cli
