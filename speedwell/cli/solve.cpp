#include "speedwell/cli/solve.hpp"

#include <map>
#include <set>

#include "speedwell/cli/solve_blast.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_flow.hpp"
#include "speedwell/cli/solve_fluid.hpp"
#include "speedwell/io/case_table.hpp"

namespace speedwell::cli {
namespace {

// What a case is for, before its solver reads the rest.
std::string solver_of(const std::string& file, const std::string& text) {
  const toml::table whole = io::parse_case(file, text);
  io::require_schema(file, whole);
  std::map<std::string, std::string> settings;
  const std::set<std::string> free_keys;
  return io::CaseTable(file, &whole, "", free_keys, settings)
      .word("solver", "incompressible_flow", {"incompressible_flow", "binary_fluid", "blast"});
}

}  // namespace

SolveEnd run_solve(const SolveOptions& options, std::ostream& out, std::ostream& err) {
  const std::string file = options.file.empty() ? options.folder + "/case.toml" : options.file;
  const std::string text = read_case_text(file);
  const std::string solver = solver_of(file, text);
  if (solver == "blast") return run_blast(options, file, text, out, err);
  if (solver == "binary_fluid") return run_fluid(options, file, text, out, err);
  return run_flow(options, file, text, out, err);
}

}  // namespace speedwell::cli
