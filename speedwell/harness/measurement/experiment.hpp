// The experiment: variants of one problem, verified, timed in interleaved passes, and set against the machine's limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "speedwell/comm/devices.hpp"
#include "speedwell/comm/placement.hpp"
#include "speedwell/core/trace.hpp"
#include "speedwell/harness/measurement/application.hpp"
#include "speedwell/harness/measurement/limits.hpp"
#include "speedwell/harness/measurement/samples.hpp"
#include "speedwell/harness/measurement/status.hpp"
#include "speedwell/harness/rounds.hpp"
#include "speedwell/machine/ceilings.hpp"
#include "speedwell/machine/host/host_load.hpp"
#include "speedwell/machine/machine.hpp"

namespace speedwell::harness {

/// How to measure.
struct Measurement {
  int threads = 1;
  std::vector<int> devices;  // variants on a GPU run on the first, ranks of a host on one each; empty: none may be used
  bool share_devices = false;  // several ranks may use one GPU
  bool deterministic = false;
  int warmup = 1;             // executes before the samples of each pass, the first execute among them
  int passes = 1;             // at least so many, whatever they take
  int rounds = 1;             // above 1: so many passes and no more, which the caller spreads over its run
  std::optional<int> repeat;  // exactly so many samples; otherwise until precise or out of time
  bool all_rounds = false;    // a long pass ends no rounds: the caller does, when its own time is over
  double min_seconds = 0;     // per variant
  double max_seconds = 2;     // of timed phases per variant until there are passes for an interval, then of all
  double check_seconds = 2;   // per variant, of further executes whose answers are checked and that are not timed
  double precision = 0.02;    // the half width of the interval, relative to the median, that ends the sampling
  bool energy = false;        // fill a window of 2 s with executes
  std::uint64_t order_seed = 1;
};

/// Seconds of executes that an energy is measured over; the GPU's counter is updated some ten times a second.
inline constexpr double energy_window = 2.0;
/// Seconds before it in which the device only holds the run's data: it comes to rest in the first half, and what it
/// draws in the second is Outcome::idle_W.
inline constexpr double idle_window = 2.0;

/// Outcome::energy_reason if --energy is not given.
inline constexpr const char* energy_not_asked = "not asked for (--energy)";

/// Everything that one variant's run on one problem left behind: what a record is made of.
struct Outcome {
  const Application* application = nullptr;
  const Variant* variant = nullptr;
  Problem problem;
  Status status = Status::skipped;
  std::string reason;    // of skipped, failed and error
  std::string error_id;  // of an error, as in docs/errors.md
  int exit_status = 0;
  DeviceKind device = DeviceKind::core;
  int threads = 1;
  int gpu = -1;                            // of this rank
  int gpus = 1;                            // different ones of all ranks together
  std::vector<comm::Placement> placement;  // of the ranks it ran on; empty without MPI
  std::optional<core::Verdict> verdict;
  std::string result_digest;
  int checked_executes = 0;  // whose answers were held against the oracle, or against bits that had passed
  std::vector<double> prepare, allocate, plan, upload, first_execute, download,
      end_to_end;  // seconds, one of each pass
  std::vector<Sample> execute, device_time;
  std::vector<Sample> exchange;  // communication within execute that computation does not hide, of the slowest rank
  std::optional<double> device_bytes;  // of device memory that the run took, code and driver's buffers included
  Work work;                           // of the variant's algorithm
  LimitOrReason limit;                 // from that work
  LimitOrReason best_limit;            // from the work of the best algorithm known
  bool cache_resident = false;
  std::optional<double> energy_J, energy_window, idle_W;
  std::optional<int> energy_executes;  // in the window
  std::string energy_source, energy_reason;
  std::optional<bool> throttled;
  std::optional<std::pair<int, int>> clock_MHz, temperature_C;
  std::optional<machine::HostLoad>
      host_load;  // while the passes ran; none on several ranks, whose processes are others' too
  std::vector<std::pair<std::string, std::string>> choices;
  std::optional<Prediction> prediction;
  std::string prediction_reason;  // why there is none, where the application has a model
  double overhead = 0;            // seconds of the harness itself, beside the samples
};

/// The GPUs of the ranks of a run, or why they have none.
struct RankDevicesOrReason {
  std::optional<comm::RankDevices> devices;
  std::string reason;
};
/// Collective. Of the GPUs that the measurement allows each rank to use.
RankDevicesOrReason devices_of_ranks(const comm::Communicator& ranks, const machine::Machine& machine,
                                     const Measurement& measurement);

/// The environment in which an experiment runs.
struct ExecutionEnvironment {
  const machine::Machine* machine = nullptr;
  const machine::Ceilings* ceilings = nullptr;
  const std::atomic<bool>* stop = nullptr;            // set by a signal: finish the sample, keep what there is
  std::function<void(const std::string&)> progress;   // in a timed region only by another thread, once a second
  const comm::Communicator* ranks = nullptr;          // variants on ranks run on these; null: MPI has not begun
  machine::Sensors* host_sensors = nullptr;           // in place of the machine's own
  std::string title = {};                             // of the problem, for progress; empty: its key
  machine::Sensors* gpu_sensors = nullptr;            // in place of the GPU's own
  const RankDevicesOrReason* rank_devices = nullptr;  // of variants on several GPUs; null: no variant is one
  core::Trace* trace = nullptr;  // of a pass of each variant, after those that are measured; null: none is made
};

struct VariantState;

/// Variants of one problem while they are measured. Passes may be made a few at a time, with those of other problems in
/// between: then a figure's interval contains how the machine changes within the time that all of them take.
class Experiment {
 public:
  /// Plans: says why variants cannot run here; none can if the problem's own data do not fit into memory. Nothing is
  /// prepared yet. `application`, the variants and what `environment` points to must outlive the experiment.
  Experiment(const Application& application, Problem problem, const std::vector<const Variant*>& variants,
             Measurement measurement, ExecutionEnvironment environment);
  ~Experiment();
  Experiment(Experiment&&) noexcept;
  Experiment& operator=(Experiment&&) = delete;

