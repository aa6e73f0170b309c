#include "speedwell/cli/solve_fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/case_file.hpp"
#include "speedwell/apps/binary_fluid/stepper.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_plan.hpp"
#include "speedwell/cli/solve_run.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::cli {
namespace {

namespace bf = binary_fluid;

constexpr const char* history_header =
    "t,step,mass,momentum_x,momentum_y,momentum_z,phi,phi_variance,phi_min,phi_max,rho_min,rho_max,speed_max,"
    "free_energy,surface,length";

class FluidRun {
 public:
  FluidRun(const SolveOptions& options, RunFolder& folder, const bf::FluidCase& fluid_case, bool on_gpu,
           std::ostream& err)
      : folder_(folder), case_(fluid_case), err_(err), clock_(options, err) {
    stepper_ = on_gpu ? bf::stepper_on_gpu(case_.problem, case_.precision)
                      : bf::stepper_on_cores(case_.problem, case_.precision, options.threads);
  }

  void begin(const std::string& case_text) {
    state_ = bf::beginning(case_);
    stepper_->set(state_);
    statistics_ = stepper_->statistics();
    folder_.begin(case_text);
    io::write_file(path("history.csv"), std::string(history_header) + "\n");
    write_history();
    if (case_.fields_every > 0) write_fields();
  }
  void resume(const std::string& case_text);
  SolveEnd advance();
  std::int64_t step() const { return step_; }
  const bf::Statistics& statistics() const { return statistics_; }

 private:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::vector<io::CheckpointField> fields_of_state();
  std::int64_t next_stop() const;
  void write_history();
  void write_fields();
  void write_checkpoint();
  SolveEnd diverged(int taken);
  void show_progress(bool last);

