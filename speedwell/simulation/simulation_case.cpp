#include "speedwell/simulation/simulation_case.hpp"

#include <algorithm>

#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/incompressible_flow/cases/case_file.hpp"

namespace speedwell::simulation {

const std::vector<SolverType>& solver_types() {
  static const std::vector<SolverType> types = {
      {"incompressible_flow", "incompressible_flow", incompressible_flow::case_schema, read_flow_case},
      {"blast_wave", "blast", blast_wave::case_schema, read_blast_case},
      {"binary_fluid", "binary_fluid", binary_fluid::case_schema, read_fluid_case},
  };
  return types;
}

const SolverType* find_solver_type(const std::string& name) {
  const auto at = std::find_if(solver_types().begin(), solver_types().end(),
                               [&](const SolverType& type) { return name == type.name || name == type.old_name; });
  return at == solver_types().end() ? nullptr : &*at;
}

std::string required_solver_types() {
  const auto& types = solver_types();
  std::string text;
  for (std::size_t n = 0; n < types.size(); ++n)
    text += std::string(n == 0 ? "" : n + 1 < types.size() ? ", " : " or ") + "\"" + types[n].name + "\"";
  return text + " is required";
}

}  // namespace speedwell::simulation
