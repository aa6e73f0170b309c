// Interface of a checked case file of one solver, which the driver uses before it creates the solver.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/io/cases/case_keys.hpp"
#include "speedwell/simulation/options.hpp"
#include "speedwell/simulation/plan.hpp"
#include "speedwell/simulation/run_folder.hpp"
#include "speedwell/simulation/solver.hpp"

namespace speedwell::simulation {

/// The device of a run.
struct Device {
  bool on_gpu = false;
  int threads = 1;                            // on the CPU, of each rank
  std::string description;                    // "a GPU", "2 CPU threads: no GPU was requested"
  const comm::Communicator* ranks = nullptr;  // if not null, several of one core or one GPU each; this is the first
};

class SimulationCase {
 public:
  virtual ~SimulationCase() = default;
  /// Messages about the case for the user of a new run, or of one that is resumed.
  virtual std::vector<Message> messages(bool resumes) const = 0;
  /// Why the case cannot run on a GPU; nothing if it can.
  virtual std::optional<std::string> lacks_gpu() const = 0;
  /// How a run on so many ranks, more than one, is described: each on a core, or on a GPU. Throws std::invalid_argument
  /// if there is none.
  virtual std::string on_ranks(int ranks, bool on_gpus) const = 0;
  /// Bytes of host memory of a run, on all ranks together.
  virtual double host_bytes(const Device& device) const = 0;
  /// Takes some steps if that is quick. Throws as the solver does.
  virtual RunPlan plan(const SimulationOptions& options, const Device& device) const = 0;
  /// Throws io::InputError for an initial state that cannot be read, before anything is written.
  virtual void check_start() const {}
  /// The case and the folder must outlive the solver. Throws core::Unavailable without the device, or its memory.
  virtual std::unique_ptr<TimeDependentSolver> make_solver(const Device& device, const RunFolder& folder) const = 0;
};

/// A solver that a case file may name.
struct SolverType {
  std::string name;      // the usual name
  std::string old_name;  // the name in version 0.1
  const io::CaseSchema& (*schema)();
  /// Reads a case from the name and the text of its file. Throws io::InputError.
  std::unique_ptr<SimulationCase> (*read)(const std::string& file, const std::string& text);
};
const std::vector<SolverType>& solver_types();
/// The solver with one of these names; null if there is none.
const SolverType* find_solver_type(const std::string& name);
/// "\"incompressible_flow\", \"blast_wave\" or \"binary_fluid\" is required".
std::string required_solver_types();

std::unique_ptr<SimulationCase> read_flow_case(const std::string& file, const std::string& text);
std::unique_ptr<SimulationCase> read_blast_case(const std::string& file, const std::string& text);
std::unique_ptr<SimulationCase> read_fluid_case(const std::string& file, const std::string& text);

}  // namespace speedwell::simulation
