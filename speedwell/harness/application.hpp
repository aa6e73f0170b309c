// The contract between an application and the harness: an application is a description, a list of named sizes and a
// table of variants. The harness, the commands, the tests and the report walk this table and know no application by
// name. Light on purpose: CUDA sources include it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/harness/run.hpp"

namespace speedwell::comm {
class Communicator;
}

namespace speedwell::harness {

enum class Backend { serial, openmp, mpi, cuda, nccl };
std::string to_string(Backend backend);

/// The value of a parameter: a count, a real number, or a word (a choice or a path).
using Value = std::variant<std::int64_t, double, std::string>;
std::string to_string(const Value& value);

/// One named parameter of an application's problem: what `--set KEY=VALUE` may change.
struct Parameter {
  std::string key;
  Value fallback;                 // the default, whose type is the parameter's type
  std::string description;        // with the unit
  std::optional<double> minimum;  // of a number
  std::optional<double> maximum;
  std::vector<std::string> choices;  // of a word; empty: any word
  bool quiet = false;                // not named in a problem's key while it has its fallback
};

/// A key and the value that a size or a user gives it.
struct Setting {
  std::string key;
  Value value;
  bool quiet = false;  // it has its fallback, and is not named in the problem's key
};

/// A key that takes each of several values in turn: five kernels, two precisions, the lengths of a curve.
struct Sweep {
  std::string key;
  std::vector<Value> values;
};

/// A named problem, or a named family of problems: the product of its sweeps. A key that the user sets is not swept.
struct Size {
  std::string name;
  std::string summary;
  std::vector<Setting> settings;
  std::vector<Sweep> sweeps;
};

/// One problem, whole: every parameter of the application with its value, and the seed of its random data.
class Problem {
 public:
  Problem() = default;
  Problem(std::string application, std::string size, std::vector<Setting> settings, std::uint64_t seed)
      : application_(std::move(application)), size_(std::move(size)), settings_(std::move(settings)), seed_(seed) {}

  const std::string& application() const { return application_; }
  const std::string& size() const { return size_; }  // the named size that it came from
  const std::vector<Setting>& settings() const { return settings_; }
  std::uint64_t seed() const { return seed_; }

  /// Throw std::logic_error for a key that the application does not have or another type: a bug, not a user's mistake.
  std::int64_t count(const std::string& key) const;
  double real(const std::string& key) const;
  const std::string& word(const std::string& key) const;

 private:
  const Value& value(const std::string& key) const;
  std::string application_, size_;
  std::vector<Setting> settings_;
  std::uint64_t seed_ = 1;
};

/// Which measured rate bounds the operations of a Work.
enum class Arithmetic { none, f64, f32, int32, dpx };
std::string to_string(Arithmetic arithmetic);

/// The work of one execute() of one algorithm: what it must move and compute on any machine, however well it is coded.
/// Bytes are those that must cross main memory (or, over_link, the host link); of the best algorithm known every input
/// is read once and every output written once, of others each pass over memory that the algorithm cannot avoid counts.
/// Operations are in the unit of the measured rate: floating-point operations (a fused multiply-add is two), or 32-bit
/// integer operations of one lane.
struct Work {
  double operations = 0;
  Arithmetic arithmetic = Arithmetic::none;
  double bytes_read = 0;
  double bytes_written = 0;
  double updates = 0;      // in the application's own unit
  double working_set = 0;  // bytes that repeated executes touch: tells whether they stay in a cache
  bool over_link = false;  // the bytes cross the host link, not main memory
  std::string no_limit;    // why no ceiling of the machine bounds this work meaningfully; empty: a limit is computed
};

/// Bytes that something takes, checked before anything is allocated.
struct Footprint {
  double host_bytes = 0;
  double device_bytes = 0;
};

/// A problem made ready once for all its variants: the input data, and the oracle's answer when it is first asked for.
/// Shared, and not changed by any run.
class Case {
 public:
  virtual ~Case() = default;
};

/// What a variant may use.
struct Context {
  int threads = 1;
  int device = 0;  // CUDA's index, after CUDA_VISIBLE_DEVICES
  bool deterministic = false;
  const comm::Communicator* ranks = nullptr;  // those of the run, for the MPI backends: never null there
};

enum class Role {
  plain,  // the backend's one way
  step,   // a step of the ladder: adds one idea to the step before
  best,   // the last step: what a user would keep
  peer,   // somebody else's library on the same problem
};
std::string to_string(Role role);

/// What an application's model of itself says that an execute() takes.
struct Prediction {
  double seconds = 0;
  std::string model;  // its name
};

/// One row of an application's table.
struct Variant {
  using Make = std::function<std::unique_ptr<Run>(std::shared_ptr<const Case>, const Context&)>;

