// stream for the harness: parameters, sizes, work, the table of variants and the solver on the host.
#include "speedwell/apps/stream/adapter.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stream/adapter_workload.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/parts.hpp"
#include "speedwell/core/streaming_wins.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/division_model.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::stream {
namespace {

constexpr std::array<std::pair<const char*, Kernel>, 6> kernels = {{{"copy", Kernel::copy},
                                                                    {"scale", Kernel::scale},
                                                                    {"add", Kernel::add},
                                                                    {"triad", Kernel::triad},
                                                                    {"dot", Kernel::dot},
                                                                    {"sequence", Kernel::sequence}}};

/// Arrays read and written, and floating-point operations, for each element in one pass.
struct Traffic {
  int reads, writes, operations;
};
Traffic traffic_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::copy:
      return {1, 1, 0};
    case Kernel::scale:
      return {1, 1, 1};
    case Kernel::add:
      return {2, 1, 1};
    case Kernel::triad:
      return {2, 1, 2};
    case Kernel::dot:
      return {2, 0, 2};
    case Kernel::sequence:
      return {6, 4, 4};
  }
  throw std::logic_error("stream: a kernel without its traffic");
}
int arrays_of(Kernel kernel) {
  return kernel == Kernel::copy || kernel == Kernel::scale || kernel == Kernel::dot ? 2 : 3;
}

double array_bytes(const Problem& p) { return static_cast<double>(p.n) * static_cast<double>(p.element_bytes()); }

harness::Work work(const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  const Traffic traffic = traffic_of(p.kernel);
  const double passes = static_cast<double>(p.repeats) * (p.kernel == Kernel::sequence ? sequence_repeats : 1);
  const double n = static_cast<double>(p.n);
  harness::Work w;
  w.operations = passes * n * traffic.operations;
  // The products of a dot are added in f64 for both precisions.
  w.arithmetic = traffic.operations == 0            ? harness::Arithmetic::none
                 : p.f32 && p.kernel != Kernel::dot ? harness::Arithmetic::f32
                                                    : harness::Arithmetic::f64;
  w.bytes_read = passes * traffic.reads * array_bytes(p);
  w.bytes_written = passes * traffic.writes * array_bytes(p);
  w.updates = passes * n * (p.kernel == Kernel::sequence ? 4 : 1);
  w.working_set = arrays_of(p.kernel) * array_bytes(p);
  return w;
}

harness::Footprint inputs_footprint(const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  return {.host_bytes = (p.reads_y() ? 2 : 1) * array_bytes(p), .device_bytes = 0};
}
double output_bytes(const Problem& p) {
  return p.kernel == Kernel::dot ? 0 : (p.kernel == Kernel::sequence ? 3 : 1) * array_bytes(p);
}
harness::Footprint host_footprint(const harness::Problem& problem) {
  return {.host_bytes = output_bytes(problem_of(problem)), .device_bytes = 0};
}
harness::Footprint device_footprint(const harness::Problem& problem) {
  const Problem p = problem_of(problem);
  const double partial_sums = p.kernel == Kernel::dot ? static_cast<double>(p.n) / 256 * sizeof(double) + 1e6 : 0;
  return {.host_bytes = output_bytes(p), .device_bytes = arrays_of(p.kernel) * array_bytes(p) + partial_sums};
}

enum class Method { serial, plain_loops, best };

/// Reads the inputs where the workload has them. The threads that will use the arrays of the results touch them first.
template <class T>
class HostSolver {
 public:
  HostSolver(const TypedWorkload<T>& workload, const harness::Context& context, Method method)
      : problem_(workload.problem()),
        inputs_(workload.inputs()),
        method_(method),
        options_{.threads = method == Method::serial ? 1 : context.threads} {
    if (context.deterministic && method == Method::plain_loops && problem_.kernel == Kernel::dot)
      throw core::Unavailable("openmp-plain: the sum of a dot product depends on how many threads share it");
  }

  void allocate(Results<T>& results) {
    fill(results.a);
    fill(results.b);
    fill(results.out);
  }
  /// Only a sequence changes its input.
  void reset(Results<T>& results) {
    if (problem_.kernel == Kernel::sequence) copy<T>(inputs_.x.span(), results.a.span(), options_);
  }
  void poison(Results<T>& results) {
    fill(results.out);
    fill(results.b);
    results.sum = std::numeric_limits<double>::quiet_NaN();
  }
  void execute(Results<T>& results) {
    if (method_ == Method::best) return execute_kernel(problem_, inputs_, results, options_);
    for (std::int64_t r = 0; r < problem_.repeats; ++r) execute_plain(results);
  }
  harness::Choices choices() const {
    if (method_ != Method::best) return {};
    const bool streaming =
        core::streaming_wins(static_cast<std::int64_t>(arrays_of(problem_.kernel) * array_bytes(problem_)));
    return {harness::instruction_set(), {"stores", streaming ? "streaming" : "temporal"}};
  }

