// blast_wave for the harness: parameters, sizes, the table of variants and the runs on the host.
#include "speedwell/apps/blast_wave/adapter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/blast_wave/adapter_work.hpp"
#include "speedwell/apps/blast_wave/adapter_workload.hpp"
#include "speedwell/apps/blast_wave/blast_wave.hpp"
#include "speedwell/apps/blast_wave/distributed.hpp"
#include "speedwell/apps/blast_wave/gpu_bytes.hpp"
#include "speedwell/apps/blast_wave/ladder.hpp"
#include "speedwell/apps/blast_wave/ranks/planes.hpp"
#include "speedwell/apps/blast_wave/verify/reference.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::blast_wave {

Problem problem_of(const harness::Problem& p) {
  Problem problem{.extents = extents_of(p, 5),
                  .gas = {.gamma = p.get<double>("gamma"),
                          .reynolds = p.get<double>("reynolds"),
                          .prandtl = p.get<double>("prandtl"),
                          .viscous = p.get<std::string>("viscous") == "yes"},
                  .blast = {.pressure = p.get<double>("pressure_ratio"),
                            .density = p.get<double>("density_ratio"),
                            .radius = p.get<double>("radius"),
                            .width = p.get<double>("width")},
                  .kappa2 = p.get<double>("kappa2"),
                  .kappa4 = p.get<double>("kappa4"),
                  .cfl = p.get<double>("cfl"),
                  .theta = p.get<double>("theta"),
                  .max_squared_residual = p.get<double>("tolerance"),
                  .max_iterations = static_cast<int>(p.get<std::int64_t>("iterations")),
                  .steps = static_cast<int>(p.get<std::int64_t>("steps"))};
  require_valid(problem);
  return problem;
}

std::vector<harness::Output> BlastWorkload::outputs(Answer& answer) const {
  const Extents& e = problem_.extents;
  return {
      {.name = "q",
       .type = harness::ElementType::f64,
       .data = answer.state.q.data(),
       .count = answer.state.q.size(),
       .extents = {5, static_cast<std::size_t>(e.nz), static_cast<std::size_t>(e.ny), static_cast<std::size_t>(e.nx)},
       .initial = initial_.q.data()}};
}

core::Verdict BlastWorkload::verify(const Answer& got, Iterations iterations) const {
  const Answer& expected = expected_.get([this] {
    Answer answer{initial_, {}};
    answer.history = reference::advance(problem_, answer.state);
    return answer;
  });
  return blast_wave::verify(problem_, initial_, expected, got, iterations);
}

harness::Choices figures(const Answer& answer) {
  if (answer.history.steps.empty()) return {};
  char norm[32];
  std::snprintf(norm, sizeof norm, "%.14g", answer.history.steps.back().change);
  double residual = 0;
  for (const StepRecord& step : answer.history.steps) residual = std::max(residual, std::sqrt(step.true_residual));
  char largest[32];
  std::snprintf(largest, sizeof largest, "%.3e", residual);
  return {{"iterations", std::to_string(answer.history.iterations())},
          {"norm_of_last_change", norm},
          {"largest_true_residual", largest}};
}

harness::Choices figures(const Answer& answer, const CpuSolver::Parts& parts) {
  harness::Choices all = figures(answer);
  all.push_back({"lhs_s", std::to_string(parts.blocks)});
  all.push_back({"rhs_s", std::to_string(parts.right_hand_side)});
  all.push_back({"bicgstab_s", std::to_string(parts.bicgstab)});
  return all;
}

namespace {

using harness::Backend;

// The blast and the answer, and the oracle with its blocks.
harness::Footprint inputs_footprint(const harness::Problem& p) {
  const auto points = static_cast<double>(problem_of(p).extents.points());
  return {.host_bytes = points * (175 * 8 + 40 * 14)};
}
template <Products products>
harness::Footprint host_footprint(const harness::Problem& p) {
  const Extents e = problem_of(p).extents;
  return {.host_bytes = CpuSolver::host_bytes(e, products) + 40 * static_cast<double>(e.points())};
}

// As many ranks as the box can be divided among have the largest halos.
harness::Footprint ranks_footprint(const harness::Problem& p) {
  const Extents e = problem_of(p).extents;
  return {.host_bytes = DistributedSolver::host_bytes(e, static_cast<int>(e.nz / 2))};
}
std::optional<std::string> too_many_ranks(const harness::Problem& p, int ranks) {
  return harness::refusal_of([&] {
    DistributedSolver::require_ranks(problem_of(p).extents, ranks);
    return true;
  });
}

std::optional<std::string> too_many_gpus(const harness::Problem& p, int ranks) {
  return harness::refusal_of([&] {
    require_planes(problem_of(p).extents, ranks);
    return true;
  });
}

class HostSolver {
 public:
  HostSolver(const BlastWorkload& workload, const harness::Context& context, bool all_cores, Products products)
      : workload_(workload), threads_(all_cores ? context.threads : 1), products_(products) {}