  std::string name;
  Backend backend = Backend::serial;
  Role role = Role::plain;
  std::string adds;     // one sentence: what it is; of a step, what it adds to the one before
  std::string lineage;  // the study's own label, where it has one
  /// What sets its algorithm apart from the application's usual one ("blocks stored", "mixed precision"). Variants
  /// whose words are equal do the same on their devices: only these are compared as what a device is worth.
  std::string algorithm;
  Make make;  // empty: not in this build, for the reason below
  std::string not_built;
  /// The work of the variant's own algorithm, where it moves or computes more than the best algorithm known, which is
  /// Application::work. Its limit is computed from this. Absent: the application's.
  std::function<Work(const Problem&)> work;
  /// The same where it depends on the data; takes the place of work() once they are there.
  std::function<Work(const Case&)> work_of;
  /// What the variant itself takes beside the case. Absent: nothing worth checking.
  std::function<Footprint(const Problem&)> footprint;
  /// The longest that plan() takes, in seconds, where it tries until a time is over. Absent: it is not worth
  /// foreseeing.
  std::function<double(const Problem&)> max_planning;
  /// Why the variant cannot run on this machine: a library of others is not installed. Asked only where the variant's
  /// device is. Absent: it needs none but those that the program is linked with.
  std::function<std::optional<std::string>()> missing;
  /// Why the variant cannot do this problem (a vector too long for shared memory); nothing when it can.
  std::function<std::optional<std::string>(const Problem&)> refuses;
  /// Whether the problem has such a variant at all, where an application has several kernels: rows of the others are
  /// not listed beside it. Absent: every problem has.
  std::function<bool(const Problem&)> belongs;
  /// The same as refuses, of an MPI variant on so many ranks.
  std::function<std::optional<std::string>(const Problem&, int ranks)> refuses_ranks;
  /// The application's model, with numbers that it measures here when it first needs them in a process, and not by the
  /// problem itself. Called for what has passed, after its last phase; by all ranks. Absent: there is no model.
  std::function<Prediction(const Problem&, const Context&)> predict;
};

/// What a problem would take on machines of one kind that are not here.
struct Projection {
  std::vector<std::vector<std::string>> table;  // the header first
  std::vector<std::string> notes;               // what was measured for it, and what is assumed
};

/// An application's model of itself.
struct Projector {
  std::vector<Parameter> parameters;  // of the machine: what --project KEY=VALUE,... may set
  /// Measures what it needs here; called by all ranks. Throws std::invalid_argument for a machine that cannot do the
  /// problem, and core::Unavailable where there is nothing here to measure.
  std::function<std::vector<Projection>(const Problem& problem, const Problem& machine, const Context& here)> project;
};

/// What the report block of the NAS Parallel Benchmarks says of a problem, beside what was measured.
struct NpbTitle {
  std::string name;  // "EP"
  std::string problem_class;
  std::string size;
  std::int64_t iterations = 0;
  std::string operation;  // what the rate counts: "Random numbers generated"
};

/// One kind of computation.
struct Application {
  std::string name;
  std::string title;
  std::string summary;         // one sentence
  std::string source;          // the study and chapter
  std::string update;          // singular of the unit of work: "element", "cell"
  std::string rate_name;       // what updates per second are called: "GCUPS", "MLUPS"; empty: not used
  double rate_scale = 1e9;     // updates per second in one of rate_name
  bool bandwidth_rate = true;  // whether GB/s say something about it
  std::vector<Parameter> parameters;
  std::vector<Size> sizes;  // at least test, small, standard, large
  std::vector<Variant> variants;

  /// The problem's inputs and oracle: what prepare() will take. Throws std::invalid_argument for values that do not go
  /// together; called before anything is allocated.
  std::function<Footprint(const Problem&)> footprint;
  /// The work of one execute() of the best algorithm known. Cheap: called for plans too.
  std::function<Work(const Problem&)> work;
  /// The same where it depends on the data, once they are there; takes the place of work() then. May be absent.
  std::function<Work(const Case&)> work_of;
  std::function<std::shared_ptr<const Case>(const Problem&)> prepare;
  /// What ranks other than the first have of a case: neither inputs nor an oracle. Absent: all that prepare() gives.
  std::function<std::shared_ptr<const Case>(const Problem&)> prepare_rank;
  std::optional<Projector> projector;
  /// Of the NAS Parallel Benchmarks alone: `updates` of its work are then the benchmark's nominal operations.
  std::function<NpbTitle(const Problem&)> npb_title;
};

/// A factory that hands the run its application's own case: make_run<StreamCase, CpuRun>(args...) makes
/// CpuRun(std::shared_ptr<const StreamCase>, const Context&, args...).
template <class CaseType, class RunType, class... Args>
Variant::Make make_run(Args... args) {
  return [=](std::shared_ptr<const Case> prepared, const Context& context) -> std::unique_ptr<Run> {
    return std::make_unique<RunType>(std::static_pointer_cast<const CaseType>(std::move(prepared)), context, args...);
  };
}

/// The function behind one row, for parts that are built apart (CUDA, BLAS): see bind_variants().
struct Binding {
  std::string variant;
  Variant::Make make;
  std::function<std::optional<std::string>()> missing = {};  // Variant::missing
};

/// Gives rows their functions. Throws std::logic_error for a name that the table does not have.
void bind_variants(Application& application, const std::vector<Binding>& bindings);
/// Sets the algorithm of the rows `names`. Throws std::logic_error for a name that the table does not have.
void set_algorithm(std::vector<Variant>& rows, const std::string& algorithm, const std::vector<std::string>& names);
/// Marks every row that is still without a function as not built, for `reason`.
void mark_not_built(Application& application, Backend backend, const std::string& reason);

}  // namespace speedwell::harness
