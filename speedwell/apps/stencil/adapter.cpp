// stencil for the harness: parameters, sizes, work, the solvers on the host, and the table of variants.
#include "speedwell/apps/stencil/adapter.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stencil/distributed.hpp"
#include "speedwell/apps/stencil/ladder.hpp"
#include "speedwell/apps/stencil/traffic.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::stencil {
namespace {

using harness::Backend;
using harness::Role;

Kernel kernel_of(const harness::Problem& p) {
  const std::string& name = p.get<std::string>("kernel");
  return name == "jacobi" ? Kernel::jacobi : name == "sum" ? Kernel::sum : Kernel::product;
}

Form form_of(const harness::Problem& p) {
  for (const Form form : {Form::cell_metric, Form::face_metric, Form::face_coefficient, Form::general})
    if (p.get<std::string>("kernel") == to_string(form)) return form;
  return Form::constant;
}

/// The problem, checked: what cannot go together is refused here.
Spec spec_of(const harness::Problem& p) {
  const std::int64_t n = p.get<std::int64_t>("n");
  const std::string& boundary = p.get<std::string>("boundary");
  const Spec spec{
      .kernel = kernel_of(p),
      .problem = {.form = form_of(p),
                  .boundary = boundary == "zero"   ? Boundary::zero
                              : boundary == "none" ? Boundary::none
                                                   : Boundary::periodic,
                  .grid = n > 0 ? Grid{n, n, n}
                                : Grid{p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")},
                  .values = p.get<std::string>("values") == "random" ? Values::random : Values::dyadic,
                  .seed = p.seed()},
      .steps = static_cast<int>(p.get<std::int64_t>("steps"))};
  if (spec.kernel == Kernel::jacobi && spec.problem.boundary != Boundary::periodic)
    throw std::invalid_argument("stencil: jacobi is defined on a periodic box, not for boundary=" + boundary);
  require_grid(spec.problem.grid, spec.problem.form, spec.problem.boundary);
  return spec;
}

/// What a rank or GPU does, for the model of scaling. A halo of several layers serves as many sweeps.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const Spec spec = spec_of(p);
  const Grid& grid = spec.problem.grid;
  const bool on_gpus = variant.backend == Backend::multi, jacobi = spec.kernel == Kernel::jacobi;
  constexpr int sweeps_of_an_exchange = 4;
  const int depth =
      jacobi ? largest_depth(grid, spec.problem.boundary, parts, std::min(sweeps_of_an_exchange, spec.steps)) : 1;
  const comm::Decomposition box =
      division_of(grid, spec.problem.boundary, parts, depth, on_gpus ? std::array{1, 1, parts} : std::array{0, 0, 0});
  const int exchanges = spec.kernel == Kernel::sum ? 0 : jacobi ? (spec.steps + depth - 1) / depth : 1;
  harness::Division d =
      harness::division_of_box(box, depth > 1 && !on_gpus ? comm::HaloShape::corners : comm::HaloShape::faces,
                               {.exchanges = static_cast<double>(exchanges),
                                .bytes_per_cell = real_bytes(p),
                                .hidden = variant.name != "mpi-exchange" && variant.name != "multi-exchange"});
  if (spec.kernel == Kernel::sum) d.sums = 1;
  return d;
}

harness::Footprint footprint(const harness::Problem& p) {
  const Spec spec = spec_of(p);
  const double fields = 2 + cell_fields(spec.problem.form) + (spec.kernel == Kernel::jacobi ? 4 : 0);
  return {.host_bytes = fields * static_cast<double>(spec.problem.grid.size()) * real_bytes(p)};
}

harness::Footprint device_footprint(const harness::Problem& p) {
  const Spec spec = spec_of(p);
  const double fields = 3 + cell_fields(spec.problem.form);
  return {.device_bytes = fields * static_cast<double>(spec.problem.grid.size()) * real_bytes(p) + (1 << 24)};
}

harness::Work work_of(const harness::Problem& p, const SweepTraffic& sweeps) {
  const Spec spec = spec_of(p);
  const double n = static_cast<double>(spec.problem.grid.size()), word = real_bytes(p);
  const harness::Arithmetic arithmetic = real_arithmetic(p);
  if (spec.kernel == Kernel::sum)
    return {.operations = 2 * n,
            .arithmetic = arithmetic,
            .bytes_read = n * word,
            .bytes_written = sizeof(double),
            .updates = n,
            .working_set = n * word};
  const bool jacobi = spec.kernel == Kernel::jacobi;
  const double times = jacobi ? spec.steps : 1, passes = jacobi ? sweeps.passes : 1;
  const double read = words_read_per_cell(spec.problem.form);
  return {.operations = times * n * (jacobi ? sweeps.operations : operations_per_cell(spec.problem.form)),
          .arithmetic = arithmetic,
          .bytes_read = passes * read * n * word,
          .bytes_written = passes * n * word,
          .updates = times * n,
          .working_set = (1 + read) * n * word};
}

/// serial: cell by cell on one thread. best: the best method of each kernel. planes, blocks: the study's divisions of a
/// product. stages: the study's sum.
enum class HostMethod { serial, best, planes, blocks, stages };

template <class T>
class HostSolver {
 public:
  using Answer = typename Inputs<T>::Answer;

