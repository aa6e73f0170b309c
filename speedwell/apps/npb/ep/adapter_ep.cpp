#include "speedwell/apps/npb/ep/adapter_ep.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/harness/adapter.hpp"
#include "speedwell/harness/host_choices.hpp"
#include "speedwell/harness/measurement/solver_run.hpp"

namespace speedwell::npb::ep {
namespace {

// Floating-point operations as `cuda` needs them, a fused multiply-add being two; comparisons and the integers of the
// generator are not counted. A pair takes two subtractions and the three operations of s. An accepted pair takes 12
// more for the logarithm, 10 for the inverse root, two products and two sums.
constexpr double operations_of_pair = 2 + 3, operations_of_accepted = 12 + 10 + 4;

// FP64 instructions that `cuda` is compiled to, for a pair, masked or not: README, Method: EP. Each could have been a
// fused multiply-add.
constexpr double instructions_of_pair = 22.5;
// The same for a vector in block_kernel.cpp, a product and a sum being one. Each pair takes two subtractions, two
// instructions for s and a comparison; an accepted one takes s again, 11 for the logarithm, 10 for the inverse root,
// two products, two sums, the maximum and four comparisons.
constexpr double vector_instructions_of_pair = 2 + 2 + 1, vector_instructions_of_accepted = 2 + 11 + 10 + 2 + 2 + 1 + 4;

harness::Work work_of(Class c, double operations) {
  const double n = std::ldexp(1.0, problem_of(c).m);
  return {.operations = n * operations, .arithmetic = harness::Arithmetic::f64, .updates = 2 * n};
}
harness::Work work(Class c) { return work_of(c, operations_of_pair + std::numbers::pi / 4 * operations_of_accepted); }

harness::Work vector_work(Class c) {
  return work_of(c, 2 * (vector_instructions_of_pair + std::numbers::pi / 4 * vector_instructions_of_accepted));
}

harness::NpbTitle title(Class c) {
  return {.name = "EP",
          .problem_class = std::string(1, letter(c)),
          .size = std::to_string(2 * pairs(problem_of(c))),
          .iterations = 0,
          .operation = "Random numbers generated"};
}

std::shared_ptr<const harness::Workload> prepare(Class c) { return std::make_shared<const EpWorkload>(c); }

void execute_serially(const EpWorkload& workload, Result& result, const harness::Context&) {
  result = tally_serially(workload.problem);
}
void execute_in_threads(const EpWorkload& workload, Result& result, const harness::Context& context) {
  result = tally(workload.problem, {.threads = context.threads});
}
harness::Choices instruction_set(const harness::Context&) { return {harness::instruction_set()}; }

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      {.name = "serial",
       .backend = harness::Backend::serial,
       .description = "pair after pair, the library's logarithm and root",
       .make = harness::host_function<EpWorkload>(execute_serially)},
      {.name = "openmp",
       .backend = harness::Backend::openmp,
       .description =
           "all cores: a stream in each lane of a vector, logarithm and inverse root from tables and polynomials",
       .make = harness::host_function<EpWorkload>(execute_in_threads, instruction_set),
       .work = [](const harness::Problem& p) { return vector_work(npb::class_of(p)); }},
  };
  rows.push_back({.name = "mpi",
                  .backend = harness::Backend::mpi,
                  .description = "as openmp, on one core of each rank; one message collects the sums",
                  .work = [](const harness::Problem& p) { return vector_work(npb::class_of(p)); }});
  for (const Step& step : steps) rows.push_back(harness::ladder_variant(step));
  const auto device_work = [](const harness::Problem& p) {
    return work_of(npb::class_of(p), 2 * instructions_of_pair);
  };
  rows.back().work = device_work;
  rows.push_back({.name = "multi",
                  .backend = harness::Backend::multi,
                  .role = harness::Role::best,
                  .description = "as cuda, a part of the pairs on the GPU of each rank; one message collects the sums",
                  .work = device_work});
  return rows;
}

}  // namespace

Kernel kernel() { return {"ep", work, title, prepare, variants}; }

}  // namespace speedwell::npb::ep
