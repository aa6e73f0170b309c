// The interface between an application and the harness. An application consists of a description, a list of named sizes
// and a table of variants; the harness, the commands and the tests iterate over these tables and know no application by
// name. This header is kept small because CUDA sources include it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/harness/measurement/run.hpp"

namespace speedwell::comm {
class Communicator;
}

namespace speedwell::harness {

enum class Backend {
  serial,
  openmp,
  mpi,   // ranks, each on one core
  cuda,  // one GPU
  multi  // ranks that drive a GPU each
};
std::string to_string(Backend backend);
/// Whether variants of the backend use a GPU, and whether they run on ranks.
bool uses_gpu(Backend backend);
bool uses_ranks(Backend backend);

/// The value of a parameter: an integer, a real number, or a string (a choice or a path).
using Value = std::variant<std::int64_t, double, std::string>;
std::string to_string(const Value& value);

/// A named parameter of the problems of an application, which `--set KEY=VALUE` can change.
struct Parameter {
  std::string key;
  Value default_value;            // its type is the type of the parameter
  std::string description;        // with the unit
  std::optional<double> minimum;  // of a number
  std::optional<double> maximum;
  std::vector<std::string> choices;  // of a string; empty: any string
  bool hidden_if_default = false;    // left out of the key of a problem while it has its default value
};

/// Limits of a number, both included.
struct Range {
  std::optional<double> minimum = {}, maximum = {};
};
/// Parameters of each type, as the tables of applications name them.
Parameter integer(std::string key, std::int64_t default_value, std::string description, Range range = {});
Parameter real(std::string key, double default_value, std::string description, Range range = {});
Parameter choice(std::string key, std::string default_value, std::string description, std::vector<std::string> choices);
Parameter text(std::string key, std::string default_value, std::string description);
/// `parameter`, left out of keys while it has its default value.
Parameter hidden(Parameter parameter);

/// A parameter and its value, as a size or the user sets it.
struct Setting {
  std::string key;
  Value value;
  bool hidden_if_default = false;  // it has its default value and is left out of the key of the problem
};

/// A parameter that takes several values in turn, for example five kernels, two precisions, or the lengths of a curve.
struct Sweep {
  std::string key;
  std::vector<Value> values;
};

/// A named problem or family of problems: the Cartesian product of its sweeps. A parameter that the user sets is not
/// swept.
struct Size {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;
  std::vector<Sweep> sweeps;
};

/// A complete problem: the value of every parameter of the application, and the seed of the random data.
class Problem {
 public:
  Problem() = default;
  Problem(std::string application, std::string size, std::vector<Setting> settings, std::uint64_t seed)
      : application_(std::move(application)), size_(std::move(size)), settings_(std::move(settings)), seed_(seed) {}

  const std::string& application() const { return application_; }
  const std::string& size() const { return size_; }  // the named size that it came from
  const std::vector<Setting>& settings() const { return settings_; }
  std::uint64_t seed() const { return seed_; }

  /// The value of a parameter; T is std::int64_t, double or std::string. Throws std::logic_error if the application has
  /// no such parameter or it has another type: a bug, not a mistake of the user's.
  template <class T>
  const T& get(const std::string& key) const;

