// stencil for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/stencil/adapter.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/adapter_host.hpp"
#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::stencil {
namespace {

using harness::Backend;
using harness::Role;

bool is_f32(const harness::Problem& p) { return p.word("precision") == "f32"; }
double word_bytes(const harness::Problem& p) { return is_f32(p) ? sizeof(float) : sizeof(double); }

Kernel kernel_of(const harness::Problem& p) {
  const std::string& name = p.word("kernel");
  return name == "jacobi" ? Kernel::jacobi
         : name == "spmv" ? Kernel::spmv
         : name == "cg"   ? Kernel::cg
                          : Kernel::product;
}

Form form_of(const harness::Problem& p) {
  for (const Form form : {Form::E, Form::E0, Form::L, Form::V, Form::G})
    if (p.word("kernel") == to_string(form)) return form;
  return kernel_of(p) == Kernel::spmv ? Form::G : Form::E0;
}

bool from_file(const harness::Problem& p) { return p.word("matrix") != "7-point" && p.word("matrix") != "27-point"; }

Grid grid_of(const harness::Problem& p) {
  const std::int64_t n = p.count("n");
  return n > 0 ? Grid{n, n, n} : Grid{p.count("nx"), p.count("ny"), p.count("nz")};
}

/// The problem, checked: what cannot go together is refused here.
Spec spec_of(const harness::Problem& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("stencil: " + what); };
  Spec spec;
  spec.kernel = kernel_of(p);
  const std::string& boundary = p.word("boundary");
  const bool zero = boundary == "zero" || (boundary == "default" && spec.kernel == Kernel::cg);
  spec.problem = {.form = form_of(p),
                  .boundary = zero                 ? Boundary::zero
                              : boundary == "none" ? Boundary::none
                                                   : Boundary::periodic,
                  .grid = grid_of(p),
                  .values = p.word("values") == "random" ? Values::random : Values::dyadic,
                  .seed = p.seed()};
  spec.steps = static_cast<int>(p.count("steps"));
  spec.matrix = p.word("matrix");
  if (spec.kernel == Kernel::jacobi && spec.problem.boundary != Boundary::periodic)
    refuse("jacobi is defined on a periodic box, not for boundary=" + boundary);
  if (spec.kernel == Kernel::cg && spec.problem.boundary != Boundary::zero)
    refuse("the model problem of cg has boundary=zero, not " + boundary);
  if (spec.kernel != Kernel::spmv && spec.matrix != "7-point")
    refuse("matrix=" + spec.matrix + " is for kernel=spmv, not " + p.word("kernel"));
  const std::string& conditioner = p.word("preconditioner");
  if (spec.kernel != Kernel::cg && conditioner != "none")
    refuse("preconditioner=" + conditioner + " is for kernel=cg, not " + p.word("kernel"));
  spec.cg = {.preconditioner = conditioner == "none"     ? Preconditioner::none
                               : conditioner == "jacobi" ? Preconditioner::jacobi
                                                         : Preconditioner::polynomial,
             .omega = p.real("omega"),
             .tolerance = 0,
             .iterations = spec.steps,
             .project_mean = false,
             .threads = 0};
  if (spec.kernel != Kernel::spmv || !from_file(p))
    require_grid(spec.problem.grid, spec.problem.form, spec.problem.boundary);
  return spec;
}

double cells(const harness::Problem& p) {
  const Grid g = grid_of(p);
  return static_cast<double>(g.nx) * static_cast<double>(g.ny) * static_cast<double>(g.nz);
}
double entries_of(const harness::Problem& p) { return cells(p) * (p.word("matrix") == "27-point" ? 27 : 7); }

harness::Footprint footprint(const harness::Problem& p) {
  const Spec spec = spec_of(p);
  const double word = word_bytes(p);
  const int fields = 2 + cell_fields(spec.problem.form);
  double bytes = fields * cells(p) * word;
  if (spec.kernel == Kernel::spmv) bytes += entries_of(p) * (word + 4) + 8 * cells(p);
  if (spec.kernel == Kernel::jacobi) bytes += 4 * cells(p) * word;
  if (spec.kernel == Kernel::cg) bytes += 10 * cells(p) * sizeof(double);
  return {.host_bytes = spec.kernel == Kernel::spmv && from_file(p) ? 0 : bytes};
}

