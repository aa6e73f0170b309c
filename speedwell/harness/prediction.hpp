// What an application's own model says of a run that has passed.
#pragma once

#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {

/// Asks the variant's model, if it has one and the run has passed: the prediction stands in the outcome then, or why
/// there is none. On several ranks all call it, and what a model throws there is thrown on.
void predict(Outcome& outcome, const Context& context, const ExecutionEnvironment& environment);

}  // namespace speedwell::harness
