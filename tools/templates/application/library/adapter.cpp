// The application for the harness: parameters, sizes, work and the table of variants.
#include "speedwell/apps/new_application/adapter.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "speedwell/apps/new_application/adapter_workload.hpp"
#include "speedwell/apps/new_application/ladder.hpp"
#include "speedwell/apps/new_application/new_application.hpp"
#include "speedwell/harness/solver_run.hpp"

namespace speedwell::new_application {
namespace {

using harness::Backend;
using harness::Role;

Problem problem_of(const harness::Problem& p) {
  return {.n = p.get<std::int64_t>("n"), .a = p.get<double>("a"), .seed = p.seed()};
}
bool is_f32(const harness::Problem& p) { return p.get<std::string>("precision") == "f32"; }
double vector_bytes(const harness::Problem& p) {
  return static_cast<double>(p.get<std::int64_t>("n")) * (is_f32(p) ? sizeof(float) : sizeof(double));
}

/// x, y and the answer of the oracle.
harness::Footprint inputs_footprint(const harness::Problem& p) {
  const double oracle = static_cast<double>(p.get<std::int64_t>("n")) * sizeof(double);
  return {.host_bytes = 2 * vector_bytes(p) + oracle};
}
harness::Footprint host_footprint(const harness::Problem& p) { return {.host_bytes = vector_bytes(p)}; }
harness::Footprint device_footprint(const harness::Problem& p) {
  return {.host_bytes = vector_bytes(p), .device_bytes = 3 * vector_bytes(p)};
}

/// A product and a sum per element; x and y are read and z is written once.
harness::Work work(const harness::Problem& p) {
  const double n = static_cast<double>(p.get<std::int64_t>("n"));
  return {.operations = 2 * n,
          .arithmetic = is_f32(p) ? harness::Arithmetic::f32 : harness::Arithmetic::f64,
          .bytes_read = 2 * vector_bytes(p),
          .bytes_written = vector_bytes(p),
          .updates = n,
          .working_set = 3 * vector_bytes(p)};
}

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> all;
  all.push_back({.name = "serial",
                 .backend = Backend::serial,
                 .description = "a plain loop on one core",
                 .make = harness::host_function<Inputs>([](const auto& inputs, auto& z, const harness::Context&) {
                   axpy_serially(inputs.a(), inputs.x(), inputs.y(), z.span());
                 }),
                 .footprint = host_footprint});
  all.push_back(
      {.name = "openmp",
       .backend = Backend::openmp,
       .description = "a contiguous part of the vectors per core",
       .make = harness::host_function<Inputs>([](const auto& inputs, auto& z, const harness::Context& context) {
         axpy(inputs.a(), inputs.x(), inputs.y(), z.span(), context.threads);
       }),
       .footprint = host_footprint});
  for (const Step& step : steps)  // cuda_runs() has their solvers
    all.push_back({.name = std::string(step.name),
                   .backend = Backend::cuda,
                   .role = step.name == "cuda" ? Role::best : Role::step,
                   .description = std::string(step.description),
                   .footprint = device_footprint});
  return all;
}

std::vector<harness::Size> sizes() {
  const harness::Sweep precisions = {"precision", {"f64", "f32"}};
  return {
      {"test",
       "a single element, and lengths that are no multiple of a block, in both precisions",
       {},
       {{"n", {1, 1000, 100003}}, precisions}},
      {"headline", "2^24 elements, 128 MiB per vector", {{"n", 1 << 24}}, {}},
      {"small", "2^22 elements in both precisions", {{"n", 1 << 22}}, {precisions}},
      {"standard", "2^28 elements in both precisions, 2 GiB per vector in f64", {{"n", 1 << 28}}, {precisions}},
      {"large", "2^31 elements, 16 GiB per vector", {{"n", std::int64_t{1} << 31}}, {}},
      {"crossover", "10^3 to 10^8 elements", {}, {{"n", {1000, 10000, 100000, 1000000, 10000000, 100000000}}}},
  };
}

}  // namespace

harness::Application application() {
  harness::Application app;
  app.name = "new_application";
  app.title = "TITLE_OF_THE_APPLICATION";
  app.summary = "z = a x + y: every element of two vectors is read once, and one is written.";
  app.source = "BLAS: Lawson et al., ACM Trans. Math. Software 5 (1979), 308-323";
  app.update = "element";
  app.parameters = {
      harness::integer("n", 1 << 22, "elements of each vector", {1, 0x1p38}),
      harness::real("a", 2.5, "the factor of x", {-1e6, 1e6}),
      harness::choice("precision", "f64", "of all vectors", {"f64", "f32"}),
  };
  app.sizes = sizes();
  app.variants = variants();
  app.footprint = inputs_footprint;
  app.work = work;
  app.prepare = [](const harness::Problem& p) -> std::shared_ptr<const harness::Workload> {
    return std::make_shared<const TypedWorkload>(is_f32(p), problem_of(p));
  };
  return app;
}

}  // namespace speedwell::new_application
