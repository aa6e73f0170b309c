// Strong and weak scaling of a variant: each number of ranks or GPUs is a process of this program under the launcher of
// MPI, which verifies its run; the records of all are collected.
#pragma once

#include <iosfwd>
#include <string>

#include "speedwell/session/options.hpp"
#include "speedwell/session/projection.hpp"

namespace speedwell::session {

struct ScalingOptions {
  std::string application;
  std::string ranks, gpus;  // "1,2,4"; empty: 1, 2, 4, ... and all cores. GPUs also "all"
  bool strong = false;      // the same problem on all numbers: the default
  bool weak = false;        // a problem that is as many times as large as there are ranks
  bool oversubscribe = false;
  ProjectionOptions projection;
  RunOptions run;
};

/// Measures the variant on each number and prints the table of times, speed-ups and efficiencies to `out`; the records
/// are in --output or a new folder named after `command`. Stops at a signal. Returns the exit status: 0, or that of
/// the first run that failed. Throws UsageError for options that do not fit together or an application that does not
/// run on ranks (GPUs), and core::Unavailable without a launcher, a GPU, or a variant that was built.
int measure_scaling(const ScalingOptions& options, const std::string& command, std::ostream& out);

}  // namespace speedwell::session
