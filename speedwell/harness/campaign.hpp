// Several problems measured together: the ceilings that their limits are made of, and passes that are spread over the
// whole run in rounds, within a budget of time where there is one.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "speedwell/harness/measurement/experiment.hpp"
#include "speedwell/harness/plan.hpp"

namespace speedwell::harness {

/// What a campaign asks its caller, and tells it. Functions may be empty.
struct CampaignObserver {
  const std::atomic<bool>* stop = nullptr;  // set by a signal: finish the sample, keep what there is
  std::function<bool()> is_unwanted;        // asked before each job: whether further results would not be used
  std::function<void(const std::string& message)> progress;
  std::size_t progress_width = std::string::npos;  // columns of a message with counts and times
  std::function<void(std::size_t job, const std::vector<Outcome>& outcomes)> done;
  core::Trace* trace = nullptr;  // ExecutionEnvironment::trace
};

class Campaign {
 public:
  /// `machine` is that of all ranks; `ranks` is null without MPI. Measures nothing yet.
  Campaign(machine::Machine machine, Measurement measurement, const comm::Communicator* ranks);

  /// With fewer cores once the ceilings tell that a virtual machine reports hardware threads as cores.
  const machine::Machine& machine() const { return machine_; }
  /// Those that the jobs so far needed.
  const machine::Ceilings& ceilings() const { return ceilings_; }
  const Measurement& measurement() const { return measurement_; }
  /// The threads, device (-1: none) and ranks that a performance model may measure with, the same as those of runs.
  Context context() const;

  /// The plan of the jobs (plan.hpp). `budget` is in seconds.
  PlanText plan_text(const std::vector<Job>& jobs, std::optional<double> budget);

  /// Runs the jobs until they are complete or the observer stops them, and tells it of each that is complete. With
  /// several rounds, each round makes one pass of each job, so that the passes of a job are spread over the whole run.
  /// A job whose data would leave less than half of the memory free makes all its remaining passes at once. `budget` is
  /// in seconds: the first round is always made, and later ones only if they are expected to end within it.
  void run(const std::vector<Job>& jobs, int rounds, std::optional<double> budget, const CampaignObserver& observer);

 private:
  void measure_ceilings(const Job& job, const CampaignObserver& observer);
  void measure_gpu_ceilings(const CampaignObserver& observer);
  void add(const machine::Ceilings& more);
  /// Collective. Decides once which GPU each rank uses, if a job has a variant on several GPUs.
  void choose_devices(const std::vector<Job>& jobs);
  bool may_stay_allocated(const Job& job) const;

  machine::Machine machine_;
  machine::Ceilings ceilings_;
  Measurement measurement_;
  const comm::Communicator* ranks_;
  std::optional<RankDevicesOrReason> rank_devices_;
  bool host_measured_ = false, gpu_measured_ = false, link_measured_ = false;
};

}  // namespace speedwell::harness
