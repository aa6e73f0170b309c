#include "speedwell/cli/solve_blast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/case_file.hpp"
#include "speedwell/apps/blast_wave/stepper.hpp"
#include "speedwell/cli/solve_files.hpp"
#include "speedwell/cli/solve_plan.hpp"
#include "speedwell/cli/solve_run.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/io/atomic_file.hpp"
#include "speedwell/io/checkpoint.hpp"
#include "speedwell/io/error.hpp"
#include "speedwell/io/escape.hpp"
#include "speedwell/io/vtk.hpp"

namespace speedwell::cli {
namespace {

namespace bw = blast_wave;

constexpr int max_steps_at_once = 100;  // between two looks at the clock and at signals
constexpr const char* history_header =
    "t,step,dt,iterations,residual,true_residual,change,total_iterations,mass,energy,kinetic,entropy,"
    "p_min,p_max,mach_max";

class BlastRun {
 public:
  BlastRun(const SolveOptions& options, RunFolder& folder, const bw::BlastCase& blast_case, bool on_gpu,
           std::ostream& err)
      : folder_(folder), case_(blast_case), err_(err), clock_(options, err) {
    stepper_ = on_gpu ? bw::stepper_on_gpu(case_.problem, max_steps_at_once)
                      : bw::stepper_on_cores(case_.problem, options.threads);
  }

  void begin(const std::string& case_text) {
    state_ = bw::beginning(case_);
    folder_.begin(case_text);
    io::write_file(path("history.csv"), std::string(history_header) + "\n");
    write_history(nullptr);
    if (case_.fields_every > 0) write_fields();
  }
  void resume(const std::string& case_text);
  SolveEnd advance();
  const bw::State& state() const { return state_; }
  std::int64_t iterations() const { return iterations_; }
  double change() const { return change_; }

 private:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::vector<io::CheckpointField> fields();
  void write_history(const bw::StepRecord* record);
  void write_fields();
  void write_checkpoint();
  void show_progress(bool last);

