// vector_calculus for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/vector_calculus/adapter.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "speedwell/apps/vector_calculus/adapter_workload.hpp"
#include "speedwell/apps/vector_calculus/cpu/cpu.hpp"
#include "speedwell/apps/vector_calculus/distributed_grid.hpp"
#include "speedwell/apps/vector_calculus/ladder.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::vector_calculus {
namespace {

using harness::Backend;
using harness::is_f32;
using harness::real_bytes;
using harness::Role;

Layout layout_of(const harness::Problem& p) {
  return p.get<std::string>("layout") == "aos" ? Layout::aos : Layout::soa;
}

const OperationInfo& info_of(const harness::Problem& p) {
  return *std::find_if(std::begin(operations), std::end(operations),
                       [&](const OperationInfo& o) { return o.name == p.get<std::string>("operation"); });
}

/// Throws std::invalid_argument where the values do not go together.
Problem problem_of(const harness::Problem& p) {
  const std::int64_t n = p.get<std::int64_t>("n");
  Problem problem{
      .operation = info_of(p).operation,
      .layout = layout_of(p),
      .grid = {n > 0 ? n : p.get<std::int64_t>("nx"), n > 0 ? n : p.get<std::int64_t>("ny"),
               n > 0 ? n : p.get<std::int64_t>("nz"), p.get<double>("dx"), p.get<double>("dy"), p.get<double>("dz"),
               p.get<std::string>("boundary") == "periodic" ? Boundary::periodic : Boundary::one_sided},
      .values = p.get<std::string>("values") == "integers" ? Values::integers : Values::random,
      .seed = p.seed()};
  require_grid(problem.grid, info_of(p).reach);
  return problem;
}

double points(const harness::Problem& p) { return static_cast<double>(problem_of(p).grid.size()); }

/// What a rank or GPU does, for the model of scaling. Of the fields of an operation with derivatives all are taken to
/// be differentiated, which is the maximum.
harness::Division divide(const harness::Problem& p, const harness::Variant& variant, int parts) {
  const OperationInfo& operation = info_of(p);
  const bool on_gpus = variant.backend == Backend::multi;
  const comm::Decomposition box =
      division_of(problem_of(p).grid, parts, operation.reach, on_gpus ? std::array{1, 1, parts} : std::array{0, 0, 0});
  const comm::HaloShape shape = on_gpus || operation.reach <= 1 ? comm::HaloShape::faces
                                : operation.reach == 2          ? comm::HaloShape::edges
                                                                : comm::HaloShape::corners;
  return harness::division_of_box(box, shape,
                                  {.exchanges = operation.reach > 0 ? 1.0 : 0.0,
                                   .bytes_per_cell = (operation.scalars + 3 * operation.vectors) * real_bytes(p),
                                   .hidden = variant.name != "multi-exchange"});
}

harness::Footprint footprint(const harness::Problem& p) {
  return {.host_bytes = points(p) * real_bytes(p) * words(info_of(p))};
}

harness::Work work_of(const harness::Problem& p) {
  const OperationInfo& operation = info_of(p);
  const double n = points(p), word = real_bytes(p);
  return {.operations = n * operation.flops,
          .arithmetic = harness::real_arithmetic(p),
          .bytes_read = n * word * words_read(operation),
          .bytes_written = n * word * operation.components,
          .updates = n,
          .working_set = n * word * words(operation)};
}

// The operations of a chain one after the other, each through memory.
harness::Work unfused_work(const harness::Problem& p) {
  harness::Work all = work_of(p);
  if (!is_chain(info_of(p).operation)) return all;
  const double values = points(p) * real_bytes(p);
  all.bytes_read = all.bytes_written = 0;
  for (const ChainStep& step : steps_of_chain(info_of(p).operation)) {
    all.bytes_read += values * words_read(info(step.operation));
    all.bytes_written += values * info(step.operation).components;
  }
  return all;
}
// scal changes what a copy has put in place. With a call of dot for each point, the latency of calls is the only cost.
harness::Work cublas_work(const harness::Problem& p) {
  harness::Work all = work_of(p);
  all.bytes_read *= 2;
  all.bytes_written *= 2;
  if (info_of(p).operation != Operation::scale) all.no_limit = "a call for each point: latency is all there is";
  return all;
}

using AppliesTo = std::function<bool(const harness::Problem&)>;

void limit_to(harness::Variant& row, const AppliesTo& applies_to) {
  harness::limit_to(row, applies_to, [](const harness::Problem& p) {
    return p.get<std::string>("operation") + " with layout=" + p.get<std::string>("layout");
  });
}

/// unfused: the operations of a chain one after the other, with fields in memory between them.
enum class HostMethod { serial, openmp, unfused };

template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, HostMethod method)
      : inputs_(inputs), threads_(context.threads), method_(method) {}

  void allocate() {
    if (method_ != HostMethod::unfused) return;
    const std::size_t length = static_cast<std::size_t>(3 * inputs_.problem().grid.size());
    for (auto& field : between_) field = core::HostBuffer<T>(length, core::Pages::large);
  }
  void poison() {
    for (auto& field : between_)
      if (field.size() > 0) std::memset(field.data(), 0xff, field.bytes());
  }
  void execute(Result<T>& result) {
    const Problem& problem = inputs_.problem();
    const Operands<T> operands = inputs_.operands();
    T* const out = result.words.data();
    if (method_ == HostMethod::serial) return apply_serially(problem.operation, problem.layout, operands, out);
    if (method_ == HostMethod::openmp) return apply(problem.operation, problem.layout, operands, out, threads_);
    const Between<T> between{between_[0].data(), between_[1].data(), between_[2].data()};
    for (const ChainStep& step : steps_of_chain(problem.operation)) {
      const ChainCall<T> call = call_of_step(step, operands, between, out);
      apply(step.operation, problem.layout, call.operands, call.out, threads_);
    }
  }
  harness::Choices choices(const Result<T>& result) const {
    harness::Choices all = result.choices();
    if (method_ != HostMethod::serial)
      for (auto& choice : harness::host_choices(threads_)) all.push_back(std::move(choice));
    return all;
  }

 private:
  const Inputs<T>& inputs_;
  int threads_;
  HostMethod method_;
  core::HostBuffer<T> between_[3];
};