  HostSolver(const Inputs<T>& inputs, const harness::Context& context, HostMethod method)
      : inputs_(inputs), threads_(method == HostMethod::serial ? 1 : context.threads), method_(method) {}

  void allocate() {
    if (kernel() == Kernel::jacobi) workspace_ = core::HostBuffer<T>(inputs_.x().size());
  }
  void poison() {
    if (workspace_.size() > 0) std::memset(workspace_.data(), 0xff, workspace_.bytes());
  }
  void execute(Answer& answer) {
    const std::span<const T> x = inputs_.x();
    if (kernel() == Kernel::product) return product(x, answer.y.span());
    if (kernel() == Kernel::sum)
      answer.sum = order() == SumOrder::lanes ? sum_of_squares<T>(x, threads_)
                                              : sum_of_squares_in_stages<T>(inputs_.spec().problem.grid, x, threads_);
    else if (method_ == HostMethod::best)
      sweep<T>(inputs_.op(), x, answer.y.span(), workspace_.span(), inputs_.spec().steps, 0, {.threads = threads_});
    else
      single_sweeps(answer.y.span());
  }
  core::Verdict verify(const Answer& answer) { return inputs_.verify(answer, order(), sum_errors_); }
  harness::Choices choices() const {
    if (kernel() == Kernel::sum) return sum_choices(sum_errors_);
    if (method_ == HostMethod::serial) return {};
    return harness::host_choices(threads_);
  }

 private:
  Kernel kernel() const { return inputs_.spec().kernel; }
  SumOrder order() const { return method_ == HostMethod::best ? SumOrder::lanes : SumOrder::stages; }
  void product(std::span<const T> x, std::span<T> y) {
    if (method_ == HostMethod::serial) return multiply_serially<T>(inputs_.op(), x, y);
    const Traversal traversal = method_ == HostMethod::planes   ? Traversal::planes
                                : method_ == HostMethod::blocks ? Traversal::blocks
                                                                : Traversal::strips;
    multiply<T>(inputs_.op(), x, y, {.threads = threads_, .traversal = traversal});
  }
  /// Jacobi's sweeps, each a pass over memory.
  void single_sweeps(std::span<T> y) {
    const int steps = inputs_.spec().steps;
    std::span<const T> from = inputs_.x();
    for (int step = 0; step < steps; ++step) {
      const std::span<T> to = (steps - 1 - step) % 2 == 0 ? y : workspace_.span();
      product(from, to);
      from = to;
    }
  }

