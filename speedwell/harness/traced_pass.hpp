// One more pass of a variant that has passed, for a trace of it: tracing takes time, so that its times are no samples.
#pragma once

#include <memory>

#include "speedwell/harness/measurement/pass.hpp"

namespace speedwell::harness {

/// Records the phases of a pass with two executes, and what the library says of them, in the environment's trace, and
/// holds the answer against the oracle: a wrong one makes the verdict of the outcome a failure. Nothing if the variant
/// has not passed, or a signal has come. Collective; throws as run_pass().
void trace_pass(VariantState& state, const std::shared_ptr<const Workload>& prepared, const Context& context,
                const ExecutionEnvironment& environment);

}  // namespace speedwell::harness
