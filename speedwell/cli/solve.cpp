#include "speedwell/cli/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/incompressible_flow/case_file.hpp"
#include "speedwell/cli/errors.hpp"
#include "speedwell/cli/solve_blast.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_flow.hpp"
#include "speedwell/cli/solve_fluid.hpp"
#include "speedwell/io/case_table.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"

namespace speedwell::cli {
namespace {

using Run = SolveEnd(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                     std::ostream& err);

struct Solver {
  const char* name;      // as everywhere else
  const char* old_name;  // of version 0.1
  Run* run;
  const io::CaseSchema& (*schema)();
};
constexpr std::array<Solver, 3> solvers = {{
    {"incompressible_flow", "incompressible_flow", run_flow, incompressible_flow::case_schema},
    {"blast_wave", "blast", run_blast, blast_wave::case_schema},
    {"binary_fluid", "binary_fluid", run_fluid, binary_fluid::case_schema},
}};

const Solver* find(const std::string& name) {
  const auto at = std::find_if(solvers.begin(), solvers.end(),
                               [&](const Solver& s) { return name == s.name || name == s.old_name; });
  return at == solvers.end() ? nullptr : &*at;
}

constexpr const char* wanted = "\"incompressible_flow\", \"blast_wave\" or \"binary_fluid\" is wanted";

// What a case is for, before its solver reads the rest.
const Solver& solver_of(const std::string& file, const std::string& text) {
  const toml::table whole = io::parse_case(file, text);
  io::require_schema(file, whole);
  const toml::node* node = whole.get("solver");
  if (!node) return solvers.front();
  const auto name = node->value_exact<std::string>();
  if (const Solver* solver = name ? find(*name) : nullptr) return *solver;
  const auto place = node->source().begin;
  throw io::InputError(
      "input.case.value", file, place.line, place.column,
      name ? fmt::format("solver: unknown solver '{}'; {}", name->substr(0, io::limits::quoted_bytes), wanted)
           : fmt::format("solver: {}", wanted));
}

}  // namespace

std::string solve_keys(const std::string& name) {
  if (!name.empty()) {
    const Solver* solver = find(name);
    if (!solver)
      throw UsageError(fmt::format("--keys: unknown solver '{}'; {}", name, wanted), "speedwell solve --keys");
    return io::case_template(solver->schema());
  }
  std::string all;
  for (const Solver& solver : solvers) all += (all.empty() ? "" : "\n") + io::case_template(solver.schema());
  return all;
}

SolveEnd run_solve(const SolveOptions& options, std::ostream& out, std::ostream& err) {
  const std::string file = options.file.empty() ? options.folder + "/case.toml" : options.file;
  const std::string text = read_case_text(file);
  return solver_of(file, text).run(options, file, text, out, err);
}

}  // namespace speedwell::cli
