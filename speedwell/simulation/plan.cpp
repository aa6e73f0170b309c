#include "speedwell/simulation/plan.hpp"

#include <fmt/format.h>

#include <cmath>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::simulation {

std::string plan_text(const RunPlan& plan, double available_bytes) {
  std::string text = plan.what + "\nsteps:  " + plan.steps + "\ntime:   ";
  if (plan.seconds)
    text += (*plan.seconds < 1 ? "less than a second" : "about " + core::format_clock(*plan.seconds)) + ", ";
  text += plan.measured + "\nmemory: " + core::format_bytes(plan.bytes) + " needed";
  if (std::isfinite(available_bytes)) text += ", " + core::format_bytes(available_bytes) + " available";
  if (plan.gpu_bytes > 0) text += "; " + core::format_bytes(plan.gpu_bytes) + " of each GPU";
  double all = 0;
  std::string files;
  for (const PlannedFiles& f : plan.files) {
    if (!(f.count > 0)) continue;
    all += f.count * f.bytes;
    files += fmt::format("{}{:.10g} {} of {}", files.empty() ? "" : ", ", f.count, f.count == 1 ? f.one : f.many,
                         core::format_bytes(f.bytes));
  }
  return text + "\noutput: about " + core::format_bytes(all) + ": " + files + "\n";
}

void require_memory(const SimulationOptions& options, double bytes) {
  if (bytes > options.available_bytes)
    throw core::Unavailable(fmt::format("the case needs {} of memory, {} available", core::format_bytes(bytes),
                                        core::format_bytes(options.available_bytes)));
}

void require_memory(const SimulationOptions& options, const RunPlan& plan) {
  if (!options.ranks) return require_memory(options, plan.bytes);
  SimulationOptions of_first = options;
  of_first.available_bytes = options.ranks->broadcast(options.available_bytes);
  require_memory(of_first, options.ranks->broadcast(plan.bytes));
}

}  // namespace speedwell::simulation