harness::Variant host_row(std::string name, HostMethod method, std::string description) {
  harness::Variant row{.name = std::move(name),
                       .backend = method == HostMethod::serial ? Backend::serial : Backend::openmp,
                       .description = std::move(description),
                       .make = harness::host_solver<TypedWorkload, HostSolver>(method)};
  if (method == HostMethod::unfused) {
    limit_to(row, [](const harness::Problem& p) { return is_chain(info_of(p).operation); });
    row.work = unfused_work;
    row.footprint = [](const harness::Problem& p) {
      return harness::Footprint{.host_bytes = 9 * points(p) * real_bytes(p)};
    };
  }
  return row;
}

std::optional<std::string> unsupported_ranks_reason(const harness::Problem& p, int ranks) {
  return harness::refusal_of([&] { return division_of(problem_of(p).grid, ranks, info_of(p).reach); });
}

harness::Variant ranks_row() {
  return {.name = "mpi",
          .backend = Backend::mpi,
          .description =
              "rows as in openmp, a tile on one core of each rank; halos in transit while the tile's inside is "
              "computed",
          // The tiles of all ranks, and a vector field twice while it is in transit.
          .footprint =
              [](const harness::Problem& p) {
                return harness::Footprint{.host_bytes = points(p) * real_bytes(p) * (words(info_of(p)) + 6)};
              },
          .unsupported_ranks_reason = unsupported_ranks_reason};
}