// As written in point.hpp; the factors of a face are computed once.
double operations_of(Form form) {
  switch (form) {
    case Form::E:
      return 11;
    case Form::E0:
      return 10;
    case Form::L:
      return 26;
    case Form::V:
      return 20;
    case Form::G:
      break;
  }
  return 13;
}

harness::Work sparse_work(double rows, double columns, double entries, double word, harness::Arithmetic arithmetic) {
  const double read = entries * (word + 4) + 4 * rows + columns * word;
  return {.operations = 2 * entries,
          .arithmetic = arithmetic,
          .bytes_read = read,
          .bytes_written = rows * word,
          .updates = rows,
          .working_set = read + rows * word};
}

harness::Work work_of(const Spec& spec, double word, double entries) {
  const double n = static_cast<double>(spec.problem.grid.size()), steps = spec.steps;
  const auto arithmetic = word == sizeof(float) ? harness::Arithmetic::f32 : harness::Arithmetic::f64;
  if (spec.kernel == Kernel::spmv) return sparse_work(n, n, entries, word, arithmetic);
  if (spec.kernel == Kernel::cg) {
    // Two passes over memory: p' from r and p; x and r from p', x, r. Preconditioners: 1 / D beside; z out and in.
    const double read = spec.cg.preconditioner == Preconditioner::none ? 5 : 7;
    const double written = spec.cg.preconditioner == Preconditioner::polynomial ? 4 : 3;
    return {.operations = steps * n * (operations_of(Form::E0) + 10),
            .arithmetic = arithmetic,
            .bytes_read = steps * n * word * read,
            .bytes_written = steps * n * word * written,
            .updates = steps * n,
            .working_set = 4 * n * word};
  }
  const int fields = cell_fields(spec.problem.form);
  const double times = spec.kernel == Kernel::jacobi ? steps : 1;
  return {.operations = times * n * operations_of(spec.problem.form),
          .arithmetic = arithmetic,
          .bytes_read = (1 + fields) * n * word,
          .bytes_written = n * word,
          .updates = times * n,
          .working_set = (2 + fields) * n * word};
}

// Of a file's matrix, whose size its header tells.
harness::Work work_of_case(const harness::Case& prepared) {
  return std::visit(
      []<class T>(const std::shared_ptr<const Inputs<T>>& inputs) {
        if (inputs->spec().kernel != Kernel::spmv) return work_of(inputs->spec(), sizeof(T), 0);
        const auto& m = inputs->matrix();
        return sparse_work(static_cast<double>(m.rows), static_cast<double>(m.columns),
                           static_cast<double>(m.entries()), sizeof(T),
                           sizeof(T) == 4 ? harness::Arithmetic::f32 : harness::Arithmetic::f64);
      },
      static_cast<const StencilCase&>(prepared).inputs());
}

// Which kernels a row is for; all if empty.
using Kernels = std::vector<Kernel>;

void limit_to(harness::Variant& row, const Kernels& kernels) {
  row.belongs = [kernels](const harness::Problem& p) {
    return kernels.empty() || std::count(kernels.begin(), kernels.end(), kernel_of(p)) > 0;
  };
  row.refuses = [belongs = row.belongs, name = row.name](const harness::Problem& p) -> std::optional<std::string> {
    if (belongs(p)) return std::nullopt;
    return p.word("kernel") + " has no " + name;
  };
}

harness::Variant host_row(std::string name, HostWay way, const Kernels& kernels, std::string adds,
                          std::string lineage = "") {
  harness::Variant row{.name = std::move(name),
                       .backend = way == HostWay::serial ? Backend::serial : Backend::openmp,
                       .adds = std::move(adds),
                       .lineage = std::move(lineage),
                       .make = make_host_run(way)};
  limit_to(row, kernels);
  return row;
}

