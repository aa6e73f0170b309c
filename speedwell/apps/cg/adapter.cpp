// cg for the harness: parameters, sizes, work, the solvers on the host, and the table of variants.
#include "speedwell/apps/cg/adapter.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "speedwell/apps/cg/ladder.hpp"
#include "speedwell/apps/cg/traffic.hpp"
#include "speedwell/apps/stencil/distributed.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::cg {
namespace {

using harness::Backend;
using harness::Role;

Problem problem_of(const harness::Problem& p) {
  const std::int64_t n = p.get<std::int64_t>("n");
  const std::string& preconditioner = p.get<std::string>("preconditioner");
  Problem problem{
      .matrix = p.get<std::string>("matrix"),
      .grid = n > 0 ? stencil::Grid{n, n, n}
                    : stencil::Grid{p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")},
      .values = p.get<std::string>("values") == "random" ? stencil::Values::random : stencil::Values::dyadic,
      .seed = p.seed(),
      .options = {.preconditioner = preconditioner == "none"     ? Preconditioner::none
                                    : preconditioner == "jacobi" ? Preconditioner::jacobi
                                                                 : Preconditioner::polynomial,
                  .omega = p.get<double>("omega"),
                  .tolerance = p.get<double>("tolerance"),
                  .iterations = static_cast<int>(p.get<std::int64_t>("iterations"))}};
  require_problem(problem, static_cast<std::size_t>(real_bytes(p)));
  return problem;
}

/// What a rank or GPU does, for the model of scaling, in the maximum number of iterations. A preconditioner adds a sum,
/// and that of a polynomial an exchange.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const Problem problem = problem_of(p);
  const bool on_gpus = variant.backend == Backend::multi;
  const double iterations = problem.options.iterations;
  const Preconditioner preconditioner = problem.options.preconditioner;
  harness::Division d =
      harness::division_of_box(stencil::division_of(problem.grid, stencil::Boundary::zero, parts, 1,
                                                    on_gpus ? std::array{1, 1, parts} : std::array{0, 0, 0}),
                               comm::HaloShape::faces,
                               {.exchanges = iterations * (preconditioner == Preconditioner::polynomial ? 2 : 1),
                                .bytes_per_cell = real_bytes(p)});
  d.sums = iterations * (preconditioner == Preconditioner::none ? 2 : 3);
  if (on_gpus) d.messages = 0;  // the sums tell that the halo has arrived
  return d;
}

double entries_of(const Problem& problem) { return 27 * static_cast<double>(problem.grid.size()); }

/// The memory of a file's matrix is not known before it is read.
harness::Footprint footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  if (problem.is_file()) return {};
  const double n = static_cast<double>(problem.grid.size()), word = real_bytes(p);
  const double matrix = problem.is_assembled() ? entries_of(problem) * (word + 4) + 8 * n : 0;
  return {.host_bytes = 2 * n * word + 10 * n * sizeof(double) + matrix};
}
harness::Footprint device_footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  if (problem.is_file()) return {};
  const double n = static_cast<double>(problem.grid.size()), word = real_bytes(p);
  const double matrix = problem.is_assembled() ? entries_of(problem) * (word + 4) * 2 : 0;
  return {.device_bytes = 7 * n * word + matrix + (1 << 24)};
}

harness::Arithmetic arithmetic_of(double word) {
  return word == sizeof(float) ? harness::Arithmetic::f32 : harness::Arithmetic::f64;
}

