// fft for the harness: parameters, sizes, work, and the table of variants.
#include "speedwell/apps/fft/adapter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "speedwell/apps/fft/adapter_workload.hpp"
#include "speedwell/apps/fft/study.hpp"
#include "speedwell/core/units.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"
#include "speedwell/numerics/fft/argument_checks.hpp"
#include "speedwell/numerics/fft/gpu/method.hpp"
#include "speedwell/numerics/fft/gpu_ladder.hpp"
#include "speedwell/numerics/fft/traffic.hpp"

namespace speedwell::fft {
namespace {

using harness::Backend;
using harness::Role;

std::size_t element_bytes(const harness::Problem& p) { return static_cast<std::size_t>(harness::real_bytes(p)); }

Problem problem_of(const harness::Problem& p) {
  const std::string& kind = p.get<std::string>("kind");
  return {.shape = {std::vector<std::int64_t>(kind == "1d"   ? 1
                                              : kind == "2d" ? 2
                                                             : 3,
                                              p.get<std::int64_t>("n")),
                    p.get<std::int64_t>("batch")},
          .data = p.get<std::string>("data") == "real" ? Data::real : Data::complex,
          .direction = p.get<std::string>("direction") == "backward" ? Direction::backward : Direction::forward,
          .seed = p.seed()};
}
Kind kind_of(const Problem& problem) { return problem.data == Data::real ? Kind::real : Kind::complex; }
Problem checked(const harness::Problem& p) {
  Problem problem = problem_of(p);
  require_shape(problem.shape);
  return problem;
}

harness::Footprint footprint(const harness::Problem& p) {
  const Problem problem = checked(p);
  return {.host_bytes = estimated_bytes(kind_of(problem), problem.shape, 1, element_bytes(p)) + oracle_bytes(problem)};
}

// What of a problem bytes depend on.
struct Transform {
  Kind kind;
  Direction direction;
  Shape shape;
  std::size_t real_bytes;
};
Transform transform_of(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  return {kind_of(problem), problem.direction, problem.shape, element_bytes(p)};
}

harness::Work work_of(const harness::Problem& p, const Traffic& traffic) {
  const Problem problem = problem_of(p);
  const auto all = static_cast<double>(points(problem)), one = all / static_cast<double>(problem.shape.batch);
  const auto width = static_cast<double>(element_bytes(p));
  const double in = width * static_cast<double>(input_reals(problem));
  const double out = width * static_cast<double>(output_reals(problem));
  return {.operations = (problem.data == Data::real ? 2.5 : 5) * all * std::log2(one),
          .arithmetic = harness::real_arithmetic(p),
          .bytes_read = traffic.read,
          .bytes_written = traffic.written,
          .updates = all,
          .working_set = in + out};
}
harness::Work work(const harness::Problem& p) {
  const Transform t = transform_of(p);
  return work_of(p, best_traffic(t.kind, t.direction, t.shape, t.real_bytes));
}
harness::Work host_work(const harness::Problem& p) {
  const Transform t = transform_of(p);
  return work_of(p, host_traffic(t.kind, t.direction, t.shape, t.real_bytes));
}
harness::Work gpu_work(const harness::Problem& p, std::string_view step) {
  const Transform t = transform_of(p);
  return work_of(p, gpu_traffic(t.kind, t.direction, t.shape, step, t.real_bytes));
}
// Every stage goes over the result, in place.
harness::Work study_work(const harness::Problem& p, Algorithm algorithm) {
  const Transform t = transform_of(p);
  if (!supports(algorithm, t.shape.extents[0])) return work(p);  // refused
  harness::Work all = work_of(p, study_traffic(algorithm, t.shape, t.real_bytes));
  if (algorithm != Algorithm::recursive) all.working_set /= 2;
  return all;
}

template <class T>
class StudySolver {
 public:
  StudySolver(const Inputs<T>& inputs, const harness::Context&, Algorithm algorithm)
      : inputs_(inputs), algorithm_(algorithm) {}