 private:
  const Value& value(const std::string& key) const;
  std::string application_, size_;
  std::vector<Setting> settings_;
  std::uint64_t seed_ = 1;
};

/// The measured rate that bounds the operations of a Work.
enum class Arithmetic { none, f64, f32, int32, dpx };
std::string to_string(Arithmetic arithmetic);

/// The work of one execute(): the bytes that its algorithm must move and the operations that it must do on any machine,
/// however well it is implemented. Bytes are those that must cross main memory (or, with over_link, the host link): for
/// the best known algorithm each input is read once and each output written once; for others, each pass over memory
/// that the algorithm cannot avoid is counted. Operations are in the unit of the measured rate: floating-point
/// operations, of which a fused multiply-add is two, or 32-bit integer operations of one lane.
struct Work {
  double operations = 0;
  Arithmetic arithmetic = Arithmetic::none;
  double bytes_read = 0;
  double bytes_written = 0;
  double updates = 0;         // in the unit Application::update
  double working_set = 0;     // bytes that repeated executes touch: decides whether they stay in a cache
  bool over_link = false;     // the bytes cross the host link, not main memory
  bool between_gpus = false;  // with over_link: that between two GPUs instead, bytes_written to the other one
  std::string no_limit;       // why no ceiling of the machine is a meaningful bound; empty: a limit is computed
};

/// Memory that is needed, checked before anything is allocated. Of variants on ranks: of all ranks together, so that it
/// does not depend on their number. A rank's share of the device memory is taken to be that of an equal division.
struct Footprint {
  double host_bytes = 0;
  double device_bytes = 0;
};

/// What all variants share on one problem: the input data, and the answer of the oracle, which is computed when it is
/// first needed. No run modifies it.
class Workload {
 public:
  virtual ~Workload() = default;
};

/// The resources that a variant may use.
struct Context {
  int threads = 1;
  int device = 0;  // CUDA's index, after CUDA_VISIBLE_DEVICES; of this rank for variants on several GPUs
  bool deterministic = false;
  const comm::Communicator* ranks = nullptr;  // the ranks of the run; never null for variants on ranks
  int peer = -1;  // a second GPU for work between two of one process; -1: any that can access the memory of `device`
};

enum class Role {
  plain,  // the only variant of its backend
  step,   // a step of the ladder: adds one optimisation to the step before
  best,   // the last step: the recommended implementation
  peer,   // a library of others on the same problem
};
std::string to_string(Role role);

/// The time of an execute() as the performance model of the application predicts it.
struct Prediction {
  double seconds = 0;
  std::string model;  // its name
};

/// A variant of an application: one implementation on one backend.
struct Variant {
  using Make = std::function<std::unique_ptr<Run>(std::shared_ptr<const Workload>, const Context&)>;

  std::string name;
  Backend backend = Backend::serial;
  Role role = Role::plain;
  std::string description;  // one sentence; for a step, what it adds to the one before
  std::string lineage;      // its name in the study, if it has one
  /// What distinguishes its algorithm from the usual one of the application ("blocks stored", "mixed precision"). Only
  /// variants with equal algorithms are compared as a statement on their devices.
  std::string algorithm;
  Make make;  // empty: not in this build, for unavailable_reason
  std::string unavailable_reason;
  /// The work of the algorithm of the variant (of all ranks together), from which its limit is computed, if that moves
  /// or computes more than the best known algorithm (Application::work). Absent: Application::work.
  std::function<Work(const Problem&)> work;
  /// The same if it depends on the data; replaces work() once the workload is prepared.
  std::function<Work(const Workload&)> work_of;
  /// Memory of the variant in addition to the workload. Absent: negligible.
  std::function<Footprint(const Problem&)> footprint;
  /// Maximum time of plan() in seconds, if it searches for a plan within a time limit. Absent: negligible.
  std::function<double(const Problem&)> max_planning;
  /// Why the variant cannot run on this machine, for example because a library is not installed. Called only if its
  /// device is present. Absent: it needs only what the program is linked with.
  std::function<std::optional<std::string>()> missing;
  /// Why the variant does not support the problem, for example a vector that is too long for shared memory; nothing if
  /// it does.
  std::function<std::optional<std::string>(const Problem&)> unsupported_reason;
  /// Whether the variant exists for the problem at all, in applications with several kernels; others are not listed.
  /// Absent: it exists for every problem.
  std::function<bool(const Problem&)> applies_to;
  /// The same as unsupported_reason for a variant on a number of ranks.
  std::function<std::optional<std::string>(const Problem&, int ranks)> unsupported_ranks_reason;
  /// The performance model of the application. Its machine parameters are measured when a process first needs them, and
  /// not by the problem itself. Called by all ranks after the last phase of a variant that has passed. Absent: there is
  /// no model.
  std::function<Prediction(const Problem&, const Context&)> predict;
};

/// Predicted times of a problem on other machines.
struct Projection {
  std::vector<std::vector<std::string>> table;  // the header first
  std::vector<std::string> notes;               // what was measured here, and what is assumed
};

/// The performance model of an application for other machines.
struct Projector {
  std::vector<Parameter> parameters;  // of the machine, set by --project KEY=VALUE,...
  /// Measures the parameters that it needs on this machine; called by all ranks. Throws std::invalid_argument for a
  /// machine that cannot run the problem, and core::Unavailable if the parameters cannot be measured here.
  std::function<std::vector<Projection>(const Problem& problem, const Problem& machine, const Context& here)> project;
};

/// The fields of the report block of the NAS Parallel Benchmarks that describe a problem.
struct NpbTitle {
  std::string name;  // "EP"
  std::string problem_class;
  std::string size;
  std::int64_t iterations = 0;
  std::string operation;  // the operation that the rate counts: "Random numbers generated"
};

/// An application: a kind of computation with its problems and variants.
struct Application {
  std::string name;
  std::string title;
  std::string summary;         // one sentence
  std::string source;          // the study and chapter
  std::string update;          // unit of work in the singular: "element", "cell"
  std::string rate_name;       // unit of the rate of updates: "GCUPS", "MLUPS"; empty: none
  double rate_scale = 1e9;     // updates per second in one of rate_name
  bool bandwidth_rate = true;  // whether GB/s is a meaningful rate
  std::vector<Parameter> parameters;
  std::vector<Size> sizes;  // at least test, small, standard, large
  std::vector<Variant> variants;

