// What a record says about the method of a GPU: its batches, bins and parts. For the adapters of gups.
#pragma once

#include <cstdint>
#include <string>

#include "speedwell/apps/gups/adapter_workload.hpp"
#include "speedwell/apps/gups/gpu_solver.hpp"
#include "speedwell/apps/gups/ladder.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::gups {

inline harness::Choices choices_of(const GpuSolver& solver) {
  const Plan& plan = solver.plan();
  const Machine& machine = solver.machine();
  const auto threads = static_cast<std::uint64_t>(machine.multiprocessors) *
                       static_cast<std::uint64_t>(machine.threads_of_multiprocessor);
  harness::Choices all = {look_ahead(plan.is_binned() ? plan.stored_updates() : 0, threads)};
  for (const Step& step : steps)
    if (step.method == plan.method) all.push_back({"method", std::string(step.name)});
  if (!plan.is_binned()) return all;
  all.push_back({"bins", plan.coarse() ? std::to_string(plan.coarse_bins()) + " x " + std::to_string(plan.fine_bins())
                                       : std::to_string(plan.fine_bins())});
  all.push_back({"batches", std::to_string(plan.batches)});
  if (plan.method == Method::parts)
    all.push_back({"parts", std::to_string(plan.parts.count) + " of " +
                                std::to_string(std::uint64_t{1} << plan.parts.log2_parts)});
  return all;
}

}  // namespace speedwell::gups
