// The binary fluid solver for the driver.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/fluid/fluid_part.hpp"
#include "speedwell/simulation/fluid/fluid_ranks.hpp"
#include "speedwell/simulation/plan_estimate.hpp"
#include "speedwell/simulation/simulation_case.hpp"
#include "speedwell/simulation/step_solver.hpp"

namespace speedwell::simulation {
namespace {

namespace bf = binary_fluid;

constexpr const char* fluid_history_header =
    "t,step,mass,momentum_x,momentum_y,momentum_z,phi,phi_variance,phi_min,phi_max,rho_min,rho_max,speed_max,"
    "free_energy,surface,length";

std::unique_ptr<bf::Stepper> stepper_for(const bf::FluidCase& c, const Device& device) {
  if (device.ranks) return stepper_on_ranks(*device.ranks, c.problem, c.precision, device.on_gpu);
  if (device.on_gpu) return bf::stepper_on_gpu(c.problem, c.precision);
  return bf::stepper_on_cores(c.problem, c.precision, device.threads);
}

class FluidSolver : public StepSolver {
 public:
  FluidSolver(const bf::FluidCase& fluid_case, const Device& device, const RunFolder& folder)
      : StepSolver(fluid_case, device, folder, fluid_history_header),
        case_(fluid_case),
        stepper_(stepper_for(case_, device)) {}

  std::int64_t step() const override { return step_; }
  double time() const override { return static_cast<double>(step_); }
  void start() override {
    state_ = bf::initial_state(case_);
    take_state();
  }
  void load(const io::Checkpoint& from, const CheckpointDetails& details) override;
  std::vector<io::CheckpointField> save(DetailsWriter& details) override;
  bool advance(double until) override;
  std::string recover() override;
  std::string progress(double seconds) const override;
  std::string summary() const override;

 protected:
  std::string history_line() const override;
  void write_fields() override;

 private:
  std::vector<io::CheckpointField> fields();
  void take_state() {
    stepper_->set(state_);
    statistics_ = stepper_->statistics();
    count_from_here();
  }

  const bf::FluidCase& case_;
  std::unique_ptr<bf::Stepper> stepper_;
  bf::State state_;  // buffer for populations; the present ones are in the stepper
  bf::Statistics statistics_;
  std::int64_t step_ = 0;
  int taken_ = 0;  // steps of the last advance()
};

std::vector<io::CheckpointField> FluidSolver::fields() {
  const bf::Extents& e = case_.problem.extents;
  const std::vector<std::int64_t> shape = {bf::velocities, e.nz, e.ny, e.nx};
  return {{"f-less-weights", "f64", shape, std::as_bytes(std::span(state_.f))},
          {"g", "f64", shape, std::as_bytes(std::span(state_.g))}};
}

void FluidSolver::load(const io::Checkpoint& from, const CheckpointDetails& details) {
  const auto values = bf::velocities * static_cast<std::size_t>(case_.problem.extents.sites());
  state_.extents = case_.problem.extents;
  state_.f.resize(values);
  state_.g.resize(values);
  const auto all = fields();
  from.read(all[0], std::as_writable_bytes(std::span(state_.f)));
  from.read(all[1], std::as_writable_bytes(std::span(state_.g)));
  state_.step = step_ = from.step();
  series_.restore(details.files(), time());
  bf::require_admissible(case_.problem, state_);
  take_state();
}

std::vector<io::CheckpointField> FluidSolver::save(DetailsWriter& details) {
  stepper_->get(state_);
  details.add("files", series_.files());
  return fields();
}

// Limits the steps at once, so that signals are handled soon.
bool FluidSolver::advance(double until) {
  taken_ =
      steps_until(until, std::clamp<std::int64_t>((std::int64_t{1} << 28) / case_.problem.extents.sites(), 1, 1000));
  stepper_->run(taken_);
  step_ += taken_;
  statistics_ = stepper_->statistics();
  if (statistics_.bad_site >= 0) return false;
  stepper_->save();
  return true;
}

std::string FluidSolver::recover() {
  const bf::Failure failure = bf::find_failure(*stepper_, taken_);
  step_ -= taken_;
  return fmt::format(
      "step {}, site {}: the fluid is not finite; the state of step {}, the last known to be good, is kept as a "
      "checkpoint",
      step_ + failure.step, bf::coordinates(case_.problem.extents, failure.site), step_);
}

std::string FluidSolver::history_line() const {
  const bf::Statistics& s = statistics_;
  const bf::Extents& e = case_.problem.extents;
  const auto sites = static_cast<double>(e.sites());
  return fmt::format(
      "{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.9g},{:.9g},{:.12g},{:.12g},{:.9g},{:.17g},"
      "{:.12g},{}",
      step_, step_, s.mass, s.momentum[0], s.momentum[1], s.momentum[2], s.phi, s.phi_variance(e), s.phi_min, s.phi_max,
      s.rho_min, s.rho_max, s.speed_max, s.free_energy, s.surface,
      s.surface > 0 ? fmt::format("{:.9g}", sites / s.surface) : "");
}

// A site's values are written for the cell around it.
void FluidSolver::write_fields() {
  const bf::Extents& e = case_.problem.extents;
  const bf::Fields now = stepper_->fields();
  const std::vector<float> phi(now.phi.begin(), now.phi.end()), density(now.density.begin(), now.density.end()),
      velocity(now.velocity.begin(), now.velocity.end());
  const io::MeshFaces faces = faces_of(e, [](int, std::int64_t i) { return static_cast<double>(i); });
  series_.write("fields", fmt::format("fluid-{:08}", step_), {step_, time()}, faces,
                {{"phi", 1, phi}, {"density_less_one", 1, density}, {"velocity", 3, velocity, "sites/step"}});
}

std::string FluidSolver::progress(double seconds) const {
  return fmt::format("step {} of {}, phi {:.3g} to {:.3g}, {:.3g} MLUPS, {} left", step_, case_.problem.steps,
                     statistics_.phi_min, statistics_.phi_max,
                     steps_per_second(seconds) * static_cast<double>(case_.problem.extents.sites()) * 1e-6,
                     time_left(seconds));
}

std::string FluidSolver::summary() const {
  const bf::Statistics& s = statistics_;
  return fmt::format("{}: phi {:.9g} to {:.9g}, total {:.12g}, free energy {:.9g}, largest speed {:.3g}\n",
                     core::counted(step_, "step"), s.phi_min, s.phi_max, s.phi, s.free_energy, s.speed_max);
}

class FluidCase : public SimulationCase {
 public:
  explicit FluidCase(bf::FluidCase fluid_case) : case_(std::move(fluid_case)) {}

