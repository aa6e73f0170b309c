#include "speedwell/harness/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "speedwell/core/units.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

// Returns why a variant of a job would not run here: its problem needs more memory than there is, or the variant does.
std::optional<std::string> left_out_reason(const Job& job, const Variant& variant, const Measurement& m,
                                           const ExecutionEnvironment& environment) {
  if (auto reason = memory_missing_for_problem(*job.application, job.problem)) return reason;
  return skip_reason(*job.application, job.problem, variant, m, environment);
}

// Returns what one variant of a job takes; nothing if it cannot run.
std::optional<TimeBound> bound_of(const Job& job, const Variant& variant, const Measurement& m,
                                  const ExecutionEnvironment& environment) {
  if (left_out_reason(job, variant, m, environment)) return std::nullopt;
  return TimeBound{.timed = m.max_seconds,
                   .checks = m.check_seconds,
                   .planning = variant.max_planning ? variant.max_planning(job.problem) : 0,
                   .energy = m.energy ? idle_window + energy_window : 0};
}

void add(TimeBound& sum, const TimeBound& more) {
  sum.timed += more.timed;
  sum.checks += more.checks;
  sum.planning += more.planning;
  sum.energy += more.energy;
}

struct Missing {
  std::string reason;
  std::size_t count;
};

std::vector<Missing> missing_of(const std::vector<Job>& jobs, const Measurement& m,
                                const ExecutionEnvironment& environment) {
  std::vector<Missing> all;
  for (const Job& job : jobs)
    for (const Variant* v : job.variants) {
      const auto reason = left_out_reason(job, *v, m, environment);
      if (!reason) continue;
      const auto found = std::find_if(all.begin(), all.end(), [&](const Missing& x) { return x.reason == *reason; });
      if (found == all.end())
        all.push_back({*reason, 1});
      else
        ++found->count;
    }
  return all;
}

std::string total_text(const TimeBound& total, std::size_t problems, const Measurement& m) {
  std::string parts;
  const auto part = [&](double seconds, const char* name) {
    if (seconds > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, core::format_seconds(seconds));
  };
  part(total.timed, "timed phases");
  part(total.checks, "checks of answers");
  part(total.planning, "planning");
  part(total.energy, "energy");
  if (m.repeat)
    return fmt::format(
        "how long {} of each {} is not foreseen{}\n", core::counted(*m.repeat, "sample"),
        *m.repeat == 1 ? "takes" : "take",
        total.planning > 0 ? "; planning takes at most about " + core::format_seconds(total.planning) : "");
  return wrapped(
      fmt::format("at most about {} ({}), but for what is not foreseen: the inputs and the oracle's answers, made once "
                  "for each of {}, and a pass that alone takes longer",
                  core::format_seconds(total.all()), parts, core::counted(problems, "problem")),
      2);
}

}  // namespace

TimeBound time_bound(const Job& job, const Measurement& m, const ExecutionEnvironment& environment) {
  TimeBound sum;
  for (const Variant* v : job.variants)
    if (const auto bound = bound_of(job, *v, m, environment)) add(sum, *bound);
  return sum;
}

PlanText plan_text(const std::vector<Job>& jobs, const Measurement& m, const ExecutionEnvironment& environment,
                   std::optional<double> budget) {
  std::vector<Problem> problems;
  for (const Job& job : jobs) problems.push_back(job.problem);
  std::vector<std::vector<std::string>> rows = {{"problem", "variants", "host", "device", "at most"}};
  TimeBound total;
  PlanText plan;
  for (const Job& job : jobs) {
    const double inputs = job.application->footprint ? job.application->footprint(job.problem).host_bytes : 0;
    Footprint most;
    std::size_t can_run = 0;
    for (const Variant* v : job.variants) {
      if (!bound_of(job, *v, m, environment)) continue;
      ++can_run;
      const Footprint f = v->footprint ? v->footprint(job.problem) : harness::Footprint{};
      most.host_bytes = std::max(most.host_bytes, f.host_bytes + inputs);
      // A variant on several GPUs needs a rank's share on each.
      const bool shared = v->backend == Backend::multi && environment.ranks;
      most.device_bytes = std::max(most.device_bytes, f.device_bytes / (shared ? environment.ranks->size() : 1));
    }
    plan.runs += can_run;
    const TimeBound bound = time_bound(job, m, environment);
    add(total, bound);
    rows.push_back({short_name(job.problem, problems), fmt::format("{} of {}", can_run, job.variants.size()),
                    can_run > 0 ? core::format_bytes(most.host_bytes) : "-",
                    most.device_bytes > 0 ? core::format_bytes(most.device_bytes) : "-",
                    can_run > 0 && !m.repeat ? core::format_seconds(bound.all()) : "-"});
  }
  std::string& text = plan.text;
  text = columns(rows, 1);
  for (const Missing& one : missing_of(jobs, m, environment))
    text += wrapped(fmt::format("{} left out: {}", one.count, printable(one.reason)), 2);
  text += "available: " + core::format_bytes(static_cast<double>(machine::available_host_bytes())) + " of host memory";
  for (const int d : m.devices)
    text +=
        fmt::format(", {} on GPU {}", core::format_bytes(static_cast<double>(machine::available_device_bytes(d))), d);
  text += "\n";
  if (plan.runs == 0) return plan;
  if (budget)
    text +=
        wrapped(fmt::format("no pass begins after about {}, preparing and verifying included; every variant has one "
                            "pass at least",
                            core::format_seconds(*budget)),
                2);
  else
    text += total_text(total, jobs.size(), m);
  return plan;
}

}  // namespace speedwell::harness