  RunFolder& folder_;
  const bw::BlastCase& case_;
  std::ostream& err_;
  SolveClock clock_;
  std::unique_ptr<bw::Stepper> stepper_;
  bw::State state_;
  std::vector<io::TimedFile> files_;
  std::int64_t iterations_ = 0, first_step_ = 0;
  double change_ = 0, residual_ = 0;
};

std::vector<io::CheckpointField> BlastRun::fields() {
  const bw::Extents& e = case_.problem.extents;
  return {{"q", "f64", {5, e.nz, e.ny, e.nx}, std::as_bytes(std::span(state_.q))}};
}

void BlastRun::resume(const std::string& case_text) {
  state_.extents = case_.problem.extents;
  state_.q.resize(5 * static_cast<std::size_t>(state_.extents.points()));
  const auto read = [&](const io::Checkpoint& from, const CheckpointDetails& details) {
    from.read(fields().front(), std::as_writable_bytes(std::span(state_.q)));
    state_.time = details.time();
    state_.step = from.step();
    iterations_ = details.count("iterations");
    files_ = details.files();
    bw::require_admissible(case_.problem, state_);
  };
  resume_from(folder_, case_.settings, read, err_);
  folder_.begin(case_text);
  cut_history(path("history.csv"), history_header, state_.step);
  std::erase_if(files_, [&](const io::TimedFile& file) { return file.time > state_.time; });
}

void BlastRun::write_history(const bw::StepRecord* r) {
  const bw::Totals t = bw::totals(case_.problem.gas, state_);
  io::append_line(
      path("history.csv"),
      fmt::format("{:.17g},{},{:.17g},{},{:.6e},{:.6e},{:.17g},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.9g},{:.9g},{:.9g}",
                  state_.time, state_.step, r ? r->dt : 0.0, r ? r->iterations : 0, r ? r->residual : 0.0,
                  r ? r->true_residual : 0.0, r ? r->change : 0.0, iterations_, t.mass, t.energy, t.kinetic, t.entropy,
                  t.least_pressure, t.largest_pressure, t.largest_mach));
}

// A point's values stand in the cell around it.
void BlastRun::write_fields() {
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
  std::array<std::vector<double>, 3> faces;
  for (int d = 0; d < 3; ++d)
    for (std::int64_t i = 0; i <= e.extent(d); ++i)
      faces[static_cast<std::size_t>(d)].push_back((static_cast<double>(i) - 0.5) / static_cast<double>(e.extent(d)));
  make_folder(path("fields"));
  const std::string name = fmt::format("fields/blast-{:06}.{}", state_.step, io::vtk_extension(faces));
  io::write_vtk(path(name), faces, {{"density", 1, density}, {"pressure", 1, pressure}, {"velocity", 3, velocity}});
  files_.push_back({state_.time, name});
  io::write_pvd(path("flow.pvd"), files_);
}

void BlastRun::write_checkpoint() {
  const nlohmann::json details = {{"time", state_.time},
                                  {"settings", case_.settings},
                                  {"iterations", iterations_},
                                  {"files", files_as_json(files_)}};
  io::write_checkpoint(path("checkpoints"), state_.step, fields(), details.dump(), *folder_.run());
}

void BlastRun::show_progress(bool last) {
  clock_.show_progress(last, [&](double passed) {
    const auto taken = static_cast<double>(state_.step - first_step_);
    return fmt::format(
        "step {} of {}, time {:.4g}, residual {:.1e}, {:.3g} steps/s, {} left", state_.step, case_.problem.steps,
        state_.time, residual_, taken / passed,
        taken > 0 ? core::format_clock(passed / taken * static_cast<double>(case_.problem.steps - state_.step)) : "?");
  });
}

SolveEnd BlastRun::advance() {
  stepper_->set(state_);
  first_step_ = state_.step;
  const auto due = [&](std::int64_t every) { return every > 0 && state_.step % every == 0; };
  while (state_.step < case_.problem.steps) {
    std::int64_t until = std::min<std::int64_t>(case_.problem.steps, state_.step + max_steps_at_once);
    for (const std::int64_t every : {case_.history_every, case_.fields_every, case_.checkpoint_every})
      if (every > 0) until = std::min(until, (state_.step / every + 1) * every);
    const std::int64_t before = state_.step;
    const bw::History h = stepper_->run(static_cast<int>(until - before), state_);
    iterations_ += h.iterations();
    if (!h.steps.empty()) {
      change_ = h.steps.back().change;
      residual_ = h.steps.back().residual;
    }
    if (h.ending != bw::Ending::done) {
      show_progress(true);
      write_checkpoint();
      err_ << fmt::format("speedwell: error: {}; the state before it, of step {}, is kept as a checkpoint\n",
                          bw::failure(case_.problem, h, before), state_.step);
      return SolveEnd::diverged;
    }
    const bool ends = state_.step >= case_.problem.steps;
    if (due(case_.history_every) || ends) write_history(&h.steps.back());
    if (due(case_.fields_every)) write_fields();
    const auto early = clock_.ends_early();
    if (due(case_.checkpoint_every) || ends || early) write_checkpoint();
    show_progress(ends || early);
    if (ends) break;
    if (early) return *early;
  }
  return SolveEnd::done;
}

// The state, what BiCGSTAB needs of it on all cores, a copy of it while it is saved, and fields as they are written.
double bytes_of(const bw::Problem& p, bool on_gpu) {
  const double of_states = (2 * 5 * 8 + 5 * 4) * static_cast<double>(p.extents.points());
  return of_states + (on_gpu ? 0 : bw::CpuSolver::host_bytes(p.extents));
}

RunPlan plan_of(const SolveOptions& options, const bw::BlastCase& c, bool on_gpu) {
  const bw::Problem& p = c.problem;
  const auto points = static_cast<double>(p.extents.points());
  RunPlan plan;
  plan.what = fmt::format("{} x {} x {} points", p.extents.nx, p.extents.ny, p.extents.nz);
  plan.bytes = bytes_of(p, on_gpu);
  plan.steps = fmt::format("{}", p.steps);
  plan.files = files_of({.steps = p.steps,
                         .history_every = c.history_every,
                         .fields_every = c.fields_every,
                         .checkpoint_every = c.checkpoint_every,
                         .of_fields = 5 * 4 * points,
                         .of_checkpoint = 5 * 8 * points});
  if (!may_measure(options, plan.bytes)) {
    plan.measured = not_measured();
    return plan;
  }
  bw::State state = bw::beginning(c);
  const auto stepper = on_gpu ? bw::stepper_on_gpu(p, max_steps_at_once) : bw::stepper_on_cores(p, options.threads);
  stepper->set(state);
  std::int64_t left = p.steps;
  const auto step = [&] {
    stepper->run(1, state);
    return --left > 0;
  };
  set_time(measure_pace(step), p.steps, device_name(options, on_gpu), plan);
  return plan;
}

}  // namespace

SolveEnd run_blast(const SolveOptions& options, const std::string& file, const std::string& text, std::ostream& out,
                   std::ostream& err) {
  const bw::BlastCase blast_case = bw::read_case(file, text);
  const bw::Problem& p = blast_case.problem;
  if (p.cfl > 5)
    err << fmt::format(
        "speedwell: warning: with a CFL number of {:g} a step crosses {:g} cells: it is stable where it "
        "converges, and says little of the waves\n",
        p.cfl, p.cfl);
  const auto lacks = options.gpu == SolveOptions::Gpu::never    ? std::optional<std::string>("no GPU was wanted")
                     : options.gpu == SolveOptions::Gpu::always ? std::nullopt
                                                                : bw::lacks_gpu();
  if (options.dry_run) {
    print_plan(options, plan_of(options, blast_case, !lacks), out);
    return SolveEnd::done;
  }
  require_memory(options, bytes_of(p, !lacks));
  if (!options.resume) bw::beginning(blast_case);  // refused before anything is written
  RunFolder folder(options, err);
  BlastRun run(options, folder, blast_case, !lacks, err);
  if (!options.quiet)
    err << "speedwell: on " << (lacks ? fmt::format("{} CPU threads, for {}", options.threads, *lacks) : "a GPU")
        << "\n";
  options.resume ? run.resume(text) : run.begin(text);
  const SolveEnd end = run.advance();
  out << fmt::format("time {:.12g} after {} steps: {} iterations in all, norm of the last change {:.12g}\n",
                     run.state().time, run.state().step, run.iterations(), run.change());
  say_how_to_go_on(options, end, run.state().step, err);
  return end;
}

}  // namespace speedwell::cli
