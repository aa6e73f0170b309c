// incompressible_flow for the harness: parameters, sizes, work, the table of variants and the runs on the host.
#include "speedwell/apps/incompressible_flow/adapter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/incompressible_flow/adapter_workload.hpp"
#include "speedwell/apps/incompressible_flow/cases/cubes.hpp"
#include "speedwell/apps/incompressible_flow/distributed.hpp"
#include "speedwell/apps/incompressible_flow/gpu_refusals.hpp"
#include "speedwell/apps/incompressible_flow/initial.hpp"
#include "speedwell/apps/incompressible_flow/mesh/mesh.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::incompressible_flow {
namespace {

using harness::Backend;
constexpr double turn = 2 * std::numbers::pi;

void close(Problem& p, std::size_t axis) {
  for (Side& side : p.sides[axis]) side.edge = Edge::wall;
}

Problem problem_on(const std::string& flow, const std::array<int, 3>& cells, double viscosity, std::uint64_t seed) {
  Problem p;
  p.viscosity = viscosity;
  const auto part = [&](std::size_t d, double length) { return uniform_faces(cells[d], length); };
  if (flow == "channel") {
    p.faces = {part(0, 4), two_sided_faces(cells[1], 2, 2), part(2, 2)};
    close(p, 1);
    p.acceleration = {1, 0, 0};
  } else if (flow == "cavity") {
    p.faces = {uniform_faces(cells[0], 1), uniform_faces(cells[1], 1), part(2, 1)};
    close(p, 0);
    close(p, 1);
    p.sides[1][1].velocity[0] = 1;
  } else {
    p.faces = {part(0, turn), part(1, turn), part(2, turn)};
    if (flow == "cubes") {
      const int edge = std::max(2, cells[0] / 8);
      add_cubes(p, seed, std::max(1, static_cast<int>(0.023 * cells[0] * cells[1] * cells[2] / (edge * edge * edge))),
                edge);
      fill_pockets(p);
      p.acceleration = {1, 0, 0};
    }
  }
  return p;
}

}  // namespace

Settings settings_of(const harness::Problem& p) {
  Settings s;
  s.flow = p.get<std::string>("flow");
  s.f32 = p.get<std::string>("precision") == "f32";
  s.steps = static_cast<int>(p.get<std::int64_t>("steps"));
  s.cfl = p.get<double>("cfl");
  s.seed = p.seed();
  s.options.method = {
      p.get<std::string>("scheme") == "s3" ? Scheme::s3 : Scheme::w3,
      p.get<std::string>("diffusion") == "trapezoidal" ? Diffusion::trapezoidal : Diffusion::explicit_steps};
  s.options.pressure = p.get<std::string>("pressure") == "direct" ? Pressure::direct
                       : p.get<std::string>("pressure") == "cg"   ? Pressure::conjugate_gradients
                                                                  : Pressure::automatic;
  std::array<int, 3> cells;
  const char* keys[] = {"nx", "ny", "nz"};
  for (std::size_t d = 0; d < 3; ++d)
    cells[d] =
        static_cast<int>(p.get<std::int64_t>(keys[d]) > 0 ? p.get<std::int64_t>(keys[d]) : p.get<std::int64_t>("n"));
  if (s.flow == "cavity" && p.get<std::int64_t>("nz") == 0) cells[2] = 1;
  s.problem = problem_on(s.flow, cells, p.get<double>("viscosity"), s.seed);
  require_valid(s.problem);
  s.options.pressure = choose(s.problem, s.options.pressure).pressure;
  stable_step(s.problem, s.options.method, s.cfl, 1);
  return s;
}

State<double> initial_flow(const Settings& s) {
  State<double> state(s.problem.extents());
  if (s.flow == "taylor-green") add_taylor_green(s.problem, state);
  if (s.flow == "taylor-green-2d") add_taylor_green_2d(s.problem, state);
  if (s.flow == "channel") add_channel(s.problem, s.seed, 1, {}, state);
  // Noise in every flow, so that no symmetry hides a mistake, and so much that a verdict sees each of its modes.
  add_noise(s.problem, s.seed, s.flow == "noise" || s.flow == "cubes" ? 1 : 0.1, {}, state);
  return state;
}

