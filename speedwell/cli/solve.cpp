#include "speedwell/cli/solve.hpp"

#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/cli/solve_blast.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_flow.hpp"
#include "speedwell/cli/solve_fluid.hpp"

namespace speedwell::cli {

SolveEnd run_solve(const SolveOptions& options, std::ostream& out, std::ostream& err) {
  const std::string file = options.file.empty() ? options.folder + "/case.toml" : options.file;
  const std::string text = read_case_text(file);
  if (blast_wave::is_blast_case(text)) return run_blast(options, file, text, out, err);
  if (binary_fluid::is_fluid_case(text)) return run_fluid(options, file, text, out, err);
  return run_flow(options, file, text, out, err);
}

}  // namespace speedwell::cli