/// A number of iterations of the model problem; `fields`: those that they touch.
harness::Work iterations_work(const Problem& problem, double word, const Words& words, double fields) {
  const double n = static_cast<double>(problem.grid.size()), iterations = problem.options.iterations;
  return {.operations = iterations * n * operations_per_iteration,
          .arithmetic = arithmetic_of(word),
          .bytes_read = iterations * n * word * words.read,
          .bytes_written = iterations * n * word * words.written,
          .updates = iterations * n,
          .working_set = fields * n * word};
}
/// A solution to a tolerance: b, the matrix and x once. `entries`: 0 without a matrix.
harness::Work solution_work(double word, double rows, double entries) {
  const double matrix = entries > 0 ? entries * (word + 4) + 4 * rows : 0;
  return {.operations = 2 * (entries > 0 ? entries : 7 * rows),
          .arithmetic = arithmetic_of(word),
          .bytes_read = matrix + rows * word,
          .bytes_written = rows * word,
          .updates = rows,
          .working_set = matrix + 4 * rows * word,
          .no_limit = "how many iterations a tolerance takes is no property of the problem"};
}
/// The work of a variant; of the best known algorithm without one.
using Row = std::optional<std::string>;
harness::Work work_of(const Problem& problem, double word, const Row& variant) {
  const double n = static_cast<double>(problem.grid.size());
  if (problem.options.tolerance > 0) return solution_work(word, n, problem.is_assembled() ? entries_of(problem) : 0);
  const Preconditioner preconditioner = problem.options.preconditioner;
  const bool on_chip = fits_on_chip(n, word, preconditioner);
  if (variant)
    return iterations_work(problem, word, words_per_iteration(*variant, preconditioner, on_chip),
                           *variant == "cuda" && on_chip ? 2 : 4);
  if (!on_chip) return iterations_work(problem, word, words_of_two_passes(preconditioner), 4);
  const double once = 1.0 / problem.options.iterations;  // b and x
  return iterations_work(problem, word, {once, once}, 4);
}
/// The same once a matrix has been read from a file.
harness::Work prepared_work(const harness::Workload& prepared, const Row& variant) {
  return std::visit(
      [&]<class T>(const std::shared_ptr<const Inputs<T>>& inputs) {
        if (!inputs->problem().is_file()) return work_of(inputs->problem(), sizeof(T), variant);
        const sparse::Csr<T>& m = inputs->system().matrix();
        return solution_work(sizeof(T), static_cast<double>(m.rows), static_cast<double>(m.entries()));
      },
      static_cast<const CgWorkload&>(prepared).inputs());
}

enum class HostMethod { serial, best, textbook, mixed };

template <class T>
class HostSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  HostSolver(const Inputs<T>& inputs, const harness::Context& context, HostMethod method)
      : inputs_(inputs), method_(method), options_(inputs.problem().options) {
    options_.threads = method == HostMethod::serial ? 1 : context.threads;
    options_.two_passes = method != HostMethod::textbook;
  }

  void allocate(Answer& answer) {
    clear(answer);  // its pages are first touched by the threads that will use them
    if (!inputs_.problem().is_assembled() && method_ != HostMethod::mixed)
      solver_ = stencil::CgSolver<T>(inputs_.problem().grid, options_);
  }
  void execute(Answer& answer) {
    const System<T>& system = inputs_.system();
    clear(answer);
    if constexpr (std::is_same_v<T, double>)
      if (method_ == HostMethod::mixed) {
        answer.result = stencil::solve_mixed(system.op(), system.b(), answer.x.span(), options_);
        return;
      }
    answer.result =
        inputs_.problem().is_assembled()
            ? krylov::conjugate_gradients<T>(system.matrix(), system.b(), answer.x.span(), matrix_options(options_))
            : solver_.solve(system.op(), system.b(), answer.x.span());
    require_definite(inputs_.problem(), answer.result);
  }
  harness::Choices choices(const Answer& answer) const {
    harness::Choices all = choices_of(answer.result);
    if (method_ == HostMethod::serial) return all;
    for (auto& choice : harness::host_choices(options_.threads)) all.push_back(std::move(choice));
    return all;
  }

 private:
  void clear(Answer& answer) {
    core::parallel_for(answer.x.size(), sizeof(T), options_.threads, [&](std::size_t begin, std::size_t end) {
      std::fill(answer.x.data() + begin, answer.x.data() + end, T(0));
    });
  }

  const Inputs<T>& inputs_;
  HostMethod method_;
  stencil::CgOptions options_;
  stencil::CgSolver<T> solver_;
};

/// The problems that a variant exists for.
enum class Takes { all, no_matrix, no_preconditioner, corrections };

