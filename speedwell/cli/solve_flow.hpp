// speedwell solve for incompressible flows.
#pragma once

#include <iosfwd>
#include <string>

#include "speedwell/cli/solve.hpp"

namespace speedwell::cli {

/// As run_solve(), whose file this is and whose text it has. The folder gets case.toml, history.csv, fields/ with a
/// file for each time and flow.pvd over them, spectra/, profiles.csv and decay.csv where they are wanted, and
/// checkpoints/.
SolveEnd run_flow(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                  std::ostream& err);

}  // namespace speedwell::cli
