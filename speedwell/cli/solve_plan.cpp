#include "speedwell/cli/solve_plan.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ostream>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"

namespace speedwell::cli {

void require_memory(const SolveOptions& options, double bytes) {
  if (bytes > options.available_bytes)
    throw core::Unavailable(fmt::format("the case needs {} of memory, {} available", core::format_bytes(bytes),
                                        core::format_bytes(options.available_bytes)));
}

void print_plan(const SolveOptions& options, const RunPlan& plan, std::ostream& out) {
  out << plan.what << "\nsteps:  " << plan.steps << "\ntime:   ";
  if (plan.seconds)
    out << (*plan.seconds < 1 ? "less than a second" : "about " + core::format_clock(*plan.seconds)) << ", ";
  out << plan.measured << "\nmemory: " << core::format_bytes(plan.bytes) << " needed";
  if (std::isfinite(options.available_bytes))
    out << ", " << core::format_bytes(options.available_bytes) << " available";
  double all = 0;
  std::string files;
  for (const PlannedFiles& f : plan.files) {
    if (!(f.count > 0)) continue;
    all += f.count * f.bytes;
    files += fmt::format("{}{:.10g} {} of {}", files.empty() ? "" : ", ", f.count, f.count == 1 ? f.one : f.many,
                         core::format_bytes(f.bytes));
  }
  out << "\noutput: about " << core::format_bytes(all) << ": " << files << "\n";
  require_memory(options, plan.bytes);
}

bool may_measure(const SolveOptions& options, double bytes) {
  return bytes <= options.available_bytes && bytes <= max_measured_bytes;
}

std::string not_measured() {
  return fmt::format("not estimated: steps are tried with at most {} of memory",
                     core::format_bytes(max_measured_bytes));
}

Pace measure_pace(const std::function<bool()>& step) {
  constexpr double enough = 0.25;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const auto first = Clock::now();
  if (!step()) return {since(first), 1};
  const auto begin = Clock::now();
  Pace pace;
  bool more = true;
  while (more && pace.seconds < enough) {
    more = step();
    ++pace.steps;
    pace.seconds = since(begin);
  }
  pace.seconds /= pace.steps;
  return pace;
}

void set_time(const Pace& pace, double steps, const std::string& device, RunPlan& plan) {
  plan.seconds = steps * pace.seconds;
  plan.measured = fmt::format("without output, from {} step{} of {} on {} now", pace.steps, pace.steps == 1 ? "" : "s",
                              core::format_seconds(pace.seconds), device);
}

std::vector<PlannedFiles> files_of(const FilesBySteps& f) {
  constexpr double of_line = 250;  // of 15 or 16 numbers
  const auto steps = static_cast<double>(f.steps);
  const auto count = [&](std::int64_t every) { return count_of(static_cast<double>(every), steps); };
  const bool several = f.checkpoint_every > 0 && f.checkpoint_every < f.steps;
  return {{"file of fields", "files of fields", count(f.fields_every), f.of_fields},
          {"checkpoint", "checkpoints that stay", several ? 2.0 : 1.0, f.of_checkpoint},
          {"line of history", "lines of history", count(f.history_every), of_line}};
}

std::string device_name(const SolveOptions& options, bool on_gpu) {
  return on_gpu ? "a GPU" : fmt::format("{} CPU thread{}", options.threads, options.threads == 1 ? "" : "s");
}

double count_of(double interval, double end) { return interval > 0 ? std::floor(end / interval * (1 + 1e-12)) + 1 : 0; }

}  // namespace speedwell::cli
