#include "speedwell/harness/measurement/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "speedwell/core/error.hpp"
#include "speedwell/harness/measurement/answer_digest.hpp"
#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/harness/measurement/stopwatch.hpp"
#include "speedwell/harness/oracle_team.hpp"
#include "speedwell/harness/problems.hpp"
#include "speedwell/io/error.hpp"

namespace speedwell::harness {
namespace {

constexpr int max_samples_in_a_pass = 100;  // the rest of a variant's time belongs to later passes
constexpr int min_samples_in_a_pass =
    3;  // where they fit into twice the pass's share: their median bears one that was disturbed
constexpr int checked_in_a_row = 20;  // executes; an error in one of twenty is seen where there is time for all

bool precise(const std::vector<Sample>& samples, double precision) {
  const core::Summary s = summarize(samples);
  return s.interval && s.interval->second - s.interval->first <= 2 * precision * s.median;
}

// Samples that were repeated because the device was throttled do not count as those asked for.
bool finished(const VariantState& state, const Measurement& m) {
  const auto& samples = state.outcome.execute;
  if (m.repeat)
    return samples.size() - throttled_count(samples) >= static_cast<std::size_t>(*m.repeat) ||
           state.passes >= *m.repeat;
  if (state.passes < m.passes) return false;
  // More passes than rounds would all lie in the last round, and the interval would be of that alone.
  if (m.rounds > 1) return state.passes >= m.rounds || (!m.all_rounds && state.timed_seconds >= m.max_seconds);
  if (state.passes < passes_for_an_interval) return state.timed_seconds >= m.max_seconds;
  if (state.wall_seconds >= m.max_seconds) return true;
  return state.timed_seconds >= m.min_seconds && precise(samples, m.precision);
}

// How many samples a pass takes, and for how long.
class PassBudget {
 public:
  PassBudget(const VariantState& state, const Measurement& m) {
    const int passes = m.rounds > 1 ? std::max(m.rounds, m.passes) : std::max(passes_for_an_interval, m.passes);
    if (m.repeat) {
      const auto taken = state.outcome.execute.size() - throttled_count(state.outcome.execute);
      const int left = *m.repeat - static_cast<int>(taken);
      const int passes_left = std::max(1, passes - state.passes);
      exactly_ = std::max(1, (left + passes_left - 1) / passes_left);
    }
    share_ = std::max(m.max_seconds / 2, m.min_seconds) / passes;
  }
  /// After so many samples that took so long together with what prepared them.
  bool is_spent(int samples, double seconds) const {
    if (exactly_) return samples >= *exactly_;
    if (samples >= max_samples_in_a_pass) return true;
    return seconds >= (samples < min_samples_in_a_pass ? 2 * share_ : share_);
  }