namespace {

double cells_of(const Settings& s) { return static_cast<double>(s.problem.extents().cells()); }
double element_bytes(const Settings& s) { return s.f32 ? sizeof(float) : sizeof(double); }

// Numbers per cell that a time step of three Runge-Kutta stages reads and writes: README.md, section Limits.
struct Traffic {
  double read, written;
};
// The momentum equation in the three stages: velocities are read and written; rates are written in the first stage,
// read and written in the second, and read in the third.
constexpr Traffic momentum = {3 + 6 + 6, 6 + 6 + 3};
// On the host a stage has, in addition, three passes: the divergence with the forward transforms of planes, the
// tridiagonal systems, and the inverse transforms with the projection.
constexpr Traffic fused = {momentum.read + 3 * (3 + 1 + 4), momentum.written + 3 * (1 + 1 + 3)};
// On ranks the divergence is computed before the transforms of planes, and the projection after them.
constexpr Traffic on_ranks = {momentum.read + 3 * (3 + 1 + 1 + 1 + 4), momentum.written + 3 * (1 + 1 + 1 + 1 + 3)};
// On a GPU: divergence, forward transforms of rows and columns, tridiagonal systems, inverse transforms, projection.
constexpr Traffic pass_by_pass = {momentum.read + 3 * (3 + 2 + 1 + 2 + 4), momentum.written + 3 * (1 + 2 + 1 + 2 + 3)};

harness::Work work_of(const harness::Problem& p, const Traffic& traffic) {
  const Settings s = settings_of(p);
  const Extents e = s.problem.extents();
  const double transforms = 5 * std::log2(static_cast<double>(e.nx) * e.ny) + 16;
  harness::Work all{.operations = 3 * (3 * 57 + 8 + 9 + transforms) * cells_of(s) * s.steps,
                    .arithmetic = s.f32 ? harness::Arithmetic::f32 : harness::Arithmetic::f64,
                    .bytes_read = traffic.read * element_bytes(s) * cells_of(s) * s.steps,
                    .bytes_written = traffic.written * element_bytes(s) * cells_of(s) * s.steps,
                    .updates = cells_of(s) * s.steps,
                    .working_set = 12 * cells_of(s) * element_bytes(s)};
  if (s.options.pressure == Pressure::conjugate_gradients || s.options.method.diffusion == Diffusion::trapezoidal)
    all.no_limit = "how many iterations conjugate gradients take is no property of the problem";
  return all;
}
harness::Work work(const harness::Problem& p) { return work_of(p, fused); }

harness::Footprint inputs_footprint(const harness::Problem& p) {
  const Settings s = settings_of(p);
  return {.host_bytes = 4 * cells_of(s) * element_bytes(s) + 40 * cells_of(s) * sizeof(double)};
}
harness::Footprint run_footprint(const harness::Problem& p) {
  const Settings s = settings_of(p);
  const auto element = static_cast<std::size_t>(element_bytes(s));
  return {.host_bytes = solver_bytes(s.problem, s.options, element) + 4 * cells_of(s) * element_bytes(s)};
}

template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, bool all_threads)
      : inputs_(inputs), threads_(all_threads ? context.threads : 1) {}

  void allocate() {
    Options options = inputs_.options();
    options.threads = threads_;
    solver_.emplace(inputs_.problem(), options);
  }
  void reset() { solver_->set(inputs_.initial()); }
  void execute(State<T>&) {
    for (int s = 0; s < inputs_.steps(); ++s) solver_->step(inputs_.dt());
  }
  void download(State<T>& state) { solver_->get(state); }
  harness::Choices choices() const {
    harness::Choices all = {{"pressure", solver_->choice().reason}};
    if (solver_->pressure_iterations() > 0)
      all.push_back({"pressure iterations of the last step", std::to_string(solver_->pressure_iterations())});
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  int threads_;
  std::optional<Solver<T>> solver_;
};

harness::Variant host_row(std::string name, Backend backend, std::string description) {
  return {.name = std::move(name),
          .backend = backend,
          .description = std::move(description),
          .make = harness::host_solver<Inputs, HostSolver>(backend == Backend::openmp),
          .footprint = run_footprint};
}

// The slabs of all ranks, the modes that travel, and what the ranks collect.
harness::Footprint ranks_footprint(const harness::Problem& p) {
  harness::Footprint all = run_footprint(p);
  all.host_bytes += 8 * cells_of(settings_of(p)) * element_bytes(settings_of(p));
  return all;
}

std::optional<std::string> too_many_ranks(const harness::Problem& p, int ranks) {
  const Settings s = settings_of(p);
  const int planes = planes_to_divide(s.problem, s.options);
  if (ranks <= planes) return std::nullopt;
  return "the box has " + core::counted(planes, "plane") + " to divide, and each rank needs one";
}

harness::Variant ranks_row() {
  return {
      .name = "mpi",
      .backend = Backend::mpi,
      .description =
          "as openmp, a slab of planes on one core of each rank: halos travel while the interior is computed, modes "
          "while planes are transformed",
      .work = [](const harness::Problem& p) { return work_of(p, on_ranks); },
      .footprint = ranks_footprint,
      .unsupported_ranks_reason = too_many_ranks};
}

