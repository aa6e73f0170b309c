// stream for the harness: parameters, sizes, work, the table of variants and the host runs.
#include "speedwell/apps/stream/adapter.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "speedwell/apps/stream/adapter_case.hpp"
#include "speedwell/apps/stream/verify.hpp"
#include "speedwell/core/error.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/core/parts.hpp"

namespace speedwell::stream {
namespace {

constexpr std::array<std::pair<const char*, Kernel>, 6> kernels = {{{"copy", Kernel::copy},
                                                                    {"scale", Kernel::scale},
                                                                    {"add", Kernel::add},
                                                                    {"triad", Kernel::triad},
                                                                    {"dot", Kernel::dot},
                                                                    {"sequence", Kernel::sequence}}};

/// Per element of one pass: arrays read and written, floating-point operations.
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

std::shared_ptr<const harness::Workload> prepare(const harness::Problem& problem) {
  auto prepared = std::make_shared<StreamCase>();
  prepared->problem = problem_of(problem);
  if (prepared->problem.f32)
    prepared->f32 = make_inputs<float>(prepared->problem);
  else
    prepared->f64 = make_inputs<double>(prepared->problem);
  return prepared;
}

/// The host's ways.
enum class Method { serial, plain_loops, best };

/// The host's variants: the inputs are read where the case has them; outputs, and the arrays that a sequence changes,
/// are the run's own, touched first by the threads that will use them.
template <class T>
class HostRun : public harness::Run {
 public:
  HostRun(std::shared_ptr<const StreamCase> prepared, const harness::Context& context, Method method)
      : case_(std::move(prepared)),
        method_(method),
        options_{.threads = method == Method::serial ? 1 : context.threads} {
    if (context.deterministic && method == Method::plain_loops && case_->problem.kernel == Kernel::dot)
      throw core::Unavailable("openmp-plain: the sum of a dot product depends on how many threads share it");
  }

  void allocate() override {
    const Problem& p = case_->problem;
    const auto n = static_cast<std::size_t>(p.n);
    if (p.kernel == Kernel::sequence) {
      a_ = core::HostBuffer<T>(n, core::Pages::large);
      b_ = core::HostBuffer<T>(n, core::Pages::large);
      fill(a_, 0xFF);
      fill(b_, 0xFF);
    }
    if (p.kernel != Kernel::dot) out_ = core::HostBuffer<T>(n, core::Pages::large);
    fill(out_, 0xFF);
  }
  void reset() override {
    if (case_->problem.kernel == Kernel::sequence) copy<T>(inputs().x.span(), a_.span(), options_);
  }
  void poison() override {
    fill(out_, 0xFF);
    fill(b_, 0xFF);
    sum_ = std::numeric_limits<double>::quiet_NaN();
  }
  void execute() override {
    for (std::int64_t r = 0; r < case_->problem.repeats; ++r)
      method_ == Method::best ? execute_best() : execute_plain();
  }
  core::Verdict verify() override {
    const Problem& p = case_->problem;
    return stream::verify<T>(p, {.out = std::as_const(out_).span(),
                                 .sum = sum_,
                                 .a = std::as_const(a_).span(),
                                 .b = std::as_const(b_).span(),
                                 .c = std::as_const(out_).span()});
  }
  std::vector<harness::Output> outputs() override {
    constexpr auto type = sizeof(T) == 8 ? harness::ElementType::f64 : harness::ElementType::f32;
    switch (case_->problem.kernel) {
      case Kernel::dot:
        return {{"sum", harness::ElementType::f64, &sum_, 1}};
      case Kernel::sequence:
        return {{"a", type, a_.data(), a_.size()},
                {"b", type, b_.data(), b_.size()},
                {"c", type, out_.data(), out_.size()}};
      default:
        return {{"out", type, out_.data(), out_.size()}};
    }
  }
  std::vector<std::pair<std::string, std::string>> choices() override {
    if (method_ != Method::best) return {};
    const bool streaming =
        streaming_wins(static_cast<std::int64_t>(arrays_of(case_->problem.kernel) * array_bytes(case_->problem)));
    return {{"instruction_set", std::string(core::to_string(core::best_isa()))},
            {"stores", streaming ? "streaming" : "temporal"}};
  }

 private:
  const Inputs<T>& inputs() const { return case_->inputs<T>(); }

