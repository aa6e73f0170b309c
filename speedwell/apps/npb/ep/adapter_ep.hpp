// EP for the harness.
#pragma once

#include <vector>

#include "speedwell/apps/npb/adapter_kernel.hpp"
#include "speedwell/apps/npb/ep/verify.hpp"

namespace speedwell::npb::ep {

Kernel kernel();

/// What all runs of a class share, and what they do with their results.
struct EpCase final : KernelCase {
  using Answer = Result;

  explicit EpCase(Class c) : KernelCase("ep"), problem(problem_of(c)), expected(expect(problem)) {}
  Result poison() const;
  core::Verdict verify(const Result& result) const { return ep::verify(expected, result); }
  static std::vector<harness::Output> outputs(Result& result);

  Problem problem;
  Expected expected;
};

}  // namespace speedwell::npb::ep
