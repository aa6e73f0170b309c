// Each variant is measured in passes: allocate, upload, some executes, download, release. A pass gives one sample of
// the setting-up phases and of end-to-end, and several of execute. The passes of the variants are interleaved in random
// order, so that a slow minute of the machine falls on all of them; only one variant's memory is held at a time.
#include "speedwell/harness/experiment.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <random>
#include <stdexcept>

#include "speedwell/core/error.hpp"
#include "speedwell/core/statistics.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/lockstep.hpp"
#include "speedwell/harness/prediction.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/harness/progress_watch.hpp"
#include "speedwell/harness/sensor_watch.hpp"
#include "speedwell/harness/stopwatch.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness {
namespace {

std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::f64:
    case ElementType::i64: return 8;
    case ElementType::f32:
    case ElementType::i32: return 4;
    case ElementType::u8: return 1;
  }
  throw std::logic_error("an element type without a size");
}

std::string digest(const std::vector<Output>& outputs) {
  XXH64_hash_t hash = 0;
  for (const Output& o : outputs) hash = XXH3_64bits_withSeed(o.data, o.count * element_bytes(o.type), hash);
  return fmt::format("xxh3:{:016x}", hash);
}

struct State {
  Outcome outcome;
  Work best_work;          // of the best algorithm known
  SensorWatch* sensors = nullptr;
  ProgressWatch* progress = nullptr;
  double used = 0;         // seconds of passes so far
  int passes = 0;
  int throttled_samples = 0;
  bool done = false;
};

constexpr int passes_for_an_interval = 6;
constexpr int samples_in_a_pass = 100;     // at most: the rest of a variant's time belongs to later passes
constexpr double energy_window = 2.0;      // seconds; the GPU's counter is updated some ten times a second

bool precise(const std::vector<double>& samples, double precision) {
  const auto interval = core::median_interval(samples);
  return interval && interval->second - interval->first <= 2 * precision * core::median(samples);
}

bool finished(const State& state, const Measurement& m) {
  const auto& samples = state.outcome.execute;
  if (m.repeat) return samples.size() >= static_cast<std::size_t>(*m.repeat);
  if (state.used >= m.max_seconds) return true;
  return state.passes >= passes_for_an_interval && state.used >= m.min_seconds && precise(samples, m.precision);
}

// How many executes this pass takes: those asked for, spread over six passes; or as many as fit into a sixth of the time.
int samples_for_pass(const State& state, const Measurement& m, double first_sample) {
  if (m.repeat) {
    const int left = *m.repeat - static_cast<int>(state.outcome.execute.size()) + 1;  // the first is taken already
    const int passes_left = std::max(1, passes_for_an_interval - state.passes);
    return std::max(1, (left + passes_left - 1) / passes_left);
  }
  const double slice = m.max_seconds / (2 * passes_for_an_interval);
  return std::clamp(static_cast<int>(slice / std::max(first_sample, 1e-7)), 1, samples_in_a_pass);
}

void judge(Outcome& outcome, Run& run, const Lockstep& ranks) {
  core::Verdict verdict;
  if (ranks.leads()) verdict = run.verify();
  if (!std::isfinite(verdict.error)) verdict.passed = false;
  verdict.passed = ranks.first(verdict.passed);
  const bool first = !outcome.verdict.has_value();
  if (first || outcome.verdict->passed) outcome.verdict = verdict;  // a failure stays, whatever follows
}

void measure_energy(State& state, Run& run, Stopwatch& watch) {
  Outcome& o = state.outcome;
  const auto before = state.sensors->read().energy_J;
  if (!before) return;
  const auto begin = Clock::now();
  int executes = 0;
  watch.time([&] {
    while (executes == 0 || seconds_between(begin, Clock::now()) < energy_window) {
      run.reset();
      run.execute();
      run.synchronize();
      ++executes;
    }
  });
  const auto after = state.sensors->read().energy_J;
  if (!after || *after <= *before) {
    o.energy_reason = "the counter did not advance";
    return;
  }
  o.energy_J = (*after - *before) / executes;
  o.energy_window = seconds_between(begin, Clock::now());
}

