// A case file of one solver, read and checked: what the driver asks before there is a solver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/io/case_keys.hpp"
#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/run_folder.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// What a run computes on.
struct Device {
  bool on_gpu = false;
  int threads = 1;          // of the CPU
  std::string description;  // "a GPU", "2 CPU threads, for no GPU was wanted"
};

class SimulationCase {
 public:
  virtual ~SimulationCase() = default;
  /// What the user should know of the case.
  virtual std::vector<Message> messages() const = 0;
  /// Why the case cannot run on a GPU; nothing if it can.
  virtual std::optional<std::string> lacks_gpu() const = 0;
  /// Bytes of host memory of a run.
  virtual double host_bytes(bool on_gpu) const = 0;
  /// Takes steps where that is quick. Throws as the solver does.
  virtual RunPlan plan(const SimulationOptions& options, bool on_gpu) const = 0;
  /// Throws io::InputError for an initial state that cannot be read: before anything is written.
  virtual void check_start() const {}
  /// The case and the folder must outlive the solver. Throws core::Unavailable without the device, or its memory.
  virtual std::unique_ptr<TimeDependentSolver> make_solver(const Device& device, const RunFolder& folder) const = 0;
};

/// A solver that a case file may ask for.
struct SolverType {
  std::string name;      // as everywhere else
  std::string old_name;  // of version 0.1
  const io::CaseSchema& (*schema)();
  /// From the name and the text of a case file. Throws io::InputError.
  std::unique_ptr<SimulationCase> (*read)(const std::string& file, const std::string& text);
};
const std::vector<SolverType>& solver_types();
/// By either name; null for another.
const SolverType* find_solver_type(const std::string& name);
/// "\"incompressible_flow\", \"blast_wave\" or \"binary_fluid\" is wanted".
std::string wanted_solver_types();

std::unique_ptr<SimulationCase> read_flow_case(const std::string& file, const std::string& text);
std::unique_ptr<SimulationCase> read_blast_case(const std::string& file, const std::string& text);
std::unique_ptr<SimulationCase> read_fluid_case(const std::string& file, const std::string& text);

}  // namespace speedwell::simulation