  void fill(core::HostBuffer<T>& buffer, int byte) {
    core::parallel_for(buffer.size(), sizeof(T), options_.threads, [&](std::size_t begin, std::size_t end) {
      if (begin < end) std::memset(buffer.data() + begin, byte, (end - begin) * sizeof(T));
    });
  }
  // f(begin, end) for every thread's part of the arrays; one thread's is everything.
  template <class F>
  void parts(const F& f) {
    core::parallel_for(out_.size() > 0 ? out_.size() : inputs().x.size(), sizeof(T), options_.threads, f);
  }
  void execute_plain() {
    const std::span<const T> x = inputs().x.span(), y = inputs().y.span();
    const std::span<T> a = a_.span(), b = b_.span(), out = out_.span();
    const T s = static_cast<T>(stream_scalar);
    const auto part = [](auto span, std::size_t begin, std::size_t end) { return span.subspan(begin, end - begin); };
    switch (case_->problem.kernel) {
      case Kernel::copy:
        return parts([&](auto i, auto j) { serial::copy<T>(part(x, i, j), part(out, i, j)); });
      case Kernel::scale:
        return parts([&](auto i, auto j) { serial::scale<T>(s, part(x, i, j), part(out, i, j)); });
      case Kernel::add:
        return parts([&](auto i, auto j) { serial::add<T>(part(x, i, j), part(y, i, j), part(out, i, j)); });
      case Kernel::triad:
        return parts([&](auto i, auto j) { serial::triad<T>(s, part(x, i, j), part(y, i, j), part(out, i, j)); });
      case Kernel::dot: {
        std::map<std::size_t, double> sums;  // of the parts, to be added up in their order
        std::mutex mutex;
        parts([&](std::size_t i, std::size_t j) {
          const double sum = serial::dot<T>(part(x, i, j), part(y, i, j));
          const std::lock_guard lock(mutex);
          sums[i] = sum;
        });
        sum_ = 0;
        for (const auto& [begin, sum] : sums) sum_ += sum;
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
  void execute_best() {
    const std::span<const T> x = inputs().x.span(), y = inputs().y.span();
    const std::span<T> out = out_.span();
    const T s = static_cast<T>(stream_scalar);
    switch (case_->problem.kernel) {
      case Kernel::copy:
        return copy<T>(x, out, options_);
      case Kernel::scale:
        return scale<T>(s, x, out, options_);
      case Kernel::add:
        return add<T>(x, y, out, options_);
      case Kernel::triad:
        return triad<T>(s, x, y, out, options_);
      case Kernel::dot:
        sum_ = dot<T>(x, y, options_);
        return;
      case Kernel::sequence:
        break;
    }
    for (int r = 0; r < sequence_repeats; ++r) sequence<T>(a_.span(), b_.span(), out, options_);
  }

  std::shared_ptr<const StreamCase> case_;
  Method method_;
  HostOptions options_;
  core::HostBuffer<T> a_, b_, out_;
  double sum_ = std::numeric_limits<double>::quiet_NaN();
};

harness::Variant::Make host_runs(Method method) {
  return [method](std::shared_ptr<const harness::Workload> prepared,
                  const harness::Context& context) -> std::unique_ptr<harness::Run> {
    auto own = std::static_pointer_cast<const StreamCase>(std::move(prepared));
    if (own->problem.f32) return std::make_unique<HostRun<float>>(std::move(own), context, method);
    return std::make_unique<HostRun<double>>(std::move(own), context, method);
  };
}

harness::Variant gpu_variant(std::string name, harness::Role role, std::string description, std::string lineage = "") {
  return {.name = std::move(name),
          .backend = harness::Backend::cuda,
          .role = role,
          .description = std::move(description),
          .lineage = std::move(lineage),
          .make = {},
          .unavailable_reason = {},
          .footprint = device_footprint,
          .unsupported_reason = {}};
}

std::vector<harness::Variant> variants() {
  using harness::Role;
  return {
      {.name = "serial",
       .backend = harness::Backend::serial,
       .role = Role::plain,
       .description = "plain loops on one core",
       .lineage = "",
       .make = host_runs(Method::serial),
       .unavailable_reason = {},
       .footprint = host_footprint,
       .unsupported_reason = {}},
      {.name = "openmp-plain",
       .backend = harness::Backend::openmp,
       .role = Role::plain,
       .description = "the plain loops, a part of the arrays to each core",
       .lineage = "STREAM; BabelStream's OpenMP form",
       .make = host_runs(Method::plain_loops),
       .unavailable_reason = {},
       .footprint = host_footprint,
       .unsupported_reason = {}},
      {.name = "openmp",
       .backend = harness::Backend::openmp,
       .role = Role::plain,
       .description = "vectors on all cores, streaming stores past the caches when the arrays outgrow them",
       .lineage = "",
       .make = host_runs(Method::best),
       .unavailable_reason = {},
       .footprint = host_footprint,
       .unsupported_reason = {}},
      gpu_variant("cuda-naive", Role::step, "one element per thread"),
      gpu_variant("cuda-grid-stride", Role::step, "a fixed grid of threads walks over the arrays",
                  "dissertation 2012, ch. 3.1; BabelStream"),
      gpu_variant("cuda-vector", Role::step, "16 bytes per thread, as many threads as that takes"),
      gpu_variant("cuda-evict-first", Role::step,
                  "loads and stores that do not stay in the cache; the dot product in one kernel"),
      gpu_variant("cuda", Role::best, "the same kernels, recorded once and replayed as one graph"),
  };
}

std::vector<harness::Value> words(std::initializer_list<const char*> list) { return {list.begin(), list.end()}; }
std::vector<harness::Value> counts(std::initializer_list<std::int64_t> list) { return {list.begin(), list.end()}; }

std::vector<harness::Size> sizes() {
  const std::vector<harness::Value> all = words({"copy", "scale", "add", "triad", "dot", "sequence"});
  const std::vector<harness::Value> single = words({"copy", "scale", "add", "triad", "dot"});
  const auto n = [](std::int64_t value) { return std::vector<harness::Setting>{{"n", value}}; };
  return {
      {"test",
       "every kernel in both precisions on a length that divides by nothing",
       n(100003),
       {{"kernel", all}, {"precision", words({"f64", "f32"})}}},
      {"headline", "triad, 3 x 256 MiB", {{"n", std::int64_t{1} << 25}, {"kernel", std::string("triad")}}, {}},
      {"small", "256 MiB per array", n(std::int64_t{1} << 25), {{"kernel", single}}},
      {"standard", "2 GiB per array, and STREAM's own sequence", n(std::int64_t{1} << 28), {{"kernel", all}}},
      {"large", "32 GiB per array: fills a GPU of 100 GiB and more", n(std::int64_t{1} << 32), {{"kernel", single}}},
      {"curve",
       "bandwidth of triad against length",
       {},
       {{"n", counts({1000, 3000, 10000, 30000, 100000, 300000, 1000000, 3000000, 10000000, 30000000, 100000000})}}},
      {"crossover",
       "triad of 10^3 to 10^8 elements",
       {{"kernel", std::string("triad")}},
       {{"n", counts({1000, 3000, 10000, 30000, 100000, 300000, 1000000, 3000000, 10000000, 30000000, 100000000})}}},
      {"curve-repeated",
       "the short end of the curve, 100 kernels in a row",
       {{"repeats", std::int64_t{100}}},
       {{"n", counts({1000, 3000, 10000, 30000, 100000, 300000, 1000000})}}},
  };
}

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
  harness::Application a;
  a.name = "stream";
  a.title = "Memory bandwidth";
  a.summary = "Copy, scale, add, triad and dot: the speed of memory, and nothing else.";
  a.source = "Khajeh-Saeed, dissertation, UMass Amherst 2012, ch. 3.1; STREAM 5.10; BabelStream 5.0";
  a.update = "element";
  a.parameters = {
      {.key = "kernel",
       .default_value = std::string("triad"),
       .description = "which operation; sequence: STREAM's own order, ten times",
       .minimum = {},
       .maximum = {},
       .choices = {"copy", "scale", "add", "triad", "dot", "sequence"}},
      {.key = "n",
       .default_value = std::int64_t{1} << 25,
       .description = "elements of each array",
       .minimum = 1,
       .maximum = 0x1p40,
       .choices = {}},
      {.key = "precision",
       .default_value = std::string("f64"),
       .description = "type of the elements",
       .minimum = {},
       .maximum = {},
       .choices = {"f64", "f32"}},
      {.key = "repeats",
       .default_value = std::int64_t{1},
       .description = "kernels in a row that one execute does",
       .minimum = 1,
       .maximum = 10000,
       .choices = {}},
  };
  a.sizes = sizes();
  a.variants = variants();
  a.footprint = inputs_footprint;
  a.work = work;
  a.prepare = prepare;
  return a;
}

}  // namespace speedwell::stream