 private:
  void fill(core::HostBuffer<T>& array) {
    core::parallel_for(array.size(), sizeof(T), options_.threads, [&](std::size_t begin, std::size_t end) {
      if (begin < end) std::memset(array.data() + begin, 0xFF, (end - begin) * sizeof(T));
    });
  }
  // Calls f(begin, end) for the part of the arrays of each thread; that of one thread is everything.
  template <class F>
  void parts(const F& f) {
    core::parallel_for(static_cast<std::size_t>(problem_.n), sizeof(T), options_.threads, f);
  }
  void execute_plain(Results<T>& results) {
    const std::span<const T> x = inputs_.x.span(), y = inputs_.y.span();
    const std::span<T> a = results.a.span(), b = results.b.span(), out = results.out.span();
    const T s = static_cast<T>(stream_scalar);
    const auto part = [](auto span, std::size_t begin, std::size_t end) { return span.subspan(begin, end - begin); };
    switch (problem_.kernel) {
      case Kernel::copy:
        return parts([&](auto i, auto j) { serial::copy<T>(part(x, i, j), part(out, i, j)); });
      case Kernel::scale:
        return parts([&](auto i, auto j) { serial::scale<T>(s, part(x, i, j), part(out, i, j)); });
      case Kernel::add:
        return parts([&](auto i, auto j) { serial::add<T>(part(x, i, j), part(y, i, j), part(out, i, j)); });
      case Kernel::triad:
        return parts([&](auto i, auto j) { serial::triad<T>(s, part(x, i, j), part(y, i, j), part(out, i, j)); });
      case Kernel::dot: {
        std::map<std::size_t, double> sums;  // one for each part, added in the order of the parts
        std::mutex mutex;
        parts([&](std::size_t i, std::size_t j) {
          const double sum = serial::dot<T>(part(x, i, j), part(y, i, j));
          const std::lock_guard lock(mutex);
          sums[i] = sum;
        });
        results.sum = 0;
        for (const auto& [begin, sum] : sums) results.sum += sum;
        return;
      }
      case Kernel::sequence:
        break;
    }
    for (int r = 0; r < sequence_repeats; ++r) {
      parts([&](auto i, auto j) { serial::copy<T>(part(a, i, j), part(out, i, j)); });
      parts([&](auto i, auto j) { serial::scale<T>(s, part(out, i, j), part(b, i, j)); });
      parts([&](auto i, auto j) { serial::add<T>(part(a, i, j), part(b, i, j), part(out, i, j)); });
      parts([&](auto i, auto j) { serial::triad<T>(s, part(b, i, j), part(out, i, j), part(a, i, j)); });
    }
  }
  Problem problem_;
  const Inputs<T>& inputs_;
  Method method_;
  HostOptions options_;
};

harness::Variant host_variant(std::string name, Method method, std::string description, std::string lineage = "") {
  return {.name = std::move(name),
          .backend = method == Method::serial ? harness::Backend::serial : harness::Backend::openmp,
          .description = std::move(description),
          .lineage = std::move(lineage),
          .make = harness::host_solver<TypedWorkload, HostSolver>(method),
          .footprint = host_footprint};
}
harness::Variant ranks_variant() {
  return {.name = "mpi",
          .backend = harness::Backend::mpi,
          .description =
              "as openmp, a part of the arrays on each rank; the sums of dot are added in the order of the ranks",
          .footprint = [](const harness::Problem& problem) {
            // The parts of all ranks, and what the first one collects to verify it.
            const Problem p = problem_of(problem);
            return harness::Footprint{.host_bytes = inputs_footprint(problem).host_bytes + 2 * output_bytes(p)};
          }};
}
harness::Variant gpu_variant(std::string name, harness::Role role, std::string description, std::string lineage = "") {
  return {.name = std::move(name),
          .backend = harness::Backend::cuda,
          .role = role,
          .description = std::move(description),
          .lineage = std::move(lineage),
          .footprint = device_footprint};
}

harness::Variant gpus_variant() {
  return {.name = "multi",
          .backend = harness::Backend::multi,
          .role = harness::Role::best,
          .description =
              "as cuda, a part of the arrays on the GPU of each rank; the sums of dot are added in the order of the "
              "ranks",
          .footprint = [](const harness::Problem& problem) {
            // The host has the parts of all ranks, and what the first one collects to verify it.
            harness::Footprint footprint = device_footprint(problem);
            footprint.host_bytes = inputs_footprint(problem).host_bytes + 2 * output_bytes(problem_of(problem));
            return footprint;
          }};
}