  /// Makes passes, interleaved in random order, until each variant has `passes` of them or all that it needs.
  void advance(int passes);
  /// The same without an end but that of each variant.
  void advance();
  /// Makes one pass of each variant that is not done and whose last pass took at most so long.
  void advance_once(double max_pass_seconds);
  /// The variants that are not done.
  std::vector<PendingVariant> pending() const;
  /// Whether advance() has anything left to do.
  bool done() const;
  /// One outcome for each variant, in their order. The experiment is over.
  std::vector<Outcome> conclude();

 private:
  void prepare();
  void make_passes(const std::function<bool(const VariantState&)>& is_wanted);
  Context context_of(const Outcome& outcome) const;
  int device() const;
  std::unique_ptr<machine::Sensors> own_gpu_sensors() const;

  const Application* application_;
  Problem problem_;
  Measurement measurement_;
  ExecutionEnvironment environment_;
  std::vector<std::unique_ptr<VariantState>> states_;
  std::shared_ptr<const Workload> prepared_;
  std::mt19937_64 random_;
};

/// Runs `variants` on `problem`. Every variant gives one outcome, in their order; a variant that cannot run is skipped
/// with the reason, one that throws is an error with its exit status, and the others go on.
/// On several ranks all call it with equal arguments, of variants that use MPI; the first rank's outcomes are whole.
/// What a run throws there is thrown on, since the other ranks wait for it.
std::vector<Outcome> run_experiment(const Application& application, const Problem& problem,
                                    const std::vector<const Variant*>& variants, const Measurement& measurement,
                                    const ExecutionEnvironment& environment);

/// Why the problem's inputs do not fit into the host's memory (with needed and available bytes), or nothing.
std::optional<std::string> memory_missing_for_problem(const Application& application, const Problem& problem);

/// Why `variant` cannot run here, or nothing: not built, no device, no code for it, refused, or too little memory (with
/// needed and available bytes).
std::optional<std::string> skip_reason(const Application& application, const Problem& problem, const Variant& variant,
                                       const Measurement& measurement, const ExecutionEnvironment& environment);

/// "one core of NAME", "16 cores of NAME", "one NAME".
std::string device_name(DeviceKind kind, int threads, int gpu, const machine::Machine& machine);
/// The same of what the variant ran on; of one on ranks "2 x NAME", or "4 ranks on 2 x NAME" where ranks share a GPU.
std::string device_name(const Outcome& outcome, const machine::Machine& machine);

}  // namespace speedwell::harness