  bool plan(core::HostBuffer<T>&) {
    transform_.emplace(algorithm_, inputs_.problem().shape.extents[0], inputs_.problem().direction);
    return true;
  }
  void execute(core::HostBuffer<T>& out) {
    const Shape& shape = inputs_.problem().shape;
    const std::int64_t n = shape.extents[0];
    for (std::int64_t b = 0; b < shape.batch; ++b)
      transform_->execute(complexes(inputs_.in()).subspan(b * n, n), complexes(out.span()).subspan(b * n, n));
  }

 private:
  const Inputs<T>& inputs_;
  Algorithm algorithm_;
  std::optional<StudyTransform<T>> transform_;
};

template <class T>
class PlanSolver {
 public:
  PlanSolver(const Inputs<T>& inputs, const harness::Context& context, Backend backend)
      : inputs_(inputs), threads_(backend == Backend::serial ? 1 : context.threads) {}

  bool plan(core::HostBuffer<T>&) {
    const Options options{.threads = threads_};
    if (inputs_.is_real())
      real_.emplace(inputs_.problem().shape, options);
    else
      complex_.emplace(inputs_.problem().shape, options);
    return true;
  }
  void execute(core::HostBuffer<T>& out) {
    if (complex_)
      complex_->transform(inputs_.problem().direction, complexes(inputs_.in()), complexes(out.span()));
    else if (inputs_.is_backward())
      real_->backward(complexes(inputs_.in()), out.span());
    else
      real_->forward(inputs_.in(), complexes(out.span()));
  }
  harness::Choices choices() const { return harness::host_choices(threads_); }

