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
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_flow_text.hpp"
#include "speedwell/cli/solve_run.hpp"
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

/// Times at which something is due: multiples of an interval, counted from 0.
class Every {
 public:
  explicit Every(double interval) : interval_(interval) {}
  bool wanted() const { return interval_ > 0; }
  /// The first after t.
  double next(double t) const {
    return wanted() ? flow::moment_of(std::floor(t / interval_ * (1 + 1e-12)) + 1, interval_)
                    : std::numeric_limits<double>::infinity();
  }
  bool due(double t) const { return wanted() && std::abs(t - std::round(t / interval_) * interval_) <= 1e-12 * t; }

 private:
  double interval_;
};

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
        fields_(flow_case.fields_every),
        checkpoints_(flow_case.checkpoint_every),
        spectra_(flow_case.spectra_every),
        samples_(flow_case.profiles_every) {
    if (samples_.wanted()) profiles_.emplace(flow_case.problem);
    simulation_.watch_balance(!history_.wanted());
  }

  void resume(const std::string& case_text);
  SolveEnd advance();
  const flow::Simulation<T>& simulation() const { return simulation_; }

 private:
  std::string path(const std::string& name) const { return folder_.path(name); }
  void write_history();
  double next_picture(double t) const;  // of fields_at
  void write_fields();
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
  Every history_, fields_, checkpoints_, spectra_, samples_;
  std::optional<flow::Profiles> profiles_;
  std::vector<io::TimedFile> files_;
  std::string lines_;  // of the history since it was last written
  double first_time_ = 0;
  std::int64_t first_step_ = 0;
  bool resumed_ = false;
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
    simulation_.resume(state_);
  };
  resume_from(folder_, case_.settings, read, err_);
  resumed_ = true;
  folder_.begin(case_text);
  // Of the histories only what came before.
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

template <class T>
double Run<T>::next_picture(double t) const {
  const auto next = std::upper_bound(case_.fields_at.begin(), case_.fields_at.end(), t);
  return next == case_.fields_at.end() ? std::numeric_limits<double>::infinity() : *next;
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
                       m.dt, cells / passed * 1e-6, done > 0 ? core::format_seconds(passed / done * left) : "?");
  });
}

template <class T>
SolveEnd Run<T>::advance() {
  first_time_ = simulation_.moment().time;
  first_step_ = simulation_.moment().step;
  if (!resumed_) {
    io::write_file(path("history.csv"), flow::history_header() + "\n");
    write_history();
    if (fields_.wanted()) write_fields();
    if (spectra_.wanted()) {
      io::write_file(path("scales.csv"), scales_header() + "\n");
      write_spectrum();
    }
  }
  simulation_.keep();
  while (simulation_.moment().time < case_.end) {
    const double t = simulation_.moment().time;
    const double until = std::min({case_.end, history_.next(t), fields_.next(t), checkpoints_.next(t), spectra_.next(t),
                                   samples_.next(t), next_picture(t)});
    if (!simulation_.step(until)) {
      show_progress(true);
      simulation_.back();
      simulation_.get(state_);
      write_checkpoint(state_);
      err_ << fmt::format("speedwell: error: {}; the last flow known to be good, of time {}, is kept as a checkpoint\n",
                          simulation_.failure(), state_.time);
      return SolveEnd::diverged;
    }
    const double now = simulation_.moment().time;
    const bool ends = now >= case_.end;
    if (!history_.wanted() || history_.due(now) || ends) {
      write_history();
      if (history_.wanted()) simulation_.keep();
    }
    if (fields_.due(now) || std::binary_search(case_.fields_at.begin(), case_.fields_at.end(), now)) write_fields();
    if (spectra_.due(now)) write_spectrum();
    if (samples_.due(now) && now >= case_.profiles_from) add_to_profiles();
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
                  std::ostream& out, std::ostream& err) {
  RunFolder folder(options, err);
  const std::optional<std::string> without_gpu = why_not_on_gpu(options, flow_case);
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
  return end;
}

}  // namespace

SolveEnd run_flow(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                  std::ostream& err) {
  const flow::FlowCase flow_case = flow::read_case(file, text);
  if (flow_case.pockets > 0)
    err << fmt::format("speedwell: warning: {} cells of enclosed fluid are treated as solid\n", flow_case.pockets);
  if (options.dry_run) {
    const flow::Extents e = flow_case.problem.extents();
    out << fmt::format(
        "{} x {} x {} cells in {}, {} of memory; pressure {}\n", e.nx, e.ny, e.nz,
        flow_case.f32 ? "single precision" : "double precision",
        core::format_bytes(flow::solver_bytes(flow_case.problem, flow_case.options, flow_case.f32 ? 4 : 8)),
        flow::choose(flow_case.problem, flow_case.options.pressure).reason);
    return SolveEnd::done;
  }
  return flow_case.f32 ? solve_in<float>(options, flow_case, text, out, err)
                       : solve_in<double>(options, flow_case, text, out, err);
}

}  // namespace speedwell::cli