  std::vector<Message> messages(bool resumes) const override;
  std::optional<std::string> lacks_gpu() const override { return bf::lacks_gpu(); }
  std::string on_ranks(int ranks, bool on_gpus) const override {
    return on_gpus ? gpus_text(case_.problem, ranks) : ranks_text(case_.problem, ranks);
  }
  double host_bytes(const Device& device) const override;
  RunPlan plan(const SimulationOptions& options, const Device& device) const override;
  void check_start() const override {
    if (!case_.start_file.empty()) bf::initial_state(case_);
  }
  std::unique_ptr<TimeDependentSolver> make_solver(const Device& device, const RunFolder& folder) const override {
    return std::make_unique<FluidSolver>(case_, device, folder);
  }

 private:
  bf::FluidCase case_;
};

std::vector<Message> FluidCase::messages(bool /*resumes*/) const {
  std::vector<Message> all;
  for (const std::string& text : bf::warnings(case_.problem, case_.start_file.empty() && case_.beginning.uniform()))
    all.push_back({Message::Kind::warning, text});
  return all;
}

// Three copies of the state (initial, present and saved; on several GPUs the present one on the first rank and in parts
// on all, and one for fields), and fields while they are written: 200 bytes per site including statistics, as measured
// at 96^3.
double FluidCase::host_bytes(const Device& device) const {
  const double of_states = (3.0 * 2 * bf::velocities * 8 + 200) * static_cast<double>(case_.problem.extents.sites());
  return of_states + (device.on_gpu ? 0 : bf::CpuSolver::host_bytes(case_.problem, case_.precision));
}

RunPlan FluidCase::plan(const SimulationOptions& options, const Device& device) const {
  const bf::Problem& p = case_.problem;
  const auto sites = static_cast<double>(p.extents.sites());
  const auto make_solver = [&]() -> std::function<void()> {
    const std::shared_ptr<bf::Stepper> stepper = stepper_for(case_, device);
    stepper->set(bf::initial_state(case_));
    return [stepper] { stepper->run(1); };
  };
  RunPlan plan = plan_by_steps(options, fmt::format("{} x {} x {} sites", p.extents.nx, p.extents.ny, p.extents.nz),
                               host_bytes(device),
                               {.every = step_intervals(case_),
                                .field_bytes = 5 * 4 * sites,
                                .checkpoint_bytes = 2.0 * bf::velocities * 8 * sites},
                               device, make_solver);
  if (device.on_gpu) plan.gpu_bytes = fluid_bytes_of_gpu(p, case_.precision, device.ranks ? device.ranks->size() : 1);
  return plan;
}

}  // namespace

std::unique_ptr<SimulationCase> read_fluid_case(const std::string& file, const std::string& text) {
  return std::make_unique<FluidCase>(bf::read_case(file, text));
}

}  // namespace speedwell::simulation