  RunFolder& folder_;
  const bf::FluidCase& case_;
  std::ostream& err_;
  SolveClock clock_;
  std::unique_ptr<bf::Stepper> stepper_;
  bf::State state_;  // where populations come from and go to; the stepper has the present ones
  bf::Statistics statistics_;
  std::vector<io::TimedFile> files_;
  std::int64_t step_ = 0, first_step_ = 0;
};

std::vector<io::CheckpointField> FluidRun::fields_of_state() {
  const bf::Extents& e = case_.problem.extents;
  const std::vector<std::int64_t> shape = {bf::velocities, e.nz, e.ny, e.nx};
  return {{"f-less-weights", "f64", shape, std::as_bytes(std::span(state_.f))},
          {"g", "f64", shape, std::as_bytes(std::span(state_.g))}};
}

void FluidRun::resume(const std::string& case_text) {
  const auto values = bf::velocities * static_cast<std::size_t>(case_.problem.extents.sites());
  state_.extents = case_.problem.extents;
  state_.f.resize(values);
  state_.g.resize(values);
  const auto read = [&](const io::Checkpoint& from, const CheckpointDetails& details) {
    const auto all = fields_of_state();
    from.read(all[0], std::as_writable_bytes(std::span(state_.f)));
    from.read(all[1], std::as_writable_bytes(std::span(state_.g)));
    state_.step = step_ = from.step();
    files_ = details.files();
    bf::require_admissible(case_.problem, state_);
  };
  resume_from(folder_, case_.settings, read, err_);
  stepper_->set(state_);
  statistics_ = stepper_->statistics();
  folder_.begin(case_text);
  cut_history(path("history.csv"), history_header, step_);
  std::erase_if(files_, [&](const io::TimedFile& file) { return file.time > static_cast<double>(step_); });
}

void FluidRun::write_history() {
  const bf::Statistics& s = statistics_;
  const bf::Extents& e = case_.problem.extents;
  const auto sites = static_cast<double>(e.sites());
  io::append_line(
      path("history.csv"),
      fmt::format("{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.9g},{:.9g},{:.12g},{:.12g},{:.9g},{:.17g},"
                  "{:.12g},{}",
                  step_, step_, s.mass, s.momentum[0], s.momentum[1], s.momentum[2], s.phi, s.phi_variance(e),
                  s.phi_min, s.phi_max, s.rho_min, s.rho_max, s.speed_max, s.free_energy, s.surface,
                  s.surface > 0 ? fmt::format("{:.9g}", sites / s.surface) : ""));
}

// A site's values stand in the cell around it.
void FluidRun::write_fields() {
  const bf::Extents& e = case_.problem.extents;
  const bf::Fields now = stepper_->fields();
  const std::vector<float> phi(now.phi.begin(), now.phi.end()), density(now.density.begin(), now.density.end()),
      velocity(now.velocity.begin(), now.velocity.end());
  std::array<std::vector<double>, 3> faces;
  for (int d = 0; d < 3; ++d)
    for (std::int64_t i = 0; i <= e.extent(d); ++i)
      faces[static_cast<std::size_t>(d)].push_back(static_cast<double>(i));
  make_folder(path("fields"));
  const std::string name = fmt::format("fields/fluid-{:08}.{}", step_, io::vtk_extension(faces));
  io::write_vtk(path(name), faces, {{"phi", 1, phi}, {"density_less_one", 1, density}, {"velocity", 3, velocity}});
  files_.push_back({static_cast<double>(step_), name});
  io::write_pvd(path("flow.pvd"), files_);
}

void FluidRun::write_checkpoint() {
  stepper_->get(state_);
  const nlohmann::json details = {{"settings", case_.settings}, {"files", files_as_json(files_)}};
  io::write_checkpoint(path("checkpoints"), step_, fields_of_state(), details.dump(), *folder_.run());
}

void FluidRun::show_progress(bool last) {
  clock_.show_progress(last, [&](double passed) {
    const auto taken = static_cast<double>(step_ - first_step_);
    const double rate = taken / passed;
    return fmt::format("step {} of {}, phi {:.3g} to {:.3g}, {:.3g} MLUPS, {} left", step_, case_.problem.steps,
                       statistics_.phi_min, statistics_.phi_max,
                       rate * static_cast<double>(case_.problem.extents.sites()) * 1e-6,
                       taken > 0 ? core::format_clock(static_cast<double>(case_.problem.steps - step_) / rate) : "?");
  });
}

// The next step at which something is due, and not so far that a signal would wait for long.
std::int64_t FluidRun::next_stop() const {
  const std::int64_t at_once =
      std::clamp<std::int64_t>((std::int64_t{1} << 28) / case_.problem.extents.sites(), 1, 1000);
  std::int64_t until = std::min<std::int64_t>(case_.problem.steps, step_ + at_once);
  for (const std::int64_t every : {case_.history_every, case_.fields_every, case_.checkpoint_every})
    if (every > 0) until = std::min(until, (step_ / every + 1) * every);
  return until;
}

SolveEnd FluidRun::diverged(int taken) {
  show_progress(true);
  const std::int64_t before = step_ - taken;
  const bf::Failure failure = bf::find_failure(*stepper_, taken);
  step_ = before;
  write_checkpoint();
  err_ << fmt::format(
      "speedwell: error: step {}, site {}: the fluid is not finite; the state of step {}, the last known to be good, "
      "is "
      "kept as a checkpoint\n",
      before + failure.step, bf::place(case_.problem.extents, failure.site), before);
  return SolveEnd::diverged;
}

SolveEnd FluidRun::advance() {
  first_step_ = step_;
  stepper_->keep();
  const auto due = [&](std::int64_t every) { return every > 0 && step_ % every == 0; };
  while (step_ < case_.problem.steps) {
    const auto taken = static_cast<int>(next_stop() - step_);
    stepper_->run(taken);
    step_ += taken;
    statistics_ = stepper_->statistics();
    if (statistics_.bad_site >= 0) return diverged(taken);
    stepper_->keep();
    const bool ends = step_ >= case_.problem.steps;
    if (due(case_.history_every) || ends) write_history();
    if (due(case_.fields_every)) write_fields();
    const auto early = clock_.ends_early();
    if (due(case_.checkpoint_every) || ends || early) write_checkpoint();
    show_progress(ends || early);
    if (ends) break;
    if (early) return *early;
  }
  return SolveEnd::done;
}

// Three copies of the state (as it was read, as it is, and to go back to), and fields as they are written: 200 bytes a
// site with what statistics need, as measured at 96^3.
double bytes_of(const bf::FluidCase& c, bool on_gpu) {
  const double of_states = (3.0 * 2 * bf::velocities * 8 + 200) * static_cast<double>(c.problem.extents.sites());
  return of_states + (on_gpu ? 0 : bf::CpuSolver::host_bytes(c.problem, c.precision));
}

RunPlan plan_of(const SolveOptions& options, const bf::FluidCase& c, bool on_gpu) {
  const bf::Problem& p = c.problem;
  const auto sites = static_cast<double>(p.extents.sites());
  RunPlan plan;
  plan.what = fmt::format("{} x {} x {} sites", p.extents.nx, p.extents.ny, p.extents.nz);
  plan.bytes = bytes_of(c, on_gpu);
  plan.steps = fmt::format("{}", p.steps);
  plan.files = files_of({.steps = p.steps,
                         .history_every = c.history_every,
                         .fields_every = c.fields_every,
                         .checkpoint_every = c.checkpoint_every,
                         .of_fields = 5 * 4 * sites,
                         .of_checkpoint = 2.0 * bf::velocities * 8 * sites});
  if (!may_measure(options, plan.bytes)) {
    plan.measured = not_measured();
    return plan;
  }
  const auto stepper =
      on_gpu ? bf::stepper_on_gpu(p, c.precision) : bf::stepper_on_cores(p, c.precision, options.threads);
  stepper->set(bf::beginning(c));
  std::int64_t left = p.steps;
  const auto step = [&] {
    stepper->run(1);
    return --left > 0;
  };
  set_time(measure_pace(step), p.steps, device_name(options, on_gpu), plan);
  return plan;
}

}  // namespace

