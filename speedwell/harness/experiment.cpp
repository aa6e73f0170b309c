// Each variant is measured in passes (pass.hpp): a pass gives one sample of each phase and of end-to-end, and several of
// execute. The passes of the variants are interleaved in random order, so that a slow minute of the machine falls on all of
// them; only one variant's memory is held at a time.
#include "speedwell/harness/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/lockstep.hpp"
#include "speedwell/harness/pass.hpp"
#include "speedwell/harness/prediction.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/progress_watch.hpp"
#include "speedwell/harness/sensor_watch.hpp"

namespace speedwell::harness {
namespace {

// A wrong answer has no speed, no energy and no prediction.
void drop_figures(Outcome& o) {
  for (auto* phase : {&o.prepare, &o.allocate, &o.upload, &o.first_execute, &o.download, &o.end_to_end}) phase->clear();
  o.execute.clear();
  o.device_time.clear();
  o.energy_J.reset();
  o.energy_window.reset();
  o.energy_reason = "the verdict failed";
  o.device_bytes.reset();
  o.limit = o.best_limit = {std::nullopt, "the verdict failed"};
}

void conclude(VariantState& state, const Place& place) {
  Outcome& o = state.outcome;
  if (o.status == Status::error) return drop_figures(o);
  if (o.execute.empty() && (!o.verdict || o.verdict->passed)) {
    o.status = Status::skipped;
    o.reason = "stopped before it was timed";
    return;
  }
  o.status = o.verdict->passed ? Status::passed : Status::failed;
  if (o.status == Status::failed) {
    o.exit_status = 1;
    o.reason = fmt::format("error {:.3g} > {:.3g}, {}", o.verdict->error, o.verdict->tolerance, o.verdict->oracle);
    return drop_figures(o);
  }
  if (throttled_count(o.execute) > 0) o.throttled = true;
  else if (state.sensors->read().throttled) o.throttled = false;
  o.limit = limit_of(o.work, o.device, *place.machine, o.gpu, *place.ceilings);
  o.best_limit = limit_of(state.best_work, o.device, *place.machine, o.gpu, *place.ceilings);
  withhold_if_exceeded(o.limit, median_seconds(o.execute));
  withhold_if_exceeded(o.best_limit, median_seconds(o.execute));
  o.cache_resident = cache_resident(o.work, o.device, *place.machine, o.gpu);
}

}  // namespace

std::vector<Outcome> run_experiment(const Application& application, const Problem& problem,
                                    const std::vector<const Variant*>& variants, const Measurement& m,
                                    const Place& place) {
  const Lockstep ranks(place.ranks);
  std::vector<VariantState> states(variants.size());
  std::unique_ptr<machine::Sensors> own_sensors;
  machine::Sensors* host_sensors = place.host_sensors;
  if (!host_sensors) host_sensors = (own_sensors = machine::host_sensors()).get();
  std::unique_ptr<machine::Sensors> gpu_sensors;
  if (!m.devices.empty() && !place.machine->gpus.empty()) gpu_sensors = machine::gpu_sensors(m.devices.front());
  SensorWatch host_watch(host_sensors), gpu_watch(gpu_sensors.get());
  ProgressWatch progress(place.progress);

  const double needed = application.footprint ? application.footprint(problem).host_bytes : 0;
  const auto available = static_cast<double>(machine::available_host_bytes());
  if (ranks.any(ranks.leads() && needed > available))
    throw core::Unavailable(fmt::format("{}: needs {} of host memory, {} available", key_of(problem),
                                        core::format_bytes(needed), core::format_bytes(available)));
  bool any = false;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    VariantState& s = states[i];
    Outcome& o = s.outcome;
    o.application = &application;
    o.variant = variants[i];
    o.problem = problem;
    const bool mpi = variants[i]->backend == Backend::mpi && place.ranks;
    const int cores = mpi ? place.ranks->size() : m.threads;
    if (mpi) o.placement = comm::placement(*place.ranks);
    o.device = device_kind(variants[i]->backend, cores);
    o.threads = o.device == DeviceKind::cores ? cores : 1;
    if (o.device == DeviceKind::gpu && !m.devices.empty()) o.gpu = m.devices.front();
    s.best_work = application.work(problem);
    o.work = variants[i]->work ? variants[i]->work(problem) : s.best_work;
    s.sensors = o.device == DeviceKind::gpu ? &gpu_watch : &host_watch;
    s.progress = &progress;
    const machine::Sensors* const sensors = o.device == DeviceKind::gpu ? gpu_sensors.get() : host_sensors;
    o.energy_source = sensors ? sensors->energy_source() : "";
    o.energy_reason = !m.energy         ? "not asked for (--energy)"
                      : ranks.several() ? "not measured on ranks"
                                        : o.energy_source;
    if (auto reason = ranks.reason(why_not(application, problem, *variants[i], m, place))) {
      o.reason = *reason;
      s.done = true;
    } else {
      any = true;
    }
  }
  if (any) {
    if (place.progress) place.progress(key_of(problem) + ": preparing");
    const bool whole = ranks.leads() || !application.prepare_rank;
    const std::shared_ptr<const Case> prepared =
        whole ? application.prepare(problem) : application.prepare_rank(problem);
    if (whole)
      for (VariantState& s : states) {
        const Variant& variant = *s.outcome.variant;
        if (application.work_of) s.best_work = application.work_of(*prepared);
        if (variant.work_of) s.outcome.work = variant.work_of(*prepared);
        else if (!variant.work) s.outcome.work = s.best_work;
      }
    const auto context_of = [&](const VariantState& s) {
      return Context{m.threads, s.outcome.gpu, m.deterministic, place.ranks};
    };
    std::mt19937_64 random(m.order_seed);
    std::vector<std::size_t> order(states.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    while (std::any_of(states.begin(), states.end(), [](const VariantState& s) { return !s.done; })) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        VariantState& s = states[i];
        if (s.done) continue;
        if (ranks.any(place.stop->load())) {
          s.done = true;
          continue;
        }
        if (place.progress) place.progress(fmt::format("{}: {}", key_of(problem), s.outcome.variant->name));
        run_pass(s, prepared, context_of(s), m, place);
      }
    }
    for (VariantState& s : states)
      if (s.outcome.reason.empty() || s.outcome.verdict) conclude(s, place);
    // What a model measures takes no variant's time, and finds no other's memory in use.
    for (VariantState& s : states) predict(s.outcome, context_of(s), place);
  }
  std::vector<Outcome> outcomes;
  for (VariantState& s : states) outcomes.push_back(std::move(s.outcome));
  return outcomes;
}

}  // namespace speedwell::harness
