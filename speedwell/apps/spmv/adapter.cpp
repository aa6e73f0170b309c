// spmv for the harness: parameters, sizes, work, the solvers on the host, and the table of variants.
#include "speedwell/apps/spmv/adapter.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "speedwell/apps/spmv/traffic.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"

namespace speedwell::spmv {
namespace {

using harness::Backend;
using harness::Role;

Problem problem_of(const harness::Problem& p) {
  const std::int64_t n = p.get<std::int64_t>("n");
  Problem problem{
      .matrix = p.get<std::string>("matrix"),
      .grid = n > 0 ? stencil::Grid{n, n, n}
                    : stencil::Grid{p.get<std::int64_t>("nx"), p.get<std::int64_t>("ny"), p.get<std::int64_t>("nz")},
      .boundary = p.get<std::string>("boundary") == "zero" ? stencil::Boundary::zero : stencil::Boundary::periodic,
      .values = p.get<std::string>("values") == "random" ? stencil::Values::random : stencil::Values::dyadic,
      .seed = p.seed()};
  if (!problem.is_file()) stencil::require_grid(problem.grid, stencil::Form::general, problem.boundary);
  return problem;
}

/// The memory of a file's matrix is not known before it is read.
harness::Footprint footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  if (problem.is_file()) return {};
  const Shape m = shape_of(problem);
  const double fields = problem.matrix == "7-point" ? 9 : 2;  // x, y, and the coefficients while a matrix is assembled
  return {.host_bytes = fields * m.rows * real_bytes(p) + m.entries * (real_bytes(p) + 4) + 8 * m.rows};
}
/// In addition to it the format of a variant, on the host, from where a GPU gets it.
harness::Footprint variant_footprint(const harness::Problem& p, Format format, bool on_device) {
  const Problem problem = problem_of(p);
  if (problem.is_file()) return {};
  const Shape m = shape_of(problem);
  const bool converted = format != Format::csr && format != Format::narrow_csr;
  const double matrix = matrix_bytes(format, m, real_bytes(p));
  return {.host_bytes = converted ? matrix : 0,
          .device_bytes = on_device ? 2 * m.rows * real_bytes(p) + 1.1 * matrix + (1 << 24) : 0};
}

harness::Work work_of(const Shape& m, double matrix, double word) {
  const double read = matrix + m.columns * word;
  return {.operations = 2 * m.entries,
          .arithmetic = word == sizeof(float) ? harness::Arithmetic::f32 : harness::Arithmetic::f64,
          .bytes_read = read,
          .bytes_written = m.rows * word,
          .updates = m.rows,
          .working_set = read + m.rows * word};
}
/// The work of a variant with a matrix in this format; of the best known algorithm without a format.
harness::Work work(const harness::Problem& p, std::optional<Format> format) {
  const Shape m = shape_of(problem_of(p));
  const double word = real_bytes(p);
  return work_of(m, format ? matrix_bytes(*format, m, word) : best_matrix_bytes(m, word), word);
}
/// The same once a matrix has been read from a file.
harness::Work prepared_work(const harness::Workload& prepared, std::optional<Format> format) {
  return std::visit(
      [&]<class T>(const std::shared_ptr<const Inputs<T>>& inputs) {
        const bool file = inputs->problem().is_file();
        const Shape m = file ? shape_of(inputs->matrix()) : shape_of(inputs->problem());
        constexpr double word = sizeof(T);
        harness::Work all = work_of(m, format ? matrix_bytes(*format, m, word) : best_matrix_bytes(m, word), word);
        if (file && format == Format::bsr) all.no_limit = "how many blocks a file's matrix takes is not counted";
        return all;
      },
      static_cast<const SpmvWorkload&>(prepared).inputs());
}

template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, Format format, bool serial)
      : inputs_(inputs), threads_(serial ? 1 : context.threads), format_(format), serial_(serial) {}

  void allocate() {
    if (format_ == Format::sliced_ell) stored_ = sparse::sliced(inputs_.matrix(), threads_);
    if (format_ == Format::dia) stored_ = sparse::diagonals(inputs_.matrix(), sparse::default_max_fill, threads_);
    if (format_ == Format::bsr) stored_ = sparse::blocked(inputs_.matrix(), 0, threads_);
  }
  void execute(core::HostBuffer<T>& y) {
    std::visit(
        [&]<class Stored>(const Stored& a) {
          if constexpr (std::is_same_v<Stored, std::monostate>)
            sparse::multiply<T>(inputs_.matrix(), inputs_.x(), y.span(), threads_);
          else
            sparse::multiply<T>(a, inputs_.x(), y.span(), threads_);
        },
        stored_);
  }
  harness::Choices choices() const {
    harness::Choices all = serial_ ? harness::Choices{} : harness::host_choices(threads_);
    if (const auto* bsr = std::get_if<sparse::Bsr<T>>(&stored_))
      all.emplace_back("block_side", std::to_string(bsr->side));
    if (const auto* dia = std::get_if<sparse::Dia<T>>(&stored_))
      all.emplace_back("diagonals", std::to_string(dia->offset.size()));
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  int threads_;
  Format format_;
  bool serial_;
  std::variant<std::monostate, sparse::SlicedEll<T>, sparse::Dia<T>, sparse::Bsr<T>> stored_;
};

