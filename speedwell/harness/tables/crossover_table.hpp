// Two devices over the sizes of a problem, as text.
#pragma once

#include <string>
#include <vector>

#include "speedwell/harness/plan.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

/// One line per size: execute and end to end on two devices and their ratio, above 1 where the second is faster. The
/// second device is the GPU if anything passed there, else all cores; the first is the best other one. The devices are
/// named underneath, as is what did not pass.
std::string crossover_table(const std::vector<Job>& jobs, const std::vector<std::vector<Outcome>>& outcomes,
                            const machine::Machine& machine);

/// "n", or "nx, ny, nz": the keys whose values differ among the jobs.
std::string swept_keys(const std::vector<Job>& jobs);

}  // namespace speedwell::harness