  void allocate() { solver_.emplace(workload_.problem(), threads_, products_); }
  void reset() { solver_->set(workload_.initial_state()); }
  void execute(Answer& answer) {
    answer.history = solver_->run(workload_.problem().steps);
    solver_->get(answer.state);
  }
  harness::Choices choices(const Answer& answer) const {
    harness::Choices all = figures(answer, solver_->seconds());
    all.push_back(harness::instruction_set());
    return all;
  }

 private:
  const BlastWorkload& workload_;
  int threads_;
  Products products_;
  std::optional<CpuSolver> solver_;
};

harness::Variant gpu_row(const Step& step) {
  harness::Variant row = harness::ladder_variant(step);
  row.work = with(step.blocks);
  row.footprint = [step](const harness::Problem& p) {
    const Problem problem = problem_of(p);
    const bool hosted = step.article != PublishedVariant::none;
    return harness::Footprint{.host_bytes = (hosted ? 4 : 1) * 40 * static_cast<double>(problem.extents.points()),
                              .device_bytes = hosted ? article_bytes(problem.extents)
                                                     : gpu_bytes(problem.extents, step.blocks, problem.steps)};
  };
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      {.name = "serial",
       .backend = Backend::serial,
       .description = "one core: products computed from the state in tiles of 32 points, vectors across points",
       .make = harness::host_solver<BlastWorkload, HostSolver>(false, Products::matrix_free),
       .work = with(BlockSource::recomputed),
       .footprint = host_footprint<Products::matrix_free>},
      {.name = "openmp",
       .backend = Backend::openmp,
       .description = "all cores: the same, tiles shared out among them; the same bits for any number",
       .make = harness::host_solver<BlastWorkload, HostSolver>(true, Products::matrix_free),
       .work = with(BlockSource::recomputed),
       .footprint = host_footprint<Products::matrix_free>},
      {.name = "openmp-stored",
       .backend = Backend::openmp,
       .description = "all cores: blocks stored once a step and read by every product",
       .make = harness::host_solver<BlastWorkload, HostSolver>(true, Products::stored),
       .work = with(BlockSource::f64),
       .footprint = host_footprint<Products::stored>},
      {.name = "mpi",
       .backend = Backend::mpi,
       .description = "as openmp, a slab of tiles on one core of each rank: planes of vectors travel while the tiles "
                      "between are multiplied, two sums an iteration",
       .work = with(BlockSource::recomputed),
       .footprint = ranks_footprint,
       .unsupported_ranks_reason = too_many_ranks},
  };
  for (const Step& step : steps) rows.push_back(gpu_row(step));
  rows.push_back({.name = "cusparse",
                  .backend = Backend::cuda,
                  .role = harness::Role::peer,
                  .description = "the article's iteration with cuSPARSE's product of block rows and cuBLAS's vectors",
                  .work = with(BlockSource::f64),
                  .footprint = [](const harness::Problem& p) {
                    const Extents e = problem_of(p).extents;
                    return harness::Footprint{.host_bytes = 40 * static_cast<double>(e.points()),
                                              .device_bytes = article_bytes(e)};
                  }});
  rows.push_back({.name = "multi",
                  .backend = Backend::multi,
                  .role = harness::Role::best,
                  .description = "as cuda, a slab of planes on the GPU of each rank; kernels store what the neighbours "
                                 "need into their memory, and the sums of an iteration tell that it has arrived",
                  .work = with(BlockSource::recomputed),
                  .footprint =
                      [](const harness::Problem& p) {
                        // The slabs of up to eight ranks, with the planes of their neighbours.
                        const Problem problem = problem_of(p);
                        const int slabs = static_cast<int>(std::min<std::int64_t>(8, problem.extents.nz / halo_planes));
                        return harness::Footprint{
                            .host_bytes = 2 * 40 * static_cast<double>(problem.extents.points()),
                            .device_bytes = slabs * distributed_gpu_bytes(problem.extents, slabs, problem.steps)};
                      },
                  .unsupported_ranks_reason = too_many_gpus});
  harness::set_algorithm(rows, "blocks stored once a step",
                         {"openmp-stored", "cuda-one-point", "cuda-five-points", "cuda-ribbon", "cuda-concurrent",
                          "cuda-streamed", "cusparse"});
  harness::set_algorithm(rows, "blocks stored once a step in f32", {"cuda-f32-blocks"});
  return rows;
}

