// matvec for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/matvec/adapter.hpp"

#include <stdexcept>
#include <string>

#include "speedwell/apps/matvec/adapter_workload.hpp"
#include "speedwell/apps/matvec/distributed.hpp"
#include "speedwell/apps/matvec/ladder.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::matvec {
namespace {

using harness::Backend;
using harness::is_f32;
using harness::real_bytes;
using harness::Role;

std::int64_t rows_of(const harness::Problem& p) {
  return p.get<std::int64_t>("n") > 0 ? p.get<std::int64_t>("n") : p.get<std::int64_t>("rows");
}
std::int64_t columns_of(const harness::Problem& p) {
  return p.get<std::int64_t>("n") > 0 ? p.get<std::int64_t>("n") : p.get<std::int64_t>("columns");
}

Problem problem_of(const harness::Problem& p) {
  return {.rows = rows_of(p),
          .columns = columns_of(p),
          .values = p.get<std::string>("values") == "integers" ? Values::integers : Values::random,
          .seed = p.seed(),
          .block_threads = static_cast<int>(p.get<std::int64_t>("block"))};
}

Problem checked(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  is_f32(p) ? require_problem<float>(problem) : require_problem<double>(problem);
  return problem;
}

double input_bytes(const harness::Problem& p) {
  const double n = static_cast<double>(rows_of(p)), m = static_cast<double>(columns_of(p));
  return (n * m + m) * real_bytes(p);
}
double output_bytes(const harness::Problem& p) { return static_cast<double>(rows_of(p)) * real_bytes(p); }

harness::Footprint footprint(const harness::Problem& p) {
  const Problem problem = checked(p);
  const double oracle = 2.0 * sizeof(double) * static_cast<double>(problem.rows);
  return {.host_bytes = input_bytes(p) + output_bytes(p) + oracle};
}

harness::Work work(const harness::Problem& p) {
  const double elements = static_cast<double>(rows_of(p)) * static_cast<double>(columns_of(p));
  return {.operations = 2 * elements,
          .arithmetic = harness::real_arithmetic(p),
          .bytes_read = input_bytes(p),
          .bytes_written = output_bytes(p),
          .updates = elements,
          .working_set = input_bytes(p) + output_bytes(p)};
}

harness::Choices host_choices(const harness::Context& context) { return harness::host_choices(context.threads); }

// For a step with all of B in shared memory.
std::optional<std::string> reason_for_long_b(const harness::Problem& p, const Step& step) {
  const std::int64_t columns = columns_of(p), max_columns = shared_bytes / (is_f32(p) ? 4 : 8);
  if (columns <= max_columns) return std::nullopt;
  return "B has " + std::to_string(columns) + " elements and a block's shared memory holds " +
         std::to_string(max_columns) + "; " + std::string(step.staged) + " takes B a piece at a time";
}

double device_bytes_of(const harness::Problem& p, Layout layout) {
  const std::int64_t n = rows_of(p), m = columns_of(p);
  return is_f32(p) ? device_bytes<float>(layout, n, m) : device_bytes<double>(layout, n, m);
}

harness::Variant gpu_row(const Step& step) {
  harness::Variant row = harness::ladder_variant(step);
  row.footprint = [&step](const harness::Problem& p) {
    return harness::Footprint{.device_bytes = device_bytes_of(p, step.layout)};
  };
  if (!step.staged.empty())
    row.unsupported_reason = [&step](const harness::Problem& p) { return reason_for_long_b(p, step); };
  return row;
}

std::optional<std::string> unsupported_ranks_reason(const harness::Problem& p, int ranks) {
  return harness::refusal_of([&] {
    require_ranks(rows_of(p), ranks);
    return 0;
  });
}

harness::Variant ranks_row() {
  harness::Variant row{.name = "mpi",
                       .backend = Backend::mpi,
                       .description = "a part of the rows for each rank, as openmp; all of them have B"};
  row.footprint = [](const harness::Problem& p) { return harness::Footprint{.host_bytes = input_bytes(p)}; };
  row.unsupported_ranks_reason = unsupported_ranks_reason;
  return row;
}

harness::Variant gpus_row() {
  harness::Variant row{.name = "multi",
                       .backend = Backend::multi,
                       .role = Role::best,
                       .description = "as cuda, a part of the rows on the GPU of each rank"};
  row.footprint = [](const harness::Problem& p) {
    return harness::Footprint{.host_bytes = input_bytes(p), .device_bytes = device_bytes_of(p, Layout::dense)};
  };
  row.unsupported_ranks_reason = unsupported_ranks_reason;
  return row;
}

// As many times the rows.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return {{"n", std::int64_t{0}}, {"rows", rows_of(p) * ranks}, {"columns", columns_of(p)}};
}

