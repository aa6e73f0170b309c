// Each variant is measured in passes (pass.hpp): a pass gives one sample of each phase and of end-to-end, and several
// of execute. The passes of the variants are interleaved in random order, so that a slow minute of the machine falls on
// all of them; only one variant's memory is held at a time, and beside it the problem's own data.
#include "speedwell/harness/measurement/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "speedwell/core/error.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/harness/measurement/pass.hpp"
#include "speedwell/harness/measurement/progress_watch.hpp"
#include "speedwell/harness/measurement/sensor_watch.hpp"
#include "speedwell/harness/oracle_team.hpp"
#include "speedwell/harness/prediction.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/traced_pass.hpp"

namespace speedwell::harness {
namespace {

// A wrong answer has no speed, no energy and no prediction.
void drop_figures(Outcome& o) {
  for (auto* phase : {&o.prepare, &o.allocate, &o.plan, &o.upload, &o.first_execute, &o.download, &o.end_to_end})
    phase->clear();
  o.execute.clear();
  o.device_time.clear();
  o.exchange.clear();
  o.energy_J.reset();
  o.energy_window.reset();
  o.idle_W.reset();
  o.energy_executes.reset();
  o.energy_reason = "the verdict failed";
  o.device_bytes.reset();
  o.limit = o.best_limit = {std::nullopt, "the verdict failed"};
}

// What a variant's passes come to.
void summarise(VariantState& state, const ExecutionEnvironment& environment) {
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
  o.limit = limit_of(o.work, o.device, *environment.machine, o.gpu, *environment.ceilings, o.gpus);
  o.best_limit = limit_of(state.best_work, o.device, *environment.machine, o.gpu, *environment.ceilings, o.gpus);
  withhold_if_exceeded(o.limit, median_seconds(o.execute));
  withhold_if_exceeded(o.best_limit, median_seconds(o.execute));
  o.cache_resident = cache_resident(o.work, o.device, *environment.machine, o.gpu, o.gpus);
}

// Where a variant on ranks runs.
void place_on_ranks(Outcome& o, const ExecutionEnvironment& environment) {
  o.placement = comm::placement(*environment.ranks);
  if (o.variant->backend != Backend::multi || !environment.rank_devices || !environment.rank_devices->devices) return;
  const comm::RankDevices& devices = *environment.rank_devices->devices;
  o.gpu = devices.device;
  o.gpus = devices.device_count;
  for (std::size_t r = 0; r < o.placement.size(); ++r) o.placement[r].gpu = devices.uuids[r];
}

}  // namespace

Experiment::Experiment(const Application& application, Problem problem, const std::vector<const Variant*>& variants,
                       Measurement measurement, ExecutionEnvironment environment)
    : application_(&application),
      problem_(std::move(problem)),
      measurement_(std::move(measurement)),
      environment_(std::move(environment)),
      random_(measurement_.order_seed) {
  if (environment_.title.empty()) environment_.title = key_of(problem_);
  const Lockstep ranks(environment_.ranks);
  std::unique_ptr<machine::Sensors> own_sensors;
  machine::Sensors* host_sensors = environment_.host_sensors;
  if (!host_sensors) host_sensors = (own_sensors = machine::host_sensors()).get();
  const std::unique_ptr<machine::Sensors> own_gpu = own_gpu_sensors();
  const machine::Sensors* const gpu_sensors = own_gpu ? own_gpu.get() : environment_.gpu_sensors;

  const std::optional<std::string> too_large =
      ranks.reason(ranks.is_root() ? memory_missing_for_problem(application, problem_) : std::nullopt);
  for (const Variant* const variant : variants) {
    VariantState& s = *states_.emplace_back(std::make_unique<VariantState>());
    Outcome& o = s.outcome;
    o.application = &application;
    o.variant = variant;
    o.problem = problem_;
    const bool on_ranks = uses_ranks(variant->backend) && environment_.ranks;
    const int cores = on_ranks ? environment_.ranks->size() : measurement_.threads;
    o.device = device_kind(variant->backend, cores);
    o.threads = o.device == DeviceKind::cores ? cores : 1;
    if (o.device == DeviceKind::gpu && !measurement_.devices.empty()) o.gpu = measurement_.devices.front();
    if (on_ranks) place_on_ranks(o, environment_);
    s.best_work = application.work(problem_);
    o.work = variant->work ? variant->work(problem_) : s.best_work;
    const machine::Sensors* const sensors = o.device == DeviceKind::gpu ? gpu_sensors : host_sensors;
    o.energy_source = sensors ? sensors->energy_source() : "";
    o.energy_reason = !measurement_.energy  ? energy_not_asked
                      : ranks.is_parallel() ? "not measured on ranks"
                                            : o.energy_source;
    if (auto reason = too_large
                          ? too_large
                          : ranks.reason(skip_reason(application, problem_, *variant, measurement_, environment_))) {
      o.reason = *reason;
      s.done = true;
    }
  }
}

// The GPU of this process; -1 if it uses none.
int Experiment::device() const {
  if (environment_.rank_devices && environment_.rank_devices->devices)
    return environment_.rank_devices->devices->device;
  return measurement_.devices.empty() || environment_.machine->gpus.empty() ? -1 : measurement_.devices.front();
}

// Null without a GPU, and where the environment has others.
std::unique_ptr<machine::Sensors> Experiment::own_gpu_sensors() const {
  return device() < 0 || environment_.gpu_sensors ? nullptr : machine::gpu_sensors(device());
}

Experiment::~Experiment() = default;
Experiment::Experiment(Experiment&&) noexcept = default;

bool Experiment::done() const {
  return std::all_of(states_.begin(), states_.end(), [](const auto& s) { return s->done; });
}

void Experiment::prepare() {
  if (prepared_) return;
  if (environment_.progress) environment_.progress(environment_.title + ": preparing");
  const Lockstep ranks(environment_.ranks);
  const bool whole = ranks.is_root() || !application_->prepare_rank;
  if (application_->prepare_rank && ranks.is_root()) {
    const OracleTeam team(ranks, environment_.machine);  // some applications compute their oracle here
    prepared_ = application_->prepare(problem_);
  } else {
    prepared_ = whole ? application_->prepare(problem_) : application_->prepare_rank(problem_);
  }
  ranks.idle_barrier();
  if (!whole) return;
  for (const auto& s : states_) {
    const Variant& variant = *s->outcome.variant;
    if (application_->work_of) s->best_work = application_->work_of(*prepared_);
    if (variant.work_of)
      s->outcome.work = variant.work_of(*prepared_);
    else if (!variant.work)
      s->outcome.work = s->best_work;
  }
}

void Experiment::advance() { advance(std::numeric_limits<int>::max()); }

void Experiment::advance(int passes) {
  make_passes([&](const VariantState& s) { return s.passes < passes; });
}

void Experiment::advance_once(double max_pass_seconds) {
  std::map<const VariantState*, int> before;
  for (const auto& s : states_)
    if (s->pass_seconds <= max_pass_seconds) before[s.get()] = s->passes;
  make_passes([&](const VariantState& s) { return before.contains(&s) && s.passes == before.at(&s); });
}

std::vector<PendingVariant> Experiment::pending() const {
  std::vector<PendingVariant> all;
  for (const auto& s : states_)
    if (!s->done) all.push_back({s->pass_seconds, s->passes});
  return all;
}

// Until no variant waits.
void Experiment::make_passes(const std::function<bool(const VariantState&)>& is_wanted) {
  const auto waits = [&](const VariantState& s) { return !s.done && is_wanted(s); };
  const auto any_waits = [&] {
    return std::any_of(states_.begin(), states_.end(), [&](const auto& s) { return waits(*s); });
  };
  if (!any_waits()) return;
  prepare();
  const Lockstep ranks(environment_.ranks);
  std::unique_ptr<machine::Sensors> own_sensors;
  machine::Sensors* host_sensors = environment_.host_sensors;
  if (!host_sensors) host_sensors = (own_sensors = machine::host_sensors()).get();
  const std::unique_ptr<machine::Sensors> own_gpu = own_gpu_sensors();
  SensorWatch host_watch(host_sensors), gpu_watch(own_gpu ? own_gpu.get() : environment_.gpu_sensors);
  ProgressWatch progress(environment_.progress);
  std::vector<std::size_t> order(states_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  while (any_waits()) {
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t i : order) {
      VariantState& s = *states_[i];
      if (!waits(s)) continue;
      if (ranks.any(environment_.stop->load())) {
        s.done = true;
        continue;
      }
      if (environment_.progress) environment_.progress(environment_.title + ": " + s.outcome.variant->name);
      s.sensors = s.outcome.device == DeviceKind::gpu ? &gpu_watch : &host_watch;
      s.progress = &progress;
      run_pass(s, prepared_, context_of(s.outcome), measurement_, environment_);
    }
  }
}

Context Experiment::context_of(const Outcome& outcome) const {
  const int peer = measurement_.devices.size() > 1 ? measurement_.devices[1] : -1;
  return {measurement_.threads, outcome.gpu, measurement_.deterministic, environment_.ranks, peer};
}

std::vector<Outcome> Experiment::conclude() {
  if (environment_.trace)
    for (const auto& s : states_) trace_pass(*s, prepared_, context_of(s->outcome), environment_);
  for (const auto& s : states_)
    if (s->outcome.reason.empty() || s->outcome.verdict) summarise(*s, environment_);
  prepared_.reset();
  // What a model measures takes no variant's time, and finds no other's memory in use.
  std::vector<Outcome> outcomes;
  for (const auto& s : states_) {
    predict(s->outcome, context_of(s->outcome), environment_);
    outcomes.push_back(std::move(s->outcome));
  }
  states_.clear();
  return outcomes;
}

std::vector<Outcome> run_experiment(const Application& application, const Problem& problem,
                                    const std::vector<const Variant*>& variants, const Measurement& measurement,
                                    const ExecutionEnvironment& environment) {
  Experiment experiment(application, problem, variants, measurement, environment);
  experiment.advance();
  return experiment.conclude();
}

}  // namespace speedwell::harness
