// two_stream for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/two_stream/adapter.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "speedwell/apps/two_stream/adapter_workload.hpp"
#include "speedwell/apps/two_stream/ladder.hpp"
#include "speedwell/apps/two_stream/regions.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::two_stream {
namespace {

using harness::Backend;
using harness::is_f32;
using harness::real_bytes;
using harness::Role;

Kernel kernel_of(const std::string& name) {
  return name == "column" ? Kernel::column : name == "triple" ? Kernel::triple : Kernel::coefficients;
}

Problem problem_of(const harness::Problem& p) {
  Problem problem{.kernel = kernel_of(p.get<std::string>("kernel")),
                  .source = p.get<std::string>("source") == "sun" ? Source::sun : Source::thermal,
                  .quadratic = p.get<std::string>("planck") == "quadratic",
                  .columns = p.get<std::int64_t>("columns"),
                  .layers = p.get<std::int64_t>("layers"),
                  .points = p.get<std::int64_t>("points"),
                  .seed = p.seed()};
  problem.options.closure = closure_of_name(p.get<std::string>("closure"));
  problem.options.delta = p.get<std::string>("delta") == "on";
  is_f32(p) ? require_problem<float>(problem) : require_problem<double>(problem);
  return problem;
}

/// Values of so many layers of clouds: two fractions, and three properties of two regions at each point.
double cloud_values(const Problem& p, std::int64_t layers) {
  if (p.kernel != Kernel::triple) return 0;
  return static_cast<double>(p.columns) * static_cast<double>(layers) * (2 + 6 * static_cast<double>(p.points));
}

/// Values of an atmosphere without its clouds, and of an answer.
double input_values(const Problem& p) {
  const double ground = static_cast<double>(p.columns) * static_cast<double>(p.points);
  const double all = ground * static_cast<double>(p.layers), columns = static_cast<double>(p.columns);
  const bool sun = p.source == Source::sun;
  if (p.kernel == Kernel::coefficients) return 3 * all + (sun ? columns : 0);
  if (sun) return 3 * all + 3 * ground + columns;
  return (p.quadratic ? 5 : 4) * all + 3 * ground;
}
double output_values(const Problem& p) {
  const double columns = static_cast<double>(p.columns), layers = static_cast<double>(p.layers);
  const bool sun = p.source == Source::sun;
  if (p.kernel == Kernel::coefficients) return (sun ? 5 : 4) * columns * layers * static_cast<double>(p.points);
  return (sun ? 3 : 2) * columns * (layers + 1);
}

/// Values of an atmosphere in memory: also those of clouds that are above all clouds.
double all_values(const Problem& p) { return input_values(p) + cloud_values(p, p.layers); }

harness::Footprint footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  const double oracle = is_column(problem) ? sizeof(double) * 3 * static_cast<double>(problem.columns) *
                                                 (static_cast<double>(problem.layers) + 1)
                                           : 0;
  return {.host_bytes = (all_values(problem) + output_values(problem)) * real_bytes(p) + oracle};
}

// As written in layer.hpp, column.hpp and regions.hpp, with an exponential as 20 operations, a root as 10 and a
// quotient as 8.
double operations_per_layer(const Problem& p) {
  const bool sun = p.source == Source::sun;
  const double scaling = p.options.delta ? 15 : 1;
  const double diffuse = 20 + 20 + 10 + 2 * 8, mean_decay = 28;
  const double sources = sun ? 20 + 45 + 3 * 8 + 3 * mean_decay : 20 + 8 + mean_decay + (p.quadratic ? 35 + 8 : 0);
  const double region = scaling + diffuse + sources, single = region + (is_column(p) ? 8 + 30 : 0);
  if (p.kernel != Kernel::triple) return single;
  // A layer of three regions has their areas and overlap; the crossing of 3 x 3 and 3 values, of what is below, and of
  // the beam; elimination with three divisions, four solutions, and products; sources; substitution.
  const double crossing = 26 + 41 + 98 + 42 + (sun ? 14 : 0), elimination = 49 + 60 + 95, sums = 13 + 32;
  const double triple = regions * region + crossing + elimination + sums;
  const double cloudy = static_cast<double>(p.layers - cloud_top(p)) / static_cast<double>(p.layers);
  return single + cloudy * (triple - single);
}

harness::Work work(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  const double all =
      static_cast<double>(problem.columns) * static_cast<double>(problem.layers) * static_cast<double>(problem.points);
  const double clouds = cloud_values(problem, problem.layers - cloud_top(problem));
  const double read = (input_values(problem) + clouds) * real_bytes(p),
               written = output_values(problem) * real_bytes(p);
  return {.operations = all * operations_per_layer(problem),
          .arithmetic = harness::real_arithmetic(p),
          .bytes_read = read,
          .bytes_written = written,
          .updates = all,
          .working_set = read + written};
}

