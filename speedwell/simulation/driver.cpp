#include "speedwell/simulation/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "speedwell/comm/communicator.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/cases/case_table.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/limits.hpp"
#include "speedwell/io/source.hpp"
#include "speedwell/simulation/clock.hpp"
#include "speedwell/simulation/gpu_device.hpp"
#include "speedwell/simulation/history.hpp"
#include "speedwell/simulation/ranks.hpp"
#include "speedwell/simulation/restart.hpp"
#include "speedwell/simulation/simulation_case.hpp"

namespace speedwell::simulation {
namespace {

// The time loop of every solver.
class Driver {
 public:
  Driver(const SimulationOptions& options, RunFolder& folder, RunClock& clock, TimeDependentSolver& solver)
      : options_(options), folder_(folder), clock_(clock), solver_(solver), checkpoints_(solver.checkpoints()) {}

  SimulationEnd run(const std::string& case_text);

 private:
  std::optional<StopReason> prepare();
  void start(const std::string& case_text);
  void resume(const std::string& case_text);
  StopReason advance();
  double next_position() const;
  void write_outputs();
  void save();
  StopReason diverged();
  void report_progress(bool last);
  bool at_end() const { return solver_.position() >= solver_.end() || solver_.converged(); }

  const SimulationOptions& options_;
  RunFolder& folder_;
  RunClock& clock_;
  TimeDependentSolver& solver_;
  const Schedule checkpoints_;
  std::vector<Output> outputs_;
};

// The reason to end the run, if the initial state is not ready.
std::optional<StopReason> Driver::prepare() {
  std::string last;
  const Preparation done = solver_.prepare([&](const std::string& progress) {
    last = progress;
    clock_.report_progress(false, [&](double) { return last; });
    return !clock_.stop_reason();
  });
  if (!last.empty()) clock_.report_progress(true, [&](double) { return last; });
  if (done.is_ready) return std::nullopt;
  if (done.failure.empty()) return clock_.stop_reason().value_or(StopReason::interrupted);
  report(options_, Message::Kind::error, done.failure);
  return StopReason::diverged;
}

void Driver::start(const std::string& case_text) {
  solver_.start();
  folder_.begin(case_text);
  for (const History& history : solver_.histories())
    if (history.wanted) io::write_file(folder_.path(history.file), history.header + "\n");
}

void Driver::resume(const std::string& case_text) {
  resume_from_checkpoint(folder_, solver_, options_);
  folder_.begin(case_text);
  for (const History& history : solver_.histories()) {
    const std::string path = folder_.path(history.file);
    if (history.wanted || io::is_there(path)) cut_history(path, history.header, solver_.step());
  }
}

SimulationEnd Driver::run(const std::string& case_text) {
  if (!options_.resume) {
    folder_.claim();
    if (const auto reason = prepare()) return {.reason = *reason, .saved = false};
  }
  options_.resume ? resume(case_text) : start(case_text);
  if (const std::string description = solver_.description(); !description.empty())
    report(options_, Message::Kind::status, description);
  outputs_ = solver_.outputs();
  if (!options_.resume)
    for (const Output& output : outputs_)
      if (output.at_start) output.write();
  const StopReason reason = advance();
  return {reason, solver_.step(), solver_.time(), solver_.summary()};
}

StopReason Driver::advance() {
  while (solver_.position() < solver_.end()) {
    const std::int64_t before = solver_.step();
    if (!solver_.advance(next_position())) return diverged();
    if (solver_.step() <= before) throw std::logic_error("TimeDependentSolver::advance() has taken no step");
    write_outputs();
    const auto early = clock_.stop_reason();
    const bool ends = at_end();
    if (checkpoints_.due(solver_.position()) || ends || early) {
      // These are written before the checkpoint: if a run is killed between the two, they are written again.
      for (const Output& output : outputs_)
        if (output.with_checkpoint) output.write();
      save();
    }
    report_progress(ends || early);
    if (ends) break;
    if (early) return *early;
  }
  return StopReason::end_reached;
}

// The next position at which an output or checkpoint is due.
double Driver::next_position() const {
  const double now = solver_.position();
  double until = std::min(solver_.end(), checkpoints_.next(now));
  for (const Output& output : outputs_) until = std::min(until, output.schedule.next(now));
  return until;
}

void Driver::write_outputs() {
  const double now = solver_.position();
  const bool ends = at_end();
  for (const Output& output : outputs_) {
    using AtEnd = Output::AtEnd;
    const bool of_end = (ends && output.at_end == AtEnd::always) ||
                        (solver_.converged() && output.at_end == AtEnd::if_due_or_converged);
    if (output.every_step || of_end || output.schedule.due(now)) output.write();
  }
}

void Driver::save() {
  DetailsWriter details;
  details.add("settings", solver_.settings());
  const auto fields = solver_.save(details);
  io::write_checkpoint(folder_.path("checkpoints"), solver_.step(), fields, details.text(), *folder_.run());
}

StopReason Driver::diverged() {
  report_progress(true);
  const std::string what = solver_.recover();
  save();
  report(options_, Message::Kind::error, what);
  return StopReason::diverged;
}

void Driver::report_progress(bool last) {
  clock_.report_progress(last, [&](double seconds) { return solver_.progress(seconds); });
}

// Reads the solver of a case, before that solver reads the rest.
const SolverType& solver_type_of(const std::string& file, const std::string& text) {
  const toml::table whole = io::parse_case(file, text);
  io::require_schema(file, whole);
  const toml::node* node = whole.get("solver");
  if (!node) return solver_types().front();
  const auto name = node->value_exact<std::string>();
  if (const SolverType* type = name ? find_solver_type(*name) : nullptr) return *type;
  const auto position = node->source().begin;
  const std::string wanted = required_solver_types();
  throw io::InputError(
      "input.case.value", file, position.line, position.column,
      name ? fmt::format("solver: unknown solver '{}'; {}", name->substr(0, io::limits::quoted_bytes), wanted)
           : "solver: " + wanted);
}

// A case, and its device.
struct ReadCase {
  std::string text;
  std::unique_ptr<SimulationCase> simulation_case;
  Device device;
};

bool wants_gpu(const SimulationOptions& options) { return options.gpu == SimulationOptions::Gpu::always; }

Device device_of(const SimulationOptions& options, const SimulationCase& simulation_case) {
  using Gpu = SimulationOptions::Gpu;
  if (options.ranks) {
    const bool on_gpus = wants_gpu(options);
    return {on_gpus, on_gpus ? options.threads : 1, simulation_case.on_ranks(options.ranks->size(), on_gpus),
            options.ranks};
  }
  const auto lacks = options.gpu == Gpu::never    ? std::optional<std::string>("no GPU was requested")
                     : options.gpu == Gpu::always ? std::nullopt
                                                  : simulation_case.lacks_gpu();
  return {!lacks, options.threads, lacks ? fmt::format("{} CPU threads: {}", options.threads, *lacks) : "a GPU"};
}

ReadCase read_without_device(const SimulationOptions& options) {
  require_folder_to_resume(options);
  const std::string file = options.file.empty() ? options.folder + "/case.toml" : options.file;
  ReadCase read;
  read.text = io::read_file(file, io::limits::case_bytes);
  read.simulation_case = solver_type_of(file, read.text).read(file, read.text);
  return read;
}

ReadCase read_case(const SimulationOptions& options) {
  ReadCase read = read_without_device(options);
  for (const Message& message : read.simulation_case->messages(options.resume))
    report(options, message.kind, message.text);
  read.device = device_of(options, *read.simulation_case);
  return read;
}

SimulationEnd run_here(const SimulationOptions& options) {
  const auto [text, simulation_case, device] = read_case(options);
  require_memory(options, simulation_case->host_bytes(device));
  if (!options.resume) simulation_case->check_start();
  RunFolder folder(options);
  RunClock clock(options);
  const auto solver = simulation_case->make_solver(device, folder);
  SimulationEnd end = Driver(options, folder, clock, *solver).run(text);
  end.on_gpu = device.on_gpu;
  return end;
}

RunPlan plan_here(const SimulationOptions& options) {
  if (options.field_format) require_field_format(*options.field_format);
  const auto [text, simulation_case, device] = read_case(options);
  return simulation_case->plan(options, device);
}

// What `act` returns on the first rank; the others follow it, and return a result with the reason of the end alone.
template <class Result, class Act, class Reason>
Result with_ranks(const SimulationOptions& options, const Act& act, const Reason& reason_in) {
  SimulationOptions here = options;
  if (here.gpu_device) select_gpu(*here.gpu_device);
  if (here.ranks && here.ranks->size() == 1) here.ranks = nullptr;
  if (!here.ranks) return act(here);
  Result result;
  if (here.ranks->rank() > 0) {
    reason_in(result) = follow_first_rank(*here.ranks);
    return result;
  }
  try {
    result = act(here);
  } catch (...) {
    abandon_ranks(*here.ranks);
    throw;
  }
  release_ranks(*here.ranks, reason_in(result));
  return result;
}

}  // namespace

SimulationEnd run(const SimulationOptions& options) {
  return with_ranks<SimulationEnd>(options, run_here, [](SimulationEnd& end) -> StopReason& { return end.reason; });
}

RunPlan plan(const SimulationOptions& options) {
  StopReason unused = StopReason::end_reached;
  return with_ranks<RunPlan>(options, plan_here, [&](RunPlan&) -> StopReason& { return unused; });
}

void require_ranks(const SimulationOptions& options, int ranks) {
  if (ranks > 1) read_without_device(options).simulation_case->on_ranks(ranks, wants_gpu(options));
}

SimulationEnd run(TimeDependentSolver& solver, const SimulationOptions& options, const std::string& case_text) {
  RunFolder folder(options);
  RunClock clock(options);
  return Driver(options, folder, clock, solver).run(case_text);
}

#ifdef SPEEDWELL_WITHOUT_CUDA

void select_gpu(int) { throw core::Unavailable("this build has no CUDA"); }

#endif

}  // namespace speedwell::simulation
