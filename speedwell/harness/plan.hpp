// The plan of a campaign: what would run, in which memory, and for how long at most.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"

namespace speedwell::harness {

/// One problem and the variants to run on it.
struct Job {
  const Application* application = nullptr;
  Problem problem;
  std::vector<const Variant*> variants;
};

/// Bounds of the time of a job: its variants that can run, without the inputs and the oracle's answer.
struct TimeBound {
  double timed = 0;   // the phases that are measured
  double checks = 0;  // executes whose answers are verified
  double planning = 0;
  double energy = 0;
  double all() const { return timed + checks + planning + energy; }
};
TimeBound time_bound(const Job& job, const Measurement& measurement, const ExecutionEnvironment& environment);

struct PlanText {
  std::string text;
  std::size_t runs = 0;  // pairs of a problem and a variant that can run here
};
/// A line a problem: variants, bytes, time at most; the reasons of what cannot run, each once; the total.
PlanText plan_text(const std::vector<Job>& jobs, const Measurement& measurement,
                   const ExecutionEnvironment& environment, std::optional<double> budget);

}  // namespace speedwell::harness
