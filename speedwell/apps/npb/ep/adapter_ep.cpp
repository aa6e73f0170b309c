#include "speedwell/apps/npb/ep/adapter_ep.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "speedwell/apps/npb/ep/ladder.hpp"
#include "speedwell/core/isa.hpp"
#include "speedwell/harness/run.hpp"

namespace speedwell::npb::ep {
namespace {

// Floating-point operations, a fused multiply-add two, as the short mathematics of `cuda` has them; comparisons and the
// generator's integers cost nothing. Of a pair: two subtractions and the three of s. Of an accepted pair: 12 of the
// logarithm, 10 of the inverse root, two products and two sums.
constexpr double operations_of_pair = 2 + 3, operations_of_accepted = 12 + 10 + 4;

// Instructions of FP64's pipe that `cuda` is compiled to, for a pair, masked or not: README, Method: EP. Each could
// have been a fused multiply-add.
constexpr double instructions_of_pair = 22.5;
// And of a vector in block_kernel.cpp, a product and a sum being one: of each pair two subtractions, two for s and a
// comparison; of an accepted one s again, 11 of the logarithm, 10 of the inverse root, two products, two sums, the
// larger and four comparisons.
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

std::shared_ptr<const harness::Workload> prepare(Class c) { return std::make_shared<const EpCase>(c); }

class HostRun final : public harness::Run {
 public:
  HostRun(std::shared_ptr<const EpCase> prepared, const harness::Context& context, bool all_cores)
      : case_(std::move(prepared)), threads_(context.threads), all_cores_(all_cores) {}

  void poison() override { result_ = case_->poison(); }
  void execute() override {
    result_ = all_cores_ ? tally(case_->problem, {.threads = threads_}) : tally_serially(case_->problem);
  }
  core::Verdict verify() override { return case_->verify(result_); }
  std::vector<harness::Output> outputs() override { return EpCase::outputs(result_); }
  std::vector<std::pair<std::string, std::string>> choices() override {
    if (!all_cores_) return {};
    return {{"instruction_set", std::string(core::to_string(core::best_isa()))}};
  }

 private:
  std::shared_ptr<const EpCase> case_;
  int threads_;
  bool all_cores_;
  Result result_;
};

std::vector<harness::Variant> variants() {
  std::vector<harness::Variant> rows = {
      {.name = "serial",
       .backend = harness::Backend::serial,
       .description = "pair after pair, the library's logarithm and root",
       .make = harness::make_run<EpCase, HostRun>(false)},
      {.name = "openmp",
       .backend = harness::Backend::openmp,
       .description =
           "all cores: a stream in each lane of a vector, logarithm and inverse root from tables and polynomials",
       .make = harness::make_run<EpCase, HostRun>(true),
       .work = [](const harness::Problem& p) { return vector_work(npb::class_of(p)); }},
  };
  for (const Step& step : steps)
    rows.push_back({.name = std::string(step.name),
                    .backend = harness::Backend::cuda,
                    .role = step.name == "cuda" ? harness::Role::best : harness::Role::step,
                    .description = std::string(step.description),
                    .lineage = std::string(step.lineage)});
  rows.back().work = [](const harness::Problem& p) { return work_of(npb::class_of(p), 2 * instructions_of_pair); };
  return rows;
}

}  // namespace

Result EpCase::poison() const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Result result{.sum_x = nan, .sum_y = nan, .counts = {}};
  result.counts.fill(-1);
  return result;
}

std::vector<harness::Output> EpCase::outputs(Result& result) {
  return {{"sum_x", harness::ElementType::f64, &result.sum_x, 1},
          {"sum_y", harness::ElementType::f64, &result.sum_y, 1},
          {"counts", harness::ElementType::i64, result.counts.data(), result.counts.size()}};
}

Kernel kernel() { return {"ep", work, title, prepare, variants}; }

}  // namespace speedwell::npb::ep