// A run is watched until it ends, however it ends.
class Watched {
 public:
  Watched(ProgressWatch& watch, const Run& run, const Outcome& o) : watch_(watch) {
    watch_.watch(run, fmt::format("{}: {}", key_of(o.problem), o.variant->name), o.work.updates, o.application->update);
  }
  ~Watched() { watch_.leave(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  ProgressWatch& watch_;
};

void one_pass(State& state, const std::shared_ptr<const Case>& prepared, const Context& context, const Measurement& m,
              const Place& place) {
  Outcome& o = state.outcome;
  const Lockstep ranks(place.ranks);
  Stopwatch watch(ranks);
  const auto begin = Clock::now();
  state.sensors->begin();
  std::unique_ptr<Run> run;
  watch.time([&] { run = o.variant->make(prepared, context); });
  const Watched watched(*state.progress, *run, o);
  const double allocate = watch.time_all([&] { run->allocate(); });
  const double upload = watch.time_all([&] { run->upload(); });
  const bool first_pass = state.passes == 0;
  if (first_pass) {
    watch.time([&] {
      run->reset();
      run->poison();
      run->execute();
      run->synchronize();
      run->download();
      judge(o, *run, ranks);
      if (!ranks.leads()) return;
      o.choices = run->choices();
      o.result_digest = digest(run->outputs());
    });
    if (!o.verdict->passed) {
      state.done = true;
      return;
    }
  }
  watch.time([&] {
    if (!first_pass) run->poison();  // what the last pass is judged by was written in that pass
    for (int i = 0; i < m.warmup; ++i) {
      run->reset();
      run->execute();
      run->synchronize();
    }
  });
  double first_sample = 0;
  int wanted = 1;
  for (int taken = 0, repeats_left = wanted; taken < wanted && !ranks.any(place.stop->load());) {
    watch.time([&] {
      run->reset();
      run->synchronize();  // what reset() put on a device is not the computation's time
    });
    const bool hot_before = state.sensors->throttled();
    const double sample = watch.time_all([&] {
      run->execute();
      run->synchronize();
    });
    const bool hot = ranks.first(state.sensors->throttled() || hot_before);
    if (hot && repeats_left-- > 0) {
      ++state.throttled_samples;
      continue;
    }
    if (hot) o.throttled = true;
    o.execute.push_back(sample);
    if (const auto device = run->device_seconds()) o.device_time.push_back(*device);
    if (taken++ == 0) {
      first_sample = sample;
      wanted = repeats_left = samples_for_pass(state, m, sample);
    }
  }
  const SensorWatch::Seen seen = state.sensors->end();
  SensorWatch::widen(o.clock_MHz, seen.clock_MHz);
  SensorWatch::widen(o.temperature_C, seen.temperature_C);
  const double download = watch.time_all([&] { run->download(); });
  ++state.passes;
  if (first_sample > 0) {
    o.allocate.push_back(allocate);
    o.upload.push_back(upload);
    o.download.push_back(download);
    o.end_to_end.push_back(allocate + upload + first_sample + download);
  }
  const double wall_before_check = ranks.slowest(seconds_between(begin, Clock::now()));
  state.used += wall_before_check;
  const bool last = finished(state, m) || ranks.any(place.stop->load());
  if (last) {
    if (m.energy && !ranks.several()) measure_energy(state, *run, watch);
    // The answer of the last timed execute is judged too: state that drifts over many executes cannot hide.
    watch.time([&] {
      run->download();
      judge(o, *run, ranks);
    });
    state.done = true;
  }
  watch.time([&] { run.reset(); });
  o.overhead += seconds_between(begin, Clock::now()) - watch.total();
}

void set_error(Outcome& o, int status, std::string id, std::string what) {
  o.status = Status::error;
  o.exit_status = status;
  o.error_id = std::move(id);
  o.reason = std::move(what);
}

// Runs one pass and turns whatever it throws into the outcome's status: see docs/errors.md.
void guarded_pass(State& state, const std::shared_ptr<const Case>& prepared, const Context& context,
                  const Measurement& m, const Place& place) {
  Outcome& o = state.outcome;
  if (Lockstep(place.ranks).several()) return one_pass(state, prepared, context, m, place);  // the other ranks wait
  try {
    one_pass(state, prepared, context, m, place);
    return;
  } catch (const core::Unavailable& e) {
    set_error(o, 4, "unavailable", e.what());
  } catch (const core::DeviceError& e) {
    set_error(o, 5, "device", e.what());
  } catch (const io::InputError& e) {
    set_error(o, 3, e.id(), e.what());
  } catch (const std::bad_alloc&) {
    set_error(o, 4, "memory", "not enough memory");
  } catch (const std::invalid_argument& e) {
    set_error(o, 2, "usage", e.what());
  } catch (const std::exception& e) {
    set_error(o, 70, "bug", e.what());
  }
  state.done = true;
}

void conclude(State& state, const Place& place) {
  Outcome& o = state.outcome;
  if (o.status == Status::error) return;
  if (o.execute.empty() && (!o.verdict || o.verdict->passed)) {
    o.status = Status::skipped;
    o.reason = "stopped before it was timed";
    return;
  }
  o.status = o.verdict->passed ? Status::passed : Status::failed;
  if (o.status == Status::failed) {
    o.exit_status = 1;
    o.reason = fmt::format("error {:.3g} > {:.3g}, {}", o.verdict->error, o.verdict->tolerance, o.verdict->oracle);
    // A wrong answer has no speed.
    for (auto* samples : {&o.allocate, &o.upload, &o.execute, &o.device_time, &o.download, &o.end_to_end})
      samples->clear();
    return;
  }
  if (!o.throttled && state.sensors->read().throttled) o.throttled = false;
  o.limit = limit_of(o.work, o.device, *place.machine, o.gpu, *place.ceilings);
  o.best_limit = limit_of(state.best_work, o.device, *place.machine, o.gpu, *place.ceilings);
  withhold_if_exceeded(o.limit, core::median(o.execute));
  withhold_if_exceeded(o.best_limit, core::median(o.execute));
  o.cache_resident = cache_resident(o.work, o.device, *place.machine, o.gpu);
}

}  // namespace

std::vector<Outcome> run_experiment(const Application& application, const Problem& problem,
                                    const std::vector<const Variant*>& variants, const Measurement& m,
                                    const Place& place) {
  const Lockstep ranks(place.ranks);
  std::vector<State> states(variants.size());
  auto host_sensors = machine::host_sensors();
  std::unique_ptr<machine::Sensors> gpu_sensors;
  if (!m.devices.empty() && !place.machine->gpus.empty()) gpu_sensors = machine::gpu_sensors(m.devices.front());
  SensorWatch host_watch(host_sensors.get()), gpu_watch(gpu_sensors.get());
  ProgressWatch progress(place.progress);

  const double needed = application.footprint ? application.footprint(problem).host_bytes : 0;
  const auto available = static_cast<double>(machine::available_host_bytes());
  if (ranks.any(ranks.leads() && needed > available))
    throw core::Unavailable(fmt::format("{}: needs {} of host memory, {} available", key_of(problem),
                                        core::format_bytes(needed), core::format_bytes(available)));
  bool any = false;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    State& s = states[i];
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
    const machine::Sensors* const sensors = o.device == DeviceKind::gpu ? gpu_sensors.get() : host_sensors.get();
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
      for (State& s : states) {
        const Variant& variant = *s.outcome.variant;
        if (application.work_of) s.best_work = application.work_of(*prepared);
        if (variant.work_of) s.outcome.work = variant.work_of(*prepared);
        else if (!variant.work) s.outcome.work = s.best_work;
      }
    const auto context_of = [&](const State& s) {
      return Context{m.threads, s.outcome.gpu, m.deterministic, place.ranks};
    };
    std::mt19937_64 random(m.order_seed);
    std::vector<std::size_t> order(states.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    while (std::any_of(states.begin(), states.end(), [](const State& s) { return !s.done; })) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        State& s = states[i];
        if (s.done) continue;
        if (ranks.any(place.stop->load())) {
          s.done = true;
          continue;
        }
        if (place.progress) place.progress(fmt::format("{}: {}", key_of(problem), s.outcome.variant->name));
        guarded_pass(s, prepared, context_of(s), m, place);
      }
    }
    for (State& s : states)
      if (s.outcome.reason.empty() || s.outcome.verdict) conclude(s, place);
    // What a model measures takes no variant's time, and finds no other's memory in use.
    for (State& s : states) predict(s.outcome, context_of(s), place);
  }
  std::vector<Outcome> outcomes;
  for (State& s : states) outcomes.push_back(std::move(s.outcome));
  return outcomes;
}

}  // namespace speedwell::harness