harness::Variant gpu_row(std::string_view name, Role role, const Kernels& kernels, std::string_view adds,
                         std::string_view lineage = {}) {
  harness::Variant row{.name = std::string(name),
                       .backend = Backend::cuda,
                       .role = role,
                       .adds = std::string(adds),
                       .lineage = std::string(lineage)};
  if (role == Role::peer) row.not_built = "cuSPARSE was not found when this was built";
  row.footprint = [](const harness::Problem& p) {
    if (kernel_of(p) == Kernel::spmv && from_file(p)) return harness::Footprint{};
    const double fields = kernel_of(p) == Kernel::cg ? 7 : 3 + cell_fields(form_of(p));
    const double matrix = kernel_of(p) == Kernel::spmv ? entries_of(p) * (word_bytes(p) + 4) * 1.1 : 0;
    return harness::Footprint{.device_bytes = fields * cells(p) * word_bytes(p) + matrix + (1 << 24)};
  };
  limit_to(row, kernels);
  return row;
}

std::vector<harness::Variant> variants() {
  using enum Kernel;
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", HostWay::serial, {}, "one thread, cell by cell or row by row"));
  rows.push_back(
      host_row("openmp", HostWay::best, {},
               "all cores, rows in vectors, strips that stay in a core's cache; jacobi: four sweeps a pass"));
  rows.push_back(host_row("openmp-planes", HostWay::planes, {product}, "whole planes for each core", "plane"));
  rows.push_back(host_row("openmp-blocks", HostWay::blocks, {product},
                          "columns of 8 x 8 cells from the bottom to the top", "block"));
  rows.push_back(host_row("openmp-ell", HostWay::ell, {spmv}, "sliced ELL on all cores"));
  for (const Step& step : steps)
    if (step.name != "cuda")
      rows.push_back(gpu_row(step.name, Role::step, {product, jacobi, cg}, step.adds, step.lineage));
  for (const Step& step : cg_steps)
    if (step.name != "cuda-naive" && step.name != "cuda-tile")
      rows.push_back(gpu_row(step.name, Role::step, {cg}, step.adds, step.lineage));
  rows.push_back(gpu_row("cuda-march", Role::step, {jacobi},
                         "marching along z through a ring of planes in shared memory, one sweep a pass"));
  rows.push_back(gpu_row("cuda-csr-thread", Role::step, {spmv}, "compressed rows, one thread per row"));
  rows.push_back(gpu_row("cuda-csr-warp", Role::step, {spmv}, "a warp per row, its entries read together"));
  rows.push_back(gpu_row("cuda-csr", Role::step, {spmv}, "blocks of about as many entries, products in shared memory"));
  rows.push_back(
      gpu_row("cuda-passes", Role::step, {cg}, "two passes over memory an iteration, the loop on the device"));
  rows.push_back(gpu_row("cuda", Role::best, {},
                         "product: marching through a ring of planes; jacobi: several sweeps a pass, in "
                         "registers; spmv: sliced ELL; cg: residual and direction on chip where they fit"));
  rows.push_back(gpu_row("cusparse", Role::peer, {spmv}, "cuSPARSE's generic product of compressed rows, prepared"));
  rows.push_back(gpu_row("cusparse-sell", Role::peer, {spmv}, "cuSPARSE's generic product of sliced ELL"));
  return rows;
}

using Words = std::initializer_list<const char*>;
harness::Sweep words(std::string key, Words values) {
  harness::Sweep sweep{std::move(key), {}};
  for (const char* value : values) sweep.values.push_back(std::string(value));
  return sweep;
}

harness::Sweep counts(std::string key, std::initializer_list<std::int64_t> values) {
  return {std::move(key), {values.begin(), values.end()}};
}

harness::Size cube(std::string name, std::string summary, std::int64_t n, std::int64_t steps, Words kernels) {
  return {std::move(name),
          std::move(summary),
          {{"nx", n}, {"ny", n}, {"nz", n}, {"steps", steps}},
          {words("kernel", kernels), words("precision", {"f64"})}};
}