 private:
  std::optional<int> exactly_;
  double share_ = 0;
};

// The oracle computes on the first rank alone, with the cores of all ranks of its host, which sleep meanwhile.
void verify(Outcome& outcome, Run& run, const Lockstep& ranks, const machine::Machine* machine) {
  core::Verdict verdict;
  if (ranks.is_root()) {
    const OracleTeam team(ranks, machine);
    verdict = run.verify();
  }
  ranks.idle_barrier();
  if (!std::isfinite(verdict.error)) verdict.passed = false;
  verdict.passed = ranks.broadcast(verdict.passed);
  const bool first = !outcome.verdict.has_value();
  if (first || outcome.verdict->passed) outcome.verdict = verdict;  // a failure stays, whatever follows
}

void measure_energy(VariantState& state, Run& run) {
  Outcome& o = state.outcome;
  const auto resting = state.sensors->read().energy_J;
  if (!resting) return;
  const std::chrono::duration<double> half(idle_window / 2);
  std::this_thread::sleep_for(half);
  const auto rested = state.sensors->read().energy_J;
  const auto rest_begin = Clock::now();
  std::this_thread::sleep_for(half);
  const auto before = state.sensors->read().energy_J;
  const auto begin = Clock::now();
  if (!before) return;
  if (rested && *before > *rested) o.idle_W = (*before - *rested) / seconds_between(rest_begin, begin);
  int executes = 0;
  while (executes == 0 || seconds_between(begin, Clock::now()) < energy_window) {
    run.reset();
    run.execute();
    run.synchronize();
    ++executes;
  }
  const auto after = state.sensors->read().energy_J;
  if (!after || *after <= *before) {
    o.energy_reason = "the counter did not advance";
    return;
  }
  o.energy_J = (*after - *before) / executes;
  o.energy_executes = executes;
  o.energy_window = seconds_between(begin, Clock::now());
}

// A run is watched until it ends, however it ends.
class Watched {
 public:
  Watched(ProgressWatch& watch, const Outcome& o, const std::string& problem)
      : watch_(watch), o_(o), title_(fmt::format("{}: {}", problem, o.variant->name)) {
    watch_.announce(title_);
  }
  void begin(const Run& run) { watch_.watch(run, title_, o_.work.updates, o_.application->update); }
  /// Before the run is destroyed.
  void end() { watch_.announce(title_); }
  ~Watched() { watch_.leave(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  ProgressWatch& watch_;
  const Outcome& o_;
  std::string title_;
};

class Pass {
 public:
  Pass(VariantState& state, const std::shared_ptr<const Workload>& prepared, const Context& context,
       const Measurement& m, const ExecutionEnvironment& environment)
      : state_(state),
        o_(state.outcome),
        prepared_(prepared),
        context_(context),
        m_(m),
        environment_(environment),
        ranks_(environment.ranks),
        watch_(ranks_) {}

  void run() {
    const auto begin = Clock::now();
    machine::HostLoadMeter load;
    load.begin();
    state_.sensors->begin();
    Watched watched(*state_.progress, o_, environment_.title);
    set_up();
    watched.begin(*run_);
    const bool first_pass = state_.passes == 0;
    // The answer of the first execute, which a pass of a variant that has passed can be held to.
    if (o_.verdict) oracle_seconds_ += watch_.time([&] { hold_to_what_passed(); });
    if (!o_.verdict || o_.verdict->passed) take_samples(first_pass);
    if (const auto seen = ranks_.is_parallel() ? std::nullopt : load.end())
      o_.host_load = o_.host_load ? * o_.host_load += *seen : *seen;
    if (sampled_ && o_.verdict->passed && !stopped()) check_more(first_pass);
    const SensorWatch::Seen seen = state_.sensors->end();
    SensorWatch::widen(o_.clock_MHz, seen.clock_MHz);
    SensorWatch::widen(o_.temperature_C, seen.temperature_C);
    if (throttled_count(o_.execute) > 0)
      o_.throttled = true;
    else if (state_.sensors->read().throttled)
      o_.throttled = false;
    if (sampled_) {
      ++state_.passes;
      keep_phases();
    }
    state_.wall_seconds +=
        ranks_.reduce_max(seconds_between(begin, Clock::now()) - oracle_seconds_ - plan_.value_or(0));
    const bool passed = !o_.verdict || o_.verdict->passed;
    if (!passed || finished(state_, m_) || stopped()) {
      if (passed && sampled_) finish();  // a pass that was stopped before its first sample has only poison
      state_.done = true;
    }
    watched.end();
    watch_.time([&] { run_.reset(); });
    state_.pass_seconds = ranks_.reduce_max(seconds_between(begin, Clock::now()) - (first_pass ? oracle_seconds_ : 0));
    o_.overhead += seconds_between(begin, Clock::now()) - watch_.total();
  }

 private:
  bool stopped() const { return ranks_.any(environment_.stop->load()); }

  void reset() {
    run_->reset();
    run_->synchronize();  // what reset() put on a device is not the computation's time
  }
  double execute() {
    return watch_.time_all([&] {
      run_->execute();
      run_->synchronize();
    });
  }

  void set_up() {
    // Where ranks share a GPU, its memory is taken and given back by others, too.
    const bool alone = o_.placement.size() <= static_cast<std::size_t>(o_.gpus);
    const auto free_before =
        state_.sensors && o_.device == DeviceKind::gpu && alone ? free_device_bytes() : std::nullopt;
    prepare_ = watch_.time_all([&] { run_ = o_.variant->make(prepared_, context_); });
    allocate_ = watch_.time_all([&] { run_->allocate(); });
    bool planned = false;
    const double plan = watch_.time_all([&] { planned = run_->plan(); });
    if (planned) plan_ = plan;
    upload_ = watch_.time_all([&] { run_->upload(); });
    watch_.time([&] { reset(); });
    first_execute_ = execute();
    const auto free_after = free_before ? free_device_bytes() : std::nullopt;
    if (free_before && free_after) device_bytes_ = std::max(0.0, *free_before - *free_after);
    download_ = watch_.time_all([&] { run_->download(); });
    // Setting up for the first time starts threads, a CUDA context and what else a process has once: that is no measure
    // of how many more passes there is time for.
    if (state_.passes > 0) state_.timed_seconds += prepare_ + allocate_ + upload_ + first_execute_ + download_;
  }

  std::optional<double> free_device_bytes() const {
    try {
      return static_cast<double>(machine::available_device_bytes(o_.gpu));
    } catch (const core::Unavailable&) {
      return std::nullopt;
    }
  }

  void take_samples(bool first_pass) {
    watch_.time([&] { run_->poison(); });  // what an answer is judged by was written after this
    for (int i = 1; i < m_.warmup; ++i)    // the first execute was one
      watch_.time([&] {
        reset();
        run_->execute();
        run_->synchronize();
      });
    const PassBudget budget(state_, m_);
    double spent = 0;
    int repeated = 0;
    for (int taken = 0; !(sampled_ && budget.is_spent(taken, spent)) && !stopped();) {
      const double reset_seconds = ranks_.reduce_max(watch_.time([&] { reset(); }));
      const bool hot_before = state_.sensors->throttled();
      const std::optional<double> exchanged_before = run_->exchange_seconds();
      const double seconds = execute();
      const std::optional<double> exchanged = run_->exchange_seconds();
      const bool hot = ranks_.any(state_.sensors->throttled() || hot_before);  // all wait for the slowest device
      o_.execute.push_back({seconds, state_.passes, hot, state_.sensors->clock_MHz()});
      if (const auto device = run_->device_seconds()) o_.device_time.push_back({*device, state_.passes, hot, {}});
      if (exchanged)  // of the rank that waited longest
        o_.exchange.push_back({ranks_.reduce_max(*exchanged - exchanged_before.value_or(0)), state_.passes, hot, {}});
      state_.timed_seconds += seconds;
      spent += seconds + reset_seconds;
      if (first_pass && !sampled_) check();
      if (o_.verdict && !o_.verdict->passed) return;
      sampled_ = true;
      if (hot && repeated <= taken) {  // taken again, each once; both stay in the record
        ++repeated;
        continue;
      }
      ++taken;
    }
  }

  // Holds the answer of the execute before against the oracle.
  void check() {
    oracle_seconds_ += watch_.time([&] {
      run_->download();
      verify(o_, *run_, ranks_, environment_.machine);
      ++o_.checked_executes;
      if (!ranks_.is_root()) return;
      o_.choices = run_->choices();
      o_.result_digest = answer_digest(run_->outputs());
    });
  }

  // Checks an execute of a variant that has passed before: an answer with the same bits needs no oracle.
  void check_again() {
    run_->download();
    hold_to_what_passed();
  }
  // The same for an answer that has been downloaded already.
  void hold_to_what_passed() {
    // The first rank alone has the whole answer.
    if (!ranks_.broadcast(ranks_.is_root() && answer_digest(run_->outputs()) == o_.result_digest))
      verify(o_, *run_, ranks_, environment_.machine);
    ++o_.checked_executes;
  }

  // Holds the last sample's answer to what has passed, and in the first pass those of more executes, which are not
  // timed, as many in a row as there is time for: an error that strikes now and then is not in the two answers that
  // begin and end a measurement.
  void check_more(bool first_pass) {
    const double seconds = watch_.time([&] { check_again(); });
    oracle_seconds_ += seconds;
    if (!first_pass) return;
    double spent = 0, reduce_max = ranks_.reduce_max(seconds) + o_.execute.back().seconds;
    for (int i = 0; i < checked_in_a_row && o_.verdict->passed && spent + reduce_max <= m_.check_seconds && !stopped();
         ++i) {
      const double taken = ranks_.reduce_max(watch_.time([&] {
        run_->poison();
        reset();
        run_->execute();
        run_->synchronize();
        check_again();
      }));
      spent += taken;
      reduce_max = std::max(reduce_max, taken);
    }
    oracle_seconds_ += spent;
  }

  void keep_phases() {
    o_.prepare.push_back(prepare_);
    o_.allocate.push_back(allocate_);
    if (plan_) o_.plan.push_back(*plan_);
    o_.upload.push_back(upload_);
    o_.first_execute.push_back(first_execute_);
    o_.download.push_back(download_);
    // A first execute that was faster than those after it, by chance, does not make the whole faster than its part.
    const double execute = std::max(first_execute_, median_of_last_pass());
    o_.end_to_end.push_back(prepare_ + allocate_ + upload_ + execute + download_);
    if (device_bytes_) o_.device_bytes = device_bytes_;  // of the last pass, whose code is loaded already
  }

  double median_of_last_pass() const {
    const auto first = std::find_if(o_.execute.begin(), o_.execute.end(),
                                    [&](const Sample& s) { return s.pass == o_.execute.back().pass; });
    return median_seconds({first, o_.execute.end()});
  }

  // Checks the answer of the last execute too: state that drifts over many executes cannot hide.
  void finish() {
    watch_.time([&] {
      if (m_.energy && !ranks_.is_parallel()) measure_energy(state_, *run_);
      check_again();
    });
  }

  VariantState& state_;
  Outcome& o_;
  const std::shared_ptr<const Workload>& prepared_;
  const Context& context_;
  const Measurement& m_;
  const ExecutionEnvironment& environment_;
  const Lockstep ranks_;
  Stopwatch watch_;
  std::unique_ptr<Run> run_;
  double prepare_ = 0, allocate_ = 0, upload_ = 0, first_execute_ = 0, download_ = 0, oracle_seconds_ = 0;
  std::optional<double> plan_, device_bytes_;
  bool sampled_ = false;
};

void set_error(Outcome& o, int status, std::string id, std::string what) {
  o.status = Status::error;
  o.exit_status = status;
  o.error_id = std::move(id);
  o.reason = std::move(what);
}

}  // namespace

void run_pass(VariantState& state, const std::shared_ptr<const Workload>& prepared, const Context& context,
              const Measurement& m, const ExecutionEnvironment& environment) {
  guard_pass(state, environment, [&] { Pass(state, prepared, context, m, environment).run(); });
}

void guard_pass(VariantState& state, const ExecutionEnvironment& environment, const std::function<void()>& pass) {
  Outcome& o = state.outcome;
  if (Lockstep(environment.ranks).is_parallel()) return pass();  // the other ranks wait
  try {
    return pass();
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

}  // namespace speedwell::harness
