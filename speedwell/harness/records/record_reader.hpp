// Reads records (docs/records.md) back into plain structures: what the report, diff, the Markdown tables and CSV work
// on. Unknown keys are ignored; a known key of the wrong type, a required key that is missing, or a claim that
// contradicts itself is an error with file, line and column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "speedwell/harness/measurement/status.hpp"

namespace speedwell::harness::records {

/// Maximum size of a file of records in bytes. A parsed file takes about twenty times as much memory.
inline constexpr std::size_t max_file_bytes = std::size_t{256} << 20;
/// Maximum number of parameters of a problem, of choices of a run, and of environment variables of a session: each may
/// become a column of a table.
inline constexpr std::size_t max_parameters = 256;

/// One timed phase, in seconds.
struct Phase {
  double median = 0;
  std::optional<std::pair<double, double>> interval;  // 95 % confidence interval of the median
  double p5 = 0, p95 = 0;
  std::size_t n = 0;       // samples
  std::size_t passes = 0;  // in which they were taken; if the record does not say: the samples of end_to_end, else n
  std::vector<double> samples;
  std::size_t throttled = 0;  // samples that were taken while the device was throttled
};

struct Phases {
  std::optional<Phase> prepare, allocate, upload, first_execute, execute, download, device, end_to_end, plan, exchange;
};

struct Variant {
  std::string name, backend, role, description, lineage, algorithm;
};

struct Device {
  std::string kind;  // core, cores or gpu; empty if the run never got a device
  std::string name;  // in full: "16 cores of …", "one NVIDIA H200"
  std::optional<std::int64_t> threads;
  std::string uuid;
};

struct Verdict {
  bool passed = false;
  std::optional<double> error, tolerance;  // absent: not finite
  std::string oracle;
};

struct Work {
  double operations = 0;
  std::string arithmetic;
  double bytes_read = 0, bytes_written = 0;
  double updates = 0;
  std::string update;
  double working_set_bytes = 0;
  bool over_link = false;
  bool between_gpus = false;  // missing in older records
};

struct Rates {
  std::optional<double> bandwidth_GBps, operations_Gops, updates_per_s;
  std::string rate_name;
  std::optional<double> rate;
};

struct Limit {
  double time_s = 0;
  std::string bound, ceiling;
  std::optional<double> ceiling_value;
  std::string ceiling_unit;
  std::optional<double> fraction;
};

struct Prediction {
  std::string model;
  double time_s = 0;
  std::optional<double> ratio;  // over the measured median
};

struct Energy {
  std::optional<double> execute_J;
  std::string source;
  std::optional<double> window_s;
  std::optional<double> idle_W;          // of the device at rest, before the window; absent in older records
  std::optional<std::int64_t> executes;  // in the window; absent in older records
};

using harness::Status;

/// The value of a parameter as the file holds it: a whole number, a real one, or a word.
using Value = std::variant<std::int64_t, double, std::string>;
/// As the command line would take it; reals with the fewest digits that read back the same.
std::string to_string(const Value& value);

struct Run {
  std::string application, title, size;
  std::map<std::string, Value> problem;
  std::uint64_t seed = 1;
  std::string key;
  Variant variant;
  Status status = Status::skipped;
  std::string reason;
  int exit_status = 0;
  Device device;
  std::optional<Verdict> verdict;
  std::string result_digest;
  std::optional<double> checked_executes;  // a count; absent from older records
  Phases phases;
  std::optional<Work> work;
  Rates rates;
  std::optional<Limit> limit;
  std::string limit_reason;
  std::optional<Limit> best_limit;  // of the best algorithm known; absent from older records
  std::optional<Prediction> prediction;
  std::string prediction_reason;  // why there is none, where the application has a model
  Energy energy;
  std::string energy_reason;
  std::optional<double> device_bytes;
  bool cache_resident = false;
  std::optional<bool> throttled;
  std::optional<std::pair<double, double>> clock_MHz, temperature_C;
  std::map<std::string, std::string> choices;
  std::string source_digest;
  std::optional<double> overhead_s;

  /// Passed, with a verdict and a time above zero: the only runs that may enter a ratio.
  bool timed() const { return status == Status::passed && phases.execute && phases.execute->median > 0; }
};

struct Cache {
  std::int64_t level = 0, bytes = 0, shared_by = 0, instances = 0;
};

struct Cpu {
  std::string name;
  std::optional<std::int64_t> sockets, cores, threads, numa_nodes, memory_bytes;
  std::vector<Cache> caches;
  std::vector<std::string> instruction_sets;
};

struct Gpu {
  std::int64_t index = 0;
  std::string name, uuid;
  std::optional<std::int64_t> compute_capability, multiprocessors, memory_bytes, l2_bytes;
  std::optional<bool> ecc;
  std::optional<double> power_limit_W, clock_max_MHz;
  std::optional<std::int64_t> link_generation, link_width;
};

struct Ceiling {
  std::string name;
  std::optional<double> value;
  std::string unit;
  std::optional<double> low, high;
};

struct Machine {
  std::string id;
  Cpu cpu;
  std::vector<Gpu> gpus;
  std::string gpu_reason, os, kernel, driver;
  std::vector<Ceiling> ceilings;

  /// The value of the ceiling of this name, or nothing if it was not measured.
  std::optional<double> ceiling(std::string_view name) const;
};

struct Build {
  std::string version, commit;
  bool dirty = false;
  std::string compiler, flags, build_type, cuda, cuda_architectures, mpi, openmp;
};

struct Session {
  std::string started, command_line;
  std::map<std::string, std::string> environment;
};

/// Why a command failed that wrote a document all the same.
struct Failure {
  int status = 0;
  std::string id, message, hint;
};

/// One document: a machine and the runs made on it. `machine` is absent only beside a failure.
struct Document {
  std::optional<Failure> failure;
  std::optional<Machine> machine;
  Build build;
  Session session;
  std::vector<Run> runs;
};

/// Reads one document from `text`, which begins at line `first_line` of `file` (named in errors). Throws
/// io::InputError.
Document parse_document(std::string_view text, const std::string& file, std::size_t first_line = 1);

/// Reads `text` as one document or, if `file` ends in ".jsonl" or ".jsonl.gz", as one document a line; blank lines are
/// skipped. Throws io::InputError, also if there is no document at all.
std::vector<Document> parse_documents(std::string_view text, const std::string& file);

/// Reads files of either kind, in order; compressed ones too. Throws io::InputError, also for a file that cannot be
/// read.
std::vector<Document> read_documents(const std::vector<std::string>& files);

}  // namespace speedwell::harness::records