std::vector<harness::Size> sizes() {
  const Words all = {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg"};
  harness::Size odd = cube("odd", "extents that are no multiples of a tile: 65, 127, 130", 0, 8, {"e", "e0", "jacobi"});
  odd.settings = {{"ny", std::int64_t{130}}, {"nz", std::int64_t{127}}, {"steps", std::int64_t{8}}};
  odd.sweeps.push_back({"nx", {std::int64_t{65}, std::int64_t{127}, std::int64_t{130}}});
  std::vector<harness::Size> sizes = {
      {"test",
       "17 x 9 x 12 cells, every kernel in both precisions",
       {{"nx", std::int64_t{17}}, {"ny", std::int64_t{9}}, {"nz", std::int64_t{12}}, {"steps", std::int64_t{4}}},
       {words("kernel", all), words("precision", {"f64", "f32"})}},
      cube("small", "64^3 cells, every kernel", 64, 8, all),
      cube("standard", "256^3 cells, every kernel; 36 sweeps and iterations", 256, 36, all),
      cube("large", "512^3 cells, products and sweeps", 512, 12, {"e", "e0", "l", "v", "jacobi"}),
      cube("128", "128^3 cells, every kernel", 128, 60, all),
      cube("huge", "1024^3 cells of the constant operator: 17 GB", 1024, 12, {"e0", "jacobi"}),
      std::move(odd),
      {"cg-curve",
       "conjugate gradients on 32^3 to 288^3 cells in both precisions: the study's figures 7.6 to 7.9",
       {{"kernel", std::string("cg")}, {"steps", std::int64_t{36}}},
       {counts("n", {32, 64, 96, 128, 160, 192, 224, 256, 288}), words("precision", {"f64", "f32"})}},
  };
  return sizes;
}

std::vector<harness::Parameter> parameters() {
  const auto extent = [](const char* key, const char* of) {
    return harness::Parameter{
        .key = key, .fallback = std::int64_t{64}, .description = std::string("cells along ") + of, .minimum = 1};
  };
  return {
      {.key = "kernel",
       .fallback = std::string("e"),
       .description = "a product with the operator of form e, e0, l, v or g; jacobi: sweeps of e0; spmv: a sparse "
                      "matrix; cg: iterations on the model problem",
       .choices = {"e", "e0", "l", "v", "g", "jacobi", "spmv", "cg"}},
      {.key = "n",
       .fallback = std::int64_t{0},
       .description = "cells along every axis, in place of nx, ny, nz",
       .minimum = 0},
      extent("nx", "x"),
      extent("ny", "y"),
      extent("nz", "z"),
      {.key = "boundary",
       .fallback = std::string("default"),
       .description = "what is beyond the box: its other side, zeros, or nothing (l and v); default: periodic, cg zero",
       .choices = {"default", "periodic", "zero", "none"}},
      {.key = "precision",
       .fallback = std::string("f64"),
       .description = "of fields and coefficients; sums of products are f64",
       .choices = {"f64", "f32"}},
      {.key = "values",
       .fallback = std::string("dyadic"),
       .description = "dyadic: the study's test data, whose products are exact; random: uniform",
       .choices = {"dyadic", "random"}},
      {.key = "steps",
       .fallback = std::int64_t{8},
       .description = "sweeps of jacobi, iterations of cg",
       .minimum = 1,
       .maximum = 1e6},
      {.key = "preconditioner",
       .fallback = std::string("none"),
       .description = "of cg",
       .choices = {"none", "jacobi", "polynomial"}},
      {.key = "omega", .fallback = 0.8, .description = "of the polynomial preconditioner", .minimum = 0, .maximum = 1},
      {.key = "matrix",
       .fallback = std::string("7-point"),
       .description = "of spmv: 7-point or 27-point on the box, or a Matrix Market file"},
  };
}

}  // namespace

harness::Application application() {
  harness::Application app;
  app.name = "stencil";
  app.title = "7-point stencil, sparse products, conjugate gradients";
  app.summary =
      "The variable-coefficient 7-point operator, matrix-free and assembled, sweeps blocked in time, and the conjugate "
      "gradients that it serves.";
  app.source = "PhD dissertation 2012, sections 5.3 and 6.3";
  app.update = "cell";
  app.rate_name = "MCUPS";
  app.rate_scale = 1e6;
  app.parameters = parameters();
  app.sizes = sizes();
  app.variants = variants();
  app.footprint = footprint;
  app.work = [](const harness::Problem& p) { return work_of(spec_of(p), word_bytes(p), entries_of(p)); };
  app.work_of = work_of_case;
  app.prepare = [](const harness::Problem& p) -> std::shared_ptr<const harness::Case> {
    return std::make_shared<const StencilCase>(is_f32(p), spec_of(p));
  };
  return app;
}

}  // namespace speedwell::stencil
