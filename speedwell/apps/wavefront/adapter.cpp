// wavefront for the harness: parameters, sizes, work, the table of variants and the solver on the host.
#include "speedwell/apps/wavefront/adapter.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/wavefront/adapter_projection.hpp"
#include "speedwell/apps/wavefront/adapter_workload.hpp"
#include "speedwell/apps/wavefront/distributed.hpp"
#include "speedwell/apps/wavefront/ladder.hpp"
#include "speedwell/apps/wavefront/wavefront.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"
#include "speedwell/harness/refusal.hpp"

namespace speedwell::wavefront {

Settings settings_of(const harness::Problem& p) {
  const auto extent = [&](const char* key) {
    return p.get<std::int64_t>(key) > 0 ? p.get<std::int64_t>(key) : p.get<std::int64_t>("n");
  };
  Settings s;
  s.f32 = p.get<std::string>("precision") == "f32";
  const int digits = s.f32 ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits;
  s.data = {.extents = {extent("nx"), extent("ny"), extent("nz")},
            .inflow = p.get<std::string>("inflow") == "random" ? Inflow::random : Inflow::zero,
            .bits = p.get<std::int64_t>("bits") > 0 ? static_cast<int>(p.get<std::int64_t>("bits")) : digits,
            .seed = p.seed() - 1};  // seed 1, the harness's own, gives the data of the published checksums
  s.recurrence = {.loops = p.get<std::int64_t>("loops"),
                  .c = p.get<double>("c"),
                  .tc = p.get<double>("tc"),
                  .td = p.get<double>("td"),
                  .nc = p.get<double>("nc"),
                  .nd = p.get<double>("nd"),
                  .wc = p.get<double>("wc"),
                  .wd = p.get<double>("wd"),
                  .rc = p.get<double>("rc"),
                  .rd = p.get<double>("rd"),
                  .rounding = p.get<std::string>("rounding") == "fused" ? Rounding::fused : Rounding::separate};
  s.direction = direction_named(p.get<std::string>("direction"));
  if (s.f32) {
    require_valid<float>(s.data);
    require_valid(in_precision<float>(s.recurrence));
  } else {
    require_valid<double>(s.data);
    require_valid(s.recurrence);
  }
  return s;
}

namespace {

using harness::Backend;

double plane_cells(const Extents& e) { return static_cast<double>(e.nx * e.ny + e.nx * e.nz + e.ny * e.nz); }
double element_bytes(const Settings& s) { return s.f32 ? sizeof(float) : sizeof(double); }
double grid_bytes(const Settings& s) {
  return (static_cast<double>(s.data.extents.cells()) + plane_cells(s.data.extents)) * element_bytes(s);
}

// Operations that any method needs, where comparisons are not counted: three sums and two subtractions for the
// remainder, and a product and a sum for each linear update. Updates of neighbours after the last loop have no effect.
double operations_of_cell(const Recurrence<double>& r) {
  if (r.loops == 0) return 5;
  const auto loops = static_cast<double>(r.loops);
  return loops * (5 + 2) + (loops - 1) * 3 * 2;
}

harness::Work work(const harness::Problem& p) {
  const Settings s = settings_of(p);
  const auto cells = static_cast<double>(s.data.extents.cells());
  return {.operations = cells * operations_of_cell(s.recurrence),
          .arithmetic = s.f32 ? harness::Arithmetic::f32 : harness::Arithmetic::f64,
          .bytes_read = grid_bytes(s),
          .bytes_written = cells * element_bytes(s),
          .updates = cells,
          .working_set = grid_bytes(s)};
}

// Steps from the third to the last but one convert the grid to the order of their blocks and back in separate passes
// over memory.
harness::Work gpu_work(const harness::Problem& p, std::string_view step) {
  harness::Work all = work(p);
  if (step == "cuda-naive" || step == "cuda-recycled" || step == "cuda") return all;
  const double grid = all.bytes_written;
  all.bytes_read += 2 * grid;
  all.bytes_written += 2 * grid;
  all.working_set += grid;
  return all;
}

harness::Footprint inputs_footprint(const harness::Problem& p) {
  return {.host_bytes = 2 * grid_bytes(settings_of(p))};  // the grid as it begins, and the oracle's
}
harness::Footprint run_footprint(const harness::Problem& p) { return {.host_bytes = grid_bytes(settings_of(p))}; }

/// The grid is swept in place. reset() restores its initial values.
template <class T>
class HostSolver {
 public:
  HostSolver(const Inputs<T>& inputs, const harness::Context& context, Backend backend)
      : inputs_(inputs), serial_(backend == Backend::serial), threads_(serial_ ? 1 : context.threads) {}

