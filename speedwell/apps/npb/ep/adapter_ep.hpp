// EP for the harness.
#pragma once

#include <vector>

#include "speedwell/apps/npb/adapter_rows.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"

namespace speedwell::npb::ep {

Kernel kernel();

struct EpWorkload final : KernelWorkload {
  using Answer = Result;

  explicit EpWorkload(Class c) : KernelWorkload("ep"), problem(problem_of(c)), expected(expect(problem)) {}
  Answer make_answer() const { return {}; }
  std::vector<harness::Output> outputs(Answer& result) const {
    return {{"sum_x", harness::ElementType::f64, &result.sum_x, 1},
            {"sum_y", harness::ElementType::f64, &result.sum_y, 1},
            {"counts", harness::ElementType::i64, result.counts.data(), result.counts.size()}};
  }
  core::Verdict verify(const Answer& result) const { return ep::verify(expected, result); }

  Problem problem;
  Expected expected;
};

}  // namespace speedwell::npb::ep
