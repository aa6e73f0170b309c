#include "speedwell/harness/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "speedwell/harness/lockstep.hpp"
#include "speedwell/harness/progress_line.hpp"
#include "speedwell/harness/table.hpp"

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
  const int device = measurement_.devices.empty() ? -1 : measurement_.devices.front();
  return {measurement_.threads, device, measurement_.deterministic, ranks_};
}

std::string Campaign::plan_text(const std::vector<Job>& jobs, std::optional<double> budget) const {
  const std::atomic<bool> never{false};
  const ExecutionEnvironment environment{
      .machine = &machine_, .ceilings = &ceilings_, .stop = &never, .progress = {}, .ranks = ranks_};
  return harness::plan_text(jobs, measurement_, environment, budget);
}

void Campaign::measure_ceilings(const std::vector<const Variant*>& variants, const CampaignObserver& observer) {
  // Each rank has its own cores, and the other ranks would disturb the measurement.
  if (Lockstep(ranks_).is_parallel()) return;
  const auto uses = [&](bool gpu) {
    return std::any_of(variants.begin(), variants.end(), [&](const Variant* v) {
      return (v->backend == Backend::cuda || v->backend == Backend::nccl) == gpu && v->make;
    });
  };
  const auto add = [&](const machine::Ceilings& more) {
    ceilings_.entries.insert(ceilings_.entries.end(), more.entries.begin(), more.entries.end());
  };
  if (!host_measured_ && uses(false)) {
    report(observer, "measuring the host's ceilings");
    const auto host = machine::measure_host(measurement_.threads, machine::Effort::quick);
    add(host);
    host_measured_ = true;
    // A virtual machine may report every hardware thread as a core: derive the cores from the measurement.
    if (const auto sharing = host.find(machine::threads_per_core_name); sharing && *sharing > 1)
      machine_.cpu.cores = std::min(machine_.cpu.cores, std::max(1, static_cast<int>(machine_.cpu.threads / *sharing)));
  }
  if (!gpu_measured_ && uses(true) && !measurement_.devices.empty() && machine_.gpus[0].runnable) {
    report(observer, "measuring the GPU's ceilings");
    add(machine::measure_gpu(measurement_.devices.front(), machine::Effort::quick));
    gpu_measured_ = true;
  }
}

// Whether the data of the job may stay in memory between rounds: on one rank, if half of the memory remains free.
bool Campaign::may_stay_allocated(const Job& job) const {
  const auto& footprint = job.application->footprint;
  const double needed = footprint ? footprint(job.problem).host_bytes : 0;
  const auto half = static_cast<double>(machine_.cpu.memory_bytes) / 2;
  return !Lockstep(ranks_).is_parallel() && static_cast<double>(machine::available_host_bytes()) - needed > half;
}

void Campaign::run(const std::vector<Job>& jobs, int rounds, std::optional<double> budget,
                   const CampaignObserver& observer) {
  measurement_.rounds = rounds;
  measurement_.all_rounds = budget.has_value();
  ExecutionEnvironment environment{
      .machine = &machine_, .ceilings = &ceilings_, .stop = observer.stop, .ranks = ranks_};
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
      longest = longest_pass_of_next_round(pending, passes_for_an_interval, schedule.begin + *budget - now_seconds());
      if (!longest) break;
    }
    for (std::size_t i = 0; i < jobs.size() && !is_stopped(); ++i) {
      const Job& job = jobs[i];
      if (round > 1 && !experiments[i]) continue;  // the job is complete
      if (round == 1) {
        measure_ceilings(job.variants, observer);
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
