#include "speedwell/cli/solve_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

#include "speedwell/apps/incompressible_flow/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/profiles.hpp"
#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/steadiness.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_flow_plan.hpp"
#include "speedwell/cli/solve_flow_text.hpp"
#include "speedwell/cli/solve_run.hpp"
#include "speedwell/cli/solve_samples.hpp"
#include "speedwell/cli/solve_schedule.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/source.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::cli {
namespace {

namespace flow = incompressible_flow;
namespace fs = std::filesystem;

template <class T>
std::vector<io::CheckpointField> fields_of(flow::State<T>& s) {
  const flow::Extents e = s.extents;
  std::vector<io::CheckpointField> all;
  const auto add = [&](const char* name, core::HostBuffer<T>& values) {
    all.push_back({name, sizeof(T) == 8 ? "f64" : "f32", {e.nz, e.ny, e.nx}, std::as_bytes(values.span())});
  };
  add("u", s.velocity[0]);
  add("v", s.velocity[1]);
  add("w", s.velocity[2]);
  add("p", s.pressure);
  return all;
}

// The flow is held against what it was a step before at every so many steps.
constexpr std::int64_t steady_steps = 10;

template <class T>
class Run {
 public:
  Run(const SolveOptions& options, RunFolder& folder, const flow::FlowCase& flow_case, bool on_gpu, std::ostream& err)
      : folder_(folder),
        case_(flow_case),
        err_(err),
        clock_(options, err),
        simulation_(flow_case, options.threads, on_gpu),
        state_(flow_case.problem.extents()),
        history_(flow_case.history_every),
        fields_(flow_case.fields_every, flow_case.fields_at),
        checkpoints_(flow_case.checkpoint_every),
        spectra_(flow_case.spectra_every),
        means_(flow_case.profiles_every),
        probes_(flow_case.samples.probes_every),
        lines_(flow_case.samples.lines_every, flow_case.samples.lines_at),
        slices_(flow_case.samples.slices_every, flow_case.samples.slices_at),
        samples_(flow_case.samples, folder) {
    if (case_.steady > 0) before_.emplace(flow_case.problem.extents());
    if (means_.wanted()) profiles_.emplace(flow_case.problem);
    simulation_.watch_balance(!history_.wanted());
  }

  void resume(const std::string& case_text);
  SolveEnd advance();
  const flow::Simulation<T>& simulation() const { return simulation_; }
  /// Of a run that ended because it is: max |du/dt| / max |u|.
  std::optional<double> steady() const { return steady_; }

 private:
  std::string path(const std::string& name) const { return folder_.path(name); }
  void write_history();
  void write_fields();
  void write_samples(bool begins, bool ends);
  bool step(double until);
  void write_spectrum();
  void add_to_profiles();
  void write_means() const;
  void write_checkpoint(flow::State<T>& state);
  void show_progress(bool last);

