// binary_fluid for the harness: parameters, sizes, work, the table of variants and the runs on the host.
#include "speedwell/apps/binary_fluid/adapter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "speedwell/apps/binary_fluid/adapter_workload.hpp"
#include "speedwell/apps/binary_fluid/binary_fluid.hpp"
#include "speedwell/apps/binary_fluid/distributed.hpp"
#include "speedwell/apps/binary_fluid/gpu/collided.hpp"
#include "speedwell/apps/binary_fluid/ladder.hpp"
#include "speedwell/core/simd/isa.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::binary_fluid {

Problem problem_of(const harness::Problem& p) {
  Problem problem{.extents = {p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")},
                  .steps = static_cast<int>(p.get<std::int64_t>("steps"))};
  if (const std::int64_t n = p.get<std::int64_t>("n"); n > 0) problem.extents = {n, n, n};
  problem.fluid = {.energy = {.kind = p.get<std::string>("energy") == "brazovskii" ? FreeEnergy::Kind::brazovskii
                                                                                   : FreeEnergy::Kind::symmetric,
                              .a = p.get<double>("a"),
                              .b = p.get<double>("b"),
                              .kappa = p.get<double>("kappa"),
                              .c = p.get<double>("c")},
                   .mobility = p.get<double>("mobility"),
                   .viscosity = p.get<double>("viscosity"),
                   .bulk_viscosity = p.get<double>("bulk_viscosity"),
                   .force = {p.get<double>("force_x"), p.get<double>("force_y"), p.get<double>("force_z")}};
  const std::string& collision = p.get<std::string>("collision");
  problem.scheme = {.collision = collision == "bgk"   ? Collision::bgk
                                 : collision == "trt" ? Collision::trt
                                                      : Collision::m10,
                    .order_parameter = p.get<std::string>("order_parameter") == "projected" ? OrderParameter::projected
                                                                                            : OrderParameter::relaxed,
                    .stencil = p.get<std::string>("stencil") == "7" ? Stencil::seven : Stencil::twenty_seven};
  for (std::size_t d = 0; d < 3; ++d)
    problem.axes[d].walls = p.get<std::string>("walls").find("xyz"[d]) != std::string::npos;
  require_valid(problem);
  return problem;
}

Beginning beginning_of(const harness::Problem& p) {
  using Kind = Beginning::Kind;
  const std::string& start = p.get<std::string>("start");
  return {.kind = start == "droplet" ? Kind::droplet
                  : start == "flat"  ? Kind::flat
                  : start == "wave"  ? Kind::wave
                  : start == "rest"  ? Kind::rest
                                     : Kind::spinodal,
          .phi0 = p.get<double>("phi0"),
          .noise = p.get<double>("noise"),
          .radius = p.get<double>("radius"),
          .axis = p.get<std::string>("axis")[0] - 'x',
          .stirring = p.get<double>("stirring"),
          .seed = static_cast<std::uint32_t>(8361234 + p.seed())};
}

Precision precision_of(const harness::Problem& p) {
  const std::string& precision = p.get<std::string>("precision");
  return precision == "f32" ? Precision::f32 : precision == "mixed" ? Precision::mixed : Precision::f64;
}

const Expected& FluidWorkload::expected_answer() const {
  return expected_.get([this] { return expected(problem_, beginning_, initial_); });
}
core::Verdict FluidWorkload::verify(const State& answer) const {
  return binary_fluid::verify(problem_, expected_answer(), precision_, answer);
}

harness::Choices FluidWorkload::drifts(const State& answer) const {
  if (answer.f.empty()) return {};
  const Drift d = drift(expected_answer(), answer);
  const auto text = [](double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2e", value);
    return std::string(buffer);
  };
  return {{"mass_drift_per_site", text(d.mass)},
          {"phi_drift_per_site", text(d.phi)},
          {"momentum_drift_per_site", text(d.momentum)}};
}

void FluidWorkload::poison(State& answer) const {
  const auto values = static_cast<std::size_t>(velocities * problem_.extents.sites());
  answer.extents = problem_.extents;
  for (core::LargeVector<double>* const populations : {&answer.f, &answer.g}) {
    populations->resize(values);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < values; ++i) (*populations)[i] = std::numeric_limits<double>::quiet_NaN();
  }
}
std::vector<harness::Output> FluidWorkload::outputs(State& answer) const {
  const Extents& e = problem_.extents;
  const auto output = [&](const char* name, core::LargeVector<double>& values,
                          const core::LargeVector<double>& initial) {
    return harness::Output{.name = name,
                           .type = harness::ElementType::f64,
                           .data = values.data(),
                           .count = values.size(),
                           .extents = {static_cast<std::size_t>(velocities), static_cast<std::size_t>(e.nz),
                                       static_cast<std::size_t>(e.ny), static_cast<std::size_t>(e.nx)},
                           .initial = initial.data()};
  };
  return {output("f", answer.f, initial_.f), output("g", answer.g, initial_.g)};
}