std::optional<std::string> unsupported_reason(const std::string& name, Takes takes, const harness::Problem& p) {
  const bool matrix = p.get<std::string>("matrix") != "7-point";
  if (takes == Takes::corrections && (matrix || is_f32(p) || p.get<double>("tolerance") == 0))
    return name + " is for a tolerance in f64 without a matrix";
  if (takes != Takes::all && matrix) return name + " takes no matrix";
  if (takes == Takes::no_preconditioner && p.get<std::string>("preconditioner") != "none")
    return name + " takes no preconditioner";
  return std::nullopt;
}

harness::Variant row(std::string_view name, Backend backend, Role role, Takes takes, std::string_view description,
                     std::string_view lineage = {}) {
  harness::Variant variant{.name = std::string(name),
                           .backend = backend,
                           .role = role,
                           .description = std::string(description),
                           .lineage = std::string(lineage)};
  variant.work = [name = variant.name](const harness::Problem& p) {
    return work_of(problem_of(p), real_bytes(p), name);
  };
  variant.work_of = [name = variant.name](const harness::Workload& prepared) { return prepared_work(prepared, name); };
  variant.unsupported_reason = [name = variant.name, takes](const harness::Problem& p) {
    return unsupported_reason(name, takes, p);
  };
  variant.applies_to = [reason = variant.unsupported_reason](const harness::Problem& p) { return !reason(p); };
  if (backend == Backend::cuda) variant.footprint = device_footprint;
  return variant;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  const auto host = [&](const char* name, HostMethod method, Takes takes, const char* description) {
    rows.push_back(
        row(name, method == HostMethod::serial ? Backend::serial : Backend::openmp, Role::plain, takes, description));
    rows.back().make = harness::host_solver<Inputs, HostSolver>(method);
  };
  host("serial", HostMethod::serial, Takes::all, "one thread");
  host("openmp", HostMethod::best, Takes::all,
       "all cores, rows in vectors; two passes over memory an iteration, with a matrix three");
  host("openmp-textbook", HostMethod::textbook, Takes::no_preconditioner,
       "stored products, three passes over memory an iteration");
  host("openmp-mixed", HostMethod::mixed, Takes::corrections, "iterations in f32, corrections in f64");
  rows.push_back(row("mpi", Backend::mpi, Role::plain, Takes::no_matrix,
                     "a tile of the box on one core of each rank, two passes over memory an iteration; the halo of the "
                     "direction travels while interior cells are computed",
                     "dissertation 2012, 7.5"));
  rows.back().footprint = [](const harness::Problem& p) {
    return harness::Footprint{.host_bytes = 6 * static_cast<double>(problem_of(p).grid.size()) * real_bytes(p)};
  };
  rows.back().unsupported_ranks_reason = [](const harness::Problem& p, int count) {
    return harness::refusal_of(
        [&] { return stencil::division_of(problem_of(p).grid, stencil::Boundary::zero, count); });
  };
  for (const stencil::Step& step : steps)
    rows.push_back(row(step.name, Backend::cuda, Role::step, Takes::no_preconditioner, step.description, step.lineage));
  rows.push_back(row("cuda-passes", Backend::cuda, Role::step, Takes::no_matrix,
                     "two passes over memory an iteration, the loop on the device"));
  rows.push_back(row("cuda-mixed", Backend::cuda, Role::step, Takes::corrections,
                     "iterations in f32, corrections in f64: the answer of f64"));
  rows.push_back(row("cuda", Backend::cuda, Role::best, Takes::all,
                     "residual and direction on chip where they fit; a matrix in sliced ELL"));
  rows.push_back(
      row("multi", Backend::multi, Role::best, Takes::no_matrix,
          "a slab on the GPU of each rank; kernels store what the neighbours need into their memory, and the "
          "sum that ends a pass tells that it has arrived",
          "dissertation 2012, 7.5"));
  rows.back().footprint = device_footprint;
  rows.back().unsupported_ranks_reason = [](const harness::Problem& p, int count) {
    return harness::refusal_of([&] {
      return stencil::division_of(problem_of(p).grid, stencil::Boundary::zero, count, 1, {1, 1, count});
    });
  };
  harness::set_algorithm(rows, "three passes over memory an iteration",
                         {"openmp-textbook", "cuda-fused", "cuda-pinned", "cuda-mapped"});
  harness::set_algorithm(rows, "iterations in f32", {"openmp-mixed", "cuda-mixed"});
  return rows;
}

