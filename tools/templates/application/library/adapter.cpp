// The application for the harness: parameters, sizes, work and the table of variants.
#include "speedwell/apps/new_application/adapter.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "speedwell/apps/new_application/adapter_workload.hpp"
#include "speedwell/apps/new_application/ladder.hpp"
#include "speedwell/apps/new_application/new_application.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/measurement/precision.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::new_application {
namespace {

using harness::Backend;
using harness::is_f32;
using harness::real_bytes;
using harness::Role;

Problem problem_of(const harness::Problem& p) {
  return {.n = p.get<std::int64_t>("n"), .a = p.get<double>("a"), .seed = p.seed()};
}
double vector_bytes(const harness::Problem& p) { return static_cast<double>(p.get<std::int64_t>("n")) * real_bytes(p); }

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
          .arithmetic = harness::real_arithmetic(p),
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
  for (const Step& step : steps) {  // cuda_runs() has their solvers
    all.push_back(harness::ladder_variant(step));
    all.back().footprint = device_footprint;
  }
  return all;
}

std::vector<harness::Size> sizes() {
  const harness::Sweep precisions = harness::both_precisions();
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

std::vector<harness::Parameter> parameters() {
  return {
      harness::integer("n", 1 << 22, "elements of each vector", {1, 0x1p38}),
      harness::real("a", 2.5, "the factor of x", {-1e6, 1e6}),
      harness::precision_parameter("of all vectors"),
  };
}

}  // namespace

harness::Application application() {
  return {.name = "new_application",
          .title = "TITLE_OF_THE_APPLICATION",
          .summary = "z = a x + y: every element of two vectors is read once, and one is written.",
          .source = "BLAS: Lawson et al., ACM Trans. Math. Software 5 (1979), 308-323",
          .update = "element",
          .parameters = parameters(),
          .sizes = sizes(),
          .variants = variants(),
          .footprint = inputs_footprint,
          .work = work,
          .prepare = harness::make_workload<TypedWorkload>(is_f32, problem_of)};
}

}  // namespace speedwell::new_application
