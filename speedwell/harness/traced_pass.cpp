#include "speedwell/harness/traced_pass.hpp"

#include <cmath>
#include <string>

#include "speedwell/core/trace.hpp"
#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/harness/oracle_team.hpp"
#include "speedwell/harness/problems.hpp"

namespace speedwell::harness {
namespace {

using core::TraceCategory;
using core::TraceSpan;

/// The device tells how long an execute took, but not when: it is drawn as if it had ended when the host noticed.
void add_device_time(core::Trace& trace, Run& run) {
  const double end = core::Trace::now();
  if (const auto seconds = run.device_seconds())
    trace.add({.name = "execute, as the device measured it",
               .category = TraceCategory::compute,
               .track = trace.track("device"),
               .begin = end - *seconds,
               .end = end});
}

void record(Outcome& o, const std::shared_ptr<const Workload>& prepared, const Context& context, const Lockstep& ranks,
            const machine::Machine* machine, core::Trace& trace) {
  const core::TraceRecording recording(trace);
  const std::string title = key_of(o.problem) + ": " + o.variant->name;
  const TraceSpan whole(title, TraceCategory::phase);
  const auto phase = [&](const char* name, const auto& act) {
    ranks.barrier();
    const TraceSpan span(name, TraceCategory::phase);
    act();
  };
  std::unique_ptr<Run> run;
  phase("prepare", [&] { run = o.variant->make(prepared, context); });
  phase("allocate", [&] { run->allocate(); });
  phase("plan", [&] { run->plan(); });
  phase("upload", [&] { run->upload(); });
  for (const char* name : {"first execute", "execute"}) {
    phase("reset", [&] {
      run->reset();
      run->synchronize();
    });
    phase(name, [&] {
      run->execute();
      const TraceSpan waiting("synchronize", TraceCategory::wait);
      run->synchronize();
    });
    add_device_time(trace, *run);
  }
  // Soon: a time between two events of a device is a float, whose resolution is the coarser the longer it is.
  trace.resolve();
  phase("download", [&] { run->download(); });
  trace.resolve();
  core::Verdict verdict;
  phase("verify", [&] {
    if (ranks.is_root()) {
      const OracleTeam team(ranks, machine);
      verdict = run->verify();
    }
    ranks.idle_barrier();
  });
  if (!std::isfinite(verdict.error)) verdict.passed = false;
  verdict.passed = ranks.broadcast(verdict.passed);
  if (!verdict.passed) o.verdict = verdict;
}

}  // namespace

void trace_pass(VariantState& state, const std::shared_ptr<const Workload>& prepared, const Context& context,
                const ExecutionEnvironment& environment) {
  Outcome& o = state.outcome;
  const Lockstep ranks(environment.ranks);
  if (!o.reason.empty() || !o.verdict || !o.verdict->passed || ranks.any(environment.stop->load())) return;
  if (environment.progress) environment.progress(key_of(o.problem) + ": " + o.variant->name + ", a pass for its trace");
  guard_pass(state, environment, [&] { record(o, prepared, context, ranks, environment.machine, *environment.trace); });
}

}  // namespace speedwell::harness
