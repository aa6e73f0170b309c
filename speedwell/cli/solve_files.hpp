// The text files of a run's folder that are more than one function of the flow makes: histories that are cut when a run
// goes on, lengths, and the decay's exponent.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "speedwell/apps/incompressible_flow/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/io/checkpoint.hpp"

namespace speedwell::cli {

/// Throws io::InputError input.open.
std::string read_text(const std::string& path);

/// Calls read(checkpoint, details) for the newest checkpoint in a folder that is whole; one that is not costs a
/// warning. Throws io::InputError where there is none, where it was made with other settings than these, and what
/// read() throws of the last one.
void resume_from(const std::string& folder, const std::map<std::string, std::string>& settings,
                 const std::function<void(const io::Checkpoint&, const nlohmann::json&)>& read, std::ostream& err);

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