std::vector<harness::Variant> variants() {
  using harness::Role;
  return {
      host_variant("serial", Method::serial, "plain loops on one core"),
      host_variant("openmp-plain", Method::plain_loops, "the plain loops, a part of the arrays to each core",
                   "STREAM; BabelStream's OpenMP form"),
      host_variant("openmp", Method::best,
                   "vectors on all cores, streaming stores past the caches when the arrays outgrow them"),
      ranks_variant(),
      gpu_variant("cuda-naive", Role::step, "one element per thread"),
      gpu_variant("cuda-grid-stride", Role::step, "a fixed grid of threads walks over the arrays",
                  "dissertation 2012, ch. 3.1; BabelStream"),
      gpu_variant("cuda-vector", Role::step, "16 bytes per thread, as many threads as that takes"),
      gpu_variant("cuda-evict-first", Role::step,
                  "loads and stores that do not stay in the cache; the dot product in one kernel"),
      gpu_variant("cuda", Role::best, "the same kernels, recorded once and replayed as one graph"),
      gpus_variant(),
  };
}

std::vector<harness::Size> sizes() {
  const std::vector<harness::Value> single = {"copy", "scale", "add", "triad", "dot"};
  std::vector<harness::Value> all = single;
  all.emplace_back("sequence");
  const std::vector<harness::Value> short_lengths = {1000, 3000, 10000, 30000, 100000, 300000, 1000000};
  std::vector<harness::Value> lengths = short_lengths;
  lengths.insert(lengths.end(), {3000000, 10000000, 30000000, 100000000});
  return {
      {"test",
       "every kernel in both precisions on a length that divides by nothing",
       {{"n", 100003}},
       {{"kernel", all}, harness::both_precisions()}},
      {"headline", "triad, 3 x 256 MiB", {{"n", 1 << 25}, {"kernel", "triad"}}, {}},
      {"small", "256 MiB per array", {{"n", 1 << 25}}, {{"kernel", single}}},
      {"standard", "2 GiB per array, and STREAM's own sequence", {{"n", 1 << 28}}, {{"kernel", all}}},
      {"large",
       "32 GiB per array: fills a GPU of 100 GiB and more",
       {{"n", std::int64_t{1} << 32}},
       {{"kernel", single}}},
      {"curve", "bandwidth of triad against length", {}, {{"n", lengths}}},
      {"crossover", "triad of 10^3 to 10^8 elements", {{"kernel", "triad"}}, {{"n", lengths}}},
      {"curve-repeated",
       "the short end of the curve, 100 kernels in a row",
       {{"repeats", 100}},
       {{"n", short_lengths}}},
  };
}

std::vector<harness::Parameter> parameters() {
  return {
      harness::choice("kernel", "triad", "which operation; sequence: STREAM's own order, ten times",
                      {"copy", "scale", "add", "triad", "dot", "sequence"}),
      harness::integer("n", 1 << 25, "elements of each array", {1, 0x1p40}),
      harness::precision_parameter("type of the elements"),
      harness::integer("repeats", 1, "kernels in a row that one execute does", {.minimum = 1, .maximum = 10000}),
  };
}

std::vector<harness::Setting> weak(const harness::Problem& p, int ranks) { return {{"n", problem_of(p).n * ranks}}; }

}  // namespace

Problem problem_of(const harness::Problem& problem) {
  Problem p;
  for (const auto& [word, kernel] : kernels)
    if (problem.get<std::string>("kernel") == word) p.kernel = kernel;
  p.n = problem.get<std::int64_t>("n");
  p.f32 = problem.get<std::string>("precision") == "f32";
  p.repeats = problem.get<std::int64_t>("repeats");
  p.seed = problem.seed();
  if (p.kernel == Kernel::sequence && p.repeats != 1)
    throw std::invalid_argument("stream: repeats = " + std::to_string(p.repeats) +
                                " does not go with kernel = sequence, which repeats 10 times by STREAM's rule");
  return p;
}

harness::Application application() {
  harness::Application app{
      .name = "stream",
      .title = "Memory bandwidth",
      .summary = "Copy, scale, add, triad and dot: the speed of memory, and nothing else.",
      .source = "Khajeh-Saeed, dissertation, UMass Amherst 2012, ch. 3.1; STREAM 5.10; BabelStream 5.0",
      .update = "element",
      .parameters = parameters(),
      .sizes = sizes(),
      .variants = variants(),
      .footprint = inputs_footprint,
      .work = work,
      .prepare = harness::make_workload<StreamWorkload>(harness::is_f32, problem_of),
      .weak = weak,
      .prepare_rank = harness::make_workload<StreamWorkload>(harness::is_f32, problem_of, false)};
  harness::set_division_model(app, [](const harness::Problem& p, const harness::Variant&, int parts) {
    const Problem problem = problem_of(p);
    harness::Division d = harness::division_of_items(problem.n, parts);
    if (problem.kernel == Kernel::dot) d.sums = 1;
    return d;
  });
  return app;
}

}  // namespace speedwell::stream
