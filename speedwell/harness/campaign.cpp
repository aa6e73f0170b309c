#include "speedwell/harness/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "speedwell/harness/measurement/lockstep.hpp"
#include "speedwell/harness/tables/progress_line.hpp"
#include "speedwell/harness/tables/table.hpp"

namespace speedwell::harness {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void report(const CampaignObserver& observer, const std::string& message) {
  if (observer.progress) observer.progress(message);
}

// How far a campaign is, as its progress tells it.
struct Schedule {
  std::vector<double> bounds;  // exclusive scan of the jobs' time bounds, in seconds; the last one is the total
  int rounds;
  bool bounds_hold;
  std::optional<double> budget;
  double begin = now_seconds();

  std::string line(int round, std::size_t job, const std::string& message, std::size_t width) const {
    const double elapsed = now_seconds() - begin, all = bounds.back() * rounds;
    const auto left = budget ? std::optional(std::max(0.0, *budget - elapsed))
                             : time_left(bounds.back() * (round - 1) + bounds[job], all, elapsed);
    const std::size_t jobs = bounds.size() - 1;
    const std::string count =
        rounds > 1 ? fmt::format("round {}, {}/{}", round, job + 1, jobs) : fmt::format("{}/{}", job + 1, jobs);
    const bool is_bound = !left && bounds_hold;
    return progress_line(count, message, elapsed, is_bound ? std::optional(std::max(0.0, all - elapsed)) : left,
                         is_bound, width);
  }
};

}  // namespace

Campaign::Campaign(machine::Machine machine, Measurement measurement, const comm::Communicator* ranks)
    : machine_(std::move(machine)), measurement_(std::move(measurement)), ranks_(ranks) {}

Context Campaign::context() const {
  int device = measurement_.devices.empty() ? -1 : measurement_.devices.front();
  if (rank_devices_ && rank_devices_->devices) device = rank_devices_->devices->device;
  return {measurement_.threads, device, measurement_.deterministic, ranks_};
}

void Campaign::choose_devices(const std::vector<Job>& jobs) {
  if (!ranks_ || rank_devices_) return;
  const bool any = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.variants.begin(), job.variants.end(),
                       [](const Variant* v) { return v->backend == Backend::multi && v->make; });
  });
  if (any) rank_devices_ = devices_of_ranks(*ranks_, machine_, measurement_);
}

PlanText Campaign::plan_text(const std::vector<Job>& jobs, std::optional<double> budget) {
  choose_devices(jobs);
  const std::atomic<bool> never{false};
  const ExecutionEnvironment environment{.machine = &machine_,
                                         .ceilings = &ceilings_,
                                         .stop = &never,
                                         .progress = {},
                                         .ranks = ranks_,
                                         .rank_devices = rank_devices_ ? &*rank_devices_ : nullptr};
  return harness::plan_text(jobs, measurement_, environment, budget);
}

void Campaign::measure_ceilings(const Job& job, const CampaignObserver& observer) {
  const auto any_uses_gpu = [&](bool gpu) {
    return std::any_of(job.variants.begin(), job.variants.end(),
                       [&](const Variant* v) { return uses_gpu(v->backend) == gpu && v->make; });
  };
  // Ranks that compute on the host have a core each, and the others would disturb the measurement.
  if (!host_measured_ && any_uses_gpu(false) && !Lockstep(ranks_).is_parallel()) {
    report(observer, "measuring the host's ceilings");
    const auto host = machine::measure_host(measurement_.threads, machine::Effort::quick);
    add(host);
    host_measured_ = true;
    // A virtual machine may report every hardware thread as a core: derive the cores from the measurement.
    if (const auto sharing = host.find(machine::threads_per_core_name); sharing && *sharing > 1)
      machine_.cpu.cores = std::min(machine_.cpu.cores, std::max(1, static_cast<int>(machine_.cpu.threads / *sharing)));
  }
  if (!gpu_measured_ && any_uses_gpu(true)) measure_gpu_ceilings(observer);
  const auto& work = job.application->work;
  if (!link_measured_ && any_uses_gpu(true) && !Lockstep(ranks_).is_parallel() && work &&
      work(job.problem).between_gpus && !machine::link_missing(measurement_.devices)) {
    report(observer, "measuring the link between two GPUs");
    add(machine::measure_link(measurement_.devices, machine::Effort::quick));
    link_measured_ = true;
  }
}