// What waits between two passes of a column, in values of a layer: four of an eliminated layer, sixteen of one with
// three regions, written and read; in separate passes all coefficients and what is made of them, README, section
// Limits.
double waiting_values(const Problem& p) { return static_cast<double>(values_before(p.layers, cloud_top(p))); }
// Threads of the blocks that the 132 multiprocessors of an H200 hold at once: three of 128 with clouds, two of 256
// without (gpu/fused.cu).
double resident_threads(const Problem& p) { return p.kernel == Kernel::triple ? 396 * 128 : 264 * 256; }
harness::Work gpu_work(const harness::Problem& p, std::string_view step) {
  const Problem problem = problem_of(p);
  harness::Work all = work(p);
  if (step == "cuda-isolated") {
    all.over_link = true;
  } else if (is_column(problem)) {
    const bool separate = step == "cuda-separate", sun = problem.source == Source::sun;
    const double word = real_bytes(p), ground = all.updates / static_cast<double>(problem.layers);
    const double waiting = waiting_values(problem);  // of a column at a point
    all.bytes_read += word * (!separate ? ground * waiting : all.updates * (sun || problem.quadratic ? 12 : 11));
    all.bytes_written += word * (!separate ? ground * waiting : all.updates * (sun ? 12 : 10));
    all.working_set = separate ? 5 * all.updates * word : word * waiting * std::min(ground, resident_threads(problem));
  }
  return all;
}

template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, bool serial)
      : inputs_(inputs), options_(inputs.problem().options), serial_(serial) {
    options_.threads = serial ? 1 : context.threads;
  }
  void execute(Results<T>& results) {
    const Atmosphere<T> a = inputs_.atmosphere();
    if (inputs_.is_column())
      serial_ ? solve_serially(a, options_, results.fluxes()) : solve_unchecked(a, options_, results.fluxes());
    else
      serial_ ? layer_coefficients_serially(a, options_, results.layers())
              : layer_coefficients(a, options_, results.layers());
  }
  harness::Choices choices() const {
    if (serial_) return {};
    return harness::host_choices(options_.threads);
  }

 private:
  const Inputs<T>& inputs_;
  Options options_;
  bool serial_;
};

harness::Variant host_row(std::string name, bool serial, std::string description) {
  return {.name = std::move(name),
          .backend = serial ? Backend::serial : Backend::openmp,
          .description = std::move(description),
          .make = harness::host_solver<Inputs, HostSolver>(serial)};
}

// The parts of all ranks, beside what the first one distributes and collects.
harness::Footprint ranks_footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  return {.host_bytes = (all_values(problem) + output_values(problem)) * real_bytes(p)};
}
std::optional<std::string> unsupported_ranks_reason(const harness::Problem& p, int ranks) {
  if (problem_of(p).columns >= ranks) return std::nullopt;
  return std::to_string(ranks) + " ranks for " + core::counted(problem_of(p).columns, "column");
}

harness::Variant ranks_row() {
  return {.name = "mpi",
          .backend = Backend::mpi,
          .description = "as openmp, a part of the columns on one core of each rank",
          .footprint = ranks_footprint,
          .unsupported_ranks_reason = unsupported_ranks_reason};
}

harness::Footprint gpu_footprint(const harness::Problem& p, bool separate) {
  const Problem problem = problem_of(p);
  const double ground = static_cast<double>(problem.columns) * static_cast<double>(problem.points);
  const double layers = static_cast<double>(problem.layers);
  double values = all_values(problem) + output_values(problem);
  // Eliminated layers of the blocks that a large device holds at once, at most all of them.
  constexpr double resident = 200 * 2048.0;
  // Three fluxes of each share of the points, where columns are few: at most 396 blocks of 32 columns.
  constexpr double shared = 3 * 396 * 32.0;
  if (is_column(problem))
    values += separate ? ground * (5 * layers + 2)
                       : waiting_values(problem) * std::min(8 * 32 + ground * 8, resident) + shared * (layers + 1);
  return {.device_bytes = values * real_bytes(p) + (1 << 24)};
}

harness::Variant gpus_row() {
  return {.name = "multi",
          .backend = Backend::multi,
          .role = Role::best,
          .description = "as cuda, a part of the columns on the GPU of each rank",
          .work = [](const harness::Problem& p) { return gpu_work(p, "cuda"); },
          .footprint =
              [](const harness::Problem& p) {
                harness::Footprint footprint = gpu_footprint(p, false);
                footprint.host_bytes = ranks_footprint(p).host_bytes;
                return footprint;
              },
          .unsupported_ranks_reason = unsupported_ranks_reason};
}