namespace {

using harness::Backend;

/// What a rank or GPU does, for the model of scaling. A step exchanges the populations that cross a face, or the
/// collided sites, and phi.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const Problem problem = problem_of(p);
  const bool on_gpus = variant.backend == Backend::multi;
  const double stored = precision_of(p) == Precision::f64 ? 8 : 4, computed = precision_of(p) == Precision::f32 ? 4 : 8;
  const double fields = choose(problem) == Method::moments ? collided_fields : 10;  // 5 populations of f and g each
  harness::Division d = harness::division_of_box(
      division_of(problem, parts, on_gpus ? std::array{1, 1, parts} : std::array{0, 0, 0}), comm::HaloShape::faces,
      {.exchanges = static_cast<double>(problem.steps),
       .bytes_per_cell = fields * stored + computed,
       .hidden = variant.name != "multi-exchange"});
  d.messages *= 2;  // sites, then phi
  return d;
}

// The state at the beginning, and the oracle's with what it writes each step to and phi's derivatives.
harness::Footprint inputs_footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  require_valid(problem, beginning_of(p));
  const double state = static_cast<double>(problem.extents.sites()) * 2 * velocities * 8;
  return {.host_bytes = state + 2.3 * std::min(state, max_kept_bytes)};
}
double answer_bytes(const harness::Problem& p) {
  return static_cast<double>(problem_of(p).extents.sites()) * 2 * velocities * 8;
}
harness::Footprint host_footprint(const harness::Problem& p) {
  return {.host_bytes = CpuSolver::host_bytes(problem_of(p), precision_of(p)) + answer_bytes(p)};
}

class HostSolver {
 public:
  HostSolver(const FluidWorkload& workload, const harness::Context& context, bool all_cores, Method method)
      : workload_(workload), threads_(all_cores ? context.threads : 1), method_(method) {}

  void allocate() { solver_.emplace(workload_.problem(), workload_.precision(), threads_, core::best_isa(), method_); }
  void reset() { solver_->set(workload_.initial_state()); }
  void execute(State&) { solver_->run(workload_.problem().steps); }
  void download(State& answer) { solver_->get(answer); }
  harness::Choices choices(const State& answer) const {
    harness::Choices all = workload_.drifts(answer);
    all.push_back(harness::instruction_set());
    return all;
  }

 private:
  const FluidWorkload& workload_;
  int threads_;
  Method method_;
  std::optional<CpuSolver> solver_;
};

harness::Variant ranks_row() {
  return {.name = "mpi",
          .backend = Backend::mpi,
          .description = "as openmp, a tile of the box on one core of each rank: halos travel while the interior steps",
          .work = [](const harness::Problem& p) { return host_work(Method::moments, problem_of(p), precision_of(p)); },
          // The tiles of all ranks, what they collect, and what the first one distributes and collects.
          .footprint =
              [](const harness::Problem& p) {
                return harness::Footprint{.host_bytes = CpuSolver::host_bytes(problem_of(p), precision_of(p)) +
                                                        2 * answer_bytes(p)};
              },
          .unsupported_ranks_reason =
              [](const harness::Problem& p, int ranks) {
                return harness::refusal_of([&] { return division_of(problem_of(p), ranks); });
              }};
}

/// The method of a row: the last one's is what serves the problem.
Method method_of(const Step& step, const Problem& problem) {
  return step.name == "cuda" ? choose(problem) : step.method;
}

harness::Variant gpu_row(const Step& step) {
  harness::Variant row = harness::ladder_variant(step);
  row.work = [&step](const harness::Problem& p) {
    const Problem problem = problem_of(p);
    return gpu_work(step, method_of(step, problem), problem, precision_of(p));
  };
  row.footprint = [&step](const harness::Problem& p) {
    const Problem problem = problem_of(p);
    const double device = gpu_bytes(problem, method_of(step, problem), precision_of(p));
    return harness::Footprint{.host_bytes = answer_bytes(p) + (step.method == Method::study ? 2 * device : 0),
                              .device_bytes = device};
  };
  row.unsupported_reason = [&step](const harness::Problem& p) -> std::optional<std::string> {
    const Problem problem = problem_of(p);
    if (step.method == Method::study && precision_of(p) == Precision::mixed)
      return "the variants of the study compute in the storage type";
    if (const auto refusal = unsupported_reason(method_of(step, problem), problem)) return "not for " + *refusal;
    return std::nullopt;
  };
  return row;
}