harness::Variant gpus_row(std::string_view name, Role role, std::string_view description, const AppliesTo& applies_to) {
  harness::Variant row{
      .name = std::string(name), .backend = Backend::multi, .role = role, .description = std::string(description)};
  // The slabs of all ranks, and on the host a vector field twice while it is in transit.
  row.footprint = [](const harness::Problem& p) {
    const double word = points(p) * real_bytes(p);
    return harness::Footprint{.host_bytes = 6 * word, .device_bytes = words(info_of(p)) * word + (1 << 24)};
  };
  row.unsupported_ranks_reason = [](const harness::Problem& p, int ranks) {
    return harness::refusal_of([&] { return division_of(problem_of(p).grid, ranks, info_of(p).reach, {1, 1, ranks}); });
  };
  limit_to(row, applies_to);
  return row;
}

harness::Variant gpu_row(std::string_view name, Role role, std::string_view description, std::string_view lineage,
                         double more_words, const AppliesTo& applies_to) {
  harness::Variant row{.name = std::string(name),
                       .backend = Backend::cuda,
                       .role = role,
                       .description = std::string(description),
                       .lineage = std::string(lineage)};
  row.footprint = [more_words](const harness::Problem& p) {
    return harness::Footprint{.device_bytes = (words(info_of(p)) + more_words) * points(p) * real_bytes(p) + (1 << 20)};
  };
  limit_to(row, applies_to);
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows;
  rows.push_back(host_row("serial", HostMethod::serial, "one thread, point by point; a chain in one pass"));
  rows.push_back(host_row("openmp", HostMethod::openmp,
                          "all cores, rows in vectors, stores past the caches; a chain in one pass"));
  rows.push_back(host_row("openmp-unfused", HostMethod::unfused, "a chain's operations one after the other"));
  rows.push_back(ranks_row());
  for (const Step& step : steps) {
    // A step that rearranges needs the rearranged arrays beside those of the host.
    rows.push_back(gpu_row(step.name, Role::step, step.description, step.lineage, step.restructured ? 3 : 0,
                           [&step](const harness::Problem& p) {
                             return layout_of(p) == Layout::aos && has_operation(step, info_of(p).operation);
                           }));
  }
  rows.push_back(gpu_row("cuda-unfused", Role::step, "a chain's operations one after the other, each as in cuda", {}, 9,
                         [](const harness::Problem& p) { return is_chain(info_of(p).operation); }));
  rows.back().work = unfused_work;
  rows.push_back(gpu_row("cuda", Role::best,
                         "one kernel for an operation or a chain: 16-byte packs, neighbours through the caches, whole "
                         "lines stored in either layout",
                         {}, 0, [](const harness::Problem&) { return true; }));
  rows.push_back(gpus_row("multi-exchange", Role::step,
                          "a slab on the GPU of each rank; the halos are exchanged, then all planes are computed",
                          [](const harness::Problem& p) { return info_of(p).reach > 0; }));
  rows.push_back(gpus_row("multi", Role::best,
                          "a slab on the GPU of each rank; halos in transit while the planes that read none are "
                          "computed, each as in cuda",
                          [](const harness::Problem&) { return true; }));
  rows.push_back(gpu_row("cublas", Role::peer,
                         "scale: one call of scal after a copy; dot: a call of dot for each point", "x", 0,
                         [](const harness::Problem& p) {
                           const Operation o = info_of(p).operation;
                           return o == Operation::scale || (o == Operation::dot && layout_of(p) == Layout::aos);
                         }));
  rows.back().work = cublas_work;
  const auto unsupported_reason = rows.back().unsupported_reason;
  rows.back().unsupported_reason = [unsupported_reason](const harness::Problem& p) -> std::optional<std::string> {
    if (const auto reason = unsupported_reason(p)) return reason;
    const double calls = points(p);
    if (info_of(p).operation == Operation::dot && calls > 1 << 20)
      return "a call for each point: more than 2^20 of them take minutes";
    return std::nullopt;
  };
  harness::set_algorithm(rows, "operations one after the other", {"openmp-unfused", "cuda-unfused"});
  return rows;
}

harness::Sweep all_operations(bool chains = true) {
  harness::Sweep sweep{"operation", {}};
  for (const OperationInfo& o : operations)
    if (chains || !is_chain(o.operation)) sweep.values.push_back(std::string(o.name));
  return sweep;
}

