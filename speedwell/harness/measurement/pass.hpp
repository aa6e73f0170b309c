// One pass over one variant: set it up, execute it, take it down, with every phase timed.
#pragma once

#include <functional>
#include <memory>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/measurement/progress_watch.hpp"
#include "speedwell/harness/measurement/sensor_watch.hpp"

namespace speedwell::harness {

/// What the experiment knows of a variant between its passes.
struct VariantState {
  Outcome outcome;
  Work best_work;  // of the best algorithm known
  SensorWatch* sensors = nullptr;
  ProgressWatch* progress = nullptr;
  double timed_seconds = 0;  // of the phases of the passes so far: what max_seconds bounds
  double wall_seconds = 0;   // of the passes, with what is not timed in them but without the oracle
  double pass_seconds = 0;   // of the last pass as a whole, without the oracle and the further checks of the first
  int passes = 0;
  bool done = false;
};

/// Runs one pass: prepare, allocate, plan, upload, the first execute, download; then, with poisoned outputs, the
/// samples. The first pass holds the answer of its first sample against the oracle. Each pass compares the bits of its
/// last sample's answer with those that have passed, each pass but the first those of its first execute, the first
/// those of twenty more executes, as far as the measurement's check_seconds reach, and the last one those of the last
/// execute of all; what differs goes to the oracle. Whatever the run throws becomes the outcome's status
/// (docs/errors.md), but on several ranks, which wait for each other, it is thrown on.
void run_pass(VariantState& state, const std::shared_ptr<const Workload>& prepared, const Context& context,
              const Measurement& measurement, const ExecutionEnvironment& environment);

/// Calls `pass`. Whatever it throws becomes the outcome's status as in run_pass(), after which no pass follows.
void guard_pass(VariantState& state, const ExecutionEnvironment& environment, const std::function<void()>& pass);

}  // namespace speedwell::harness
