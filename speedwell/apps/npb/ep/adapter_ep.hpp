// EP for the harness.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "speedwell/apps/npb/adapter_kernel.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"
#include "speedwell/harness/run.hpp"

namespace speedwell::npb::ep {

Kernel kernel();

/// What all runs of a class share.
struct EpCase final : harness::Case {
  explicit EpCase(Class c) : problem(problem_of(c)), expected(expect(problem)) {}
  Problem problem;
  Expected expected;
};

/// The result in host memory, as every run has it.
class Answer {
 public:
  void poison();
  Result& result() { return result_; }
  std::vector<harness::Output> outputs();

 private:
  Result result_;
};

}  // namespace speedwell::npb::ep