SolveEnd run_fluid(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                   std::ostream& err) {
  const bf::FluidCase fluid_case = bf::read_case(file, text);
  const bf::Problem& p = fluid_case.problem;
  for (const std::string& warning : bf::warnings(p, fluid_case.start_file.empty() && fluid_case.beginning.uniform()))
    err << "speedwell: warning: " << warning << "\n";
  const auto lacks = options.gpu == SolveOptions::Gpu::never    ? std::optional<std::string>("no GPU was wanted")
                     : options.gpu == SolveOptions::Gpu::always ? std::nullopt
                                                                : bf::lacks_gpu();
  if (options.dry_run) {
    print_plan(options, plan_of(options, fluid_case, !lacks), out);
    return SolveEnd::done;
  }
  require_memory(options, bytes_of(fluid_case, !lacks));
  if (!options.resume && !fluid_case.start_file.empty())
    bf::beginning(fluid_case);  // refused before anything is written
  RunFolder folder(options, err);
  FluidRun run(options, folder, fluid_case, !lacks, err);
  if (!options.quiet)
    err << "speedwell: on " << (lacks ? fmt::format("{} CPU threads, for {}", options.threads, *lacks) : "a GPU")
        << "\n";
  options.resume ? run.resume(text) : run.begin(text);
  const SolveEnd end = run.advance();
  const bf::Statistics& s = run.statistics();
  out << fmt::format("{} steps: phi {:.9g} to {:.9g}, total {:.12g}, free energy {:.9g}, largest speed {:.3g}\n",
                     run.step(), s.phi_min, s.phi_max, s.phi, s.free_energy, s.speed_max);
  say_how_to_go_on(options, end, run.step(), err);
  return end;
}

}  // namespace speedwell::cli
