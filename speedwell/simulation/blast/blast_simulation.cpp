// The blast wave solver for the driver. The original's three outputs are columns of the history.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/apps/blast_wave/stepper.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/simulation/blast/blast_ranks.hpp"
#include "speedwell/simulation/plan_estimate.hpp"
#include "speedwell/simulation/simulation_case.hpp"
#include "speedwell/simulation/step_solver.hpp"

namespace speedwell::simulation {
namespace {

namespace bw = blast_wave;

constexpr int max_steps_at_once = 100;  // between two checks of the clock and of signals
constexpr const char* blast_history_header =
    "t,step,dt,iterations,residual,true_residual,change,total_iterations,mass,energy,kinetic,entropy,"
    "p_min,p_max,mach_max";

std::unique_ptr<bw::Stepper> stepper_for(const bw::Problem& problem, const Device& device) {
  if (device.ranks) return stepper_on_ranks(*device.ranks, problem);
  if (device.on_gpu) return bw::stepper_on_gpu(problem, max_steps_at_once);
  return bw::stepper_on_cores(problem, device.threads);
}

class BlastSolver : public StepSolver {
 public:
  BlastSolver(const bw::BlastCase& blast_case, const Device& device, const RunFolder& folder)
      : StepSolver(blast_case, device, folder, blast_history_header),
        case_(blast_case),
        stepper_(stepper_for(case_.problem, device)) {}

  std::int64_t step() const override { return state_.step; }
  double time() const override { return state_.time; }
  void start() override {
    state_ = bw::initial_state(case_);
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
    count_from_here();
  }

  const bw::BlastCase& case_;
  std::unique_ptr<bw::Stepper> stepper_;
  bw::State state_;
  std::int64_t iterations_ = 0;
  std::optional<bw::StepRecord> last_;  // of the last step
  std::string failure_;
};

std::vector<io::CheckpointField> BlastSolver::fields() {
  const bw::Extents& e = case_.problem.extents;
  return {{"q", "f64", {5, e.nz, e.ny, e.nx}, std::as_bytes(std::span(state_.q))}};
}

void BlastSolver::load(const io::Checkpoint& from, const CheckpointDetails& details) {
  state_.extents = case_.problem.extents;
  state_.q.resize(5 * static_cast<std::size_t>(state_.extents.points()));
  from.read(fields().front(), std::as_writable_bytes(std::span(state_.q)));
  state_.time = details.time();
  state_.step = from.step();
  iterations_ = details.count("iterations");
  series_.restore(details.files(), state_.time);
  bw::require_admissible(case_.problem, state_);
  take_state();
}

std::vector<io::CheckpointField> BlastSolver::save(DetailsWriter& details) {
  details.add("time", state_.time);
  details.add("iterations", iterations_);
  details.add("files", series_.files());
  return fields();
}

bool BlastSolver::advance(double until) {
  const std::int64_t before = state_.step;
  const bw::History h = stepper_->run(steps_until(until, max_steps_at_once), state_);
  iterations_ += h.iterations();
  if (!h.steps.empty()) last_ = h.steps.back();
  if (h.stop_reason == bw::StopReason::done) return true;
  failure_ = bw::failure(case_.problem, h, before);
  return false;
}

// After a failure the stepper has the state before the failed step.
std::string BlastSolver::recover() {
  return fmt::format("{}; the state before it, of step {}, is kept as a checkpoint", failure_, state_.step);
}

std::string BlastSolver::history_line() const {
  const bw::Totals t = bw::totals(case_.problem.gas, state_);
  const bw::StepRecord r = last_.value_or(bw::StepRecord{});
  return fmt::format(
      "{:.17g},{},{:.17g},{},{:.6e},{:.6e},{:.17g},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.9g},{:.9g},{:.9g}",
      state_.time, state_.step, r.dt, r.iterations, r.residual, r.true_residual, r.change, iterations_, t.mass,
      t.energy, t.kinetic, t.entropy, t.min_pressure, t.largest_pressure, t.largest_mach);
}

// A point's values are written for the cell around it.
void BlastSolver::write_fields() {
  const bw::Extents& e = state_.extents;
  const auto n = static_cast<std::size_t>(e.points());
  std::vector<float> density(n), pressure(n), velocity(3 * n);
  for (std::size_t p = 0; p < n; ++p) {
    const double rho = state_.q[p];
    double kinetic = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const double u = state_.q[(d + 1) * n + p] / rho;
      velocity[3 * p + d] = static_cast<float>(u);
      kinetic += 0.5 * rho * u * u;
    }
    density[p] = static_cast<float>(rho);
    pressure[p] = static_cast<float>((case_.problem.gas.gamma - 1) * (state_.q[4 * n + p] - kinetic));
  }
  const io::MeshFaces faces = faces_of(
      e, [&](int d, std::int64_t i) { return (static_cast<double>(i) - 0.5) / static_cast<double>(e.extent(d)); });
  series_.write("fields", fmt::format("blast-{:06}", state_.step), {state_.step, state_.time}, faces,
                {{"density", 1, density, "ambient density"},
                 {"pressure", 1, pressure, "ambient density * (ambient speed of sound)^2"},
                 {"velocity", 3, velocity, "ambient speed of sound"}});
}

std::string BlastSolver::progress(double seconds) const {
  return fmt::format("step {} of {}, time {:.4g}, residual {:.1e}, {:.3g} steps/s, {} left", state_.step,
                     case_.problem.steps, state_.time, last_ ? last_->residual : 0.0, steps_per_second(seconds),
                     time_left(seconds));
}

std::string BlastSolver::summary() const {
  return fmt::format("time {:.12g} after {}: {} in all, norm of the last change {:.12g}\n", state_.time,
                     core::counted(state_.step, "step"), core::counted(iterations_, "iteration"),
                     last_ ? last_->change : 0.0);
}

class BlastCase : public SimulationCase {
 public:
  explicit BlastCase(bw::BlastCase blast_case) : case_(std::move(blast_case)) {}