  const Inputs<T>& inputs_;
  int threads_;
  HostMethod method_;
  core::HostBuffer<T> workspace_;
  SumErrors sum_errors_;
};

harness::Sweep words(std::string key, std::initializer_list<const char*> values) {
  harness::Sweep sweep{std::move(key), {}};
  for (const char* value : values) sweep.values.push_back(std::string(value));
  return sweep;
}
harness::Sweep counts(std::initializer_list<std::int64_t> values) { return {"n", {values.begin(), values.end()}}; }

std::vector<harness::Size> sizes() {
  using Words = std::initializer_list<const char*>;
  const Words all = {"e", "e0", "l", "v", "g", "jacobi", "sum"}, both = {"f64", "f32"};
  const auto curve = counts({32, 64, 96, 128, 160, 192, 256, 288});
  const auto cube = [](std::string name, std::string summary, std::int64_t n, std::int64_t steps, Words kernels) {
    return harness::Size{std::move(name),
                         std::move(summary),
                         {{"nx", n}, {"ny", n}, {"nz", n}, {"steps", steps}},
                         {words("kernel", kernels), words("precision", {"f64"})}};
  };
  harness::Size odd = cube("odd", "extents that are no multiples of a tile: 65, 127, 130", 0, 8, {"e", "e0", "jacobi"});
  odd.settings = {{"ny", 130}, {"nz", 127}, {"steps", 8}};
  odd.sweeps.push_back({"nx", {65, 127, 130}});
  return {
      {"test",
       "17 x 9 x 12 cells, every kernel in both precisions",
       {{"nx", 17}, {"ny", 9}, {"nz", 12}, {"steps", 4}},
       {words("kernel", all), words("precision", both)}},
      cube("headline", "7-point, 256^3", 256, 36, {"e"}),
      cube("small", "64^3 cells, every kernel", 64, 8, all),
      cube("standard", "256^3 cells, every kernel; 36 sweeps", 256, 36, all),
      cube("large", "512^3 cells, products and sweeps", 512, 12, {"e", "e0", "l", "v", "jacobi"}),
      cube("128", "128^3 cells, every kernel", 128, 60, all),
      cube("huge", "1024^3 cells of the constant operator: 17 GB", 1024, 12, {"e0", "jacobi"}),
      std::move(odd),
      // Sums of random values: dyadic ones are exact in whatever order.
      {"sum",
       "sums of 64^3 to 512^3 squares in both precisions: the errors of the study's stages",
       {{"kernel", "sum"}, {"values", "random"}},
       {counts({64, 128, 256, 512}), words("precision", both)}},
      {"parts-curve",
       "a product and a sum on 32^3 to 288^3 cells in both precisions: the study's figure 7.5",
       {{"values", "random"}},
       {curve, words("kernel", {"e", "sum"}), words("precision", both)}},
      {"study",
       "the study's operator on 128^3 and 256^3 cells, for so many threads: its figure 5.6",
       {{"kernel", "e"}, {"values", "random"}},
       {counts({128, 256})}},
      {"crossover",
       "the study's operator on 8^3 to 384^3 cells, f64",
       {{"kernel", "e"}, {"precision", "f64"}},
       {counts({8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384})}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("kernel", "e",
                      "a product with the operator of form e, e0, l, v or g; jacobi: sweeps of e0; sum: of squares",
                      {"e", "e0", "l", "v", "g", "jacobi", "sum"}),
      harness::integer("n", 0, "cells along every axis, in place of nx, ny, nz", {.minimum = 0}),
      harness::integer("nx", 64, "cells along x", {.minimum = 1}),
      harness::integer("ny", 64, "cells along y", {.minimum = 1}),
      harness::integer("nz", 64, "cells along z", {.minimum = 1}),
      harness::choice("boundary", "periodic", "what is beyond the box: its other side, zeros, or nothing (l and v)",
                      {"periodic", "zero", "none"}),
      harness::choice("precision", "f64", "of fields and coefficients; sums of products are f64", {"f64", "f32"}),
      harness::choice("values", "dyadic", "dyadic: the study's test data, whose products are exact; random: uniform",
                      {"dyadic", "random"}),
      harness::integer("steps", 8, "sweeps of jacobi", {.minimum = 1, .maximum = 1e6}),
  };
}

/// A variant of some kernels; of all if `kernels` is empty.
harness::Variant row(std::string_view name, Backend backend, Role role, std::vector<Kernel> kernels,
                     std::string_view description, std::string_view lineage = {}) {
  harness::Variant row{.name = std::string(name),
                       .backend = backend,
                       .role = role,
                       .description = std::string(description),
                       .lineage = std::string(lineage)};
  row.work = [name = row.name](const harness::Problem& p) {
    return work_of(p, sweep_traffic(name, spec_of(p).steps, real_bytes(p)));
  };
  row.applies_to = [kernels = std::move(kernels)](const harness::Problem& p) {
    return kernels.empty() || std::count(kernels.begin(), kernels.end(), kernel_of(p)) > 0;
  };
  row.unsupported_reason = [applies = row.applies_to,
                            name = row.name](const harness::Problem& p) -> std::optional<std::string> {
    if (applies(p)) return std::nullopt;
    return p.get<std::string>("kernel") + " has no " + name;
  };
  if (backend == Backend::cuda) row.footprint = device_footprint;
  return row;
}

std::vector<harness::Variant> variants() {
  using enum Kernel;
  std::vector<harness::Variant> rows;
  const auto host = [&](const char* name, HostMethod method, std::vector<Kernel> kernels, const char* description,
                        const char* lineage = "") {
    rows.push_back(row(name, method == HostMethod::serial ? Backend::serial : Backend::openmp, Role::plain,
                       std::move(kernels), description, lineage));
    rows.back().make = harness::host_solver<Inputs, HostSolver>(method);
  };
  host("serial", HostMethod::serial, {}, "one thread, cell by cell");
  host("openmp", HostMethod::best, {},
       "all cores, rows in vectors, strips that stay in a core's cache; jacobi: four sweeps a pass");
  host("openmp-planes", HostMethod::planes, {product}, "whole planes for each core", "plane");
  host("openmp-blocks", HostMethod::blocks, {product}, "columns of 8 x 8 cells from the bottom to the top", "block");
  host("openmp-stages", HostMethod::stages, {sum}, "along z, then y, then x", "section 6.3.2");
  const auto ranks = [&](const char* name, std::vector<Kernel> kernels, const char* description) {
    rows.push_back(row(name, Backend::mpi, Role::plain, std::move(kernels), description, "dissertation 2012, 7.5"));
    rows.back().footprint = footprint;  // the tiles of all ranks, beside what the first one distributes
    rows.back().unsupported_ranks_reason = [](const harness::Problem& p, int count) {
      return harness::refusal_of(
          [&] { return division_of(spec_of(p).problem.grid, spec_of(p).problem.boundary, count); });
    };
  };
  ranks("mpi-exchange", {product},
        "a tile of the box on one core of each rank; the halo is exchanged, then all is computed");
  ranks("mpi", {},
        "the halo travels while the cells that do not read it are computed; jacobi: four sweeps an exchange");
  for (const Step& step : steps)
    if (step.name != "cuda")
      rows.push_back(row(step.name, Backend::cuda, Role::step, {product, jacobi}, step.description, step.lineage));
  rows.push_back(row("cuda-march", Backend::cuda, Role::step, {jacobi},
                     "marching along z through a ring of planes in shared memory, one sweep a pass"));
  rows.push_back(row("cuda-stages", Backend::cuda, Role::step, {sum}, "along z on the GPU, then y and x on the host",
                     "section 6.3.2"));
  rows.push_back(row("cuda", Backend::cuda, Role::best, {},
                     "product: marching through a ring of planes; jacobi: several sweeps a pass, in registers; sum: in "
                     "f64, a grid of threads"));
  const auto gpus = [&](const char* name, Role role, std::vector<Kernel> kernels, const char* description,
                        const char* lineage) {
    rows.push_back(row(name, Backend::multi, role, std::move(kernels), description, lineage));
    rows.back().footprint = device_footprint;
    rows.back().unsupported_ranks_reason = [](const harness::Problem& p, int count) {
      return harness::refusal_of([&] {
        return division_of(spec_of(p).problem.grid, spec_of(p).problem.boundary, count, 1, {1, 1, count});
      });
    };
  };
  gpus("multi-exchange", Role::step, {product},
       "a slab on the GPU of each rank; the halo is exchanged through pinned memory and MPI, then all is computed",
       "7.5.1");
  gpus("multi-staged", Role::step, {product}, "the halo travels while the planes that do not read it are computed",
       "7.5.2");
  gpus("multi-nccl", Role::step, {product}, "the halo is sent by NCCL, without the host", "");
  gpus(
      "multi", Role::best, {},
      "the halo travels by the fastest transport, usually stores into the memory of the other GPU; jacobi: four sweeps "
      "an exchange",
      "dissertation 2012, 7.5");
  harness::set_algorithm(rows, "one sweep over memory at a time", {"cuda-march"});
  return rows;
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "stencil",
      .title = "7-point stencil",
      .summary =
          "Products of the variable-coefficient 7-point operator in its forms, Jacobi sweeps blocked in time, and the "
          "sums that solvers need.",
      .source = "PhD dissertation 2012, sections 5.3 and 6.3",
      .update = "cell",
      .rate_name = "MCUPS",
      .rate_scale = 1e6,
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = footprint,
      .work = [](const harness::Problem& p) { return work_of(p, SweepTraffic{}); },
      .prepare = harness::make_workload<StencilWorkload>(harness::is_f32, spec_of),
      .weak = [](const harness::Problem& p, int ranks) { return harness::longer_box(spec_of(p).problem.grid, ranks); },
      .prepare_rank = harness::make_workload<StencilWorkload>(harness::is_f32, spec_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::stencil
