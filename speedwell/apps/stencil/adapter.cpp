// stencil for the harness: problems, work, and the table of variants.
#include "speedwell/apps/stencil/adapter.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "speedwell/apps/stencil/adapter_host.hpp"
#include "speedwell/apps/stencil/adapter_sizes.hpp"
#include "speedwell/apps/stencil/adapter_work.hpp"
#include "speedwell/apps/stencil/ladder.hpp"

namespace speedwell::stencil {
namespace {

using harness::Backend;
using harness::Role;

bool is_f32(const harness::Problem& p) { return p.get<std::string>("precision") == "f32"; }
double word_bytes(const harness::Problem& p) { return is_f32(p) ? sizeof(float) : sizeof(double); }

Kernel kernel_of(const harness::Problem& p) {
  const std::string& name = p.get<std::string>("kernel");
  return name == "jacobi" ? Kernel::jacobi
         : name == "spmv" ? Kernel::spmv
         : name == "cg"   ? Kernel::cg
         : name == "sum"  ? Kernel::sum
                          : Kernel::product;
}

Form form_of(const harness::Problem& p) {
  for (const Form form : {Form::cell_metric, Form::constant, Form::face_metric, Form::face_coefficient, Form::general})
    if (p.get<std::string>("kernel") == to_string(form)) return form;
  return kernel_of(p) == Kernel::spmv ? Form::general : Form::constant;
}

bool from_file(const harness::Problem& p) {
  return p.get<std::string>("matrix") != "7-point" && p.get<std::string>("matrix") != "27-point";
}

Grid grid_of(const harness::Problem& p) {
  const std::int64_t n = p.get<std::int64_t>("n");
  return n > 0 ? Grid{n, n, n} : Grid{p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")};
}

/// The problem, checked: what cannot go together is refused here.
Spec spec_of(const harness::Problem& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("stencil: " + what); };
  Spec spec;
  spec.kernel = kernel_of(p);
  const std::string& boundary = p.get<std::string>("boundary");
  const bool zero = boundary == "zero" || (boundary == "default" && spec.kernel == Kernel::cg);
  spec.problem = {.form = form_of(p),
                  .boundary = zero                 ? Boundary::zero
                              : boundary == "none" ? Boundary::none
                                                   : Boundary::periodic,
                  .grid = grid_of(p),
                  .values = p.get<std::string>("values") == "random" ? Values::random : Values::dyadic,
                  .seed = p.seed()};
  spec.steps = static_cast<int>(p.get<std::int64_t>("steps"));
  spec.matrix = p.get<std::string>("matrix");
  if (spec.kernel == Kernel::jacobi && spec.problem.boundary != Boundary::periodic)
    refuse("jacobi is defined on a periodic box, not for boundary=" + boundary);
  if (spec.kernel == Kernel::cg && spec.problem.boundary != Boundary::zero)
    refuse("the model problem of cg has boundary=zero, not " + boundary);
  if (spec.kernel != Kernel::spmv && spec.kernel != Kernel::cg && spec.matrix != "7-point")
    refuse("matrix=" + spec.matrix + " is for kernel=spmv and kernel=cg, not " + p.get<std::string>("kernel"));
  const double tolerance = p.get<double>("tolerance");
  if (tolerance != 0 && spec.kernel != Kernel::cg)
    refuse("tolerance=" + harness::to_string(tolerance) + " is for kernel=cg, not " + p.get<std::string>("kernel"));
  if (tolerance == 0 && spec.kernel == Kernel::cg && spec.matrix != "7-point")
    refuse("kernel=cg with matrix=" + spec.matrix + " solves to a tolerance above 0, such as tolerance=1e-8");
  if (tolerance != 0 && tolerance < (is_f32(p) ? 1e-5 : 1e-13))
    refuse("tolerance=" + harness::to_string(tolerance) + " is below what " + p.get<std::string>("precision") +
           " reaches; at least " + (is_f32(p) ? "1e-5" : "1e-13") + ", or 0 for `steps` iterations");
  const std::string& conditioner = p.get<std::string>("preconditioner");
  if (spec.kernel != Kernel::cg && conditioner != "none")
    refuse("preconditioner=" + conditioner + " is for kernel=cg, not " + p.get<std::string>("kernel"));
  spec.cg = {.preconditioner = conditioner == "none"     ? Preconditioner::none
                               : conditioner == "jacobi" ? Preconditioner::jacobi
                                                         : Preconditioner::polynomial,
             .omega = p.get<double>("omega"),
             .tolerance = tolerance,
             .iterations = spec.steps,
             .project_mean = false,
             .threads = 0};
  if (conditioner == "polynomial" && spec.assembled())
    refuse("preconditioner=polynomial is that of 7-point operators; none and jacobi are for any matrix");
  if (!spec.assembled() || !from_file(p)) require_grid(spec.problem.grid, spec.problem.form, spec.problem.boundary);
  return spec;
}

double cells(const harness::Problem& p) {
  const Grid g = grid_of(p);
  return static_cast<double>(g.nx) * static_cast<double>(g.ny) * static_cast<double>(g.nz);
}
double entries(const harness::Problem& p) { return cells(p) * (p.get<std::string>("matrix") == "27-point" ? 27 : 7); }

harness::Footprint footprint(const harness::Problem& p) {
  const Spec spec = spec_of(p);
  const double word = word_bytes(p);
  const int fields = 2 + cell_fields(spec.problem.form);
  double bytes = fields * cells(p) * word;
  if (spec.assembled()) bytes += entries(p) * (word + 4) + 8 * cells(p);
  if (spec.kernel == Kernel::jacobi) bytes += 4 * cells(p) * word;
  if (spec.kernel == Kernel::cg) bytes += 10 * cells(p) * sizeof(double);
  return {.host_bytes = spec.assembled() && from_file(p) ? 0 : bytes};
}

// The problems that a variant exists for: those of these kernels (all if empty) that meet the condition, if there is
// one.
struct Applicability {
  std::vector<Kernel> kernels;
  bool (*condition)(const harness::Problem&) = nullptr;
};

bool is_assembled(const harness::Problem& p) {
  return kernel_of(p) == Kernel::spmv || (kernel_of(p) == Kernel::cg && p.get<std::string>("matrix") != "7-point");
}
bool matrix_free(const harness::Problem& p) { return !is_assembled(p); }
bool unconditioned(const harness::Problem& p) {
  return matrix_free(p) && p.get<std::string>("preconditioner") == "none";
}
bool corrects(const harness::Problem& p) { return matrix_free(p) && !is_f32(p) && p.get<double>("tolerance") > 0; }

void limit_to(harness::Variant& row, const Applicability& where) {
  row.work = [name = row.name](const harness::Problem& p) { return row_work(name, spec_of(p), word_bytes(p)); };
  row.work_of = [name = row.name](const harness::Workload& prepared) { return row_work_of(name, prepared); };
  const auto has_kernel = [kernels = where.kernels](const harness::Problem& p) {
    return kernels.empty() || std::count(kernels.begin(), kernels.end(), kernel_of(p)) > 0;
  };
  row.applies_to = [has_kernel, condition = where.condition](const harness::Problem& p) {
    return has_kernel(p) && (!condition || condition(p));
  };
  row.unsupported_reason = [has_kernel, condition = where.condition,
                            name = row.name](const harness::Problem& p) -> std::optional<std::string> {
    if (!has_kernel(p)) return p.get<std::string>("kernel") + " has no " + name;
    if (!condition || condition(p)) return std::nullopt;
    return name + (condition == corrects ? " is for a tolerance in f64 without a matrix" : " takes no matrix");
  };
}

harness::Variant host_row(std::string name, HostMethod method, const Applicability& where, std::string description,
                          std::string lineage = "") {
  harness::Variant row{.name = std::move(name),
                       .backend = method == HostMethod::serial ? Backend::serial : Backend::openmp,
                       .description = std::move(description),
                       .lineage = std::move(lineage),
                       .make = host_solver(method)};
  limit_to(row, where);
  return row;
}

harness::Variant gpu_row(std::string_view name, Role role, const Applicability& where, std::string_view description,
                         std::string_view lineage = {}) {
  harness::Variant row{.name = std::string(name),
                       .backend = Backend::cuda,
                       .role = role,
                       .description = std::string(description),
                       .lineage = std::string(lineage)};
  row.footprint = [](const harness::Problem& p) {
    if (is_assembled(p) && from_file(p)) return harness::Footprint{};
    const double fields = kernel_of(p) == Kernel::cg ? 7 : 3 + cell_fields(form_of(p));
    const double matrix = is_assembled(p) ? entries(p) * (word_bytes(p) + 4) * 2 : 0;  // or what diagonals fill up
    return harness::Footprint{.device_bytes = fields * cells(p) * word_bytes(p) + matrix + (1 << 24)};
  };
  limit_to(row, where);
  return row;
}

std::vector<harness::Variant> variants() {
  using enum Kernel;
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", HostMethod::serial, {}, "one thread, cell by cell or row by row"));
  rows.push_back(host_row(
      "openmp", HostMethod::best, {},
      "all cores, rows in vectors, strips that stay in a core's cache; jacobi: four sweeps a pass; cg: two passes "
      "over memory an iteration"));
  rows.push_back(host_row("openmp-planes", HostMethod::planes, {{product}}, "whole planes for each core", "plane"));
  rows.push_back(host_row("openmp-blocks", HostMethod::blocks, {{product}},
                          "columns of 8 x 8 cells from the bottom to the top", "block"));
  rows.push_back(host_row("openmp-ell", HostMethod::ell, {{spmv}}, "sliced ELL on all cores"));
  rows.push_back(host_row("openmp-dia", HostMethod::dia, {{spmv}}, "diagonals on all cores"));
  rows.push_back(host_row("openmp-bsr", HostMethod::bsr, {{spmv}}, "dense blocks of 2 to 5 rows on all cores"));
  rows.push_back(host_row("openmp-textbook", HostMethod::textbook, {{cg}, unconditioned},
                          "cg with stored products, three passes over memory an iteration"));
  rows.push_back(
      host_row("openmp-mixed", HostMethod::mixed, {{cg}, corrects}, "iterations in f32, corrections in f64"));
  rows.push_back(host_row("openmp-stages", HostMethod::stages, {{sum}}, "along z, then y, then x", "section 6.3.2"));
  for (const Step& step : steps)
    if (step.name != "cuda")
      rows.push_back(
          gpu_row(step.name, Role::step, {{product, jacobi, cg}, matrix_free}, step.description, step.lineage));
  for (const Step& step : cg_steps)
    if (step.name != "cuda-naive" && step.name != "cuda-tile")
      rows.push_back(gpu_row(step.name, Role::step, {{cg}, matrix_free}, step.description, step.lineage));
  rows.push_back(gpu_row("cuda-march", Role::step, {{jacobi}},
                         "marching along z through a ring of planes in shared memory, one sweep a pass"));
  rows.push_back(gpu_row("cuda-csr-thread", Role::step, {{spmv}}, "compressed rows, one thread per row"));
  rows.push_back(gpu_row("cuda-csr-warp", Role::step, {{spmv}}, "a warp per row, its entries read together"));
  rows.push_back(
      gpu_row("cuda-csr", Role::step, {{spmv}}, "blocks of about as many entries, products in shared memory"));
  rows.push_back(gpu_row("cuda-bsr", Role::step, {{spmv}}, "the same with dense blocks of 2 to 5 rows"));
  rows.push_back(
      gpu_row("cuda-sell", Role::step, {{spmv}}, "sliced ELL, a thread per row, neighbours' entries side by side"));
  rows.push_back(gpu_row("cuda-dia", Role::step, {{spmv}}, "diagonals, a thread per row, no columns to read"));
  rows.push_back(
      gpu_row("cuda-stages", Role::step, {{sum}}, "along z on the GPU, then y and x on the host", "section 6.3.2"));
  rows.push_back(gpu_row("cuda-passes", Role::step, {{cg}, matrix_free},
                         "two passes over memory an iteration, the loop on the device"));
  rows.push_back(
      gpu_row("cuda-mixed", Role::step, {{cg}, corrects}, "iterations in f32, corrections in f64: the answer of f64"));
  rows.push_back(gpu_row("cuda", Role::best, {},
                         "product: marching through a ring of planes; jacobi: several sweeps a pass, in "
                         "registers; spmv: sliced ELL or diagonals, whichever reads fewer bytes; cg: residual and "
                         "direction on chip where they fit"));
  rows.push_back(gpu_row("cusparse", Role::peer, {{spmv}}, "cuSPARSE's generic product of compressed rows, prepared"));
  rows.push_back(gpu_row("cusparse-sell", Role::peer, {{spmv}}, "cuSPARSE's generic product of sliced ELL"));
  rows.push_back(gpu_row("cusparse-bsr", Role::peer, {{spmv}}, "cuSPARSE's generic product of dense blocks"));
  harness::set_algorithm(rows, "three passes over memory an iteration",
                         {"openmp-textbook", "cuda-fused", "cuda-pinned", "cuda-mapped"});
  harness::set_algorithm(rows, "iterations in f32", {"openmp-mixed", "cuda-mixed"});
  harness::set_algorithm(rows, "one sweep over memory at a time", {"cuda-march"});
  return rows;
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
  app.work = [](const harness::Problem& p) { return best_work(spec_of(p), word_bytes(p)); };
  app.work_of = best_work_of;
  app.prepare = [](const harness::Problem& p) -> std::shared_ptr<const harness::Workload> {
    return std::make_shared<const StencilWorkload>(is_f32(p), spec_of(p));
  };
  return app;
}

}  // namespace speedwell::stencil