 private:
  const Inputs<T>& inputs_;
  int threads_;
  std::optional<Plan<T>> complex_;
  std::optional<RealPlan<T>> real_;
};

std::optional<std::string> study_refuses(const harness::Problem& p, Algorithm algorithm) {
  if (p.get<std::string>("kind") != "1d" || p.get<std::string>("data") != "complex")
    return "the study's algorithms are complex, of one dimension";
  if (supports(algorithm, p.get<std::int64_t>("n"))) return std::nullopt;
  return "n is " + std::to_string(p.get<std::int64_t>("n")) + "; the algorithm needs a power of " +
         (algorithm == Algorithm::radix4 ? "four" : "two");
}

harness::Variant study_row(Algorithm algorithm, std::string description) {
  return {.name = std::string(to_string(algorithm)),
          .backend = Backend::serial,
          .description = std::move(description),
          .lineage = "section 5.5",
          .make = harness::host_solver<Inputs, StudySolver>(algorithm),
          .work = [algorithm](const harness::Problem& p) { return study_work(p, algorithm); },
          .unsupported_reason = [algorithm](const harness::Problem& p) { return study_refuses(p, algorithm); }};
}

harness::Variant plan_row(std::string name, Backend backend, std::string description) {
  return {.name = std::move(name),
          .backend = backend,
          .description = std::move(description),
          .make = harness::host_solver<Inputs, PlanSolver>(backend),
          .work = host_work};
}

// Why the variants on ranks do not support a problem, and a number of ranks.
std::optional<std::string> ranks_refuse(const harness::Problem& p) {
  if (p.get<std::string>("kind") == "1d") return "one axis is not divided among ranks";
  if (p.get<std::int64_t>("batch") == 1) return std::nullopt;
  return "batch is " + std::to_string(p.get<std::int64_t>("batch")) + "; ranks transform one array";
}
std::optional<std::string> unsupported_ranks_reason(const harness::Problem& p, int ranks) {
  const Problem problem = problem_of(p);
  const auto& extents = problem.shape.extents;
  if (extents.size() < 2) return std::nullopt;
  // The second axis of two, of a real array, has n / 2 + 1 points in the spectrum.
  const bool halved = extents.size() == 2 && problem.data == Data::real;
  const std::int64_t layers = std::min(extents[0], halved ? extents[1] / 2 + 1 : extents[1]);
  if (ranks <= layers) return std::nullopt;
  return std::to_string(ranks) + " ranks for " + core::counted(layers, "layer") + " of the array";
}

double spectrum_bytes(const harness::Problem& p) {
  Problem problem = problem_of(p);
  problem.direction = Direction::forward;
  return static_cast<double>(output_reals(problem)) * static_cast<double>(element_bytes(p));
}
// The slabs before and after the exchange, the buffers of one in each direction, and the tiles of input and output.
harness::Footprint ranks_footprint(const harness::Problem& p) {
  const Problem problem = problem_of(p);
  const double arrays = static_cast<double>(input_reals(problem) + output_reals(problem));
  return {.host_bytes = 6 * spectrum_bytes(p) + arrays * static_cast<double>(element_bytes(p))};
}

harness::Variant ranks_row() {
  return {.name = "mpi",
          .backend = Backend::mpi,
          .description =
              "as openmp, slabs on one core of each rank, in memory that ranks of a host share; the spectrum stays "
              "transposed",
          .work = host_work,
          .footprint = ranks_footprint,
          .unsupported_reason = ranks_refuse,
          .unsupported_ranks_reason = unsupported_ranks_reason};
}

// A rank sends all of its slab but its own part of the result. Planes are transformed before or after, not meanwhile.
harness::Division division(const harness::Problem& p, const harness::Variant&, int parts) {
  harness::Division d = harness::division_of_items(problem_of(p).shape.extents[0], parts);
  d.messages = parts - 1;
  d.bytes = d.share * spectrum_bytes(p) * (parts - 1) / parts;
  return d;
}

harness::Footprint device_footprint(const harness::Problem& p, std::string_view step) {
  const Problem problem = problem_of(p);
  return {.device_bytes = gpu_bytes(kind_of(problem), problem.shape, step, element_bytes(p))};
}

// The first steps differ from the last in how they cross complex arrays of several dimensions.
std::optional<std::string> step_refuses(const harness::Problem& p) {
  if (p.get<std::string>("kind") == "1d") return "one dimension is one pass over memory; cuda does it";
  if (p.get<std::string>("data") == "real") return "of real data there is one way, that of cuda";
  return std::nullopt;
}

harness::Variant gpu_row(const Step& step) {
  const bool best = step.name == "cuda";
  harness::Variant row = harness::ladder_variant(step);
  row.footprint = [&step](const harness::Problem& p) { return device_footprint(p, step.name); };
  row.work = [&step](const harness::Problem& p) { return gpu_work(p, step.name); };
  if (!best) row.unsupported_reason = step_refuses;
  return row;
}

harness::Work gpus_work(const harness::Problem& p, Exchange exchange) {
  return work_of(p, gpus_traffic(problem_of(p).shape, exchange, element_bytes(p)));
}
// The tiles of input and output, the slab that is sent and the one that is received, with transports through the host
// two more, and work space of transforms.
harness::Footprint gpus_footprint(const harness::Problem& p) {
  return {.host_bytes = 4 * spectrum_bytes(p), .device_bytes = 7 * spectrum_bytes(p) + (1 << 26)};
}
std::optional<std::string> gpus_refuse(const harness::Problem& p) {
  if (p.get<std::string>("data") == "real") return "GPUs transform complex arrays";
  return ranks_refuse(p);
}

harness::Variant gpus_row(std::string name, Role role, std::string description, Exchange exchange) {
  return {.name = std::move(name),
          .backend = Backend::multi,
          .role = role,
          .description = std::move(description),
          .work = [exchange](const harness::Problem& p) { return gpus_work(p, exchange); },
          .footprint = gpus_footprint,
          .unsupported_reason = gpus_refuse,
          .unsupported_ranks_reason = unsupported_ranks_reason};
}

harness::Variant cufft_row() {
  harness::Variant row{.name = "cufft", .backend = Backend::cuda, .role = Role::peer, .description = "cuFFT"};
  // Its work space is at most the array's size where lengths are smooth.
  row.footprint = [](const harness::Problem& p) { return device_footprint(p, "cuda-transposed"); };
  return row;
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      study_row(Algorithm::recursive, "out of place by recursion on even and odd elements"),
      study_row(Algorithm::radix2, "decimation in frequency, reordered at the end"),
      study_row(Algorithm::radix4, "the same by four-point butterflies and base-4 digits"),
      study_row(Algorithm::bit_reversed_1, "reversed first; butterfly position outermost, one table of twiddles"),
      study_row(Algorithm::bit_reversed_2, "reversed first; contiguous loops, a table of twiddles for each stage"),
      plan_row("serial", Backend::serial, "what openmp does, on one core"),
      plan_row("openmp", Backend::openmp, "all cores: lines side by side in vectors, planes kept in the caches"),
      {.name = "fftw",
       .backend = Backend::openmp,
       .role = Role::peer,
       .description = "FFTW, planned by measuring, on its own threads",
       .max_planning =
           [](const harness::Problem& p) {
             return points(problem_of(p)) >= min_patient_array ? max_planning_seconds : 0.0;
           }},
  };
  rows.push_back(ranks_row());
  for (const Step& step : steps) rows.push_back(gpu_row(step));
  rows.push_back(gpus_row("multi-staged", Role::step,
                          "a slab on each GPU, exchanged through the host after its transforms", Exchange::copies));
  rows.push_back(
      gpus_row("multi-nccl", Role::step, "the slabs are exchanged by NCCL, without the host", Exchange::copies));
  rows.push_back(
      gpus_row("multi", Role::best,
               "the pass before the exchange sends to the memory of the other GPUs while it runs, where it can",
               Exchange::stores));
  rows.push_back(cufft_row());
  return rows;
}

std::vector<harness::Size> sizes() {
  const harness::Setting one{"kind", "1d"}, three{"kind", "3d"};
  const harness::Sweep precisions = harness::both_precisions();
  const harness::Sweep both{"data", {"complex", "real"}};
  std::vector<harness::Value> ladder;
  for (std::int64_t n = 16; n <= 16'777'216; n *= 4) ladder.emplace_back(n);
  return {
      {"test",
       "12, 16, 31 and 64 points, in one and three dimensions, complex and real, both precisions",
       {},
       {{"kind", {"1d", "3d"}}, {"n", {12, 16, 31, 64}}, both, precisions}},
      {"headline", "128^3, complex, f64", {three, {"n", 128}, {"data", "complex"}, {"precision", "f64"}}, {}},
      {"small", "64 and 128 cubed, complex and real, f64", {three}, {{"n", {64, 128}}, both}},
      {"standard", "256 cubed, complex and real, both precisions", {three, {"n", 256}}, {both, precisions}},
      {"large", "512 and 1024 cubed, complex, f64", {three}, {{"n", {512, 1024}}}},
      {"study", "the study's one-dimensional ladder, 4^2 to 4^12, both precisions", {one}, {{"n", ladder}, precisions}},
      {"batched", "65536 lines of 256 points, both precisions", {one, {"n", 256}, {"batch", 65536}}, {precisions}},
      {"long", "single lines of 2^26 and 2^28 points, f64", {one}, {{"n", {1 << 26, 1 << 28}}}},
      {"lengths",
       "single lines that are not powers of two: smooth, prime and nearly so",
       {one},
       {{"n", {1000, 8191, 30030, 100003, 1000000, 1000003}}}},
      {"crossover",
       "4 to 256 cubed, complex, f64",
       {three, {"data", "complex"}, {"precision", "f64"}},
       {{"n", {4, 8, 16, 32, 64, 128, 256}}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("kind", "1d", "dimensions", {"1d", "2d", "3d"}),
      harness::integer("n", 65536, "points along every dimension", {.minimum = 1}),
      harness::integer("batch", 1, "transforms, one after the other", {.minimum = 1}),
      harness::choice("data", "complex", "complex to complex, or real to complex (backward: complex to real)",
                      {"complex", "real"}),
      harness::choice("direction", "forward", "sign of the exponent: forward -, backward +; both unscaled",
                      {"forward", "backward"}),
      harness::precision_parameter("of data and arithmetic"),
  };
}

}  // namespace

harness::Application application() {
  harness::Application app{
      .name = "fft",
      .title = "Fast Fourier transforms",
      .summary = "Fourier transforms of one to three dimensions, complex and real, any length.",
      .source = "PhD dissertation 2012, section 5.5",
      .update = "point",
      .rate_name = "Gpoint/s",  // bytes are those of each variant's passes, and say nothing between variants
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = footprint,
      .work = work,
      .prepare = harness::make_workload<FftWorkload>(harness::is_f32, checked),
      .prepare_rank = harness::make_workload<FftWorkload>(harness::is_f32, checked, false)};
  harness::set_division_model(app, division);
  return app;
}

}  // namespace speedwell::fft