/// The method of `cuda` on slabs.
harness::Variant gpus_row(std::string_view name, harness::Role role, std::string_view description) {
  return {.name = std::string(name),
          .backend = Backend::multi,
          .role = role,
          .description = std::string(description),
          .work =
              [](const harness::Problem& p) {
                const Problem problem = problem_of(p);
                return gpu_work(ladder[std::size(ladder) - 1], choose(problem), problem, precision_of(p));
              },
          // The slabs of all ranks, of which up to eight have two planes of neighbours and messages as large as one;
          // what they collect, and what the first one collects.
          .footprint =
              [](const harness::Problem& p) {
                Problem problem = problem_of(p);
                problem.extents.nz += 8 * 3;
                return harness::Footprint{.host_bytes = 2 * answer_bytes(p),
                                          .device_bytes = gpu_bytes(problem, choose(problem), precision_of(p))};
              },
          .unsupported_ranks_reason =
              [](const harness::Problem& p, int ranks) {
                return harness::refusal_of([&] { return division_of(problem_of(p), ranks, {1, 1, ranks}); });
              }};
}

std::vector<harness::Variant> variants() {
  const auto host = [](Method method) {
    return [method](const harness::Problem& p) { return host_work(method, problem_of(p), precision_of(p)); };
  };
  std::vector<harness::Variant> rows = {
      {.name = "serial",
       .backend = Backend::serial,
       .description = "one core: fifteen moments a site in rows of vectors; in place where they are not enough",
       .make = harness::host_solver<FluidWorkload, HostSolver>(false, Method::moments),
       .work = host(Method::moments),
       .footprint = host_footprint},
      {.name = "openmp",
       .backend = Backend::openmp,
       .description = "all cores: the same, rows shared out among them; the same bits for any number",
       .make = harness::host_solver<FluidWorkload, HostSolver>(true, Method::moments),
       .work = host(Method::moments),
       .footprint = host_footprint},
      {.name = "openmp-in-place",
       .backend = Backend::openmp,
       .description =
           "all cores: one lattice of populations, in which collision and propagation are one pass over rows",
       .make = harness::host_solver<FluidWorkload, HostSolver>(true, Method::in_place),
       .work = host(Method::in_place),
       .footprint = host_footprint},
      ranks_row(),
  };
  for (const Step& step : ladder) rows.push_back(gpu_row(step));
  using harness::Role;
  rows.push_back(gpus_row(
      "multi-exchange", Role::step,
      "as cuda, a slab on the GPU of each rank: halos go through pinned memory and MPI, then all planes are computed"));
  rows.push_back(gpus_row("multi-staged", Role::step, "halos travel while the planes that do not read them step"));
  rows.push_back(gpus_row("multi-nccl", Role::step, "halos are sent by NCCL, without the host"));
  rows.push_back(gpus_row("multi", Role::best,
                          "halos travel by the fastest transport, usually stores into the memory of the other GPU"));
  harness::set_algorithm(rows, "populations in place", {"openmp-in-place", "cuda-in-place"});
  harness::set_algorithm(rows, "populations in two lattices",
                         {"cuda-ported", "cuda-constant", "cuda-fewer-transfers", "cuda-one-launch", "cuda-registers",
                          "cuda-coalesced", "cuda-resident"});
  return rows;
}