  void allocate(Grid<T>& grid) {
    in_parts(grid, [](T* to, std::size_t, std::size_t count) { std::memset(to, 0xff, count * sizeof(T)); });
    grid.planes = Planes<T>(inputs_.extents());
    const Planes<T>& inflow = inputs_.grid().planes;
    for (const auto& [from, to] : {std::pair{&inflow.top, &grid.planes.top},
                                   {&inflow.north, &grid.planes.north},
                                   {&inflow.west, &grid.planes.west}})
      std::memcpy(to->data(), from->data(), from->bytes());
  }
  void reset(Grid<T>& grid) {
    in_parts(grid, [&](T* to, std::size_t begin, std::size_t count) {
      std::memcpy(to, inputs_.grid().cells.data() + begin, count * sizeof(T));
    });
  }
  void execute(Grid<T>& grid) {
    if (serial_)
      sweep_serially(grid, inputs_.recurrence(), inputs_.direction());
    else
      sweep(grid, inputs_.recurrence(), inputs_.direction(), {.threads = threads_});
  }
  harness::Choices choices() const {
    if (serial_) return {};
    return {harness::instruction_set()};
  }

 private:
  /// Calls part(to, begin, count) for the part of the cells of each thread.
  template <class Part>
  void in_parts(Grid<T>& grid, const Part& part) {
    T* const cells = grid.cells.data();
    core::parallel_for(grid.cells.size(), sizeof(T), threads_, [&](std::size_t begin, std::size_t end) {
      if (begin < end) part(cells + begin, begin, end - begin);
    });
  }