  RunFolder& folder_;
  const flow::FlowCase& case_;
  std::ostream& err_;
  SolveClock clock_;
  flow::Simulation<T> simulation_;
  flow::State<T> state_;
  Schedule history_, fields_, checkpoints_, spectra_, means_, probes_, lines_, slices_;
  SampleFiles samples_;
  std::optional<flow::State<T>> before_;  // the flow a step ago, where a steady one ends the run
  std::optional<flow::Profiles> profiles_;
  std::vector<io::TimedFile> files_;
  double first_time_ = 0;
  std::int64_t first_step_ = 0;
  bool resumed_ = false;
  std::optional<double> steady_;
};

template <class T>
void Run<T>::resume(const std::string& case_text) {
  const auto read = [&](const io::Checkpoint& from, const CheckpointDetails& details) {
    for (const auto& field : fields_of(state_)) {
      // fields_of() looks at the state's own memory, which is what is to be filled.
      auto* bytes = const_cast<std::byte*>(field.bytes.data());
      from.read(field, {bytes, field.bytes.size()});
    }
    if (profiles_ && details.has("profiles")) {
      const auto [samples, sums] = details.profiles();
      profiles_->restore(samples, sums);
    }
    state_.time = details.time();
    state_.step = from.step();
    // Checkpoints of version 0.1 do not name the fields; the series in time does.
    files_ = details.has("files") ? details.files() : io::read_pvd(path("flow.pvd"));
    std::erase_if(files_, [&](const io::TimedFile& file) { return file.time > state_.time * (1 + 1e-12); });
    samples_.read(details, state_.time);
    simulation_.resume(state_);
  };
  resume_from(folder_, case_.settings, read, err_);
  resumed_ = true;
  folder_.begin(case_text);
  // Of the histories only what came before.
  samples_.resume(state_.step);
  cut_history(path("history.csv"), flow::history_header(), state_.step);
  if (spectra_.wanted() || io::is_there(path("scales.csv")))
    cut_history(path("scales.csv"), scales_header(), state_.step);
}

template <class T>
void Run<T>::write_history() {
  const std::string line = flow::history_line(simulation_.moment(), simulation_.statistics(), case_.problem.viscosity);
  io::append_line(path("history.csv"), line);
}

template <class T>
void Run<T>::write_spectrum() {
  simulation_.get(state_);
  const flow::Spectrum spectrum = flow::spectrum_of(simulation_.problem(), state_);
  make_folder(path("spectra"));
  // Named by the step, which no other setting of a resumed run can give to another flow.
  const std::string name = fmt::format("spectra/spectrum-{:08}.csv", state_.step);
  io::write_file(path(name), flow::spectrum_text(spectrum, case_.problem.viscosity));
  io::append_line(path("scales.csv"),
                  scales_line(simulation_.moment(), simulation_.statistics(), spectrum, simulation_.problem(), name));
}

template <class T>
void Run<T>::add_to_profiles() {
  simulation_.get(state_);
  profiles_->add(state_);
}

// What stands in files that are made anew: profiles so far, and the exponent of the decay.
template <class T>
void Run<T>::write_means() const {
  if (profiles_) io::write_file(path("profiles.csv"), profiles_->text());
  if (case_.decay_from)
    io::write_file(path("decay.csv"), decay_text(read_text(path("history.csv")), *case_.decay_from));
}

// Velocities at cell centres.
template <class T>
void Run<T>::write_fields() {
  simulation_.get(state_);
  const flow::Problem& p = simulation_.problem();
  const flow::Extents e = state_.extents;
  const auto cells = static_cast<std::size_t>(e.cells());
  std::vector<float> velocity(3 * cells), pressure(cells), solid(p.solid.empty() ? 0 : cells);
#pragma omp parallel for collapse(2)
  for (int k = 0; k < e.nz; ++k)
    for (int j = 0; j < e.ny; ++j)
      for (int i = 0; i < e.nx; ++i) {
        const std::size_t n = e.at(i, j, k);
        const int at[] = {i, j, k};
        for (int d = 0; d < 3; ++d) {
          int before[] = {i, j, k};
          before[d] = at[d] > 0 ? at[d] - 1 : e.extent(d) - 1;
          const auto& u = state_.velocity[static_cast<std::size_t>(d)];
          const T low = at[d] > 0 || p.periodic(d) ? u[e.at(before[0], before[1], before[2])] : T(0);
          velocity[3 * n + static_cast<std::size_t>(d)] = static_cast<float>((low + u[n]) / 2);
        }
        pressure[n] = static_cast<float>(state_.pressure[n]);
        if (!solid.empty()) solid[n] = p.solid[n];
      }
  std::vector<io::CellField> all = {{"velocity", 3, velocity}, {"pressure", 1, pressure}};
  if (!solid.empty()) all.push_back({"solid", 1, solid});
  make_folder(path("fields"));
  const std::string name = fmt::format("fields/flow-{:08}.{}", state_.step, io::vtk_extension(p.faces));
  io::write_vtk(path(name), p.faces, all);
  files_.push_back({state_.time, name});
  io::write_pvd(path("flow.pvd"), files_);
}

template <class T>
void Run<T>::write_checkpoint(flow::State<T>& state) {
  nlohmann::json details = {{"time", state.time}, {"settings", case_.settings}, {"files", files_as_json(files_)}};
  if (profiles_) details["profiles"] = {{"samples", profiles_->samples()}, {"sums", profiles_->sums()}};
  samples_.note(details);
  io::write_checkpoint(path("checkpoints"), state.step, fields_of(state), details.dump(), *folder_.run());
}

template <class T>
void Run<T>::show_progress(bool last) {
  clock_.show_progress(last, [&](double passed) {
    const flow::Moment& m = simulation_.moment();
    const double done = m.time - first_time_, left = case_.end - m.time;
    const double cells =
        static_cast<double>(case_.problem.extents().cells()) * static_cast<double>(m.step - first_step_);
    return fmt::format("step {}, time {:.4g} of {:.4g}, dt {:.2e}, {:.3g} Mcells/s, {} left", m.step, m.time, case_.end,
                       m.dt, cells / passed * 1e-6, done > 0 ? core::format_clock(passed / done * left) : "?");
  });
}

// Probes, lines and slices that are due.
template <class T>
void Run<T>::write_samples(bool begins, bool ends) {
  const double now = simulation_.moment().time;
  const bool probes = samples_.has_probes() && (begins || ends || !probes_.wanted() || probes_.due(now)),
             lines = samples_.has_lines() && (begins ? lines_.wanted() : ends || lines_.due(now)),
             slices = samples_.has_slices() && (begins ? slices_.wanted() : ends || slices_.due(now));
  if (!probes && !lines && !slices) return;
  simulation_.get(state_);
  if (probes) samples_.write_probes(simulation_.problem(), state_);
  if (lines) samples_.write_lines(simulation_.problem(), state_);
  if (slices) samples_.write_slices(simulation_.problem(), state_);
}

// A step; a flow that is found to be steady after it sets steady_. It depends on steps alone, so that a run that goes
// on ends at the same one. What drives the flow must have stopped to change.
template <class T>
bool Run<T>::step(double until) {
  const flow::Moment& m = simulation_.moment();
  const bool drives =
      (case_.stirring && m.time < case_.stirring->remove) || (case_.strain && m.time < case_.strain->end);
  const bool looks = before_ && !drives && (m.step + 1) % steady_steps == 0;
  if (looks) simulation_.get(*before_);
  if (!simulation_.step(until)) return false;
  if (looks) {
    simulation_.get(state_);
    const double rate = flow::steadiness(*before_, state_);
    if (rate <= case_.steady) steady_ = rate;
  }
  return true;
}

template <class T>
SolveEnd Run<T>::advance() {
  first_time_ = simulation_.moment().time;
  first_step_ = simulation_.moment().step;
  if (!resumed_) {
    io::write_file(path("history.csv"), flow::history_header() + "\n");
    write_history();
    if (fields_.wanted()) write_fields();
    samples_.begin();
    write_samples(true, false);
    if (spectra_.wanted()) {
      io::write_file(path("scales.csv"), scales_header() + "\n");
      write_spectrum();
    }
  }
  simulation_.keep();
  while (simulation_.moment().time < case_.end) {
    const double t = simulation_.moment().time;
    double until = case_.end;
    for (const Schedule* s : {&history_, &fields_, &checkpoints_, &spectra_, &means_})
      until = std::min(until, s->next(t));
    if (samples_.has_probes()) until = std::min(until, probes_.next(t));
    if (samples_.has_lines()) until = std::min(until, lines_.next(t));
    if (samples_.has_slices()) until = std::min(until, slices_.next(t));
    if (!step(until)) {
      show_progress(true);
      simulation_.back();
      simulation_.get(state_);
      write_checkpoint(state_);
      err_ << fmt::format("speedwell: error: {}; the last flow known to be good, of time {}, is kept as a checkpoint\n",
                          simulation_.failure(), state_.time);
      return SolveEnd::diverged;
    }
    const double now = simulation_.moment().time;
    const bool ends = now >= case_.end || steady_;
    if (!history_.wanted() || history_.due(now) || ends) {
      write_history();
      if (history_.wanted()) simulation_.keep();
    }
    if (fields_.due(now) || (steady_ && !fields_.empty())) write_fields();
    write_samples(false, ends);
    if (spectra_.due(now)) write_spectrum();
    if (means_.due(now) && now >= case_.profiles_from) add_to_profiles();
    const auto early = clock_.ends_early();
    if (checkpoints_.due(now) || ends || early) {
      simulation_.get(state_);
      write_means();  // before the checkpoint: a run that is killed between the two makes them anew
      write_checkpoint(state_);
      simulation_.keep();
    }
    show_progress(ends || early);
    if (ends) break;
    if (early) return *early;
  }
  return SolveEnd::done;
}

std::optional<std::string> why_not_on_gpu(const SolveOptions& options, const flow::FlowCase& flow_case) {
  if (options.gpu == SolveOptions::Gpu::never) return "no GPU was wanted";
  if (options.gpu == SolveOptions::Gpu::always) return std::nullopt;
  if (auto lacks = flow::lacks_gpu()) return lacks;
  if (auto refusal = flow::refuses_on_gpu(flow_case.problem, flow_case.options)) return "a GPU does not do " + *refusal;
  return std::nullopt;
}

template <class T>
SolveEnd solve_in(const SolveOptions& options, const flow::FlowCase& flow_case, const std::string& text,
                  const std::optional<std::string>& without_gpu, std::ostream& out, std::ostream& err) {
  RunFolder folder(options, err);
  Run<T> run(options, folder, flow_case, !without_gpu, err);
  options.resume ? run.resume(text) : folder.begin(text);
  if (!options.quiet)
    err << "speedwell: on "
        << (without_gpu ? fmt::format("{} CPU threads, for {}", options.threads, *without_gpu) : "a GPU")
        << "; pressure " << run.simulation().choice().reason << "\n";
  const SolveEnd end = run.advance();
  const flow::Statistics s = run.simulation().statistics();
  const flow::Moment& m = run.simulation().moment();
  out << fmt::format("time {:.10g} after {} steps: energy {:.8g}, dissipation {:.6g}, divergence {:.1e}\n", m.time,
                     m.step, s.energy, s.dissipation, s.divergence);
  if (run.steady())
    out << fmt::format("steady: max |du/dt| is {:.3g} max |u|, at most time.steady = {:g}\n", *run.steady(),
                       flow_case.steady);
  say_how_to_go_on(options, end, m.step, err);
  return end;
}

}  // namespace

SolveEnd run_flow(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                  std::ostream& err) {
  const flow::FlowCase flow_case = flow::read_case(file, text);
  if (flow_case.pockets > 0)
    err << fmt::format("speedwell: warning: {} cells of enclosed fluid are treated as solid\n", flow_case.pockets);
  if (flow_case.problem.viscosity == 0 && !options.quiet)
    err << "speedwell: note: fluid.viscosity is 0: the flow has no viscosity\n";
  const std::optional<std::string> without_gpu = why_not_on_gpu(options, flow_case);
  if (options.dry_run) {
    print_plan(options, plan_of_flow(options, flow_case, !without_gpu), out);
    return SolveEnd::done;
  }
  require_memory(options, flow_bytes(flow_case, !without_gpu));
  return flow_case.f32 ? solve_in<float>(options, flow_case, text, without_gpu, out, err)
                       : solve_in<double>(options, flow_case, text, without_gpu, out, err);
}

}  // namespace speedwell::cli
