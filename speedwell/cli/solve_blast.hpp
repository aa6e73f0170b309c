// speedwell solve for cases with solver = "blast_wave".
#pragma once

#include <iosfwd>
#include <string>

#include "speedwell/cli/solve.hpp"

namespace speedwell::cli {

/// As run_solve(), whose file this is and whose text it has. The folder gets case.toml, history.csv, fields/ and
/// flow.pvd, checkpoints/, and the original's three outputs as columns of the history.
SolveEnd run_blast(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                   std::ostream& err);

}  // namespace speedwell::cli