std::vector<harness::Size> sizes() {
  const auto mesh = [](std::string name, std::string summary, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                       std::int64_t step_count) {
    return harness::Size{
        std::move(name), std::move(summary), {{"nx", nx}, {"ny", ny}, {"nz", nz}, {"steps", step_count}}, {}};
  };
  constexpr std::array<std::int64_t, 9> extents = {5, 7, 9, 13, 17, 25, 33, 49, 65};
  return {
      mesh("test", "17 x 17 x 16 points, 5 steps", 17, 17, 16, 5),
      mesh("headline", "33x33x32, 10 steps", 33, 33, 32, 10),
      mesh("small", "33 x 33 x 32 points, 10 steps", 33, 33, 32, 10),
      mesh("standard", "65 x 65 x 64 points, 100 steps: the mesh of SPEC CPU2006", 65, 65, 64, 100),
      mesh("large", "128^3 points, 20 steps", 128, 128, 128, 20),
      mesh("weak", "128^3 points, 2 steps: what a rank has in weak scaling", 128, 128, 128, 2),
      mesh("odd", "53 x 64 x 128 points, 10 steps", 53, 64, 128, 10),
      mesh("larger", "181 x 181 x 180 points, 20 steps: about the memory of SPEC CPU2017's", 181, 181, 180, 20),
      {"crossover", "5^3 to 65^3 points, 2 steps", {{"steps", 2}}, {{"n", {extents.begin(), extents.end()}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  const Problem p;
  const auto extent = [](std::string key, std::int64_t points, std::string axis) {
    return harness::integer(std::move(key), points, "points along " + std::move(axis), {5, 4096});
  };
  return {
      edge_parameter(4096),
      extent("nx", p.extents.nx, "x, which is contiguous in memory"),
      extent("ny", p.extents.ny, "y"),
      extent("nz", p.extents.nz, "z"),
      harness::integer("steps", 100, "in time", {.minimum = 1, .maximum = 1e6}),
      harness::real("tolerance", p.max_squared_residual, "of the sum of squares of the residual, absolute"),
      harness::integer("iterations", 500, "of BiCGSTAB in a step, at most", {.minimum = 1, .maximum = 1e6}),
      harness::real("cfl", p.cfl, "CFL number of a step, above 0 to 20"),
      harness::real("theta", p.theta, "1: Euler backward, 0.5: trapezoidal"),
      harness::real("gamma", p.gas.gamma, "ratio of specific heats"),
      harness::real("reynolds", p.gas.reynolds, "Reynolds number of the box and the ambient speed of sound"),
      harness::real("prandtl", p.gas.prandtl, "Prandtl number"),
      harness::choice("viscous", "yes", "viscosity", {"yes", "no"}),
      harness::real("pressure_ratio", p.blast.pressure, "of the middle to outside"),
      harness::real("density_ratio", p.blast.density, "of the middle to outside"),
      harness::real("radius", p.blast.radius, "of the blast, in edges of the box"),
      harness::real("width", p.blast.width, "of its edge"),
      harness::real("kappa2", p.kappa2, "dissipation of second differences"),
      harness::real("kappa4", p.kappa4, "dissipation of fourth differences"),
  };
}

// A box that is longer along z has more points there, of a smaller spacing: the unit box is resolved better, and a step
// is shorter.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return harness::longer_box(problem_of(p).extents, ranks);
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "blast_wave",
      .title = "Blast wave",
      .summary = "Implicit compressible Navier-Stokes in a periodic box: seven 5x5 blocks a point, solved by BiCGSTAB.",
      .source = "PGI Insider, September 2010: BWAVES",
      .update = "point step",
      .rate_name = "Mpoint/s",
      .rate_scale = 1e6,
      .bandwidth_rate = false,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .prepare = harness::make_workload<BlastWorkload>(problem_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<BlastWorkload>(problem_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::blast_wave