harness::Variant gpu_row(const Step& step) {
  const bool best = step.name == "cuda";
  harness::Variant row = harness::ladder_variant(step);
  row.work = [name = step.name](const harness::Problem& p) { return gpu_work(p, name); };
  row.footprint = [separate = step.name == "cuda-separate"](const harness::Problem& p) {
    return gpu_footprint(p, separate);
  };
  if (best) return row;  // supports every kernel
  harness::limit_to(
      row, [kernel = step.kernel](const harness::Problem& p) { return problem_of(p).kernel == kernel; },
      [](const harness::Problem& p) { return "kernel=" + p.get<std::string>("kernel"); });
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", true, "one thread, a number at a time"));
  rows.push_back(
      host_row("openmp", false, "all cores, a column in each lane of the vectors, blocks that stay in a cache"));
  rows.push_back(ranks_row());
  for (const Step& step : steps) rows.push_back(gpu_row(step));
  rows.push_back(gpus_row());
  harness::set_algorithm(rows, "coefficients, columns and sums apart", {"cuda-separate"});
  return rows;
}

std::vector<harness::Setting> shape(std::int64_t columns, std::int64_t layers, std::int64_t points) {
  return {{"columns", columns}, {"layers", layers}, {"points", points}};
}
std::vector<harness::Size> sizes() {
  const auto kernels = harness::Sweep{"kernel", {"coefficients", "column"}},
             all_kernels = harness::Sweep{"kernel", {"coefficients", "column", "triple"}},
             sources = harness::Sweep{"source", {"sun", "thermal"}};
  const auto both = harness::both_precisions();
  constexpr std::array<std::int64_t, 8> column_counts = {1, 4, 16, 64, 256, 1024, 4096, 16384};
  auto headline = shape(1776, 11, 60);
  headline.push_back({"kernel", "column"});
  headline.push_back({"source", "sun"});
  auto cloudy = shape(1776, 11, 60);
  cloudy.push_back({"kernel", "triple"});
  return {
      {"test",
       "7 columns, 13 layers, 3 g-points: every kernel, source and precision",
       shape(7, 13, 3),
       {all_kernels, sources, both}},
      {"headline", "columns, 1776x11x60", headline, {}},
      {"small", "FAMOUS's whole grid: 1776 columns, 11 layers, 60 g-points", shape(1776, 11, 60), {kernels, sources}},
      {"segment",
       "one segment of FAMOUS: 288 columns, 11 or 20 layers, one g-point: what the study's routine was given",
       {{"columns", 288}, {"points", 1}},
       {{"layers", {11, 20}}, kernels}},
      {"standard",
       "100 000 columns, 128 layers, 16 g-points: every kernel and source",
       shape(100'000, 128, 16),
       {kernels, sources, both}},
      {"cloudy",
       "FAMOUS's whole grid with clouds: 1776 columns, 11 layers, of which most have three regions, 60 g-points",
       cloudy,
       {sources, both}},
      {"rrtmgp",
       "an eighth of RRTMGP.jl's problem: 10 800 columns, 63 layers; 224 g-points of the sun",
       shape(10'800, 63, 224),
       {both}},
      {"large", "100 000 columns, 128 layers, 96 g-points: 29 GB in f64", shape(100'000, 128, 96), {}},
      {"crossover",
       "columns of FAMOUS's grid, 1 to 16384: 11 layers, 60 g-points",
       {{"layers", 11}, {"points", 60}},
       {{"columns", {column_counts.begin(), column_counts.end()}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  std::vector<std::string> names;
  for (const Closure closure : closures) names.emplace_back(to_string(closure));
  return {
      harness::choice("kernel", "column",
                      "column: fluxes of whole columns; triple: the same with clouds, in layers of three regions; "
                      "coefficients: those of every layer",
                      {"column", "coefficients", "triple"}),
      harness::choice("source", "sun",
                      "sun: a direct beam and its scattered light; thermal: layers and ground that emit",
                      {"sun", "thermal"}),
      harness::integer("columns", 1776, "columns of the atmosphere", {.minimum = 1}),
      harness::integer("layers", 11, "layers of a column", {.minimum = 1}),
      harness::integer("points", 60, "points of the spectrum (g-points)", {.minimum = 1}),
      harness::precision_parameter("of all data and arithmetic"),
      harness::choice("closure", "pifm80", "how the coefficients follow from albedo and asymmetry", names),
      harness::choice("delta", "on", "delta scaling: the forward peak passes as if it were not scattered",
                      {"on", "off"}),
      harness::choice("planck", "linear", "thermal: the Planck flux in a layer, of its optical depth",
                      {"linear", "quadratic"}),
  };
}

std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return {{"columns", problem_of(p).columns * ranks}};
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "two_stream",
      .title = "Two-stream radiation",
      .summary =
          "Fluxes of light in columns of scattering, absorbing and emitting layers, as climate models need them.",
      .source = "MSc dissertation 2009 (FAMOUS), sections 2.4.4 and 3.1 to 3.4",
      .update = "layer",
      .rate_name = "Glayers/s",
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = footprint,
      .work = work,
      .prepare = harness::make_workload<TwoStreamWorkload>(is_f32, problem_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<TwoStreamWorkload>(is_f32, problem_of, false)};
  harness::set_division_model(app, [](const harness::Problem& p, const harness::Variant&, int parts) {
    return harness::division_of_items(problem_of(p).columns, parts);
  });
  return app;
}

}  // namespace speedwell::two_stream
