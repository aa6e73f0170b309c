// The estimated resources of a run: steps, time, memory, files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speedwell/simulation/options.hpp"

namespace speedwell::simulation {

/// Files of one kind.
struct PlannedFiles {
  std::string one, many;        // "file of fields", "files of fields"
  double count = 0, bytes = 0;  // bytes of one file
};

struct RunPlan {
  std::string what;               // one line: the mesh and the method
  double bytes = 0;               // of host memory, of all ranks together
  double gpu_bytes = 0;           // of the memory of each GPU; 0: unknown, or no GPU
  std::string steps;              // "100", "about 8400 …"
  std::optional<double> seconds;  // of all steps
  std::string measured;           // how `seconds` was measured, or why it was not
  std::vector<PlannedFiles> files;
};

/// The plan in four or more lines: what, steps, time, memory (with `available_bytes` of the host, if that is finite,
/// and that of each GPU) and output.
std::string plan_text(const RunPlan& plan, double available_bytes);

/// Throws core::Unavailable for a run that needs more memory than is available.
void require_memory(const SimulationOptions& options, double bytes);
/// The same for a plan. On ranks this is collective: the memory of the first rank and its plan count for all.
void require_memory(const SimulationOptions& options, const RunPlan& plan);

}  // namespace speedwell::simulation