std::vector<harness::Size> sizes() {
  const harness::Sweep f64{"precision", {std::string("f64")}},
      both{"precision", {std::string("f64"), std::string("f32")}};
  const auto cube = [&](std::string name, std::string summary, std::int64_t n, std::int64_t iterations) {
    return harness::Size{
        std::move(name), std::move(summary), {{"nx", n}, {"ny", n}, {"nz", n}, {"iterations", iterations}}, {f64}};
  };
  return {
      {"test", "17 x 9 x 12 cells in both precisions", {{"nx", 17}, {"ny", 9}, {"nz", 12}, {"iterations", 4}}, {both}},
      cube("headline", "7-point, 128^3", 128, 36),
      cube("small", "64^3 cells, 8 iterations", 64, 8),
      cube("standard", "256^3 cells, 36 iterations", 256, 36),
      cube("large", "512^3 cells, 12 iterations", 512, 12),
      cube("128", "128^3 cells, 60 iterations", 128, 60),
      {"curve",
       "32^3 to 288^3 cells in both precisions: the study's figures 7.6 to 7.9",
       {{"iterations", 24}},
       {{"n", {32, 64, 96, 128, 160, 192, 256, 288}}, both}},
      {"solve",
       "to 1e-10 on 64^3 to 256^3 cells",
       {{"tolerance", 1e-10}, {"iterations", 10000}},
       {{"n", {64, 128, 256}}}},
      {"crossover",
       "24 iterations on 8^3 to 256^3 cells, f64",
       {{"precision", "f64"}, {"iterations", 24}},
       {{"n", {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::integer("n", 0, "cells along every axis, in place of nx, ny, nz", {.minimum = 0}),
      harness::integer("nx", 64, "cells along x", {.minimum = 1}),
      harness::integer("ny", 64, "cells along y", {.minimum = 1}),
      harness::integer("nz", 64, "cells along z", {.minimum = 1}),
      harness::choice("precision", "f64", "of vectors and values; sums of products are f64", {"f64", "f32"}),
      harness::choice("values", "dyadic", "of the right-hand side of 7-point; dyadic: the study's; random: uniform",
                      {"dyadic", "random"}),
      harness::integer("iterations", 8, "number of iterations; with a tolerance the maximum",
                       {.minimum = 1, .maximum = 1e6}),
      harness::real("tolerance", 0.0,
                    "relative residual tolerance ||b - A x|| / ||b||; 0: `iterations` iterations, whatever they reach",
                    {.minimum = 0, .maximum = 0.5}),
      harness::choice("preconditioner", "none", "polynomial: the study's 1/D + omega 1/D (D - A) 1/D",
                      {"none", "jacobi", "polynomial"}),
      harness::real("omega", 0.8, "of the polynomial preconditioner", {.minimum = 0, .maximum = 1}),
      harness::text("matrix", "7-point", "7-point, matrix-free; 27-point on the box; or a Matrix Market file"),
  };
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "cg",
      .title = "Conjugate gradients",
      .summary =
          "Conjugate gradients for the 7-point operator, matrix-free, and for sparse matrices: a number of iterations, "
          "or to a tolerance.",
      .source = "PhD dissertation 2012, sections 5.3 and 6.3",
      .update = "cell",
      .rate_name = "MCUPS",
      .rate_scale = 1e6,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = footprint,
      .work = [](const harness::Problem& p) { return work_of(problem_of(p), real_bytes(p), std::nullopt); },
      .work_of = [](const harness::Workload& prepared) { return prepared_work(prepared, std::nullopt); },
      .prepare = harness::make_workload<CgWorkload>(harness::is_f32, problem_of),
      .weak = [](const harness::Problem& p, int ranks) { return harness::longer_box(problem_of(p).grid, ranks); },
      .prepare_rank = harness::make_workload<CgWorkload>(harness::is_f32, problem_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::cg
