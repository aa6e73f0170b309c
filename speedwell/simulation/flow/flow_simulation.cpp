#include "speedwell/simulation/flow/flow_simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "speedwell/apps/incompressible_flow/simulation.hpp"
#include "speedwell/apps/incompressible_flow/statistics/energy_spectrum.hpp"
#include "speedwell/apps/incompressible_flow/statistics/profiles.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/simulation/field_series.hpp"
#include "speedwell/simulation/flow/flow_fields.hpp"
#include "speedwell/simulation/flow/flow_ranks.hpp"
#include "speedwell/simulation/flow/flow_samples.hpp"
#include "speedwell/simulation/flow/flow_text.hpp"
#include "speedwell/simulation/history.hpp"

namespace speedwell::simulation {
namespace {

namespace flow = incompressible_flow;

// The interval of steps at which the flow is compared with that of the previous step.
constexpr std::int64_t steady_steps = 10;

// Maximum duration of the development of an initial flow, whose skewness is the largest after one or two of them.
constexpr double max_turnovers = 5;

template <class T>
class FlowSolver : public TimeDependentSolver {
 public:
  FlowSolver(const flow::FlowCase& flow_case, const Device& device, const RunFolder& folder);

  std::int64_t step() const override { return simulation_.moment().step; }
  double time() const override { return simulation_.moment().time; }
  double end() const override { return case_.end; }
  bool converged() const override { return steady_.has_value(); }

  Preparation prepare(const std::function<bool(const std::string&)>& go_on) override;
  void start() override { take_state(); }
  void load(const io::Checkpoint& from, const CheckpointDetails& details) override;
  std::vector<io::CheckpointField> save(DetailsWriter& details) override;
  std::map<std::string, std::string> settings() const override { return case_.settings; }
  bool advance(double until) override;
  std::string recover() override;

  std::vector<History> histories() const override;
  std::vector<Output> outputs() override;
  Schedule checkpoints() const override { return Schedule(case_.checkpoint_every); }

  std::string description() const override;
  std::string progress(double seconds) const override;
  std::string summary() const override;

 private:
  std::string path(const std::string& name) const { return folder_.path(name); }
  const flow::State<T>& state();
  void take_state();
  void write_history();
  void write_fields();
  void write_spectrum();
  void add_to_profiles();
  void write_decay() const;
  void add_sample_outputs(std::vector<Output>& all);
  void add_statistics_outputs(std::vector<Output>& all);