std::vector<harness::Size> sizes() {
  const auto box = [](std::string name, std::string summary, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                      std::int64_t count) {
    return harness::Size{
        std::move(name), std::move(summary), {{"nx", nx}, {"ny", ny}, {"nz", nz}, {"steps", count}}, {}};
  };
  constexpr std::array<std::int64_t, 10> edges = {6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  return {
      box("test", "16^3 sites, 10 steps", 16, 16, 16, 10),
      box("headline", "128x128x32, 8 steps", 128, 128, 32, 8),
      box("small", "128 x 128 x 32 sites, the study's, 8 steps", 128, 128, 32, 8),
      {"standard", "128^3 and 256^3 sites, 16 steps", {{"steps", 16}}, {{"n", {128, 256}}}},
      box("large", "512^3 sites, 8 steps", 512, 512, 512, 8),
      {"study",
       "128 x 128 x 1 to 128 x 128 x 128 sites: the study's figure 4.8",
       {{"nx", 128}, {"ny", 128}, {"steps", 4}},
       {{"nz", {1, 32, 128}}}},
      {"crossover", "6^3 to 128^3 sites, 4 steps", {{"steps", 4}}, {{"n", {edges.begin(), edges.end()}}}},
      {"precisions",
       "256^3 sites, 16 steps, in f64, in f32, and kept in f32 but computed in f64",
       {{"n", 256}, {"steps", 16}},
       {{"precision", {"f64", "f32", "mixed"}}}},
      {"channel",
       "128^3 sites between two walls, two relaxation times, 16 steps",
       {{"n", 128}, {"steps", 16}, {"walls", "z"}, {"collision", "trt"}},
       {}},
  };
}

std::vector<harness::Parameter> parameters() {
  const Problem p;
  const auto extent = [](std::string key, std::int64_t sites, std::string axis) {
    return harness::integer(std::move(key), sites, "sites along " + std::move(axis), {1, 32768});
  };
  return {
      harness::integer("n", 0, "sites along each axis; 0: nx, ny and nz", {.minimum = 0, .maximum = 32768}),
      extent("nx", 64, "x, which is contiguous in memory"),
      extent("ny", 64, "y"),
      extent("nz", 64, "z"),
      harness::integer("steps", 10, "in time", {.minimum = 1, .maximum = 1e6}),
      harness::choice("precision", "f64", "of what is kept and computed; mixed: kept in f32, computed in f64",
                      {"f64", "f32", "mixed"}),
      harness::choice("collision", "m10", "modes beyond the stress: gone at once, two relaxation times, or one",
                      {"m10", "trt", "bgk"}),
      harness::choice("stencil", "27", "sites of the differences of phi", {"27", "7"}),
      harness::choice("order_parameter", "relaxed", "the flux of phi relaxes, or is phi u", {"relaxed", "projected"}),
      harness::choice("walls", "none", "axes with walls at both ends",
                      {"none", "x", "y", "z", "xy", "xz", "yz", "xyz"}),
      harness::choice("energy", "symmetric", "free energy", {"symmetric", "brazovskii"}),
      harness::real("a", p.fluid.energy.a, "of phi^2 / 2 in the free energy"),
      harness::real("b", p.fluid.energy.b, "of phi^4 / 4"),
      harness::real("kappa", p.fluid.energy.kappa, "of |grad phi|^2 / 2"),
      harness::real("c", p.fluid.energy.c, "of (lap phi)^2 / 2, Brazovskii's"),
      harness::real("mobility", p.fluid.mobility, "M of d phi/dt + div(phi u) = M lap mu"),
      harness::real("viscosity", p.fluid.viscosity, "shear viscosity, in lattice units"),
      harness::real("bulk_viscosity", p.fluid.bulk_viscosity, "0: equal to the shear viscosity"),
      harness::real("force_x", 0, "on every site, along x"),
      harness::real("force_y", 0, "along y"),
      harness::real("force_z", 0, "along z"),
      harness::choice("start", "spinodal", "phi at the beginning", {"spinodal", "droplet", "flat", "wave", "rest"}),
      harness::real("phi0", 0, "mean of phi"),
      harness::real("noise", 0.1, "of phi, peak to peak; of a wave the amplitude"),
      harness::real("radius", 16, "of the droplet"),
      harness::choice("axis", "z", "across flat interfaces and along waves", {"z", "x", "y"}),
      harness::real("stirring", 0.01, "speed of what the fluid begins with"),
  };
}

std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return harness::longer_box(problem_of(p).extents, ranks);
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "binary_fluid",
      .title = "Binary fluid",
      .summary = "Lattice Boltzmann for two fluids: D3Q19 with a second distribution for the order parameter.",
      .source = "MSc dissertation 2009: Ludwig",
      .update = "site step",
      .rate_name = "MLUPS",
      .rate_scale = 1e6,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = [](const harness::Problem& p) { return best_work(problem_of(p), precision_of(p)); },
      .prepare = harness::make_workload<FluidWorkload>(problem_of, beginning_of, precision_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<FluidWorkload>(problem_of, beginning_of, precision_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::binary_fluid