struct Row {
  const char* name;
  Backend backend;
  Role role;
  Format format;
  const char* description;
};
constexpr Row table[] = {
    {"serial", Backend::serial, Role::plain, Format::csr, "compressed rows on one thread"},
    {"openmp", Backend::openmp, Role::plain, Format::csr, "compressed rows on all cores, balanced by entries"},
    {"openmp-ell", Backend::openmp, Role::plain, Format::sliced_ell, "sliced ELL on all cores"},
    {"openmp-dia", Backend::openmp, Role::plain, Format::dia, "diagonals on all cores"},
    {"openmp-bsr", Backend::openmp, Role::plain, Format::bsr, "dense blocks of 2 to 5 rows on all cores"},
    {"cuda-csr-thread", Backend::cuda, Role::step, Format::csr, "compressed rows, one thread per row"},
    {"cuda-csr-warp", Backend::cuda, Role::step, Format::csr, "a warp per row, its entries read together"},
    {"cuda-csr", Backend::cuda, Role::step, Format::csr, "blocks of about as many entries, products in shared memory"},
    {"cuda-bsr", Backend::cuda, Role::step, Format::bsr, "the same with dense blocks of 2 to 5 rows"},
    {"cuda-sell", Backend::cuda, Role::step, Format::sliced_ell,
     "sliced ELL, a thread per row, neighbours' entries side by side"},
    {"cuda-dia", Backend::cuda, Role::step, Format::dia, "diagonals, a thread per row, no columns to read"},
    {"cuda", Backend::cuda, Role::best, Format::fastest, "sliced ELL or diagonals, whichever reads fewer bytes"},
    {"cusparse", Backend::cuda, Role::peer, Format::narrow_csr,
     "cuSPARSE's generic product of compressed rows, prepared"},
    {"cusparse-sell", Backend::cuda, Role::peer, Format::sliced_ell, "cuSPARSE's generic product of sliced ELL"},
    {"cusparse-bsr", Backend::cuda, Role::peer, Format::bsr, "cuSPARSE's generic product of dense blocks"},
};

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  for (const Row& row : table) {
    rows.push_back({.name = row.name, .backend = row.backend, .role = row.role, .description = row.description});
    rows.back().work = [format = row.format](const harness::Problem& p) { return work(p, format); };
    rows.back().work_of = [format = row.format](const harness::Workload& w) { return prepared_work(w, format); };
    rows.back().footprint = [format = row.format, device = row.backend == Backend::cuda](const harness::Problem& p) {
      return variant_footprint(p, format, device);
    };
    if (row.backend != Backend::cuda)
      rows.back().make = harness::host_solver<Inputs, HostSolver>(row.format, row.backend == Backend::serial);
  }
  return rows;
}

std::vector<harness::Size> sizes() {
  const harness::Sweep f64{"precision", {std::string("f64")}},
      both{"precision", {std::string("f64"), std::string("f32")}};
  const harness::Sweep matrices{"matrix", {std::string("7-point"), std::string("27-point")}};
  const auto cube = [&](std::string name, std::string summary, std::int64_t n) {
    return harness::Size{std::move(name), std::move(summary), {{"nx", n}, {"ny", n}, {"nz", n}}, {f64}};
  };
  return {
      {"test", "17 x 9 x 12 rows in both precisions", {{"nx", 17}, {"ny", 9}, {"nz", 12}}, {both}},
      cube("headline", "7-point, 128^3 rows", 128),
      cube("small", "64^3 rows of a periodic box", 64),
      cube("standard", "256^3 rows of a periodic box", 256),
      {"large", "27-point, 256^3 rows: 5.4 GB", {{"matrix", "27-point"}, {"nx", 256}, {"ny", 256}, {"nz", 256}}, {f64}},
      cube("128", "128^3 rows of a periodic box", 128),
      {"formats",
       "128^3 rows of a box that is not periodic: 7 and 27 diagonals",
       {{"n", 128}, {"boundary", "zero"}},
       {matrices, both}},
      {"crossover",
       "7-point, 8^3 to 192^3 rows, f64",
       {{"precision", "f64"}},
       {{"n", {8, 12, 16, 24, 32, 48, 64, 96, 128, 192}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::integer("n", 0, "cells along every axis, in place of nx, ny, nz", {.minimum = 0}),
      harness::integer("nx", 64, "cells along x of a generated matrix", {.minimum = 1}),
      harness::integer("ny", 64, "cells along y", {.minimum = 1}),
      harness::integer("nz", 64, "cells along z", {.minimum = 1}),
      harness::choice("boundary", "periodic", "what is beyond the box of 7-point: its other side, or zeros",
                      {"periodic", "zero"}),
      harness::choice("precision", "f64", "of values and vectors", {"f64", "f32"}),
      harness::choice("values", "dyadic",
                      "of 7-point; dyadic: the study's test data, whose products are exact; random: uniform",
                      {"dyadic", "random"}),
      harness::text("matrix", "7-point", "7-point or 27-point on the box, or a Matrix Market file"),
  };
}

}  // namespace

harness::Application application() {
  return {.name = "spmv",
          .title = "Sparse matrix-vector product",
          .summary =
              "Products of sparse matrices in CSR, sliced ELL, DIA and BSR formats: generated, or from Matrix Market "
              "files.",
          .source = "PhD dissertation 2012, section 5.3",
          .update = "row",
          .rate_name = "Mrows/s",
          .rate_scale = 1e6,
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = footprint,
          .work = [](const harness::Problem& p) { return work(p, std::nullopt); },
          .work_of = [](const harness::Workload& prepared) { return prepared_work(prepared, std::nullopt); },
          .prepare = harness::make_workload<SpmvWorkload>(harness::is_f32, problem_of)};
}

}  // namespace speedwell::spmv