// The GPUs of the ranks are of one model: the first rank, which alone computes limits, measures its own while the
// others are idle.
void Campaign::measure_gpu_ceilings(const CampaignObserver& observer) {
  const Lockstep ranks(ranks_);
  const int device = context().device;
  const bool has_device = ranks.is_parallel() ? rank_devices_ && rank_devices_->devices : device >= 0;
  if (!has_device) return;
  const machine::Gpu* const gpu = machine::find_gpu(machine_, device);
  if (!gpu || !gpu->runnable) return;
  report(observer, "measuring the GPU's ceilings");
  if (ranks.is_root()) add(machine::measure_gpu(device, machine::Effort::quick));
  ranks.barrier();
  gpu_measured_ = true;
}

void Campaign::add(const machine::Ceilings& more) {
  ceilings_.entries.insert(ceilings_.entries.end(), more.entries.begin(), more.entries.end());
}

// Whether the data of the job may stay in memory between rounds: if half of the first rank's memory remains free.
bool Campaign::may_stay_allocated(const Job& job) const {
  const auto& footprint = job.application->footprint;
  const Lockstep ranks(ranks_);
  const int holders = ranks.is_parallel() && !job.application->prepare_rank ? ranks_->size() : 1;
  const double needed = footprint ? footprint(job.problem).host_bytes * holders : 0;
  const auto half = static_cast<double>(machine_.cpu.memory_bytes) / 2;
  return ranks.broadcast(static_cast<double>(machine::available_host_bytes()) - needed > half);
}

void Campaign::run(const std::vector<Job>& jobs, int rounds, std::optional<double> budget,
                   const CampaignObserver& observer) {
  choose_devices(jobs);
  measurement_.rounds = rounds;
  measurement_.all_rounds = budget.has_value();
  ExecutionEnvironment environment{.machine = &machine_,
                                   .ceilings = &ceilings_,
                                   .stop = observer.stop,
                                   .progress = {},
                                   .ranks = ranks_,
                                   .rank_devices = rank_devices_ ? &*rank_devices_ : nullptr,
                                   .trace = observer.trace};
  std::vector<Problem> problems;
  Schedule schedule{.bounds = {0}, .rounds = rounds, .bounds_hold = !measurement_.repeat, .budget = budget};
  for (const Job& job : jobs) {
    problems.push_back(job.problem);
    schedule.bounds.push_back(schedule.bounds.back() + time_bound(job, measurement_, environment).all());
  }
  std::vector<std::optional<Experiment>> experiments(jobs.size());
  const auto conclude = [&](std::size_t i) {
    const auto outcomes = experiments[i]->conclude();
    experiments[i].reset();
    if (observer.done) observer.done(i, outcomes);
  };
  const auto is_stopped = [&] {
    return Lockstep(ranks_).any((observer.stop && *observer.stop) || (observer.is_unwanted && observer.is_unwanted()));
  };
  std::optional<double> longest;  // with a budget: seconds of the longest pass that this round may contain
  for (int round = 1; round <= rounds || budget; ++round) {
    if (budget && round > 1) {
      std::vector<PendingVariant> pending;
      for (const auto& e : experiments)
        if (e)
          for (const PendingVariant& v : e->pending()) pending.push_back(v);
      const double left = Lockstep(ranks_).broadcast(schedule.begin + *budget - now_seconds());
      longest = longest_pass_of_next_round(pending, passes_for_an_interval, left);
      if (!longest) break;
    }
    for (std::size_t i = 0; i < jobs.size() && !is_stopped(); ++i) {
      const Job& job = jobs[i];
      if (round > 1 && !experiments[i]) continue;  // the job is complete
      if (round == 1) {
        measure_ceilings(job, observer);
        constexpr std::size_t max_name = 40;  // half of a terminal of 80 columns
        environment.title = shortened(short_name(job.problem, problems), max_name);
        environment.progress = [&schedule, &observer, &round, i](const std::string& message) {
          report(observer, schedule.line(round, i, message, observer.progress_width));
        };
        experiments[i].emplace(*job.application, job.problem, job.variants, measurement_, environment);
      }
      if (longest)
        experiments[i]->advance_once(*longest);
      else if (round < rounds && may_stay_allocated(job))
        experiments[i]->advance(round);
      else
        experiments[i]->advance();
      if (experiments[i]->done()) conclude(i);
    }
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (experiments[i]) conclude(i);  // jobs that were stopped, or that the budget did not suffice for
}

}  // namespace speedwell::harness