harness::Size box(std::string name, std::string summary, std::int64_t nx, std::int64_t ny, std::int64_t nz,
                  std::vector<harness::Sweep> sweeps) {
  return {std::move(name), std::move(summary), harness::box(nx, ny, nz), std::move(sweeps)};
}

std::vector<harness::Size> sizes() {
  harness::Size headline = box("headline", "momentum, 128^3, f64", 128, 128, 128, {});
  headline.settings.push_back({"operation", "momentum"});
  const harness::Sweep both = {"layout", {"aos", "soa"}};
  return {
      box("test", "19 x 8 x 5 points, every operation in both layouts and precisions", 19, 8, 5,
          {all_operations(), both, harness::both_precisions()}),
      headline,
      box("small", "128^3 points, every operation in both layouts", 128, 128, 128, {all_operations(), both}),
      box("standard", "256^3 points, every operation in both layouts", 256, 256, 256, {all_operations(), both}),
      box("large", "1024 x 512 x 512 points: vectors of 6.4 GB", 1024, 512, 512,
          {{"operation", {"copy", "cross", "grad", "div", "curl", "lorentz"}}, both}),
      box("64", "64^3 points", 64, 64, 64, {all_operations(), both}),
      box("study", "128 x 128 x 32 points, the study's thirteen on its AT1 arrays", 128, 128, 32,
          {all_operations(false)}),
      {"study-scaling",
       "axpy for extents along x and z: the study's figures 4.23 and B.2",
       {{"ny", 128}, {"operation", "axpy"}},
       {{"nx", {16, 32, 64, 128, 256, 512, 1024}}, {"nz", {1, 8, 16, 32, 64, 128}}}},
      {"crossover",
       "momentum, 8^3 to 192^3 points, f64",
       {{"operation", "momentum"}},
       {{"n", {8, 12, 16, 24, 32, 48, 64, 96, 128, 192}}}},
  };
}

harness::Parameter extent(std::string key, std::int64_t default_value, std::string description) {
  return harness::integer(std::move(key), default_value, std::move(description),
                          {1, static_cast<double>(max_along_axis)});
}
harness::Parameter spacing(std::string key, double default_value) {
  return harness::real(key, default_value, "distance of neighbours along " + key.substr(1));
}

std::vector<harness::Parameter> parameters() {
  std::vector<std::string> names;
  for (const OperationInfo& o : operations) names.emplace_back(o.name);
  harness::Parameter cube = extent("n", 0, "points along each axis; 0: nx, ny, nz");
  cube.minimum = 0;
  return {
      harness::choice("operation", "curl", "one of the thirteen, a copy, or a chain", names),
      harness::choice("layout", "aos", "of vectors: the components of a point together (aos) or in three arrays (soa)",
                      {"aos", "soa"}),
      extent("nx", 128, "points along x"),
      extent("ny", 128, "points along y"),
      extent("nz", 32, "points along z"),
      std::move(cube),
      harness::precision_parameter("of fields"),
      harness::choice("boundary", "periodic", "beyond the grid: its other side, or nothing and differences from inside",
                      {"periodic", "one-sided"}),
      harness::choice("values", "random", "integers: exact in every operation; random: uniform in [-1, 1)",
                      {"integers", "random"}),
      spacing("dx", 0.5),
      spacing("dy", 0.25),
      spacing("dz", 0.125),
  };
}

std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return harness::longer_box(problem_of(p).grid, ranks);
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "vector_calculus",
      .title = "Vector calculus on a grid",
      .summary = "Gradient, divergence, curl and ten operations at a point, each alone and fused in chains.",
      .source = "MSc dissertation 2009, sections 2.4.1 and 4.2 (CENTORI)",
      .update = "point",
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = footprint,
      .work = work_of,
      .prepare = harness::make_workload<VectorCalculusWorkload>(is_f32, problem_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<VectorCalculusWorkload>(is_f32, problem_of, false)};
  harness::set_division_model(app, divide);
  return app;
}

}  // namespace speedwell::vector_calculus
