#include "speedwell/apps/npb/ft/adapter_ft.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "speedwell/apps/npb/ft/distributed.hpp"
#include "speedwell/apps/npb/ft/ladder.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::npb::ft {
namespace {

// Fields that an algorithm reads and writes: before the first step and in each.
struct Passes {
  double first_read, first_written, step_read, step_written;
};

// Operations: 5 n log2(n) of a transform, and two of a mode's factor in each step.
harness::Work work_of(Class c, const Passes& passes) {
  const Problem problem = problem_of(c);
  const auto n = static_cast<double>(points(problem));
  const double field = 16 * n, steps = problem.iterations;
  return {.operations = 5 * n * std::log2(n) * (steps + 1) + 2 * n * steps,
          .arithmetic = harness::Arithmetic::f64,
          .bytes_read = field * (passes.first_read + passes.step_read * steps),
          .bytes_written = field * (passes.first_written + passes.step_written * steps),
          .updates = nominal_operations(problem),
          .working_set = 2 * field};
}

// A transform in two passes over memory. The first one's data are made as they are written, the last pass of a step
// is looked at and not stored.
constexpr Passes best_passes = {1, 2, 2, 1};
// The initial field is written by itself; factors are an array of half a field, with which modes are multiplied.
constexpr Passes openmp_passes = {2, 3, 2, 1}, serial_passes = {2, 3.5, 3.5, 3};

// As openmp, but that the field is stored.
constexpr Passes ranks_passes = {2, 3, 2, 2};

harness::Work work(Class c) { return work_of(c, best_passes); }

harness::Work gpu_work(const Step& step, Class c) {
  const Problem p = problem_of(c);
  const double field = 16 * static_cast<double>(points(p));
  if (!step.factor_array) {
    const double forward = field >= 48e6 ? 2 : 3;  // as fft counts them: planes, or one axis after another
    return work_of(c, {forward, 1 + forward, 3, 2});
  }
  // An axis is copied to the work space, goes through it in every stage of radix 2, and is copied back.
  const double transform = 3 * 2 + std::log2(static_cast<double>(points(p)));
  return work_of(c, {transform, 1.5 + transform, 1.5 + transform, 2 + transform});
}

harness::NpbTitle title(Class c) {
  const Problem p = problem_of(c);
  return {.name = "FT",
          .problem_class = std::string(1, letter(c)),
          .size = std::to_string(p.nx) + "x" + std::to_string(p.ny) + "x" + std::to_string(p.nz),
          .iterations = p.iterations,
          .operation = "floating point"};
}

std::shared_ptr<const harness::Workload> prepare(Class c) { return std::make_shared<const FtWorkload>(c); }

template <class SolverType>
class HostSolver {
 public:
  HostSolver(const FtWorkload& workload, const harness::Context& context)
      : problem_(workload.problem), options_{.threads = context.threads} {}

  void allocate() {
    if constexpr (std::is_constructible_v<SolverType, const Problem&, const Options&>)
      solver_.emplace(problem_, options_);
    else
      solver_.emplace(problem_);
  }
  void execute(Checksums& checksums) { checksums = solver_->run(); }
  harness::Choices choices() const { return {harness::instruction_set()}; }

 private:
  Problem problem_;
  Options options_;
  std::optional<SolverType> solver_;
};

template <class SolverType>
harness::Footprint host_footprint(const harness::Problem& problem) {
  return {.host_bytes = SolverType::bytes(problem_of(class_of(problem)))};
}

/// Each rank has a slab of the field along z, and of the modes along y.
std::optional<std::string> indivisible(const harness::Problem& p, int ranks) {
  const Problem problem = problem_of(class_of(p));
  const std::int64_t layers = std::min(problem.nz, problem.ny);
  if (ranks <= layers) return std::nullopt;
  return std::to_string(ranks) + " ranks for " + std::to_string(layers) + " layers of the grid";
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      {.name = "serial",
       .backend = harness::Backend::serial,
       .description = "an array of factors, and transforms on one core",
       .make = harness::host_solver<FtWorkload, HostSolver<SerialSolver>>(),
       .work = [](const harness::Problem& p) { return work_of(class_of(p), serial_passes); },
       .footprint = host_footprint<SerialSolver>},
      {.name = "openmp",
       .backend = harness::Backend::openmp,
       .description =
           "all cores: factors go with the loads of the transform back, whose result is looked at and not stored: not "
           "reportable under the NPB rules",
       .make = harness::host_solver<FtWorkload, HostSolver<Solver>>(),
       .work = [](const harness::Problem& p) { return work_of(class_of(p), openmp_passes); },
       .footprint = host_footprint<Solver>},
      {.name = "mpi",
       .backend = harness::Backend::mpi,
       .description = "slabs on one core of each rank, in memory that ranks of a host share",
       .work = [](const harness::Problem& p) { return work_of(class_of(p), ranks_passes); },
       .footprint = host_footprint<DistributedSolver>,
       .unsupported_ranks_reason = indivisible},
  };
  for (const Step& step : steps) {
    rows.push_back(harness::ladder_variant(step));
    rows.back().work = [step](const harness::Problem& p) { return gpu_work(step, class_of(p)); };
    rows.back().footprint = [step](const harness::Problem& p) -> harness::Footprint {
      return {.device_bytes = device_bytes(step, problem_of(class_of(p)))};
    };
  }
  const Step& best = std::end(steps)[-1];
  rows.push_back({.name = "multi",
                  .backend = harness::Backend::multi,
                  .role = harness::Role::best,
                  .description =
                      "as cuda, slabs on the GPU of each rank: the first pass of a step stores into the memory of the "
                      "others, beside the other two of the step before: not reportable under the NPB rules",
                  .work = [best](const harness::Problem& p) { return gpu_work(best, class_of(p)); },
                  .footprint = [](const harness::Problem& p) -> harness::Footprint {
                    return {.device_bytes = device_bytes_of_ranks(problem_of(class_of(p)))};
                  },
                  .unsupported_ranks_reason = indivisible});
  return rows;
}

}  // namespace

Kernel kernel() { return {"ft", work, title, prepare, variants}; }

}  // namespace speedwell::npb::ft
