// Outcomes as the NAS Parallel Benchmarks report theirs: the block of their print_results, line for line.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {

/// A block for each outcome that was verified, of an application with an npb_title; for what was skipped or threw, one
/// line with the reason. Times are medians of execute, in more digits than the original's; a run that failed has none,
/// and 0 stands there. In place of its threads a GPU's block names the device.
std::string npb_blocks(const std::vector<Outcome>& outcomes, const machine::Machine& machine);

}  // namespace speedwell::harness