  std::vector<Message> messages(bool resumes) const override;
  std::optional<std::string> lacks_gpu() const override { return bw::lacks_gpu(); }
  std::string on_ranks(int ranks, bool on_gpus) const override;
  double host_bytes(const Device& device) const override;
  RunPlan plan(const SimulationOptions& options, const Device& device) const override;
  void check_start() const override { bw::initial_state(case_); }
  std::unique_ptr<TimeDependentSolver> make_solver(const Device& device, const RunFolder& folder) const override {
    return std::make_unique<BlastSolver>(case_, device, folder);
  }

 private:
  bw::BlastCase case_;
};

std::vector<Message> BlastCase::messages(bool /*resumes*/) const {
  const double cfl = case_.problem.cfl;
  if (cfl <= 5) return {};
  return {
      {Message::Kind::warning, fmt::format("with a CFL number of {:g} a step crosses {:g} cells: it is stable where "
                                           "it converges, and says little of the waves",
                                           cfl, cfl)}};
}

std::string BlastCase::on_ranks(int ranks, bool on_gpus) const {
  if (on_gpus)
    throw std::invalid_argument(
        fmt::format("{} GPUs, and blast_wave runs on one; incompressible_flow and binary_fluid run on several", ranks));
  return ranks_text(case_.problem, ranks);
}

// The state, the vectors of BiCGSTAB on all cores, a copy of the state while it is saved, and the fields while they are
// written.
double BlastCase::host_bytes(const Device& device) const {
  const bw::Problem& p = case_.problem;
  const double of_states = (2 * 5 * 8 + 5 * 4) * static_cast<double>(p.extents.points());
  if (device.on_gpu) return of_states;
  return of_states + (device.ranks ? bw::DistributedSolver::host_bytes(p.extents, device.ranks->size())
                                   : bw::CpuSolver::host_bytes(p.extents));
}

RunPlan BlastCase::plan(const SimulationOptions& options, const Device& device) const {
  const bw::Problem& p = case_.problem;
  const auto points = static_cast<double>(p.extents.points());
  const auto make_solver = [&]() -> std::function<void()> {
    auto state = std::make_shared<bw::State>(bw::initial_state(case_));
    const std::shared_ptr<bw::Stepper> stepper = stepper_for(p, device);
    stepper->set(*state);
    return [state, stepper] { stepper->run(1, *state); };
  };
  return plan_by_steps(
      options, fmt::format("{} x {} x {} points", p.extents.nx, p.extents.ny, p.extents.nz), host_bytes(device),
      {.every = step_intervals(case_), .field_bytes = 5 * 4 * points, .checkpoint_bytes = 5 * 8 * points}, device,
      make_solver);
}

}  // namespace

std::unique_ptr<SimulationCase> read_blast_case(const std::string& file, const std::string& text) {
  return std::make_unique<BlastCase>(bw::read_case(file, text));
}

}  // namespace speedwell::simulation