  const RunFolder& folder_;
  const flow::FlowCase& case_;
  const std::string device_;
  flow::Simulation<T> simulation_;
  flow::State<T> state_;
  bool is_current_ = false;  // state_ is that of the simulation
  SampleFiles samples_;
  std::optional<flow::Profiles> profiles_;
  FieldSeries series_;
  double first_time_ = 0;
  std::int64_t first_step_ = 0;
  std::optional<double> steady_;  // max |du/dt| / max |u| of a steady flow
};

template <class T>
FlowSolver<T>::FlowSolver(const flow::FlowCase& flow_case, const Device& device, const RunFolder& folder)
    : folder_(folder),
      case_(flow_case),
      device_(device.description),
      simulation_(simulation_on<T>(flow_case, device)),
      state_(flow_case.problem.extents()),
      samples_(flow_case.samples, folder),
      series_(folder, "flow") {
  if (case_.profiles_every > 0) profiles_.emplace(flow_case.problem);
  simulation_.watch_balance(!(case_.history_every > 0));
}

template <class T>
const flow::State<T>& FlowSolver<T>::state() {
  if (!is_current_) simulation_.get(state_);
  is_current_ = true;
  return state_;
}

// Lets a flow of random phases develop, and scales it back to its spectrum. The time is then 0 again.
template <class T>
Preparation FlowSolver<T>::prepare(const std::function<bool(const std::string&)>& go_on) {
  if (!case_.spectrum || !(case_.spectrum->skewness < 0)) return {};
  const flow::StartSpectrum& wanted = *case_.spectrum;
  const flow::Spectrum spectrum = flow::spectrum_of(case_.problem, state());
  // Largest eddies turn over in that time.
  const double turnover = spectrum.integral_length() / std::sqrt(spectrum.energy_in_all() * 2 / 3);
  const double longest = max_turnovers * turnover;
  if (!(longest > 0 && std::isfinite(longest))) return {false, "the initial flow has no energy"};
  for (int n = 1; n <= wanted.developments; ++n) {
    for (double skewness = 0; !(skewness <= wanted.skewness);) {
      const flow::Moment& m = simulation_.moment();
      if (m.time >= longest)
        return {false, fmt::format("the initial flow still has a skewness of {:.3g} after {:.3g}, {:g} turnover times, "
                                   "and not start.skewness = {:g}: more cells may resolve it",
                                   skewness, m.time, max_turnovers, wanted.skewness)};
      is_current_ = false;
      if (!simulation_.step(longest)) return {false, "the initial flow does not develop: " + simulation_.failure()};
      skewness = simulation_.statistics().skewness;
      if (!go_on(fmt::format("development {} of {}: step {}, time {:.3g}, skewness {:.3g}", n, wanted.developments,
                             m.step, m.time, skewness)))
        return {false, {}};
    }
    state();
    flow::scale_to_spectrum(case_.problem, wanted.table, state_);
    state_.time = 0;
    state_.step = 0;
    simulation_.resume(state_);
  }
  return {};
}

template <class T>
void FlowSolver<T>::take_state() {
  first_time_ = time();
  first_step_ = step();
  simulation_.save();
}

template <class T>
void FlowSolver<T>::load(const io::Checkpoint& from, const CheckpointDetails& details) {
  is_current_ = false;
  for (const auto& field : checkpoint_fields(state_)) {
    // checkpoint_fields() returns pointers to the state's memory, which is overwritten here.
    auto* bytes = const_cast<std::byte*>(field.bytes.data());
    from.read(field, {bytes, field.bytes.size()});
  }
  if (profiles_ && details.has("profiles")) {
    const auto [samples, sums] = details.profiles();
    profiles_->restore(samples, sums);
  }
  state_.time = details.time();
  state_.step = from.step();
  // Checkpoints of version 0.1 do not list the field files; the .pvd collection does.
  series_.restore(details.has("files") ? details.files() : io::read_pvd(path("flow.pvd")), state_.time);
  samples_.restore(details, state_.time);
  simulation_.resume(state_);
  take_state();
}

template <class T>
std::vector<io::CheckpointField> FlowSolver<T>::save(DetailsWriter& details) {
  state();
  details.add("time", state_.time);
  details.add("files", series_.files());
  if (profiles_) details.add("profiles", profiles_->samples(), profiles_->sums());
  samples_.note(details);
  simulation_.save();
  return checkpoint_fields(state_);
}

// Takes a step, and sets steady_ if the flow is steady after it. This depends only on steps, so that a resumed run ends
// at the same step. The forcing must have stopped changing.
template <class T>
bool FlowSolver<T>::advance(double until) {
  const flow::Moment& m = simulation_.moment();
  const bool drives =
      (case_.stirring && m.time < case_.stirring->remove) || (case_.strain && m.time < case_.strain->end);
  const bool looks = case_.steady > 0 && !drives && (m.step + 1) % steady_steps == 0;
  if (looks) simulation_.keep_velocity();
  is_current_ = false;
  if (!simulation_.step(until)) return false;
  if (looks) {
    const double rate = simulation_.steadiness();
    if (rate <= case_.steady) steady_ = rate;
  }
  return true;
}

template <class T>
std::string FlowSolver<T>::recover() {
  simulation_.restore();
  is_current_ = false;
  return fmt::format("{}; the last flow known to be good, of time {}, is kept as a checkpoint", simulation_.failure(),
                     state().time);
}

template <class T>
std::vector<History> FlowSolver<T>::histories() const {
  std::vector<History> all = {{"history.csv", flow::history_header()},
                              {"scales.csv", scales_header(), flow::has_spectra(case_)}};
  if (samples_.has_probes()) all.push_back({SampleFiles::probes_file, samples_.probes_header()});
  return all;
}

template <class T>
std::vector<Output> FlowSolver<T>::outputs() {
  std::vector<Output> all;
  all.push_back({.schedule = Schedule(case_.history_every),
                 .write = [this] { write_history(); },
                 .at_start = true,
                 .every_step = !(case_.history_every > 0),
                 .at_end = Output::AtEnd::always});
  const Schedule fields(case_.fields_every, case_.fields_at);
  all.push_back({.schedule = fields,
                 .write = [this] { write_fields(); },
                 .at_start = fields.has_interval(),
                 .at_end = fields.empty() ? Output::AtEnd::if_due : Output::AtEnd::if_due_or_converged});
  add_sample_outputs(all);
  add_statistics_outputs(all);
  return all;
}

template <class T>
void FlowSolver<T>::add_sample_outputs(std::vector<Output>& all) {
  const flow::Samples& s = case_.samples;
  const auto add = [&](const Schedule& schedule, bool at_start, bool every_step, auto write) {
    all.push_back({.schedule = schedule,
                   .write = write,
                   .at_start = at_start,
                   .every_step = every_step,
                   .at_end = Output::AtEnd::always});
  };
  const Schedule probes(s.probes_every), lines(s.lines_every, s.lines_at), slices(s.slices_every, s.slices_at);
  if (samples_.has_probes()) add(probes, true, !probes.has_interval(), [this] { samples_.write_probes(simulation_); });
  if (samples_.has_lines()) add(lines, lines.has_interval(), false, [this] { samples_.write_lines(simulation_); });
  if (samples_.has_slices())
    add(slices, slices.has_interval(), false, [this] { samples_.write_slices(simulation_.problem(), state()); });
}

// Writes spectra, and the files that are rewritten with every checkpoint: profiles so far, and the exponent of the
// decay.
template <class T>
void FlowSolver<T>::add_statistics_outputs(std::vector<Output>& all) {
  if (flow::has_spectra(case_))
    all.push_back({.schedule = Schedule(case_.spectra_every, case_.spectra_at),
                   .write = [this] { write_spectrum(); },
                   .at_start = true});
  if (profiles_) {
    all.push_back({.schedule = Schedule(case_.profiles_every), .write = [this] { add_to_profiles(); }});
    const auto write = [this] { io::write_file(path("profiles.csv"), profiles_->text()); };
    all.push_back({.write = write, .with_checkpoint = true});
  }
  if (case_.decay_from) all.push_back({.write = [this] { write_decay(); }, .with_checkpoint = true});
}

template <class T>
void FlowSolver<T>::write_history() {
  io::append_line(path("history.csv"),
                  flow::history_line(simulation_.moment(), simulation_.statistics(), case_.problem.viscosity));
  if (case_.history_every > 0) simulation_.save();
}

template <class T>
void FlowSolver<T>::write_fields() {
  write_flow_fields(simulation_.problem(), state(), series_);
}

template <class T>
void FlowSolver<T>::write_spectrum() {
  const flow::Spectrum spectrum = flow::spectrum_of(simulation_.problem(), state());
  make_folder(path("spectra"));
  // The file is named by the step, which identifies the flow also in a resumed run.
  const std::string name = fmt::format("spectra/spectrum-{:08}.csv", state_.step);
  io::write_file(path(name), flow::spectrum_text(spectrum, case_.problem.viscosity));
  io::append_line(path("scales.csv"),
                  scales_line(simulation_.moment(), simulation_.statistics(), spectrum, simulation_.problem(), name));
}

template <class T>
void FlowSolver<T>::add_to_profiles() {
  if (time() >= case_.profiles_from) profiles_->add(state());
}

template <class T>
void FlowSolver<T>::write_decay() const {
  io::write_file(path("decay.csv"), decay_text(read_text(path("history.csv")), *case_.decay_from));
}

template <class T>
std::string FlowSolver<T>::description() const {
  return fmt::format("on {}; pressure {}", device_, simulation_.choice().reason);
}

template <class T>
std::string FlowSolver<T>::progress(double seconds) const {
  const flow::Moment& m = simulation_.moment();
  const double done = m.time - first_time_, left = case_.end - m.time;
  const double cells = static_cast<double>(case_.problem.extents().cells()) * static_cast<double>(m.step - first_step_);
  return fmt::format("step {}, time {:.4g} of {:.4g}, dt {:.2e}, {:.3g} Mcells/s, {} left", m.step, m.time, case_.end,
                     m.dt, cells / seconds * 1e-6, done > 0 ? core::format_clock(seconds / done * left) : "?");
}

template <class T>
std::string FlowSolver<T>::summary() const {
  const flow::Statistics s = simulation_.statistics();
  std::string text = fmt::format("time {:.10g} after {}: energy {:.8g}, dissipation {:.6g}, divergence {:.1e}\n",
                                 time(), core::counted(step(), "step"), s.energy, s.dissipation, s.divergence);
  if (steady_)
    text += fmt::format("steady: max |du/dt| is {:.3g} max |u|, at most time.steady = {:g}\n", *steady_, case_.steady);
  return text;
}

}  // namespace

std::unique_ptr<TimeDependentSolver> make_flow_solver(const flow::FlowCase& flow_case, const Device& device,
                                                      const RunFolder& folder) {
  if (flow_case.f32) return std::make_unique<FlowSolver<float>>(flow_case, device, folder);
  return std::make_unique<FlowSolver<double>>(flow_case, device, folder);
}

}  // namespace speedwell::simulation
