// The checkpoints of a run as a table, and as a JSON document.
#pragma once

#include <string>
#include <vector>

#include "speedwell/simulation/checkpoint_inspection.hpp"

namespace speedwell::session {

/// A line for each checkpoint: its name, fields, step, simulated time and size; with a verdict if they were `verified`.
std::string checkpoints_table(const std::vector<simulation::InspectedCheckpoint>& all, bool verified);

/// The same and more in JSON (schema speedwell-checkpoints/1) with a line feed. Its error is that of the first
/// checkpoint that is damaged, if they were `verified`.
std::string checkpoints_document(const std::vector<simulation::InspectedCheckpoint>& all, bool verified);

}  // namespace speedwell::session