harness::Variant gpus_row(std::string name, harness::Role role, std::string description) {
  return {.name = std::move(name),
          .backend = Backend::multi,
          .role = role,
          .description = std::move(description),
          .work = [](const harness::Problem& p) { return work_of(p, pass_by_pass); },
          .footprint =
              [](const harness::Problem& p) {
                const Settings s = settings_of(p);
                return harness::Footprint{
                    .host_bytes = 8 * cells_of(s) * element_bytes(s),
                    .device_bytes = gpu_bytes(s.problem, s.options, static_cast<std::size_t>(element_bytes(s)))};
              },
          .unsupported_reason =
              [](const harness::Problem& p) {
                const Settings s = settings_of(p);
                return refuses_on_gpus(s.problem, s.options);
              },
          .unsupported_ranks_reason = too_many_ranks};
}

// What a rank or GPU does, for the model of scaling. A stage of ranks exchanges planes of three velocities, of one
// velocity and of the pressure, and moves modes to lines and back. Planes travel behind interiors; so does a part of
// the modes, which is not counted as hidden. GPUs exchange no pressure, and of each mode two numbers with every other,
// in words of which half is the number of the stage; all of it behind cells and lines that do not need it.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const Settings s = settings_of(p);
  const Choice choice = choose(s.problem, s.options.pressure);
  if (choice.pressure != Pressure::direct || s.options.method.diffusion == Diffusion::trapezoidal)
    throw std::invalid_argument("how many iterations conjugate gradients take is no property of the problem");
  const int planes = planes_to_divide(s.problem, s.options);
  const double plane = cells_of(s) / planes * element_bytes(s), stages = 3.0 * s.steps;
  harness::Division d = harness::division_of_items(planes, parts);
  if (variant.backend == Backend::multi) {
    d.messages = stages * (2 + 1 + (parts - 1));
    d.bytes = stages * ((6 + 1) * plane + 2 * 2 * plane * (parts - 1));
    return d;
  }
  d.messages = stages * (2 + 1 + 1 + 2 * (parts - 1));
  d.bytes = stages * ((6 + 1 + 1) * plane + 2 * d.share * cells_of(s) * element_bytes(s) * (parts - 1) / parts);
  return d;
}

// A box that is longer along z has more cells there, of a smaller width.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  const Extents e = settings_of(p).problem.extents();
  return {{"nx", std::int64_t{e.nx}}, {"ny", std::int64_t{e.ny}}, {"nz", std::int64_t{e.nz} * ranks}};
}

std::vector<harness::Variant> variants() {
  return {
      host_row("serial", Backend::serial, "the solver of all cores on one"),
      host_row("openmp", Backend::openmp, "all cores: momentum of three components in one pass over memory, with SIMD"),
      ranks_row(),
      {.name = "cuda",
       .backend = Backend::cuda,
       .role = harness::Role::best,
       .description =
           "a step is one graph of kernels and needs nothing from the host; momentum of three components in one kernel",
       .work = [](const harness::Problem& p) { return work_of(p, pass_by_pass); },
       .footprint =
           [](const harness::Problem& p) {
             const Settings s = settings_of(p);
             return harness::Footprint{
                 .host_bytes = 5 * cells_of(s) * element_bytes(s),
                 .device_bytes = gpu_bytes(s.problem, s.options, static_cast<std::size_t>(element_bytes(s)))};
           },
       .unsupported_reason =
           [](const harness::Problem& p) {
             const Settings s = settings_of(p);
             return refuses_on_gpu(s.problem, s.options);
           }},
      gpus_row("multi-staged", harness::Role::step,
               "a slab on the GPU of each rank; halos travel through the host while the interior is computed, and the "
               "ends of "
               "lines after the transforms"),
      gpus_row("multi-nccl", harness::Role::step, "halos and ends of lines are sent by NCCL, without the host"),
      gpus_row(
          "multi", harness::Role::best,
          "the fastest transport; peer: a step is one graph, whose kernels store into the memory of the others and "
          "wait for what they need"),
  };
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "incompressible_flow",
      .title = "Incompressible flow",
      .summary =
          "Navier-Stokes on a staggered mesh: three Runge-Kutta steps with a projection each, pressure by "
          "transforms or conjugate gradients.",
      .source = "Khajeh-Saeed, PhD 2012, chapters 6 to 8",
      .update = "cell",
      .rate_name = "Mcells/s",
      .rate_scale = 1e6,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .prepare = harness::make_workload<FlowWorkload>(harness::is_f32, settings_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<FlowWorkload>(harness::is_f32, settings_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::incompressible_flow