harness::Variant peer(std::string name, Backend backend, Layout layout, std::string description) {
  harness::Variant row{
      .name = std::move(name), .backend = backend, .role = Role::peer, .description = std::move(description)};
  if (backend == Backend::cuda) {
    row.footprint = [layout](const harness::Problem& p) {
      return harness::Footprint{.device_bytes = device_bytes_of(p, layout)};
    };
  }
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  rows.push_back({.name = "serial",
                  .backend = Backend::serial,
                  .description = "two loops, each sum in the order of the columns",
                  .lineage = "Listing 2.1",
                  .make = harness::host_function<Inputs>([](const auto& inputs, auto& c, const harness::Context&) {
                    multiply_serially(inputs.a(), inputs.b(), c.span());
                  })});
  rows.push_back({.name = "openmp",
                  .backend = Backend::openmp,
                  .description = "all cores, each with four rows side by side in vectors, B kept in its cache",
                  .make = harness::host_function<Inputs>(
                      [](const auto& inputs, auto& c, const harness::Context& context) {
                        multiply(inputs.a(), inputs.b(), c.span(), context.threads);
                      },
                      host_choices)});
  rows.push_back(peer("openblas", Backend::openmp, Layout::dense, "OpenBLAS's gemv on its own threads"));
  rows.push_back(ranks_row());
  for (const Step& step : steps) rows.push_back(gpu_row(step));
  rows.push_back(gpus_row());
  rows.push_back(peer("cublas", Backend::cuda, Layout::dense, "cuBLAS's gemv on A as it is (its transposed case)"));
  rows.push_back(
      peer("cublas-column", Backend::cuda, Layout::transposed, "cuBLAS's gemv on the transpose of A (its plain case)"));
  return rows;
}

harness::Size one(std::string name, std::string summary, std::int64_t rows, std::int64_t columns) {
  return {std::move(name), std::move(summary), {{"rows", rows}, {"columns", columns}, {"precision", "f64"}}, {}};
}

std::vector<harness::Size> sizes() {
  const harness::Sweep both = harness::both_precisions();
  return {
      {"test",
       "integers, whose answer is exact: a single element, row and column, and lengths that divide nothing",
       {{"values", "integers"}},
       {{"rows", {1, 64, 1000}}, {"columns", {1, 37, 4096}}, both}},
      {"headline", "4096 x 4096, f64", {{"rows", 4096}, {"columns", 4096}, {"precision", "f64"}}, {}},
      {"small",
       "16 to 512 rows and columns, f32",
       {{"precision", "f32"}},
       {{"rows", {16, 128, 512}}, {"columns", {16, 128, 512}}}},
      {"standard",
       "1024 and 4096 rows and columns, both precisions",
       {},
       {{"rows", {1024, 4096}}, {"columns", {1024, 4096}}, both}},
      one("large", "32768 x 32768 in f64: 8.6 GB", 32768, 32768),
      one("gemv4g", "32768 x 16384 in f64: a matrix of 4 GiB", 32768, 16384),
      one("tall", "10^7 x 64 in f64", 10'000'000, 64),
      one("wide", "64 x 10^7 in f64", 64, 10'000'000),
      {"study",
       "the study's figures 2.4 and 2.5: all pairs of 16, 32 ... 4096, f32",
       {{"precision", "f32"}},
       {{"rows", {16, 32, 64, 128, 256, 512, 1024, 2048, 4096}},
        {"columns", {16, 32, 64, 128, 256, 512, 1024, 2048, 4096}}}},
      {"blocks",
       "the study's figure 2.2: 262,144 x 256 in f32, 8 to 1024 threads in a block",
       {{"rows", 1 << 18}, {"columns", 256}, {"precision", "f32"}},
       {{"block", {8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96, 127, 128, 192, 256, 384, 512, 768, 1024}}}},
      {"crossover",
       "square matrices of 16 to 8192 rows, f64",
       {{"precision", "f64"}},
       {{"n", {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::hidden(harness::integer("n", 0, "rows and columns; 0: rows, columns", {.minimum = 0})),
      harness::hidden(harness::integer(
          "block", 0, "threads in a block of the GPU's steps with a thread for each row; 0: by the number of rows",
          {0, max_block_threads})),
      harness::integer("rows", 1024, "rows of A, elements of C", {.minimum = 1}),
      harness::integer("columns", 1024, "columns of A, elements of B", {.minimum = 1}),
      harness::precision_parameter("of A, B, C and every sum"),
      harness::choice("values", "random",
                      "random: uniform in [-1, 1); integers: small ones, whose answer is exact in any order",
                      {"random", "integers"}),
  };
}

}  // namespace

harness::Application application() {
  return {.name = "matvec",
          .title = "Dense matrix-vector product",
          .summary = "C = A B with a dense row-major matrix: every element of A is read once and used once.",
          .source = "MSc dissertation 2009, section 2.3.1",
          .update = "element",
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = footprint,
          .work = work,
          .prepare = harness::make_workload<MatvecWorkload>(is_f32, checked),
          .weak = weak,
          .prepare_rank = harness::make_workload<MatvecWorkload>(is_f32, checked, false)};
}

}  // namespace speedwell::matvec