  /// Memory of prepare(): inputs and oracle. Throws std::invalid_argument for inconsistent values; called before
  /// anything is allocated.
  std::function<Footprint(const Problem&)> footprint;
  /// The work of one execute() of the best known algorithm. Must be cheap: plans call it, too.
  std::function<Work(const Problem&)> work;
  /// The same if it depends on the data; replaces work() once the workload is prepared. May be absent.
  std::function<Work(const Workload&)> work_of;
  std::function<std::shared_ptr<const Workload>(const Problem&)> prepare;
  /// The settings that make a problem `ranks` times as large, of which each rank has what one had: weak scaling.
  /// Absent: the application has no such problem.
  std::function<std::vector<Setting>(const Problem&, int ranks)> weak;
  /// The workload of the ranks other than the first, without inputs and oracle. Absent: prepare() is called on all
  /// ranks.
  std::function<std::shared_ptr<const Workload>(const Problem&)> prepare_rank;
  std::optional<Projector> projector;
  /// For the NAS Parallel Benchmarks only: `updates` of the work are then the nominal operations of the benchmark.
  std::function<NpbTitle(const Problem&)> npb_title;
};

/// A factory that passes the workload of the application to the run: make_run<W, RunType>(args...) constructs
/// RunType(std::shared_ptr<const W>, const Context&, args...).
template <class WorkloadType, class RunType, class... Args>
Variant::Make make_run(Args... args) {
  return [=](std::shared_ptr<const Workload> prepared, const Context& context) -> std::unique_ptr<Run> {
    return std::make_unique<RunType>(std::static_pointer_cast<const WorkloadType>(std::move(prepared)), context,
                                     args...);
  };
}

/// The factory of a variant that is compiled in an optional part (CUDA, BLAS): see bind_variants().
struct Binding {
  std::string variant;
  Variant::Make make;
  std::function<std::optional<std::string>()> missing = {};  // Variant::missing
};

/// Sets the factories of variants. Throws std::logic_error for a name that is not in the table.
void bind_variants(Application& application, const std::vector<Binding>& bindings);
/// Sets the algorithm of the variants `names`. Throws std::logic_error for a name that is not in the table.
void set_algorithm(std::vector<Variant>& rows, const std::string& algorithm, const std::vector<std::string>& names);
/// Sets the unavailable_reason of every variant of the backend that has no factory.
void mark_unavailable(Application& application, Backend backend, const std::string& reason);
/// The same of the variants of a library: those named `library`, or `library` and a hyphen.
void mark_unavailable(Application& application, const std::string& library, const std::string& reason);

}  // namespace speedwell::harness