  const Inputs<T>& inputs_;
  bool serial_;
  int threads_;
};

std::optional<std::string> unsupported_ranks_reason(const harness::Problem& p, int ranks) {
  const Extents extents = settings_of(p).data.extents;
  return harness::refusal_of([&] { return division_of(extents, ranks); });
}

harness::Variant host_row(std::string name, Backend backend, std::string description) {
  return {.name = std::move(name),
          .backend = backend,
          .description = std::move(description),
          .make = harness::host_solver<Inputs, HostSolver>(backend),
          .footprint = run_footprint};
}

std::optional<std::string> unsupported_on_gpu(const harness::Problem& p) {
  const Extents e = settings_of(p).data.extents;
  if (std::max({e.nx, e.ny, e.nz}) <= max_gpu_extent) return std::nullopt;
  return "an extent above 2^30";
}

harness::Variant gpu_row(const Step& step) {
  harness::Variant row = harness::ladder_variant(step);
  row.work = [name = step.name](const harness::Problem& p) { return gpu_work(p, name); };
  row.footprint = [name = step.name](const harness::Problem& p) {
    const Settings s = settings_of(p);
    return harness::Footprint{
        .host_bytes = grid_bytes(s),
        .device_bytes = device_bytes(s.data.extents, s.f32 ? sizeof(float) : sizeof(double), name)};
  };
  row.unsupported_reason = unsupported_on_gpu;
  if (row.role == harness::Role::best) row.predict = predict_on_gpu;
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      host_row("serial", Backend::serial,
               "one thread, cell after cell in the order of memory; remainders by subtraction"),
      host_row("openmp", Backend::openmp,
               "SIMD columns of rows and planes, taken by threads in an order in which a column depends only on "
               "earlier ones"),
      {.name = "mpi",
       .backend = Backend::mpi,
       .description =
           "a pipeline of ranks (KBA), a block of columns each: faces are in transit while the next chunk is swept",
       .footprint =  // the blocks as they begin and as they are swept, and the grid that the first rank gathers
       [](const harness::Problem& p) { return harness::Footprint{.host_bytes = 3 * grid_bytes(settings_of(p))}; },
       .unsupported_ranks_reason = unsupported_ranks_reason,
       .predict = predict_on_ranks},
  };
  for (const Step& step : steps) rows.push_back(gpu_row(step));
  rows.push_back(
      {.name = "multi",
       .backend = Backend::multi,
       .role = harness::Role::best,
       .description = "as cuda, groups of planes dealt to the GPU of each rank; tiles send faces to the next GPU, too",
       .footprint = run_footprint,  // the grid that the first rank gathers
       .unsupported_reason = unsupported_on_gpu,
       .unsupported_ranks_reason = [](const harness::Problem&, int ranks) -> std::optional<std::string> {
         if (ranks <= max_gpus) return std::nullopt;
         return "it runs on " + std::to_string(max_gpus) + " GPUs at most";
       },
       .predict = predict_on_gpus});
  return rows;
}

std::vector<harness::Size> sizes() {
  const harness::Sweep both = harness::both_precisions();
  const harness::Sweep listings = {"loops", {0, 1, 5, 10}};
  const std::vector<harness::Setting> single = {{"precision", "f32"}};
  const harness::Sweep by_40 = {"n", {40, 80, 120, 160, 200, 240, 280, 320, 360, 400, 440, 480, 520, 560, 600, 640}};
  return {
      {"test",
       "3, 8 and 40 cells along x and y, as many or 57 along z, random inflow",
       {{"inflow", "random"}},
       {{"n", {3, 8, 40}}, {"nz", {0, 57}}, {"loops", {0, 5}}, both}},
      {"headline", "320^3, f64", {{"n", 320}, {"loops", 0}, {"precision", "f64"}}, {}},
      {"small", "80^3 and 160^3, both listings and precisions", {}, {{"n", {80, 160}}, listings, both}},
      {"standard", "320^3 and 640^3, both listings and precisions", {}, {{"n", {320, 640}}, listings, both}},
      {"large", "1280^3 and 1600^3, Listing 1 in f64: 17 and 33 GB", {}, {{"n", {1280, 1600}}}},
      {"crossover",
       "8^3 to 384^3, f64",
       {{"loops", 0}, {"precision", "f64"}},
       {{"n", {8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384}}}},
      {"table2", "the paper's Table II: 40^3, 80^3 ... 640^3, Listing 1, f32", single, {by_40}},
      {"table3", "the paper's Table III, the steps of the ladder: the problems of table2", single, {by_40}},
      {"table4",
       "the paper's Table IV: 40^3 ... 640^3, Listing 2 with 1, 5 and 10 loops, both precisions",
       {},
       {{"n", {40, 80, 160, 320, 640}}, {"loops", {1, 5, 10}}, both}},
  };
}

harness::Parameter extent(std::string key, std::string axis) {
  return harness::integer(std::move(key), 0, "cells along " + std::move(axis) + "; 0: n", {.minimum = 0});
}
std::vector<harness::Parameter> parameters() {
  const Recurrence<double> r;
  return {
      harness::integer("n", 160, "cells along each axis", {.minimum = 1}),
      extent("nx", "x"),
      extent("ny", "y"),
      extent("nz", "z, which is contiguous in memory"),
      harness::integer("loops", 0, "0: Listing 1; L above 0: Listing 2 with L loops", {.minimum = 0, .maximum = 1e6}),
      harness::precision_parameter("of the grid and all arithmetic"),
      harness::choice("direction", "+++", "of the sweep along x, y and z: + from low to high indices",
                      {"+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"}),
      harness::choice("inflow", "zero", "what lies before the first cells", {"zero", "random"}),
      harness::integer("bits", 0, "random bits of a value; 0: 53, or 24 in f32", {.minimum = 0, .maximum = 53}),
      harness::choice("rounding", "separate", "of a product and a sum in Listing 2: one after the other, or once",
                      {"separate", "fused"}),
      harness::real("c", r.c, "the modulus, above 0"),
      harness::real("tc", r.tc, "Listing 2: factor of top"),
      harness::real("td", r.td, "Listing 2: summand of top"),
      harness::real("nc", r.nc, "Listing 2: factor of north"),
      harness::real("nd", r.nd, "Listing 2: summand of north"),
      harness::real("wc", r.wc, "Listing 2: factor of west"),
      harness::real("wd", r.wd, "Listing 2: summand of west"),
      harness::real("rc", r.rc, "Listing 2: factor of the cell itself"),
      harness::real("rd", r.rd, "Listing 2: summand of the cell itself"),
  };
}

/// More planes along x, which ranks and GPUs divide.
std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) {
  return {{"nx", settings_of(p).data.extents.nx * ranks}};
}

}  // namespace

harness::Application application() {
  return {
      .name = "wavefront",
      .title = "Three-dimensional wavefront",
      .summary =
          "A grid swept from corner to corner: every cell needs the new values of those before it along x, y and z.",
      .source = "Pennycook, Mudalige, Hammond, Jarvis, UKPEW 2010",
      .update = "cell",
      .rate_name = "GCUPS",
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .prepare = harness::make_workload<WavefrontWorkload>(harness::is_f32, settings_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<WavefrontWorkload>(harness::is_f32, settings_of, Data::none),
      .projector = projector()};
}

}  // namespace speedwell::wavefront
